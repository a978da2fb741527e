"""One PPO learner in several processes: each plays games of its own, and they average their gradients.

Every process has the same weights, an equal part of the tables, of the batch and of each minibatch; before a
step of Adam the gradients are averaged, so all take the same step. They go through shared memory; all else is
carried by torch's gloo, by the machine's loopback interface. Processes find each other by a folder that only
the user can read.

Process 0 is the one that the user started. The others are ``python -m training.averaged FOLDER RANK COUNT``:
they do what it tells them, and end when it does, however it does.
"""

from __future__ import annotations

import contextlib
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
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import distributed, nn
from torch.distributed import FileStore  # type: ignore[attr-defined]

from envs.core.rng import mix_in
from envs.core.seeding import as_seed

from .optimiser import Networks, is_adam
from .options import option
from .ppo import PPO, PPOConfig

LOOPBACK = "lo0" if sys.platform == "darwin" else "lo"
MEETING, GRADIENTS = "meeting", "gradients"  # files of the folder
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
            what = f"{option('ppo', name)} {number}"
            raise ValueError(f"{what} cannot be shared equally by {processes} --processes")
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
        self.policy, self.compute, self.adviser = self.own.policy, self.own.compute, self.own.adviser
        self._is_busy = True  # until all have done something together
        self._folder = tempfile.TemporaryDirectory(prefix="paizhuo-")
        folder = Path(self._folder.name)
        self.own.average = Averaging(folder / GRADIENTS, 0, processes, self.own.parameters)
        store = _store(folder, processes)
        self._others = [
            subprocess.Popen(
                [sys.executable, "-m", __name__, str(folder), str(rank), str(processes)],
                start_new_session=True,  # Ctrl-C is for process 0
            )
            for rank in range(1, processes)
        ]
        try:
            while not store.check([_here(rank) for rank in range(1, processes)]):
                self._check_alive()
                time.sleep(SECONDS_BETWEEN_LOOKS)
            _join(store, 0, processes)
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
                with contextlib.suppress(RuntimeError):  # one may have ended since, and is waited for below
                    _share("end")
            distributed.destroy_process_group()
        for process in self._others:
            if self._is_busy:
                process.kill()
            process.wait()
        self._folder.cleanup()


def _here(rank: int) -> str:
    return f"process {rank} is here"


def _store(folder: Path, processes: int) -> FileStore:
    if sys.platform != "win32":  # where gloo finds it by itself
        os.environ.setdefault("GLOO_SOCKET_IFNAME", LOOPBACK)
    return FileStore(str(folder / MEETING), processes)


def _join(store: FileStore, rank: int, processes: int) -> None:
    distributed.init_process_group("gloo", store=store, rank=rank, world_size=processes, timeout=LONGEST_WAIT)


def main(folder: Path, rank: int, processes: int) -> None:
    """What the other processes do: as they are told, until the end."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a system that ends all processes means process 0
    store = _store(folder, processes)
    store.set(_here(rank), "")
    _join(store, rank, processes)
    make, config, seeds, threads = _shared()
    torch.set_num_threads(threads)
    learner = make(config, seeds[rank])
    learner.average = Averaging(folder / GRADIENTS, rank, processes, learner.parameters)
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


class Averaging:
    """Puts the mean of all processes' gradients in the place of each, through a file that all have in memory.

    There are two rooms in turn: who writes to one again has met all others in between, so they have read it.

    Parameters
    ----------
    file : Path
        Made by process 0 before the others open it.
    rank, processes : int
    parameters : sequence of nn.Parameter
        As many numbers as these have; they all have gradients whenever they are averaged.
    """

    def __init__(self, file: Path, rank: int, processes: int, parameters: Sequence[nn.Parameter]) -> None:
        size = sum(parameter.numel() for parameter in parameters)
        mode: Literal["w+", "r+"] = "w+" if rank == 0 else "r+"
        self._rooms = np.memmap(file, np.float32, mode, shape=(2, processes, size))
        self._rank, self._calls = rank, 0

    def __call__(self, parameters: Sequence[nn.Parameter]) -> None:
        room = self._rooms[self._calls % 2]
        self._calls += 1
        gradients = [p.grad for p in parameters if p.grad is not None]
        room[self._rank] = nn.utils.parameters_to_vector(gradients).cpu().numpy()
        distributed.barrier()
        mean = torch.from_numpy(room.mean(axis=0)).to(gradients[0].device)
        nn.utils.vector_to_parameters(mean, gradients)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
