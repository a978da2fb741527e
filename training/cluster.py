"""Work that is shared by processes of Ray, on this machine or on many.

What is shared are **jobs** whose results depend on what they are given alone: shards of a batch
(``shards.py``) and blocks of a tournament (``blocks.py``). Whoever does one, and however often, comes to
the same; so a worker that dies is replaced, what it was doing is done again, and nothing is lost or counted
twice.

Ray is an extra: ``pip install -c constraints.txt -e '.[cluster]'``.
"""

from __future__ import annotations

import logging
import os
import platform
import signal
import socket
import sys
import threading
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Sequence
from importlib.metadata import version
from typing import Any

from envs.core.game import Rules
from envs.core.jit import source_hash

from .blocks import Block, Played
from .tournament import player_of

LOCAL = "local"  # the address of a cluster that is started here, and ended with the program
STORE = 256 << 20  # bytes that results may take here at a time; more is written to disk
MOST_DEATHS = 5  # of workers over the same job, or before they have begun
SECONDS_TO_ANSWER = 5  # of a machine that is there
SECONDS_OF_SILENCE = 60  # after which it is said that no worker has begun
NO_JOB = -1
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}


def load_ray() -> Any:
    """The package; ValueError where it is not installed."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError:
        raise ValueError(
            "--backend ray needs Ray: pip install 'paizhuo[cluster]' (here: pip install -c constraints.txt "
            "-e '.[cluster]')"
        ) from None
    return ray


def connect(address: str = LOCAL, workers: int | None = None) -> bool:
    """Join the cluster at ``address``; returns whether this call did, and not an earlier one.

    Parameters
    ----------
    address : str
        ``HOST:PORT`` of a cluster that runs, ``auto`` for the one that this machine is part of, or ``local``.
    workers : int, optional
        Processors of a local one; by default all that there are.

    Raises
    ------
    ValueError
        If Ray is not installed or cannot be started, or there is no such cluster.
    """
    ray = load_ray()
    if ray.is_initialized():
        return False
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address == LOCAL:
        options |= {"num_cpus": workers, "include_dashboard": False, "object_store_memory": STORE}
    elif ":" in address:
        _look_for(address)
    in_main = threading.current_thread() is threading.main_thread()
    heeded = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(address, **options)
    except Exception as error:  # Ray has no class of its own for most of what it says here
        what = "start Ray here" if address == LOCAL else f"join a Ray cluster at {address}"
        raise ValueError(f"cannot {what}: {' '.join(str(error).split())}") from error
    finally:
        if in_main:  # Ray sets its own, which ends the program at once
            signal.signal(signal.SIGTERM, heeded)
    return True


def _look_for(address: str) -> None:
    """ValueError if nobody answers at ``address``; Ray itself would take minutes, and end the program."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), SECONDS_TO_ANSWER).close()
    except (OSError, ValueError, OverflowError) as error:
        raise ValueError(
            f"no Ray cluster answers at {address} ({error}); start one by ray start --head, which prints its "
            "address, or leave --address out for one on this machine"
        ) from None


def fingerprint() -> str:
    """What all workers must have in common: the version and the sources of the games and agents."""
    return f"{version('paizhuo')} {source_hash()}"


class Worker:
    """A process that does jobs."""

    def start(self, make: Callable[..., Callable[..., Any]], given: tuple[Any, ...]) -> str:
        """Make what does them; returns this machine's ``fingerprint``."""
        try:
            self._do = make(*given)
        except (OSError, ValueError) as error:  # such as a folder that is not there
            raise ValueError(f"{error} (on the machine {platform.node()})") from error
        return fingerprint()

    def do(self, *job: Any) -> Any:
        """Do a job."""
        return self._do(*job)


class Workers:
    """So many workers, of which each does one job at a time; one that dies is replaced.

    Those for whom the cluster has no processor now join when it has one: a cluster may grow and shrink.

    Parameters
    ----------
    make : callable
        Called by every worker with ``given``; gives what does a job. All is sent to the workers.
    given : tuple
    count : int, optional
        By default one for each processor of the cluster.
    address : str
        Of ``connect``.

    Raises
    ------
    ValueError
        If Ray is not installed, or there is no such cluster.
    """

    def __init__(
        self,
        make: Callable[..., Callable[..., Any]],
        given: tuple[Any, ...],
        count: int | None = None,
        address: str = LOCAL,
    ) -> None:
        self._has_joined = connect(address, count)
        self._ray = load_ray()
        self._make, self._given = make, given
        self._actor = self._ray.remote(num_cpus=1, scheduling_strategy="SPREAD")(Worker)
        self._idle: list[Any] = []
        self._calls: dict[Any, tuple[Any, int]] = {}  # under way: who, and the job's number
        self._deaths: Counter[int] = Counter()
        self._fingerprint, self._have_begun = fingerprint(), False
        for _ in range(count or int(self._ray.cluster_resources().get("CPU", 1))):
            self._hire()

    def share(self, content: Any) -> Any:
        """What stands for the ``content`` in many jobs, so that every machine gets it once."""
        return self._ray.put(content)

    def do(self, jobs: Iterable[tuple[Any, ...]]) -> Generator[Any, None, None]:
        """Do all jobs; yields what they come to, in their order.

        Raises
        ------
        ValueError
            If a worker raises one, has another version of the program, or the same job ends several of them.
        """
        jobs = list(jobs)
        waiting, found, turn = deque(range(len(jobs))), {}, 0
        self._deaths.clear()
        while turn < len(jobs):
            while waiting and self._idle:
                actor, number = self._idle.pop(), waiting.popleft()
                self._calls[actor.do.remote(*jobs[number])] = actor, number
            call = self._next()
            actor, number = self._calls.pop(call)
            try:
                answer = self._answer(call)
            except ChildProcessError as error:
                self._replace(actor, number, error)
                if number != NO_JOB:
                    waiting.appendleft(number)
                continue
            self._idle.append(actor)
            if number != NO_JOB:
                found[number] = answer
            elif answer != self._fingerprint:
                raise ValueError(
                    f"a worker has another version of the program ({answer}, here {self._fingerprint}): "
                    "install the same on all machines"
                )
            self._have_begun = True
            while turn in found:
                yield found.pop(turn)
                turn += 1

    def _next(self) -> Any:
        """The next call that ends."""
        ended, _ = self._ray.wait(list(self._calls), timeout=SECONDS_OF_SILENCE)
        if not ended and not self._have_begun:
            cpus = int(self._ray.cluster_resources().get("CPU", 0))
            print(
                f"no worker has begun yet: the cluster has {cpus} processors, which others may use; waiting",
                file=sys.stderr,
            )
        while not ended:
            ended, _ = self._ray.wait(list(self._calls), timeout=SECONDS_OF_SILENCE)
        return ended[0]

    def _answer(self, call: Any) -> Any:
        """What a call came to; ChildProcessError if its worker, or the machine with the answer, is gone."""
        errors = self._ray.exceptions
        try:
            return self._ray.get(call)
        except errors.RayTaskError as error:
            if isinstance(error.cause, ValueError):
                raise error.cause from None
            raise  # says where in the worker
        except (errors.RayActorError, errors.ObjectLostError) as error:
            raise ChildProcessError(str(error)) from None

    def _hire(self) -> None:
        actor = self._actor.remote()
        self._calls[actor.start.remote(self._make, self._given)] = actor, NO_JOB

    def _replace(self, actor: Any, number: int, reason: Exception) -> None:
        """A worker is gone while it did this job."""
        self._deaths[number] += 1
        if self._deaths[number] > MOST_DEATHS:
            what = "before they had begun" if number == NO_JOB else "over the same work"
            raise ValueError(
                f"{MOST_DEATHS + 1} workers have died {what}; of the last one Ray says: {reason}"
            )
        self._ray.kill(actor)
        self._hire()

    def close(self) -> None:
        """End the workers, and a local cluster with them."""
        for actor in [*self._idle, *(actor for actor, _ in self._calls.values())]:
            self._ray.kill(actor)
        self._idle, self._calls = [], {}
        if self._has_joined:
            self._ray.shutdown()


def play_blocks(
    game: str,
    rules: Rules,
    names: Sequence[str],
    blocks: Sequence[Block],
    workers: int,
    labels: Sequence[str] | None = None,
    goes_on: bool = False,
    address: str = LOCAL,
) -> Generator[Played, None, None]:
    """Play the blocks on Ray; yields their games in order, as ``tournament.play_blocks`` does.

    Parameters are as there, but for ``names``, from which every worker loads the agents, and ``address``.
    """
    team = Workers(player_of, (game, rules, names, labels, goes_on), workers, address)
    try:
        yield from team.do((block,) for block in blocks)
    finally:
        team.close()
