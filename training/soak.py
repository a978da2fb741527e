"""A long run of learning, watched from outside: does its memory grow, does it become slower?

Memory is the resident memory of the run and of its child processes, looked at every few seconds by the clock
on the wall; pages that they share count in each. Speed is that of learning, evaluations left out, from the
run's ``progress.csv``.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agents.base import CHECKPOINTS
from agents.network import POLICY_FILE

from .checkpoint import PROGRESS_FILE, csv_rows, newest

PROC = Path("/proc")
SECONDS_BETWEEN_SAMPLES = 10
SETTLED_MEMORY, SETTLED_SPEED = 300, 60  # seconds at the start that are not judged, or half of a short run
MOST_GROWTH = 1.0  # MB a minute
MOST_SLOWDOWN = 0.05  # of the last third against the first
KILOBYTES = 1024
STDERR = 2  # a run's own lines go there: the tables are what is printed

Points = Sequence[tuple[float, float]]  # seconds, and what had been reached by then


def watch(game: str, minutes: float, arguments: Sequence[str] = ()) -> list[tuple[str, list[dict[str, Any]]]]:
    """Learn for so many minutes; returns tables, each a title and its rows.

    Parameters
    ----------
    game : str
    minutes : float
        Of learning.
    arguments : sequence of str
        More for ``training.selfplay``.

    Raises
    ------
    RuntimeError
        If the run fails, or on a system without ``/proc``.
    """
    if not (PROC / "self" / "status").exists():
        raise RuntimeError(f"--soak reads the memory of processes from {PROC}, which is not there")
    memory: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "run"
        command = [sys.executable, "-m", "training.selfplay", game, "--minutes", str(minutes)]
        command += ["--evaluations", "3", "--final-deals", "2", "--out", str(folder), *arguments]
        start = time.time()
        with subprocess.Popen(command, stdout=STDERR) as run:
            while run.poll() is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    run.wait(SECONDS_BETWEEN_SAMPLES)
                if run.returncode is None:
                    memory.append((time.time() - start, resident_megabytes(run.pid)))
        if run.returncode:
            raise RuntimeError(f"the run ended with exit code {run.returncode}: {' '.join(command[1:])}")
        ended = (newest(folder / CHECKPOINTS) / POLICY_FILE).stat().st_mtime - start
        memory = [point for point in memory if point[0] <= ended]  # no longer while the report is made
        speed = [(row["seconds"], row["samples"]) for row in csv_rows(folder / PROGRESS_FILE)]
    return [(f"Endurance: {game}", table(game, memory, speed)), ("Verdict", [judge(game, memory, speed)])]


def resident_megabytes(pid: int) -> float:
    """Resident memory of a process and all below it, as far as they are still there."""
    found: dict[int, tuple[int, int]] = {}
    for path in PROC.glob("[0-9]*/status"):
        with contextlib.suppress(OSError):  # it has just ended
            status = dict(line.split(":", 1) for line in path.read_text(encoding="utf-8").splitlines())
            kilobytes = int(status.get("VmRSS", "0 kB").split()[0])  # a process that has ended has none
            found[int(path.parent.name)] = int(status["PPid"]), kilobytes
    family = {pid}
    while below := {child for child, (parent, _) in found.items() if parent in family} - family:
        family |= below
    return sum(found[member][1] for member in family if member in found) / KILOBYTES


def rate_between(speed: Points, start: float, end: float) -> float:
    """Samples a second from ``start`` to ``end`` (seconds of learning)."""
    seconds, samples = np.transpose(speed)
    before, after = np.interp((start, end), seconds, samples)
    return float((after - before) / (end - start))


def table(game: str, memory: Points, speed: Points) -> list[dict[str, Any]]:
    """A row a minute: of the clock for the memory, of learning for the speed."""
    learned, rows = speed[-1][0], []
    ends = max(learned, memory[-1][0] if memory else 0)
    for minute in range(int(ends // 60) + 1):
        start, end = 60 * minute, min(60 * minute + 60, learned)
        seen = [megabytes for second, megabytes in memory if start <= second < start + 60]
        rows.append(
            {
                "game": game,
                "minute": minute + 1,
                "resident_megabytes": sum(seen) / len(seen) if seen else None,
                "samples": rate_between(speed, start, end) if end > start else None,
            }
        )
    return rows


def growth(memory: Points) -> float:
    """MB a minute after the first minutes: the slope of the least squares line, 0 for fewer than two points.

    >>> growth([(60 * minute, 500 + 2 * minute) for minute in range(11)])
    2.0
    """
    last = memory[-1][0] if memory else 0
    judged = [point for point in memory if point[0] >= min(SETTLED_MEMORY, last / 2)]
    if len(judged) < 2:
        return 0.0
    seconds, megabytes = np.transpose(judged)
    return round(60 * float(np.polyfit(seconds - seconds.mean(), megabytes, 1)[0]), 6)


def speed_up(speed: Points) -> float:
    """By what part the last third is faster than the first, after the first minute; negative: slower."""
    end = speed[-1][0]
    start = min(SETTLED_SPEED, end / 2)
    third = (end - start) / 3
    if not third:
        return 0.0
    return rate_between(speed, end - third, end) / rate_between(speed, start, start + third) - 1


def judge(game: str, memory: Points, speed: Points) -> dict[str, Any]:
    """The figures that matter, and what they say."""
    megabytes, faster = growth(memory), speed_up(speed)
    complaints = []
    if megabytes >= MOST_GROWTH:
        complaints.append(f"memory grows by {megabytes:.1f} MB a minute")
    if faster < -MOST_SLOWDOWN:
        complaints.append(f"the last third is {-faster:.0%} slower than the first")
    steady = f"steady: less than {MOST_GROWTH:g} MB a minute, no more than {MOST_SLOWDOWN:.0%} slower"
    return {
        "game": game,
        "megabytes_a_minute": megabytes,
        "last_third_faster_by": faster,
        "verdict": " and ".join(complaints) or steady,
    }
