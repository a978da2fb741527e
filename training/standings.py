"""Where the players of all games stand: ``python -m training.standings``, which makes README's table.

Every agent of ``FIELDS`` is measured by ``training.benchmark``, in a folder of its own under ``--out``. What
lies there already for the same command, versions of benchmark and rules is not measured again, so a run that
was stopped goes on, and a new agent costs only its own line; delete a folder to measure it again.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tyro

from agents import frozen_rules
from agents.pretrained import PRETRAINED, folder_of
from envs.core.game import Rules, get

from . import benchmark, cli
from .benchmark import BENCHMARK_VERSION, YARDSTICKS
from .checkpoint import read_json, readable_json, write_file
from .intervals import Interval
from .report import interval, number, percent

RESULTS_FILE, TIME_FILE, TABLE_FILE = "results.json", "time.json", "standings.md"
PLAYERS = ("random", "rule_v0", "rule", "search", "pretrained", "search-net:pretrained")
SLOW = ("search", "search-net:pretrained")


@dataclass(frozen=True)
class Field:
    """The agents of a game under some options.

    Attributes
    ----------
    game : str
    options : dict
        Where they are not the defaults.
    quick : tuple of str
        Agents that are measured on the benchmark's first deals only: decisions of theirs, or of ``search_v0``
        against them, take long.
    """

    game: str
    options: Mapping[str, Any] = field(default_factory=dict)
    quick: tuple[str, ...] = ("random",)

    @property
    def rules(self) -> Rules:
        return get(self.game).rules.make(dict(self.options))

    @property
    def players(self) -> list[str]:
        """Those of ``PLAYERS`` that there are; ``rule`` only where it is another one than ``rule_v0``."""
        players = [name for name in PLAYERS if name != "rule" or len(frozen_rules(self.game)) > 1]
        try:
            folder_of(PRETRAINED, self.game, self.rules)
        except ValueError:
            return [name for name in players if PRETRAINED not in name]
        return players


FIELDS = (
    Field("guan_pai"),
    Field("zheng_shang_you", quick=("random", *SLOW)),
    Field("zheng_shang_you", {"decks": 2}, quick=PLAYERS),
    Field("diao_xie"),
    Field("xiangxi96", quick=("random", *SLOW)),
)


@dataclass(frozen=True)
class Config:
    """Measure all players of the games by training.benchmark and print one table a game."""

    games: tyro.conf.Positional[tuple[str, ...]] = ()
    """Which games; all of them if none is given."""
    out: Path = Path("standings")
    """Folder of the results; standings.md is the table."""
    workers: int = 1
    """Processes; the results do not depend on it."""


def measured(own: Field, player: str, folder: Path, workers: int) -> dict[str, Any]:
    """The benchmark's results for a player, from ``folder`` if they are there."""
    words = [own.game, player, *["--quick"] * (player in own.quick), *cli.option_words(own.rules)]
    if not is_measured(own, folder, words):
        print(f"\n== {' '.join(words)}", flush=True)
        started = time.perf_counter()
        if benchmark.main([*words, "--workers", str(workers), "--out", str(folder)]):
            raise KeyboardInterrupt
        write_file(folder / TIME_FILE, readable_json({"minutes": (time.perf_counter() - started) / 60}))
    found: dict[str, Any] = read_json(folder / RESULTS_FILE) | read_json(folder / TIME_FILE)
    return found


def is_measured(own: Field, folder: Path, words: Sequence[str]) -> bool:
    """Whether ``folder`` has results of this command and these versions."""
    if not (folder / TIME_FILE).is_file():
        return False
    found, version = read_json(folder / RESULTS_FILE), str(get(own.game).info(own.rules).version)
    told = found["benchmark"], found["versions"]["rules"], found["command"].split()[3:]
    return bool(told == (BENCHMARK_VERSION, version, list(words)))


def table(own: Field, results: Mapping[str, Mapping[str, Any]]) -> str:
    """The results of a game's players in Markdown."""
    against = YARDSTICKS[own.game]
    title = " ".join([own.game, *cli.option_words(own.rules)])
    header = ["alone", "deals won %", *(f"against `{name}`" for name in against), "deals", "minutes"]
    lines = [f"**{title}**", "", *(f"| {' | '.join(row)} |" for row in (header, ["---"] * len(header)))]
    for player, found in results.items():
        headline = interval(Interval(**found["headline"]), percent)
        cells = [
            f"{number(told['points']['mean'])} ({percent(told['duplicate_share']['mean'])})"
            for told in found["against"]
        ]
        row = [f"`{player}`", headline, *cells, f"{found['deals']:,}", f"{found['minutes']:.1f}"]
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    config = cli.parse_plain(Config, argv, prog="python -m training.standings")
    try:
        for game in config.games:
            get(game)
        if config.workers < 1:
            raise ValueError(f"--workers is at least 1, not {config.workers}")
        tables = []
        for own in FIELDS:
            if own.game in (config.games or [own.game]):
                name = "".join([own.game, *cli.option_words(own.rules)]).replace("--env.", "-")
                folders = {p: config.out / name / p.replace(":", "-") for p in own.players}
                found = {p: measured(own, p, folder, config.workers) for p, folder in folders.items()}
                tables.append(table(own, found))
        write_file(config.out / TABLE_FILE, "\n".join(tables))
    except (OSError, ValueError) as error:
        cli.fail(error)
    except KeyboardInterrupt:
        print("stopped; the same command goes on", file=sys.stderr)
        return cli.INTERRUPTED
    print("\n" + "\n".join(tables))
    return 0


if __name__ == "__main__":
    sys.exit(main())
