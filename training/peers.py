"""Another project's trainer on this machine: what ``training.bench --peers`` compares with.

The import of RLCard is inside: the peers are an extra.
"""

from __future__ import annotations

import contextlib
import csv
import os
import signal
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

RLCARD_SEATS = 3  # of dou dizhu; each has a network, which learns from batches of its own
RLCARD_PATIENCE = 300  # seconds until a trainer without a figure is given up
RLCARD_TRAINS = """
import sys
import rlcard
from rlcard.agents.dmc_agent import DMCTrainer
DMCTrainer(rlcard.make("doudizhu"), savedir=sys.argv[1], num_actors=1).start()
"""


def rlcard_dmc(seconds: float, threads: int = 1) -> float:
    """Frames a second of RLCard's deep Monte Carlo on its dou dizhu, acting and learning.

    One actor and the learner, two processes, under the trainer's own options, on the cores that this
    process has. A frame is one decision of any seat, once it has been learned from.

    Parameters
    ----------
    seconds : float
        From the first batch that was learned from; longer where no round of batches is full by then.
    threads : int
        Of torch, in each of the two.

    Raises
    ------
    ImportError
        If RLCard, or something that its trainer needs, is not installed.
    RuntimeError
        If the trainer ends, or has no figure after some minutes.
    """
    import_module("rlcard.agents.dmc_agent")
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryFile("w+") as said:
        trainer = subprocess.Popen(
            [sys.executable, "-c", RLCARD_TRAINS, name],
            cwd=name,
            env={**os.environ, "OMP_NUM_THREADS": str(threads)},
            stdout=said,
            stderr=said,
            start_new_session=True,  # the actor is a process of its own, and has to go as well
        )
        try:
            return _watch(trainer, Path(name) / "dmc" / "logs.csv", seconds)
        except RuntimeError as error:
            said.seek(0)
            last = said.read().strip().splitlines()[-1:]
            raise RuntimeError(f"RLCard's trainer {error}: {''.join(last)}") from None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(trainer.pid, signal.SIGTERM)  # what multiprocessing left behind is still tidied up
            trainer.wait()


def _watch(trainer: subprocess.Popen[bytes], log: Path, seconds: float) -> float:
    """The rate by a trainer's ``log``, when it is long enough."""
    started = time.monotonic()
    while time.monotonic() - started < seconds + RLCARD_PATIENCE:
        time.sleep(1)
        if trainer.poll() is not None:
            raise RuntimeError("ended")
        text = log.read_text(encoding="utf-8") if log.exists() else ""
        rate, spent = frames_a_second(text)
        if rate and spent >= seconds:
            return rate
    raise RuntimeError("has learned next to nothing")


def frames_a_second(log: str) -> tuple[float, float]:
    """The rate by a log of RLCard's, and over how many seconds; 0 and 0 without a round of batches.

    A line is written when a batch has been learned from, with the frames before it. The batches of the
    seats become full at about the same time: only whole rounds of them give a fair rate.

    >>> frames_a_second("# _tick,_time,frames\\n0,100.0,0\\n1,100.5,3200\\n2,101.0,6400\\n3,108.0,9600\\n")
    (1200.0, 8.0)
    """
    lines = list(csv.reader(log.splitlines()[1:]))
    rounds = [(float(line[1]), int(line[2])) for line in lines[::RLCARD_SEATS]]
    if len(rounds) < 2:
        return 0.0, 0.0
    spent = rounds[-1][0] - rounds[0][0]
    return (rounds[-1][1] - rounds[0][1]) / spent, spent
