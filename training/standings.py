"""Where the players of all games stand: ``python -m training.standings``, which makes README's table.

Every agent of ``FIELDS`` is measured by ``training.benchmark``, in a folder of its own under ``--out``. What
lies there already for the same command, versions of benchmark and rules is not measured again, so a run that
was stopped goes on, and a new agent costs only its own line. A player that is code, as ``rule`` is, may have
become another one: delete its folder to measure it again.

    python -m training.standings --workers 2         # all games, for hours
    python -m training.standings diao_xie --out standings
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tyro

from agents import frozen_rules
from agents.pretrained import ABOUT_FILE, PRETRAINED, folder_of
from envs.core.game import Rules, get

from . import benchmark, cli
from .benchmark import BENCHMARK_VERSION, YARDSTICKS
from .checkpoint import read_json, readable_json, write_file
from .intervals import Interval
from .report import interval, number, percent

RESULTS_FILE, OWN_FILE, TABLE_FILE = "results.json", "standing.json", "standings.md"
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

    def words(self, player: str) -> list[str]:
        """The arguments of ``training.benchmark`` for a player."""
        return [self.game, player, *["--quick"] * (player in self.quick), *cli.option_words(self.rules)]

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
    Field("guan_pai", quick=("random", *SLOW)),
    Field("zheng_shang_you", quick=("random", *SLOW)),
    Field("zheng_shang_you", {"decks": 2}, quick=PLAYERS),
    Field("diao_xie"),
    Field("xiangxi96", quick=PLAYERS),
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


def measure(own: Field, player: str, folder: Path, workers: int) -> None:
    """Have the benchmark measure a player, with its results in ``folder``."""
    print(f"\n== {' '.join(own.words(player))}", flush=True)
    (folder / OWN_FILE).unlink(missing_ok=True)
    started = time.perf_counter()
    if benchmark.main([*own.words(player), "--workers", str(workers), "--out", str(folder)]):
        raise KeyboardInterrupt
    minutes = (time.perf_counter() - started) / 60
    told = {"minutes": minutes, "digest": digest_of(player, own.game, own.rules)}
    write_file(folder / OWN_FILE, readable_json(told))


def results_in(folder: Path, own: Field, player: str) -> dict[str, Any] | None:
    """What ``folder`` has of this command, these versions and this agent; None if it is not whole."""
    try:
        found: dict[str, Any] = read_json(folder / RESULTS_FILE) | read_json(folder / OWN_FILE)
        told = found["benchmark"], found["versions"]["rules"], found["command"].split()[3:], found["digest"]
    except (LookupError, TypeError, ValueError):
        return None
    version = str(get(own.game).info(own.rules).version)
    wanted = BENCHMARK_VERSION, version, own.words(player), digest_of(player, own.game, own.rules)
    return found if told == wanted and isinstance(found.get("minutes"), float) else None


def digest_of(player: str, game: str, rules: Rules) -> str:
    """A number of an agent's files, which may be others one day; of a player that is code none."""
    if PRETRAINED not in player:
        return ""
    files = sorted(path for path in folder_of(PRETRAINED, game, rules).iterdir() if path.name != ABOUT_FILE)
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]


def folder_in(out: Path, own: Field, player: str) -> Path:
    """Where a player's results lie."""
    field_name = "".join([own.game, *cli.option_words(own.rules)]).replace("--env.", "-")
    return out / field_name / player.replace(":", "-")


def found_in(out: Path, own: Field) -> dict[str, dict[str, Any]]:
    """All results of a field that are there, by player."""
    found = {}
    for player in own.players:
        results = results_in(folder_in(out, own, player), own, player)
        if results is not None:
            found[player] = results
    return found


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
    config = cli.parse_plain(Config, argv, prog="python -m training.standings", about=__doc__)
    try:
        for game in config.games:
            get(game)
        if config.workers < 1:
            raise ValueError(f"--workers is at least 1, not {config.workers}")
        for own in FIELDS:
            if own.game in (config.games or [own.game]):
                for player in own.players:
                    folder = folder_in(config.out, own, player)
                    if results_in(folder, own, player) is None:
                        measure(own, player, folder, config.workers)
        tables = [table(own, found) for own in FIELDS if (found := found_in(config.out, own))]
        write_file(config.out / TABLE_FILE, "\n".join(tables))
    except (OSError, ValueError) as error:
        cli.fail(error)
    except KeyboardInterrupt:
        print("stopped; the same command goes on", file=sys.stderr)
        return cli.INTERRUPTED
    print("\n" + "\n".join(tables))
    return 0


if __name__ == "__main__":
    cli.run(main)
