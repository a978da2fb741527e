"""A benchmark that papers can cite: ``python -m training.benchmark GAME AGENT``.

    python -m training.benchmark guan_pai runs/guan_pai-1 --workers 2 --out reports/benchmark
    python -m training.benchmark diao_xie pretrained --quick --json > benchmark.json

The agent plays alone against each of a game's yardsticks in all other seats, on deals that never change: the
shuffles of ``SEED``, ``DEALS`` of them, each from every seat. The yardsticks are frozen players. Whatever
changes a result, such as other deals or another yardstick, gets a new ``BENCHMARK_VERSION``; a result is of
its version, the game's rules version and its options, and is compared with no other.

The **headline** is the share of deals with a positive total (ties half), averaged over the yardsticks without
``random``: an equal player would have 50. It is no mean of points, in which crushing one weak yardstick makes
up for losing to all others: a share is at most 1, and every yardstick counts the same. Against ``random``
nearly every player has nearly 100, so it tells nothing and is left out. A share does not say how much is won,
so winning often and little and losing rarely and much would raise it: points are in the table, and where
points and share disagree beyond their intervals the report says so.

All yardsticks play the same deals, so the headline's interval is over deals too: each counts with its mean
over the yardsticks, which is what drawing the deals jointly for all of them comes to.
"""

from __future__ import annotations

import hashlib
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from numpy.typing import NDArray

from agents import Agent, load
from envs.core.game import Rules, get

from . import cli
from .asking import Failures, failing
from .checkpoint import write_file
from .intervals import Interval, share_intervals
from .report import Section, as_json, chance_of, interval, markdown, percent, plain, tell
from .results import depending_on_time, facts_of, try_to_write, versions_of, watched
from .stats import Direction, halves, summarise_direction
from .tournament import (
    PAIRS,
    Block,
    deal_seeds,
    failures_of,
    make_deals,
    pair_blocks,
    pair_result,
    play_blocks,
)

BENCHMARK_VERSION = 1
SEED = 20_000  # of the deals, of agents' random numbers and of the bootstrap; other commands start from 0
DEALS = 1000
QUICK_DEALS = 100
BASELINE = "random"  # in the table, not in the headline
YARDSTICKS = {
    "guan_pai": (BASELINE, "rule_v0", "rule_v1", "search_v0"),
    "zheng_shang_you": (BASELINE, "rule_v0", "search_v0"),
    "diao_xie": (BASELINE, "rule_v0", "search_v0"),
    "xiangxi96": (BASELINE, "rule_v0", "search_v0"),
}
"""By game; of this version of the benchmark, so a newer player does not join by itself."""
NOT_CITABLE = "**Not to be cited**: "
HOW = (
    "Every deal is played with the agent alone in each seat against the yardstick in all others; the deal is "
    "the unit of the statistics. Brackets are 95 % intervals over the deals. The headline is the share of "
    f"deals with a positive total (ties half), averaged over the yardsticks without {BASELINE}."
)


@dataclass(frozen=True)
class Config:
    """Measure an agent on fixed deals against frozen yardsticks: one table, one number."""

    game: tyro.conf.Positional[str] = "guan_pai"
    """The game."""
    agent: tyro.conf.Positional[str] = "rule_v0"
    """A name (rule, search...) or the folder of a training run or checkpoint."""
    quick: bool = False
    """Only the first deals: for a look, not to be cited."""
    workers: int = 1
    """Processes; the results do not depend on it."""
    out: Path | None = None
    """Folder for report.md and results.json."""
    json: bool = False
    """Print what results.json holds instead of the table."""


@dataclass(frozen=True)
class Result:
    """What the benchmark found.

    Attributes
    ----------
    yardsticks : tuple of str
    directions : tuple of Direction
        The agent alone, against each of them.
    headline : Interval
        Share of deals with a positive total, averaged over the yardsticks without ``random``.
    failures : tuple of Failures
        Of the agent and of the yardsticks.
    scores : (Y, D, n) int64
        Points of the agent against each yardstick, deal by deal and by its seat.
    """

    yardsticks: tuple[str, ...]
    directions: tuple[Direction, ...]
    headline: Interval
    failures: tuple[Failures, ...]
    scores: NDArray[np.int64]


def fingerprint(game: str, rules: Rules, deals: int) -> str:
    """A number of the benchmark's deals: another one means other cards, so that results do not compare."""
    decks, dealers = make_deals(game, rules, deal_seeds(SEED, PAIRS, 0, deals))
    content = decks.astype("<i2").tobytes()
    content += b"" if dealers is None else dealers.astype("<i2").tobytes()
    return hashlib.sha256(content).hexdigest()[:12]


def headline_of(scores: NDArray[np.int64]) -> Interval:
    """The share of deals with a positive total, averaged over yardsticks, with its interval over deals.

    Parameters
    ----------
    scores : (Y, D, n) int64
        Points of the agent; without those against ``random``.

    Examples
    --------
    >>> wins, loses = [[[3, 1]] * 4, [[-2, 1]] * 4]
    >>> headline_of(np.array([wins, loses])).mean
    0.5
    """
    of_deals = halves(scores.sum(axis=2)).sum(axis=0)
    return share_intervals(of_deals[:, None], [2 * len(scores)])[0]


def measure(
    game: str, rules: Rules, agent: Agent | str, against: Sequence[str], deals: int, workers: int = 1
) -> Result:
    """Play the benchmark's first ``deals`` deals.

    Parameters
    ----------
    game : str
    rules : Rules
    agent : Agent or str
        Its name or path if there are several ``workers``.
    against : sequence of str
        The yardsticks; at least one of them is not ``random``.
    deals : int
        At least 2.
    workers : int
        Processes; the result does not depend on it.

    Raises
    ------
    ValueError
        If an agent is unknown. One that fails is given random actions, and counted.
    """
    info = get(game).info(rules)
    blocks: list[Block] = []
    spans = []
    for entry in range(1, len(against) + 1):
        own, places = pair_blocks(info.num_players, 0, entry, deals, SEED, both=False)
        spans.append((len(blocks), len(blocks) + len(own), places))
        blocks += own
    games = play_blocks(game, rules, (agent, *against), blocks, workers, goes_on=True)
    played = list(watched(blocks, games))
    results = [pair_result(info, played[a:b], places) for a, b, places in spans]
    directions = tuple(
        summarise_direction(found.scores[:, 0], found.wins[:, 0], seed=SEED, denominator=info.denominator)
        for found in results
    )
    scores = np.stack([found.scores[:, 0] for found in results])
    counted = [k for k, name in enumerate(against) if name != BASELINE]
    failures = tuple(failures_of(1 + len(against), played))
    return Result(tuple(against), directions, headline_of(scores[counted]), failures, scores)


def sections_of(result: Result, agent: str, rules: Rules, game: str) -> list[Section]:
    """The one table."""
    rows = [
        [
            name,
            interval(own.points),
            interval(own.win_rate, percent),
            interval(own.duplicate_share, percent),
        ]
        for name, own in zip(result.yardsticks, result.directions, strict=True)
    ]
    rows.append([f"mean without {BASELINE}", "", "", interval(result.headline, percent)])
    info = get(game).info(rules)
    title = f"{info.title}: {agent} alone{chance_of(info)}"
    return [Section(title, ["Against", "Points a game", "Games won %", "Deals won %"], rows)]


def disagreements(result: Result) -> list[str]:
    """A sentence for every yardstick against which most deals are won and points are lost, or the reverse."""
    told = []
    for name, own in zip(result.yardsticks, result.directions, strict=True):
        share, points = own.duplicate_share, own.points
        if (share.low > 0.5 and points.high < 0) or (share.high < 0.5 and points.low > 0):
            more, yet = ("wins", "loses") if points.high < 0 else ("loses", "wins")
            told.append(
                f"Against {name} it {more} more deals than not and yet {yet} points: "
                "the headline does not say how good it is."
            )
    return told


def readme_line(result: Result, agent: str, game: str, rules: Rules, deals: int, why_not: str = "") -> str:
    """The row of README's table."""
    own = zip(result.yardsticks, result.directions, strict=True)
    shares = ", ".join(f"{name} {percent(found.duplicate_share.mean)}" for name, found in own)
    options = " ".join([game, *cli.option_words(rules)])
    what = f"v{BENCHMARK_VERSION}, rules {get(game).info(rules).version}, {deals:,} deals"
    what += f" ({why_not})" if why_not else ""
    return f"| {options} | `{agent}` | {interval(result.headline, percent)} | {shares} | {what} |"


def command(config: Config, rules: Rules) -> str:
    """The command line that gives these results, without what they do not depend on."""
    words = ["python", "-m", "training.benchmark", config.game, config.agent]
    return shlex.join([*words, *["--quick"] * config.quick, *cli.option_words(rules)])


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    config, rules = cli.parse(Config, argv, prog="python -m training.benchmark", about=__doc__)
    started, deals = time.perf_counter(), QUICK_DEALS if config.quick else DEALS
    try:
        if config.workers < 1:
            raise ValueError(f"--workers is at least 1, not {config.workers}")
        against = YARDSTICKS[config.game]
        agent = load(config.agent, config.game, rules)
        if config.out is not None:
            try_to_write(config.out)
        entry = agent if config.workers == 1 else config.agent
        result = measure(config.game, rules, entry, against, deals, config.workers)
        lines = _write_and_show(config, rules, agent, result, deals)
    except (OSError, ValueError) as error:
        cli.fail(error)
    except KeyboardInterrupt:
        print("stopped before the end: nothing has been written", file=sys.stderr)
        return cli.INTERRUPTED
    where = sys.stderr if config.json else sys.stdout
    seconds = time.perf_counter() - started
    lines.append(f"{sum(own.games for own in result.directions):,} games in {seconds:.1f} s")
    if config.out is not None:
        lines.append(f"Report: {config.out / 'report.md'}")
    print("\n".join(lines), file=where)
    return 0


def _write_and_show(config: Config, rules: Rules, agent: Agent, result: Result, deals: int) -> list[str]:
    """Write the report, print the table; returns the last lines to print."""
    info = get(config.game).info(rules)
    failed = failing((config.agent, *result.yardsticks), result.failures)
    timed = depending_on_time([config.agent], [agent])
    reasons = (
        ["--quick"] * config.quick + ["failed decisions"] * bool(failed) + ["a time budget"] * bool(timed)
    )
    why_not = f"not citable: {', '.join(reasons)}" if reasons else ""
    warnings = [*failed, *timed, *disagreements(result)]
    if reasons:
        warnings.insert(0, f"{NOT_CITABLE}{', '.join(reasons)}.")
    headline = (
        f"Benchmark {BENCHMARK_VERSION}, {config.game}: {config.agent} wins "
        f"{interval(result.headline, percent)} % of duplicate deals, the mean against "
        f"{', '.join(name for name in result.yardsticks if name != BASELINE)}; "
        "an equal player wins about 50 %."
    )
    line = readme_line(result, config.agent, config.game, rules, deals, why_not)
    tables = sections_of(result, config.agent, rules, config.game)
    marks = fingerprint(config.game, rules, deals)
    content: dict[str, Any] = {
        "benchmark": BENCHMARK_VERSION,
        "citable": not reasons,
        "command": command(config, rules),
        "game": info.name,
        "agent": config.agent,
        "versions": versions_of(info),
        "rules": rules.as_dict(),
        "deals": deals,
        "seed": SEED,
        "deals_fingerprint": marks,
        "headline": plain(result.headline),
        "yardsticks": list(result.yardsticks),
        "against": [plain(own) for own in result.directions],
        "failures": [plain(found) for found in result.failures],
        "denominator": info.denominator,  # what the scores below are to be divided by
        "scores": result.scores.tolist(),
    }
    if config.out is not None:
        facts = [("Benchmark version", str(BENCHMARK_VERSION)), ("Fingerprint of the deals", marks)]
        facts += facts_of(command(config, rules), SEED, deals, rules, info)
        last = ["For README's table:", f"```\n{line}\n```"]
        title = f"Benchmark {BENCHMARK_VERSION}: {info.title}"
        write_file(config.out / "results.json", as_json(content))
        write_file(config.out / "report.md", markdown(title, facts, tables, [*warnings, headline, HOW], last))
    tell(content if config.json else None, tables, warnings)
    return [headline, line]


if __name__ == "__main__":
    cli.run(main)
