"""One PPO learner in several processes: each plays games of its own, and they average their gradients.

Every process has the same weights, an equal part of the tables, of the batch and of each minibatch; before a
step of Adam the gradients are averaged, so all take the same step. Torch's gloo carries them from process to
process of one machine, by its loopback interface; they find each other by a file that only the user can read.

Process 0 is the one that the user started. The others are ``python -m training.averaged FILE RANK COUNT``:
they do what it tells them, and end when it does, however it does.
"""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import distributed, nn
from torch.distributed import FileStore  # type: ignore[attr-defined]

from envs.core.rng import mix_in
from envs.core.seeding import as_seed

from .optimiser import Networks, is_adam
from .ppo import PPO, PPOConfig

LOOPBACK = "lo0" if sys.platform == "darwin" else "lo"
LONGEST_WAIT = timedelta(days=1)  # of the others, while process 0 evaluates
PATIENCE, SECONDS_BETWEEN_LOOKS = 10, 0.05  # for a process to end
_STREAM = 0x2B0C  # keeps these random numbers apart from others made from the same seed

Make = Callable[[PPOConfig, int], PPO]  # from a process's part of the options, and its seed


def part_of(config: PPOConfig, processes: int) -> PPOConfig:
    """The options of one of so many processes.

    Raises
    ------
    ValueError
        If tables, batch and minibatch cannot be shared equally.
    """
    shared = {name: getattr(config, name) for name in ("num_envs", "batch", "minibatch")}
    for name, number in shared.items():
        if number % processes:
            option = f"--ppo.{name.replace('_', '-')}"
            raise ValueError(f"{option} {number} cannot be shared equally by {processes} --processes")
    part = {name: number // processes for name, number in shared.items()}
    return replace(config, **part, warm_samples=math.ceil(config.warm_samples / processes))


class AveragedPPO:
    """PPO in several processes, as one learner.

    Parameters
    ----------
    make : callable
        Makes a process's learner; it is pickled.
    config : PPOConfig
        Of all processes together.
    seed : int
    processes : int
        At least 2.

    Attributes
    ----------
    own : PPO
        Process 0's.

    Raises
    ------
    ValueError
        If tables, batch and minibatch cannot be shared equally, or a learner cannot be made.
    """

    def __init__(self, make: Make, config: PPOConfig, seed: int, processes: int) -> None:
        part = part_of(config, processes)
        seeds = mix_in(np.full(processes, as_seed(seed), np.uint64), _STREAM, np.arange(processes))
        self.own = make(part, int(seeds[0]))
        self.policy, self.compute = self.own.policy, self.own.compute
        self._is_busy = True  # until all have done something together
        self._folder = tempfile.TemporaryDirectory(prefix="paizhuo-")
        file = str(Path(self._folder.name) / "meeting")
        store = _store(file, processes)
        self._others = [
            subprocess.Popen(
                [sys.executable, "-m", __name__, file, str(rank), str(processes)],
                start_new_session=True,  # Ctrl-C is for process 0
            )
            for rank in range(1, processes)
        ]
        try:
            while not store.check([_here(rank) for rank in range(1, processes)]):
                self._check_alive()
                time.sleep(SECONDS_BETWEEN_LOOKS)
            _join(store, 0, processes)
            self.own.average = _average
            self._together(_share, (make, part, seeds.tolist(), torch.get_num_threads()))
            self._tell("take", [_weights(self.own)] * processes)
        except BaseException:
            self.close()
            raise

    @property
    def networks(self) -> Networks:
        """The networks by the names of their files, with the sizes of their layers."""
        return self.own.networks

    def iterate(self, progress: float) -> dict[str, float]:
        """As ``PPO.iterate``, of all processes together."""
        told = self._tell("iterate", [progress] * (len(self._others) + 1))
        figures = {name: float(np.mean([own[name] for own in told])) for name in told[0]}
        for name in ("samples", "games"):
            figures[name] = sum(int(own[name]) for own in told)
        return figures

    def state(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Everything that learning goes on from but the weights, of all processes."""
        told = self._tell("state", [None] * (len(self._others) + 1))
        arrays = {
            f"process{rank}_{name}": array
            for rank, (own, _) in enumerate(told)
            for name, array in own.items()
            if rank == 0 or not is_adam(name)  # which are the same everywhere
        }
        return arrays, {"processes": [plain for _, plain in told]}

    def load_state(self, arrays: Mapping[str, NDArray[Any]], plain: Mapping[str, Any]) -> None:
        """Go on from the ``state`` of as many processes with the same options."""
        parts: list[tuple[dict[str, NDArray[Any]], Any]] = []
        for rank, own in enumerate(plain["processes"]):
            begin = f"process{rank}_"
            mine = {k.removeprefix(begin): v for k, v in arrays.items() if k.startswith(begin)}
            shared = {k: v for k, v in parts[0][0].items() if is_adam(k)} if parts else {}
            parts.append((shared | mine, own))
        weights = [_weights(self.own)] * len(parts)
        self._tell("take", weights)
        self._tell("load_state", parts)

    def _tell(self, what: str, arguments: Sequence[Any]) -> list[Any]:
        """Have every process do ``what`` with its argument; returns what each of them answers.

        Raises
        ------
        ChildProcessError
            If one has ended.
        """
        return self._together(_told, self.own, what, list(arguments))

    def _together(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Do what all processes do; where it is broken off they cannot do anything together any more."""
        self._is_busy = True
        try:
            answer = call(*arguments)
        except RuntimeError:  # of gloo, whose messages speak of sockets
            ended = time.monotonic() + PATIENCE
            while time.monotonic() < ended:  # it takes a moment until it is known who has ended
                self._check_alive()
                time.sleep(SECONDS_BETWEEN_LOOKS)
            raise
        self._is_busy = False
        return answer

    def _check_alive(self) -> None:
        if any(process.poll() is not None for process in self._others):
            raise ChildProcessError("one of the processes has ended, by an error above or from outside")

    def close(self) -> None:
        """End the other processes."""
        if distributed.is_initialized():
            if not self._is_busy:
                _share("end")
            distributed.destroy_process_group()
        for process in self._others:
            if self._is_busy:
                process.kill()
            process.wait()
        self._folder.cleanup()


def _here(rank: int) -> str:
    return f"process {rank} is here"


def _store(file: str, processes: int) -> FileStore:
    if sys.platform != "win32":  # where gloo finds it by itself
        os.environ.setdefault("GLOO_SOCKET_IFNAME", LOOPBACK)
    return FileStore(file, processes)


def _join(store: FileStore, rank: int, processes: int) -> None:
    distributed.init_process_group("gloo", store=store, rank=rank, world_size=processes, timeout=LONGEST_WAIT)


def main(file: str, rank: int, processes: int) -> None:
    """What the other processes do: as they are told, until the end."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a system that ends all processes means process 0
    store = _store(file, processes)
    store.set(_here(rank), "")
    _join(store, rank, processes)
    make, config, seeds, threads = _shared()
    torch.set_num_threads(threads)
    learner = make(config, seeds[rank])
    learner.average = _average
    while (what := _shared()) != "end":
        _do(learner, what, None)


def _share(what: Any) -> None:
    """Give it to the other processes."""
    distributed.broadcast_object_list([what], src=0)


def _shared() -> Any:
    """What process 0 gives."""
    told = [None]
    try:
        distributed.broadcast_object_list(told, src=0)
    except RuntimeError:  # it has ended
        sys.exit()
    return told[0]


def _told(learner: PPO, what: str, arguments: list[Any]) -> list[Any]:
    """What process 0 does when all are told to."""
    _share(what)
    return _do(learner, what, arguments)


def _do(learner: PPO, what: str, arguments: list[Any] | None) -> list[Any]:
    """Take this process's argument, do it, and give process 0 all answers."""
    mine: list[Any] = [None]
    distributed.scatter_object_list(mine, arguments, src=0)
    answer: Any = None
    if what == "iterate":
        answer = learner.iterate(mine[0])
    elif what == "state":
        answer = learner.state()
    elif what == "load_state":
        learner.load_state(*mine[0])
    elif what == "take":  # process 0's weights
        for name, (net, _) in learner.networks.items():
            net.load_state_dict(mine[0][name])
    answers: list[Any] | None = None if arguments is None else [None] * len(arguments)
    distributed.gather_object(answer, answers, dst=0)
    return answers or []


def _weights(learner: PPO) -> dict[str, dict[str, torch.Tensor]]:
    return {name: net.state_dict() for name, (net, _) in learner.networks.items()}


def _average(parameters: Sequence[nn.Parameter]) -> None:
    """Put the mean of all processes' gradients in the place of each."""
    gradients = [p.grad for p in parameters if p.grad is not None]
    flat = nn.utils.parameters_to_vector(gradients)
    distributed.all_reduce(flat)
    flat /= distributed.get_world_size()
    nn.utils.vector_to_parameters(flat, gradients)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
