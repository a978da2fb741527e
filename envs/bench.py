"""How fast the environments are on this machine: ``python -m envs.bench [GAME ...]``.

Decisions a second of one thread in processor time, best of three, under default options and those that
change the shapes, actions drawn uniformly by the project's own sampler: inside compiled code without
observations (engine), by ``vec.step(vec.sample())`` with observations and masks (vector), on the raw
PettingZoo environment (AEC), and of one seat as a Gymnasium VectorEnv against random opponents (single
seat). The time from starting Python to the first step, with an empty compile cache (cold) and a filled one
(warm). And the longest that ``legal_plays()`` took at the first lead of a thousand deals, best of three.

    python -m envs.bench                             # all games
    python -m envs.bench guan_pai diao_xie --json    # JSON lines
    python -m envs.bench guan_pai --soak 1e9         # does it keep its speed and memory?
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from .core.commands import Parser, did_you_mean, run
from .core.docs import option_words
from .core.game import NAMES, get
from .core.vector import VectorTables, sample_masks
from .core.wrapped import raw_table
from .peers import PEERS

Options = Mapping[str, Any]

WIDTH = 140  # of tables where there is no terminal
REPEATS = 3
NUM_ENVS = 1024
SIZES = (64, 1024, 16_384, 65_536)
SOAK_REPORTS = 20
FIRST_STEP = """
import envs
vec = envs.make_vec("{game}", num_envs=8)
vec.reset(seed=0)
vec.step(vec.sample())
"""


def best_rate(
    play: Callable[[int], int], rounds: int, clock: Callable[[], float] = time.process_time
) -> float:
    """Decisions a second by ``clock``: ``play(rounds)`` returns how many it made."""
    play(max(1, rounds // 10))
    rates = []
    for _ in range(REPEATS):
        start = clock()
        decisions = play(rounds)
        rates.append(decisions / (clock() - start))
    return max(rates)


def engine_rate(game: str, options: Options, rounds: int = 2000) -> float:
    """Apply, redeal, legal actions and the sampler in one compiled loop; no observations."""
    vec = VectorTables(get(game), NUM_ENVS, **options)
    vec.reset(seed=0)

    def play(n: int) -> int:
        get(game).loops.play_randomly(vec._tables, vec._masks, vec._keys, n)
        return n * NUM_ENVS

    return best_rate(play, rounds)


def vector_rate(game: str, options: Options, num_envs: int = NUM_ENVS, num_threads: int = 1) -> float:
    """``vec.step(vec.sample())``; with several threads by the clock on the wall."""
    vec = VectorTables(get(game), num_envs, num_threads=num_threads, **options)
    vec.reset(seed=0)

    def play(n: int) -> int:
        for _ in range(n):
            vec.step(vec.sample())
        return n * num_envs

    clock = time.process_time if num_threads == 1 else time.perf_counter
    return best_rate(play, max(1, NUM_ENVS * 1000 // num_envs), clock)


def aec_rate(game: str, options: Options, decisions: int = 100_000) -> float:
    """``last``, the sampler and ``step`` on the raw PettingZoo environment, resets included."""
    raw = raw_table(get(game), **options)
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


def single_seat_rate(game: str, options: Options, num_envs: int = NUM_ENVS) -> float:
    """Steps a second of one seat's Gymnasium VectorEnv against random opponents, whose play is included."""
    from . import make_gym

    env = make_gym(game, opponents="random", num_envs=num_envs, **options)
    _, infos = env.reset(seed=0)
    keys, actions = np.arange(num_envs, dtype=np.uint64), np.zeros(num_envs, np.int64)

    def play(n: int) -> int:
        nonlocal infos
        for _ in range(n):
            sample_masks(infos["action_mask"], keys, actions)
            infos = env.step(actions)[-1]
        return n * num_envs

    return best_rate(play, 100)


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
                start_new_session=True,  # Ctrl-C is ours, and ends it without a word
            )
            seconds.append(time.perf_counter() - start)
    return seconds[0], seconds[1]


def longest_lead(game: str, options: Options, deals: int = 1000) -> float:
    """The most milliseconds that ``legal_plays()`` takes at the first decision of a deal."""
    raw = raw_table(get(game), **options)
    longest = 0.0
    for seed in range(deals):
        raw.reset(seed=seed)
        longest = max(longest, min(_seconds(raw.legal_plays) for _ in range(REPEATS)))
    return 1000 * longest


def _seconds(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def measure(game: str) -> list[dict[str, Any]]:
    """The figures of one game, a row for each variant."""
    cold, warm = start_seconds(game)
    return [
        {
            "game": label(game, options),
            "engine": engine_rate(game, options),
            "vector": vector_rate(game, options),
            "aec": aec_rate(game, options),
            "single_seat": single_seat_rate(game, options),
            "cold_start_seconds": cold,
            "warm_start_seconds": warm,
            "bytes_per_table": get(game).dtype.itemsize,
            "longest_lead_ms": longest_lead(game, options),
        }
        for options in get(game).variants
    ]


def label(game: str, options: Options) -> str:
    """A game and its options."""
    return f"{game} {option_words(options)}" if options else game


def measure_sizes(game: str) -> list[dict[str, Any]]:
    """The vector's rate for other numbers of tables, and what a second thread adds."""
    rows = []
    for n in SIZES:
        one, two = vector_rate(game, {}, n), vector_rate(game, {}, n, num_threads=2)
        rows.append({"game": game, "num_envs": n, "vector": one, "two_threads": two, "ratio": two / one})
    return rows


def measure_peers(game: str) -> list[dict[str, Any]]:
    """Other projects' environments in the same run, and how many times faster ours are."""
    vector, aec = vector_rate(game, {}), aec_rate(game, {})
    rows = []
    for name, (peer, decisions) in PEERS.items():
        rate = best_rate(peer(), decisions)
        rows.append({"game": game, "peer": name, "rate": rate, "vector": vector / rate, "aec": aec / rate})
    return rows


def soak(game: str, decisions: int) -> list[dict[str, Any]]:
    """Play that many decisions in a vector and watch the memory and the rate."""
    vec = VectorTables(get(game), NUM_ENVS)
    vec.reset(seed=0)
    rows = []
    part = max(1, decisions // SOAK_REPORTS // NUM_ENVS)
    for k in range(1, SOAK_REPORTS + 1):
        start = time.process_time()
        for _ in range(part):
            vec.step(vec.sample())
        rate = part * NUM_ENVS / (time.process_time() - start)
        megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        rows.append(
            {"game": game, "decisions": k * part * NUM_ENVS, "vector": rate, "peak_megabytes": megabytes}
        )
    return rows


def show(title: str, rows: list[dict[str, Any]]) -> None:
    """Print rows as a table."""
    table = Table(title=title, title_justify="left")
    for column in rows[0]:
        table.add_column(column.replace("_", " "), justify="left" if column in ("game", "peer") else "right")
    for row in rows:
        table.add_row(*(_text(row.get(column)) for column in rows[0]))
    Console(width=None if sys.stdout.isatty() else WIDTH).print(table)


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
    return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


def main(argv: list[str] | None = None) -> None:
    """Run the command line."""
    about = (__doc__ or "").split("\n\n")[1]
    parser = Parser(prog="python -m envs.bench", description=about, about=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"any of {', '.join(NAMES)} (default: all)")
    parser.add_argument("--sizes", action="store_true", help="also other numbers of tables, and two threads")
    parser.add_argument(
        "--peers", action="store_true", help="also RLCard, OpenSpiel and PettingZoo, as ratios"
    )
    parser.add_argument(
        "--soak", type=float, metavar="DECISIONS", help="play so many, such as 1e9, and watch"
    )
    parser.add_argument("--json", action="store_true", help="print JSON lines instead of tables")
    arguments = parser.parse_args(argv)
    unknown = [game for game in arguments.games if game not in NAMES]
    if unknown:
        parser.error(f"no game {unknown[0]!r}; {did_you_mean(unknown[0], NAMES)}")
    games = arguments.games or NAMES
    parts: list[tuple[str, list[dict[str, Any]]]] = []
    if arguments.soak:
        for game in games:
            parts.append(("Endurance", soak(game, int(arguments.soak))))
    else:
        parts.append(
            (
                "Decisions a second, seconds to the first step",
                [row for game in games for row in measure(game)],
            )
        )
    if arguments.sizes:
        parts.append(("Numbers of tables", [row for game in games for row in measure_sizes(game)]))
    if arguments.peers:
        try:
            parts.append(
                ("Peers: ours is so many times faster", [r for game in games for r in measure_peers(game)])
            )
        except ImportError as error:
            parser.error(f"{error}; the peers come with pip install -c constraints.txt -e '.[peers]'")
    for title, rows in parts:
        if arguments.json:
            for row in rows:
                print(json.dumps(row))
        else:
            show(title, rows)


if __name__ == "__main__":
    run(main)
