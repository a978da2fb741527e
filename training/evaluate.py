"""Tournaments of agents on duplicate deals: ``python -m training.evaluate``.

    python -m training.evaluate guan_pai rule random runs/guan_pai-1 --deals 2000 --out reports/guan-pai
    python -m training.evaluate zheng_shang_you rule search:20ms --env.decks 2 --workers 2
    python -m training.evaluate diao_xie rule pretrained --exploitability --json > results.json
    python -m training.evaluate guan_pai search rule --deals 100 --backend ray --workers 8

Every pair of agents plays the same deals; see ``tournament.py`` for how and ``stats.py`` for the figures.
"""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import tyro

from agents import Agent, load
from envs.core.game import NAMES, GameInfo, Rules, get

from . import cli, cluster
from .asking import Failures, failing
from .checkpoint import write_file
from .cluster import LOCAL
from .exploitability import exploitability, is_exact
from .pool import pool_blocks, pool_scores
from .ratings import pool_seatings, rate
from .report import (
    HOW_MEASURED,
    HOW_RATED,
    HOW_WORTH,
    PairReport,
    Section,
    as_json,
    chance_of,
    crosstable,
    markdown,
    plain,
    sections,
    session,
    tell,
)
from .results import depending_on_time, facts_of, try_to_write, versions_of, watched
from .stats import LEAST_RESAMPLES, RESAMPLES, Direction, game_figures, summarise_direction, summarise_pair
from .tournament import (
    Block,
    PairResult,
    Played,
    deals_at_a_time,
    failures_of,
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
    """At least two: names (random, rule, rule_v0, search, search:20ms...), folders of training runs or
    checkpoints, or search-net:FOLDER."""
    deals: int = 2000
    """Deals of every pair, at least 2; in each both agents play alone in every seat."""
    seed: int = 0
    """Of the deals and of all that is random in agents; the same seed gives the same report."""
    pool: int = 1000
    """Extra deals with agents seated at random, for the ratings; 0 for no ratings."""
    resamples: int = RESAMPLES
    """Of the bootstrap."""
    workers: int = 1
    """Processes, or with --backend ray workers; the results do not depend on it."""
    backend: Literal["local", "ray"] = "local"
    """Where the workers are: ray has them on a cluster."""
    address: str | None = None
    """With --backend ray: HOST:PORT of a cluster that runs, or auto for the one that this machine is part of;
    by default (local) one is started here."""
    out: Path | None = None
    """Folder for report.md, results.json, crosstable.png (and records.jsonl)."""
    save_records: bool = False
    """Save every game in records.jsonl."""
    exploitability: bool = False
    """Also work out exactly how much can be won against each agent (Diao Xie, one hand, 2 or 3 players)."""
    json: bool = False
    """Print what results.json holds instead of tables."""


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
    config, rules = cli.parse(Config, argv, prog="python -m training.evaluate", about=__doc__)
    started = time.perf_counter()
    try:
        _check(config, rules)
        agents = [load(name, config.game, rules) for name in config.agents]
        if config.out is not None:
            try_to_write(config.out)
        games = _run(config, rules, agents)
    except (OSError, ValueError) as error:
        cli.fail(error)
    except KeyboardInterrupt:
        print("stopped before the end: nothing has been written", file=sys.stderr)
        return cli.INTERRUPTED
    seconds = time.perf_counter() - started
    where = sys.stderr if config.json else sys.stdout
    print(f"{games:,} games in {seconds:.1f} s", file=where)
    if config.out is not None:
        print(f"Report: {config.out / 'report.md'}", file=where)
    return 0


def _check(config: Config, rules: Rules) -> None:
    if len(config.agents) < 2:
        raise ValueError(f"a tournament takes at least 2 agents, not {len(config.agents)}: GAME AGENT AGENT")
    least = {"deals": 2, "seed": 0, "pool": 0, "resamples": LEAST_RESAMPLES, "workers": 1}
    for name, number in least.items():
        if getattr(config, name) < number:
            raise ValueError(f"--{name} is at least {number}, not {getattr(config, name)}")
    if config.backend != "ray" and config.address is not None:
        raise ValueError("--address is an option of --backend ray")
    if config.save_records and config.out is None:
        raise ValueError("--save-records needs a folder to save them in: give --out")
    if config.exploitability and not is_exact(rules):
        raise ValueError(
            "--exploitability is for a single hand of diao_xie with 2 or 3 players; for other games and "
            "options python -m training.exploit GAME AGENT trains a player against the agent"
        )


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
    seed, seats = config.seed, info.num_players
    at_a_time = deals_at_a_time(config.deals, config.workers)
    by_pair = [pair_blocks(seats, a, b, config.deals, seed, at_a_time=at_a_time) for a, b in pairs]
    seatings = pool_seatings(seats, len(agents), config.pool, seed)
    pool = pool_blocks(seatings, seed, deals_at_a_time(config.pool, config.workers))
    best_responses = _best_responses(rules, agents, labels) if config.exploitability else []
    played = _play(config, rules, agents, labels, [block for blocks, _ in by_pair for block in blocks] + pool)
    failures = failures_of(len(agents), played)
    warnings = failing(labels, failures) + depending_on_time(labels, agents)

    results, reports = [], []
    for (a, b), (blocks, places) in zip(pairs, by_pair, strict=True):
        own, played = played[: len(blocks)], played[len(blocks) :]
        result = pair_result(info, own, places)
        summary = summarise_pair(result.scores, result.wins, config.resamples, config.seed, info.denominator)
        figures = [game_figures(info.stats, result.stats[:, direction]) for direction in range(2)]
        results.append(result)
        reports.append(PairReport(a, b, summary, (figures[0], figures[1])))
    scores = pool_scores(played, seatings)
    ratings = rate(seatings, scores, len(agents)) if pool else []

    tables = sections(info, labels, reports, ratings)
    title_of = get(config.game).title_of
    if pool and title_of is not None:
        tables.append(session(labels, seatings, scores, title_of))
    if config.exploitability:
        tables.insert(1, exploitability_section(info, best_responses))
    content = _results(config, rules, info, labels, results, reports, failures)
    if config.exploitability:
        content["exploitability"] = dict(best_responses)
    content["pool"] = {
        "seatings": seatings.tolist(),
        "scores": scores.tolist(),
        "ratings": [plain(rating) for rating in ratings],
    }
    if config.out is not None:
        facts = facts_of(command(config, rules), config.seed, config.deals, rules, info)
        notes = warnings + _notes(config, info)
        write_file(config.out / "crosstable.png", crosstable(info, labels, reports))
        write_file(config.out / "results.json", as_json(content))
        write_file(config.out / "report.md", markdown(f"Evaluation: {info.title}", facts, tables, notes))
    tell(content if config.json else None, tables, warnings)
    return sum(block.games for blocks, _ in by_pair for block in blocks) + len(seatings)


def _best_responses(
    rules: Rules, agents: Sequence[Agent], labels: Sequence[str]
) -> list[tuple[str, float | str]]:
    """The exploitability of every agent in b a hand, or why it has none."""
    found: list[tuple[str, float | str]] = []
    for label, agent in zip(labels, agents, strict=True):
        try:
            found.append((label, exploitability(agent, rules).mean))
        except Exception as error:  # an agent that fails does not end the tournament
            found.append((label, f"none: {' '.join(str(error).split())}"))
    return found


def exploitability_section(info: GameInfo, best_responses: Sequence[tuple[str, float | str]]) -> Section:
    """What a best response gains against each agent."""
    what = "Exploitability" if info.num_players == 2 else "Mean gain of a best response"
    rows = [[label, f"{gain:.6f}" if isinstance(gain, float) else gain] for label, gain in best_responses]
    return Section(f"{what}, exact (b a hand; 0 at an equilibrium)", ["Agent", what], rows)


def _play(
    config: Config, rules: Rules, agents: Sequence[Agent], labels: list[str], blocks: list[Block]
) -> list[Played]:
    """Play all blocks behind a progress bar, and save the records."""
    entries: Sequence[Agent | str] = agents if config.workers == 1 else config.agents
    wanted = labels if config.save_records else None
    found: list[Played] = []
    records: list[str] = []
    if config.backend == "ray":
        games = cluster.play_blocks(
            config.game, rules, config.agents, blocks, config.workers, wanted, True, config.address or LOCAL
        )
    else:
        games = play_blocks(config.game, rules, entries, blocks, config.workers, wanted, goes_on=True)
    for played in watched(blocks, games):
        found.append(Played(played.scores, played.stats, failures=played.failures))
        records += played.records
    if config.save_records and config.out is not None:
        write_file(config.out / "records.jsonl", "".join(f"{record}\n" for record in records))
    return found


def command(config: Config, rules: Rules) -> str:
    """The command line that gives these results, without what they do not depend on."""
    words = ["python", "-m", "training.evaluate", config.game, *config.agents]
    words += ["--deals", str(config.deals), "--seed", str(config.seed)]
    words += ["--pool", str(config.pool), "--resamples", str(config.resamples)]
    words += ["--exploitability"] * config.exploitability
    return shlex.join([*words, *cli.option_words(rules)])


def _notes(config: Config, info: GameInfo) -> list[str]:
    seats = info.num_players
    notes = [HOW_MEASURED.format(resamples=config.resamples, chance=chance_of(info), seats=seats), HOW_WORTH]
    return notes + ([HOW_RATED.format(games=config.pool)] if config.pool else [])


def _results(
    config: Config,
    rules: Rules,
    info: GameInfo,
    labels: list[str],
    results: Sequence[PairResult],
    reports: Sequence[PairReport],
    failures: Sequence[Failures],
) -> dict[str, Any]:
    """What ``results.json`` holds: every deal's numbers and the figures made from them."""
    return {
        "command": command(config, rules),
        "game": info.name,
        "versions": versions_of(info),
        "rules": rules.as_dict(),
        "agents": labels,
        "deals": config.deals,
        "seed": config.seed,
        "resamples": config.resamples,
        "denominator": info.denominator,  # what all scores below are to be divided by
        "stats": list(info.stats),
        "failures": {label: plain(found) for label, found in zip(labels, failures, strict=True)},
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
    cli.run(main)
