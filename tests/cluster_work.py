"""What workers of ``test_cluster.py`` do, in a module that they import quickly."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PATIENCE = 600  # seconds, of who waits for the end


def failing(how: str) -> Callable[[int], int]:
    """Squares numbers, but for what goes wrong with 1."""
    if how == "cannot begin":
        raise ValueError("no agent 'runs/mine'")

    def work(number: int) -> int:
        if how == "says why" and number == 1:
            raise ValueError("that will not do")
        if how == "is wrong" and number == 1:
            raise ZeroDivisionError("here it happened")
        if how == "dies" and number == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return number * number

    return work


def wait_for(marker: Path) -> None:
    """Until the file is there; AssertionError if it takes too long."""
    end = time.monotonic() + PATIENCE
    while not marker.exists():
        assert time.monotonic() < end, f"{marker} was never made"
        time.sleep(0.01)


def doomed(marker: Path, spared: str | None, plan: Any) -> Callable[[Any, int, int], Any]:
    """Plays shards of ``plan``; in the second iteration a process is killed, once.

    Parameters
    ----------
    marker : Path
        Made when it happens.
    spared : str or None
        Not this process is killed but its machine is lost, unless it is the one of this id.
    plan : Plan
    """
    import ray

    from training.shards import Player

    player = Player(plan)

    def play(acting: Any, iteration: int, number: int) -> Any:
        if iteration == 1 and not marker.exists():
            if spared is None:
                marker.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            elif ray.get_runtime_context().get_node_id() != spared:
                marker.touch()
                os.kill(os.getppid(), signal.SIGKILL)  # the raylet, without which Ray's workers end
                time.sleep(PATIENCE)
            else:
                wait_for(marker)  # the other machine may begin late
        return player(acting, iteration, number)

    return play
