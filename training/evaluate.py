"""Tournaments of agents on duplicate deals: ``python -m training.evaluate``.

    python -m training.evaluate guan_pai rule random runs/my-run --deals 2000 --seed 0 --out reports/guan-pai

Every pair of agents plays the same deals; see ``tournament.py`` for how and ``stats.py`` for the figures.
"""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from platform import python_version
from typing import Any

import numpy as np
import tyro
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agents import Agent, load
from envs.core.game import NAMES, GameInfo, Rules, get

from . import cli
from .checkpoint import write_file
from .ratings import pool_seatings, rate
from .report import (
    HOW_MEASURED,
    HOW_RATED,
    PairReport,
    as_json,
    chance_of,
    crosstable,
    markdown,
    plain,
    sections,
    session,
    show,
)
from .stats import LEAST_RESAMPLES, RESAMPLES, Direction, game_figures, summarise_direction, summarise_pair
from .tables import new_console
from .tournament import (
    DEALS_AT_A_TIME,
    POOL,
    Block,
    PairResult,
    Played,
    pair_blocks,
    pair_result,
    play_blocks,
    play_pair,
)

YARDSTICK = "rule_v0"  # whom learning is measured against: a frozen player


@dataclass(frozen=True)
class Config:
    """Let agents play duplicate deals against each other and report how strong they are."""

    game: tyro.conf.Positional[str] = NAMES[0]
    """The game."""
    agents: tyro.conf.Positional[tuple[str, ...]] = ()
    """At least two: names (random, lowest, rule, rule_v0...) or folders of training runs or checkpoints."""
    deals: int = 2000
    """Deals of every pair, at least 2; each is played twice in every seat."""
    seed: int = 0
    """Of the deals and of all that is random in agents; the same seed gives the same report."""
    pool: int = 1000
    """Extra deals with agents seated at random, for the ratings; 0 for no ratings."""
    resamples: int = RESAMPLES
    """Of the bootstrap."""
    workers: int = 1
    """Processes; the results do not depend on it."""
    out: Path | None = None
    """Folder for report.md, results.json, crosstable.png (and records.jsonl)."""
    save_records: bool = False
    """Save every game in records.jsonl."""


def evaluate_against(
    agent: Agent | str,
    opponent: Agent | str,
    game: str,
    rules: Rules,
    deals: int,
    seed: int,
    resamples: int = RESAMPLES,
) -> Direction:
    """How ``agent`` does alone against ``opponent`` in all the other seats, on duplicate deals.

    Every deal is played once from each seat, so there are ``deals`` times the number of players games.

    Parameters
    ----------
    agent, opponent : Agent or str
        Agents, or their names or paths.
    game : str
    rules : Rules
    deals : int
        At least 2.
    seed : int
        The same seed gives the same deals.
    resamples : int
        Of the bootstrap.

    Returns
    -------
    Direction
        Points a game, win rate and share of deals with a positive total, with 95 % intervals.

    Raises
    ------
    ValueError
        If an agent is unknown, fails or answers with an illegal action, or with fewer than 2 deals.

    Examples
    --------
    >>> evaluate_against("random", "random", "guan_pai", get("guan_pai").rules(), 4, seed=0).games
    12
    """
    result = play_pair(game, rules, agent, opponent, deals, seed, both=False)
    denominator = get(game).info(rules).denominator
    return summarise_direction(result.scores[:, 0], result.wins[:, 0], resamples, seed, denominator)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    config, rules = cli.parse(Config, argv, prog="python -m training.evaluate")
    started = time.perf_counter()
    try:
        _check(config)
        agents = [load(name, config.game, rules) for name in config.agents]
        if config.out is not None:
            _try_to_write(config.out)
        games = _run(config, rules, agents)
    except (OSError, ValueError) as error:
        cli.fail(error)
    except KeyboardInterrupt:
        print("stopped before the end: nothing has been written", file=sys.stderr)
        return cli.INTERRUPTED
    seconds = time.perf_counter() - started
    print(f"{games:,} games in {seconds:.1f} s")
    if config.out is not None:
        print(f"Report: {config.out / 'report.md'}")
    return 0


def _check(config: Config) -> None:
    if len(config.agents) < 2:
        raise ValueError(f"a tournament takes at least 2 agents, not {len(config.agents)}: GAME AGENT AGENT")
    least = {"deals": 2, "seed": 0, "pool": 0, "resamples": LEAST_RESAMPLES, "workers": 1}
    for name, number in least.items():
        if getattr(config, name) < number:
            raise ValueError(f"--{name} is at least {number}, not {getattr(config, name)}")
    if config.save_records and config.out is None:
        raise ValueError("--save-records needs a folder to save them in: give --out")


def _try_to_write(out: Path) -> None:
    """Find out before the games whether the report can be written after them."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        write_file(out / ".probe", "")
        (out / ".probe").unlink()
    except OSError as error:
        raise ValueError(f"cannot write to the folder {out}: {error.strerror}; give another --out") from None


def labels_of(agents: Sequence[str]) -> list[str]:
    """Names for a report: an agent that enters twice gets a number.

    >>> labels_of(["rule", "random", "rule"])
    ['rule', 'random', 'rule#2']
    """
    before = [agents[:i].count(name) for i, name in enumerate(agents)]
    return [f"{name}#{k + 1}" if k else name for name, k in zip(agents, before, strict=True)]


def _run(config: Config, rules: Rules, agents: Sequence[Agent]) -> int:
    """Play, print, write; returns the number of games."""
    info = get(config.game).info(rules)
    labels = labels_of(config.agents)
    pairs = list(combinations(range(len(agents)), 2))
    by_pair = [pair_blocks(info.num_players, a, b, config.deals, config.seed) for a, b in pairs]
    seatings = pool_seatings(info.num_players, len(agents), config.pool, config.seed)
    pool = [
        Block(config.seed, POOL, first, seatings[first : first + DEALS_AT_A_TIME, None])
        for first in range(0, config.pool, DEALS_AT_A_TIME)
    ]
    played = _play(config, rules, agents, labels, [block for blocks, _ in by_pair for block in blocks] + pool)

    results, reports = [], []
    for (a, b), (blocks, places) in zip(pairs, by_pair, strict=True):
        own, played = played[: len(blocks)], played[len(blocks) :]
        result = pair_result(info, own, places)
        summary = summarise_pair(result.scores, result.wins, config.resamples, config.seed, info.denominator)
        figures = [game_figures(info.stats, result.stats[:, direction]) for direction in range(2)]
        results.append(result)
        reports.append(PairReport(a, b, summary, (figures[0], figures[1])))
    scores = np.concatenate([block.scores[:, 0] for block in played]) if pool else np.zeros_like(seatings)
    ratings = rate(seatings, scores, len(agents)) if pool else []

    tables = sections(info, labels, reports, ratings)
    title_of = get(config.game).title_of
    if pool and title_of is not None:
        tables.append(session(labels, seatings, scores, title_of))
    if config.out is not None:
        facts, notes = _facts(config, rules, info), _notes(config, info)
        content = _results(config, rules, info, labels, results, reports)
        content["pool"] = {
            "seatings": seatings.tolist(),
            "scores": scores.tolist(),
            "ratings": [plain(rating) for rating in ratings],
        }
        write_file(config.out / "crosstable.png", crosstable(info, labels, reports))
        write_file(config.out / "results.json", as_json(content))
        write_file(config.out / "report.md", markdown(info, facts, tables, notes))
    show(new_console(), tables)
    return sum(block.games for blocks, _ in by_pair for block in blocks) + len(seatings)


def _play(
    config: Config, rules: Rules, agents: Sequence[Agent], labels: list[str], blocks: list[Block]
) -> list[Played]:
    """Play all blocks behind a progress bar, and save the records."""
    bar = Progress(
        TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty(),
    )  # fmt: skip
    entries: Sequence[Agent | str] = agents if config.workers == 1 else config.agents
    wanted = labels if config.save_records else None
    found: list[Played] = []
    records: list[str] = []
    games = play_blocks(config.game, rules, entries, blocks, config.workers, wanted)
    with bar, closing(games) as results:
        task = bar.add_task("games", total=sum(block.games for block in blocks))
        for block, played in zip(blocks, results, strict=True):
            found.append(Played(played.scores, played.stats))
            records += played.records
            bar.advance(task, block.games)
    if config.save_records and config.out is not None:
        write_file(config.out / "records.jsonl", "".join(f"{record}\n" for record in records))
    return found


def command(config: Config, rules: Rules) -> str:
    """The command line that gives these results, without what they do not depend on."""
    words = ["python", "-m", "training.evaluate", config.game, *config.agents]
    words += ["--deals", str(config.deals), "--seed", str(config.seed)]
    words += ["--pool", str(config.pool), "--resamples", str(config.resamples)]
    return shlex.join([*words, *cli.option_words(rules)])


def _versions(info: GameInfo) -> dict[str, str]:
    names = ("paizhuo", "numpy", "numba", "openskill")
    return {
        "rules": str(info.version),
        "python": python_version(),
        **{name: version(name) for name in names},
    }


def _facts(config: Config, rules: Rules, info: GameInfo) -> list[tuple[str, str]]:
    options = ", ".join(f"{name}={value!r}" for name, value in rules.as_dict().items())
    return [
        ("Command", f"`{command(config, rules)}`"),
        ("Seed", str(config.seed)),
        ("Deals of every pair", f"{config.deals:,}"),
        ("Options", options),
        ("Versions", ", ".join(f"{name} {value}" for name, value in _versions(info).items())),
    ]


def _notes(config: Config, info: GameInfo) -> list[str]:
    seats = info.num_players
    notes = [HOW_MEASURED.format(resamples=config.resamples, chance=chance_of(info), seats=seats)]
    return notes + ([HOW_RATED.format(games=config.pool)] if config.pool else [])


def _results(
    config: Config,
    rules: Rules,
    info: GameInfo,
    labels: list[str],
    results: Sequence[PairResult],
    reports: Sequence[PairReport],
) -> dict[str, Any]:
    """What ``results.json`` holds: every deal's numbers and the figures made from them."""
    return {
        "command": command(config, rules),
        "game": info.name,
        "versions": _versions(info),
        "rules": rules.as_dict(),
        "agents": labels,
        "deals": config.deals,
        "seed": config.seed,
        "resamples": config.resamples,
        "denominator": info.denominator,  # what all scores below are to be divided by
        "stats": list(info.stats),
        "pairs": [
            {
                "agents": [labels[report.a], labels[report.b]],
                "scores": result.scores.tolist(),
                "wins": result.wins.astype(int).tolist(),
                "stats": result.stats.tolist(),
                "summary": plain(report.summary),
                "figures": [[plain(figure) for figure in figures] for figures in report.figures],
            }
            for result, report in zip(results, reports, strict=True)
        ],
    }


if __name__ == "__main__":
    sys.exit(main())
