"""Runs of self-play as child processes: several at once, each begun, gone on with or left as it is."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import cli
from .checkpoint import CONFIG_FILE, read_json
from .runs import COLUMNS, FINISHED, NO_CHECKPOINT, read_run
from .stopping import Stopping

SECONDS_BETWEEN_LOOKS = 0.1


@dataclass(frozen=True)
class Training:
    """A run to be trained.

    Attributes
    ----------
    name : str
        What to call it.
    folder : Path
    arguments, budget : tuple of str
        Words for training.selfplay; the budget is ``--minutes``, ``--samples`` or ``--iterations``, and its
        number.
    """

    name: str
    folder: Path
    arguments: tuple[str, ...]
    budget: tuple[str, str]

    @property
    def log(self) -> Path:
        """The file that takes what the run prints."""
        return self.folder.with_name(f"{self.folder.name}.log")


def state_of(training: Training) -> str | None:
    """The state of a run that was begun earlier, as ``runs.read_run`` says; None if there is none.

    Raises
    ------
    ValueError
        If its folder holds something else, or a run of other arguments.
    """
    folder = training.folder
    if not folder.exists() or not any(folder.iterdir()):
        return None
    otherwise = "remove it, or give another --out"
    if not (folder / CONFIG_FILE).exists():
        raise ValueError(f"{folder} is no folder of a run: {otherwise}")
    entry = read_run(folder)
    if entry.problem is not None:
        raise ValueError(f"{folder}: {entry.problem}; {otherwise}")
    description = read_json(folder / CONFIG_FILE)
    options, command = description["options"], shlex.split(description["command"])
    budget = "--minutes", f"{options['minutes']:g}"  # the one of now: it may have grown
    for name in ("samples", "iterations"):
        if options.get(name):
            budget = f"--{name}", str(options[name])
    if command[3:-2] != [*training.arguments, *training.budget] or budget != training.budget:
        raise ValueError(f"{folder} was trained otherwise ({shlex.join(command)}): {otherwise}")
    return entry.state


def start(training: Training, state: str | None) -> subprocess.Popen[bytes]:
    """Begin a run in a process of its own, or go on with it."""
    arguments = [*training.arguments, *training.budget, "--out", str(training.folder)]
    if state == NO_CHECKPOINT:
        shutil.rmtree(training.folder)
    elif state is not None:
        arguments = ["--resume", str(training.folder)]
    with training.log.open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "training.selfplay", *arguments],
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C reaches it once, from here: a second one would not let it save
        )  # fmt: skip


def train_all(begun: Mapping[Training, str | None], jobs: int) -> dict[Training, str]:
    """Train, ``jobs`` at once, what ``begun`` does not call finished; returns why runs failed.

    Raises
    ------
    KeyboardInterrupt
        After Ctrl-C, when the runs have saved what they have.
    """
    waiting = [training for training, state in begun.items() if state != FINISHED]
    total, failed = len(waiting), {}
    running: dict[Training, subprocess.Popen[bytes]] = {}
    with Stopping() as stopping:
        try:
            while waiting or running:
                while waiting and len(running) < jobs:
                    running[waiting[0]] = start(waiting[0], begun[waiting[0]])
                    del waiting[0]
                time.sleep(SECONDS_BETWEEN_LOOKS)
                stopping.heed()
                for training in [own for own, process in running.items() if process.poll() is not None]:
                    reason = why_failed(training, running.pop(training).returncode)
                    if reason:
                        failed[training] = reason
                    ended = total - len(waiting) - len(running)
                    said = f"failed: {reason}" if reason else strength(training)
                    print(f"{ended} of {total}: {training.name}: {said}", flush=True)
        finally:
            stop(list(running.values()))
    return failed


def why_failed(training: Training, code: int) -> str | None:
    """What went wrong in a run whose process ended with ``code``; None if nothing did."""
    if code == 0:
        return None
    if code < 0:
        return f"killed by signal {-code}"
    if code == cli.INTERRUPTED:
        return "stopped from outside"
    lines = training.log.read_text(encoding="utf-8", errors="replace").split("\n")
    said = [line.strip() for line in lines if line.strip()]
    return said[-1].removeprefix("error: ") if said else f"exit code {code}"


def strength(training: Training) -> str:
    """How strong a finished run became, in a few words."""
    entry = read_run(training.folder)
    if entry.exploitability is not None:
        return f"{entry.exploitability:.7f} b exploitability"
    return ", ".join(f"{COLUMNS[name](entry)} {name}" for name in ("% of duplicate deals", "points a game"))


def stop(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """Have runs save what they have and end; a second Ctrl-C ends them at once."""
    if processes:
        print("Stopping: the runs save what they have.", file=sys.stderr)
    try:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()
    finally:
        for process in processes:
            process.kill()
