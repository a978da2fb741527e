"""One PPO learner in several processes: each plays games of its own, and they average their gradients.

Every process has the same weights, an equal part of the tables, of the batch and of each minibatch; before a
step of Adam the gradients are averaged, so all take the same step. Torch's gloo carries them, between the
processes of one machine, through its loopback address.

Process 0 is the one that the user started. The others are ``python -m training.processes PORT RANK COUNT``:
they do what it tells them, and end when it does, however it does.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import distributed, nn
from torch.distributed import TCPStore  # type: ignore[attr-defined]

from envs.core.rng import mix_in
from envs.core.seeding import as_seed

from .optimiser import Networks, is_adam
from .ppo import PPO, PPOConfig

LOOPBACK = "127.0.0.1"
LONGEST_WAIT = timedelta(days=1)  # of the others, while process 0 evaluates
PATIENCE = 10  # seconds for a process to end
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
    return replace(config, **{name: number // processes for name, number in shared.items()})


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

    Raises
    ------
    ValueError
        If tables, batch and minibatch cannot be shared equally, or a learner cannot be made.
    """

    def __init__(self, make: Make, config: PPOConfig, seed: int, processes: int) -> None:
        part = part_of(config, processes)
        seeds = mix_in(np.full(processes, as_seed(seed), np.uint64), _STREAM, np.arange(processes))
        self._own = make(part, int(seeds[0]))
        self.policy, self.compute = self._own.policy, self._own.compute
        store = TCPStore(LOOPBACK, 0, processes, is_master=True, wait_for_workers=False)
        command = [sys.executable, "-m", __name__, str(store.port)]
        self._others = [
            subprocess.Popen([*command, str(rank), str(processes)]) for rank in range(1, processes)
        ]
        while not store.check([_here(rank) for rank in range(1, processes)]):
            self._check_alive()
            time.sleep(0.05)
        _join(store, 0, processes)
        self._own.average = _average
        self._share((make, part, seeds.tolist(), torch.get_num_threads()))
        self._tell("weights", [_weights(self._own)] * processes)

    @property
    def networks(self) -> Networks:
        """The networks by the names of their files, with the sizes of their layers."""
        return self._own.networks

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
        weights = [_weights(self._own)] * len(parts)
        self._tell("weights", weights)
        self._tell("load_state", parts)

    def _tell(self, what: str, arguments: Sequence[Any]) -> list[Any]:
        """Have every process do ``what`` with its argument; returns what each of them answers.

        Raises
        ------
        ChildProcessError
            If one has ended.
        """
        try:
            self._share(what)
            return _do(self._own, what, list(arguments))
        except RuntimeError:  # of gloo, whose messages speak of sockets
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._others[0].wait(PATIENCE)  # it takes a moment until its end is known
            self._check_alive()
            raise

    @staticmethod
    def _share(what: Any) -> None:
        distributed.broadcast_object_list([what], src=0)

    def _check_alive(self) -> None:
        if any(process.poll() is not None for process in self._others):
            raise ChildProcessError("one of the processes has ended, by an error above or from outside")

    def close(self) -> None:
        """End the other processes."""
        with contextlib.suppress(RuntimeError):  # where one has ended already
            self._share("end")
        distributed.destroy_process_group()
        for process in self._others:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE)
            process.kill()
            process.wait()


def _here(rank: int) -> str:
    return f"process {rank} is here"


def _join(store: TCPStore, rank: int, processes: int) -> None:
    distributed.init_process_group("gloo", store=store, rank=rank, world_size=processes, timeout=LONGEST_WAIT)


def main(port: int, rank: int, processes: int) -> None:
    """What the other processes do: as they are told, until the end."""
    for number in (signal.SIGINT, signal.SIGTERM):  # are for process 0, which ends the others
        signal.signal(number, signal.SIG_IGN)
    store = TCPStore(LOOPBACK, port, processes, is_master=False)
    store.set(_here(rank), "")
    _join(store, rank, processes)
    make, config, seeds, threads = _shared()
    torch.set_num_threads(threads)
    learner = make(config, seeds[rank])
    learner.average = _average
    while (what := _shared()) != "end":
        _do(learner, what, None)


def _shared() -> Any:
    told = [None]
    try:
        distributed.broadcast_object_list(told, src=0)
    except RuntimeError:  # process 0 has ended
        sys.exit()
    return told[0]


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
    elif what == "weights":
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
    main(*map(int, sys.argv[1:]))
