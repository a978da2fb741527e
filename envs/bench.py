"""How fast the environments are on this machine: ``python -m envs.bench [GAME ...] [--json]``.

Decisions a second of one thread in processor time, best of three, default options, actions drawn
uniformly by the project's own sampler; and the time from starting Python to the first step, with an
empty compile cache (cold) and with a filled one (warm).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

from .core.aec import TableEnv
from .core.game import NAMES, get
from .core.vector import VectorTables, sample_masks

REPEATS = 3
FIRST_STEP = """
import envs
vec = envs.make_vec("{game}", num_envs=8)
vec.reset(seed=0)
vec.step(vec.sample())
"""


def best_rate(play: Callable[[int], int], rounds: int) -> float:
    """Decisions a second of processor time: ``play(rounds)`` returns how many it made."""
    play(max(1, rounds // 10))
    rates = []
    for _ in range(REPEATS):
        start = time.process_time()
        decisions = play(rounds)
        rates.append(decisions / (time.process_time() - start))
    return max(rates)


def vector_rate(game: str, num_envs: int = 1024, rounds: int = 1000) -> float:
    """``vec.step(vec.sample())``: observations, masks, rewards and redeals included."""
    vec = VectorTables(get(game), num_envs)
    vec.reset(seed=0)

    def play(n: int) -> int:
        for _ in range(n):
            vec.step(vec.sample())
        return n * num_envs

    return best_rate(play, rounds)


def aec_rate(game: str, decisions: int = 100_000) -> float:
    """``last``, the sampler and ``step`` on the raw PettingZoo environment, resets included."""
    raw = TableEnv(get(game))
    raw.reset(seed=0)
    keys, actions = np.zeros(1, np.uint64), np.zeros(1, np.int64)

    def play(n: int) -> int:
        for _ in range(n):
            observation, _, terminated, _, _ = raw.last()
            if terminated:
                raw.reset()
                observation = raw.observe(raw.agent_selection)
            sample_masks(observation["action_mask"][None], keys, actions)
            raw.step(int(actions[0]))
        return n

    return best_rate(play, decisions)


def start_seconds(game: str) -> tuple[float, float]:
    """Seconds from starting Python to the first step: with an empty compile cache, then with a full one."""
    seconds = []
    with tempfile.TemporaryDirectory() as cache:
        for _ in range(2):
            start = time.perf_counter()
            subprocess.run(
                [sys.executable, "-c", FIRST_STEP.format(game=game)],
                check=True,
                env={**os.environ, "NUMBA_CACHE_DIR": cache},
            )
            seconds.append(time.perf_counter() - start)
    return seconds[0], seconds[1]


def measure(game: str) -> dict[str, float | str]:
    """All figures of one game."""
    cold, warm = start_seconds(game)
    return {
        "game": game,
        "vector_decisions_per_second": vector_rate(game),
        "aec_decisions_per_second": aec_rate(game),
        "cold_start_seconds": cold,
        "warm_start_seconds": warm,
        "bytes_per_table": get(game).dtype.itemsize,
    }


def main(argv: list[str] | None = None) -> None:
    """Run the command line."""
    what = (__doc__ or "").split("\n\n")[1]
    parser = argparse.ArgumentParser(prog="python -m envs.bench", description=what)
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"any of {', '.join(NAMES)} (default: all)")
    parser.add_argument("--json", action="store_true", help="print JSON lines instead of a table")
    arguments = parser.parse_args(argv)
    unknown = [game for game in arguments.games if game not in NAMES]
    if unknown:
        parser.error(f"no game {unknown[0]!r}; there are {', '.join(NAMES)}")
    figures = [measure(game) for game in arguments.games or NAMES]
    if arguments.json:
        for row in figures:
            print(json.dumps(row))
        return
    table = Table(title="decisions a second (one thread, N = 1024 for the vector), seconds to the first step")
    for column in ("game", "vector", "AEC", "cold start", "warm start", "bytes a table"):
        table.add_column(column, justify="left" if column == "game" else "right")
    for row in figures:
        table.add_row(
            str(row["game"]),
            f"{row['vector_decisions_per_second']:,.0f}",
            f"{row['aec_decisions_per_second']:,.0f}",
            f"{row['cold_start_seconds']:.1f} s",
            f"{row['warm_start_seconds']:.2f} s",
            f"{row['bytes_per_table']}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
