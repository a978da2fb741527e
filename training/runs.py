"""What runs there are and how strong each became: ``python -m training.runs``.

    python -m training.runs                             # all below runs/
    python -m training.runs runs/ablation-guan_pai --json
    python -m training.runs runs/seed-0 runs/seed-1 --picture curves.png

A run is a folder with a ``config.json``, at any depth. Its strength is that of the last evaluation in its
newest checkpoint; that of CFR is what a best response gains.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import tyro
from rich.console import Console

from agents.base import CHECKPOINTS
from envs.core.game import get

from . import cli
from .checkpoint import CONFIG_FILE, PROGRESS_FILE, STATE_FILE, csv_rows, newest, read_json, write_file
from .curve import REPORT_FILE, Evaluation, draw_curves
from .evaluate import YARDSTICK
from .stats import NORMAL_95, Interval
from .tables import new_console, show

FINISHED = "finished"  # its budget is used up and the report written
UNFINISHED = "unfinished"  # stopped, or learning now
NO_CHECKPOINT = "no checkpoint yet"
HOW_TO_MAKE_ONE = "make a run by python -m training.selfplay"


@dataclass(frozen=True)
class Config:
    """List the training runs in some folders, with how strong each became."""

    folders: tyro.conf.Positional[tuple[Path, ...]] = (Path("runs"),)
    """Where to look, at any depth."""
    json: bool = False
    """Print a JSON list instead of tables; numbers are not rounded."""
    picture: Path | None = None
    """Also draw the learning curves of these runs, which are of one game and the same options, into this PNG;
    runs that differ in nothing but the seed get one colour."""


@dataclass(frozen=True)
class Entry:
    """A run in the list; what is not known of it is None.

    ``options`` are the ``--env`` words of the options that are not the game's defaults; ``against`` is whom
    it played at its last evaluation, ``deals`` and the intervals are of that one, shares of 1. CFR has
    ``iterations``, and what a best response gains with the standard error of that (0: it is exact).
    """

    folder: str
    game: str | None = None
    options: str | None = None
    algo: str | None = None
    seed: int | None = None
    state: str | None = None
    samples: int | None = None
    iterations: int | None = None
    minutes: float | None = None
    against: str | None = None
    deals: int | None = None
    duplicate_share: Interval | None = None
    points: Interval | None = None
    win_rate: Interval | None = None
    exploitability: float | None = None
    error: float | None = None
    problem: str | None = None


# --- reading --------------------------------------------------------------------------------------


def list_runs(folders: Iterable[Path]) -> list[Entry]:
    """All runs in and below ``folders``, by game, options and strength, the best one first.

    Raises
    ------
    ValueError
        If there is no such folder.
    """
    found: dict[Path, Entry] = {}  # one that lies below two of the folders counts once
    for top in folders:
        if not top.is_dir():
            raise ValueError(f"there is no folder {top}: give one that holds runs, or {HOW_TO_MAKE_ONE}")

        def closed(error: OSError) -> None:
            path = Path(error.filename)
            found[path.resolve()] = Entry(str(path), problem=f"cannot be read ({error.strerror})")

        for name, below, files in os.walk(top, onerror=closed):
            if CONFIG_FILE in files:
                below.clear()
                found.setdefault(Path(name).resolve(), read_run(Path(name)))
    return sorted(found.values(), key=_order)


def _order(entry: Entry) -> tuple[Any, ...]:
    share = entry.duplicate_share.mean if entry.duplicate_share else -math.inf
    gain = math.inf if entry.exploitability is None else entry.exploitability
    return entry.game is None, entry.game or "", entry.options or "", -share, gain, entry.folder


def read_run(folder: Path) -> Entry:
    """What is known of the run in ``folder``; never an error, but an entry that says what is wrong."""
    try:
        return _read(folder)
    except (OSError, ValueError) as error:
        problem = str(error).replace(f"{folder}{os.sep}", "")
    except (LookupError, TypeError, AttributeError) as error:
        problem = f"is not of this version of the program ({type(error).__name__}: {error})"
    return Entry(str(folder), problem=problem)


def _read(folder: Path) -> Entry:
    description = read_json(folder / CONFIG_FILE)
    rules = get(description["game"]).rules.make(description["rules"])
    budget = description["options"]
    entry = Entry(
        str(folder),
        game=description["game"],
        options=" ".join(cli.option_words(rules)),
        algo=budget["algo"],
        seed=int(budget["seed"]),
        state=NO_CHECKPOINT,
    )
    read = _read_cfr if entry.algo == "cfr" else _read_network
    return read(entry, folder, budget)


def _read_network(entry: Entry, folder: Path, budget: Mapping[str, Any]) -> Entry:
    try:
        checkpoint = newest(folder / CHECKPOINTS)
    except ValueError:
        return entry
    state = read_json(checkpoint / STATE_FILE)
    samples, seconds = int(state["samples"]), float(state["seconds"])
    if budget["samples"] is not None:
        is_spent = samples >= cli.sample_count(budget["samples"])
    else:
        is_spent = seconds >= budget["minutes"] * 60
    entry = replace(entry, samples=samples, minutes=seconds / 60, state=_state(folder, is_spent))
    if not state["evaluations"]:
        return entry
    result = Evaluation.from_dict(state["evaluations"][-1]).result
    share, points, wins = (
        Interval(*map(float, astuple(interval)))
        for interval in (result.duplicate_share, result.points, result.win_rate)
    )
    return replace(
        entry,
        against=YARDSTICK, deals=int(result.deals), duplicate_share=share, points=points, win_rate=wins,
    )  # fmt: skip


def _read_cfr(entry: Entry, folder: Path, budget: Mapping[str, Any]) -> Entry:
    path = folder / PROGRESS_FILE
    if not path.exists():
        return entry
    last = csv_rows(path)[-1]
    iterations, seconds = int(last["iteration"]), float(last["seconds"])
    if budget["iterations"] is not None:
        is_spent = iterations >= budget["iterations"]
    else:
        is_spent = seconds >= budget["minutes"] * 60
    return replace(
        entry,
        iterations=iterations,
        minutes=seconds / 60,
        state=_state(folder, is_spent),
        exploitability=float(last["exploitability"]),
        error=float(last["error"]),
    )


def _state(folder: Path, is_spent: bool) -> str:
    return FINISHED if is_spent and (folder / REPORT_FILE).exists() else UNFINISHED


# --- showing --------------------------------------------------------------------------------------


def with_half_width(found: Interval | None, unit: float, form: str) -> str:
    """A mean and half its 95 % interval, times ``unit``.

    >>> with_half_width(Interval(0.5, 0.4375, 0.5625), 100, ".1f"), with_half_width(None, 1, "+.2f")
    ('50.0 ± 6.2', '')
    """
    if found is None:
        return ""
    return f"{unit * found.mean:{form}} ± {unit * found.half_width:{form.lstrip('+')}}"


def _count(entry: Entry) -> str:
    if entry.iterations is not None:
        return f"{entry.iterations:,} iterations"
    return "" if entry.samples is None else f"{entry.samples:,}"


def _gain(entry: Entry) -> str:
    if entry.exploitability is None:
        return ""
    if not entry.error:
        return f"{entry.exploitability:.7f}"
    return f"at least {entry.exploitability:.4f} ± {NORMAL_95 * entry.error:.4f}"


COLUMNS: dict[str, Callable[[Entry], str]] = {
    "run": lambda entry: entry.folder,
    "algo": lambda entry: str(entry.algo),
    "seed": lambda entry: str(entry.seed),
    "samples": _count,
    "minutes": lambda entry: "" if entry.minutes is None else f"{entry.minutes:.1f}",
    "state": lambda entry: str(entry.state),
    "% of duplicate deals": lambda entry: with_half_width(entry.duplicate_share, 100, ".1f"),
    "points a game": lambda entry: with_half_width(entry.points, 1, "+.2f"),
    "% of games won": lambda entry: with_half_width(entry.win_rate, 100, ".1f"),
    "deals": lambda entry: "" if entry.deals is None else f"{entry.deals:,}",
    "a best response gains, b a hand": _gain,
}


def draw(entries: Sequence[Entry]) -> bytes:
    """The learning curves of runs as PNG.

    Raises
    ------
    ValueError
        If there is none, or they are of several games or options.
    """
    names: dict[str, str] = {}  # of runs with the same arguments but for the seed: the first one's
    curves: dict[str, list[list[Evaluation]]] = {}
    drawn = [entry for entry in entries if entry.duplicate_share is not None]
    for entry in drawn:
        folder = Path(entry.folder)
        told = read_json(folder / CONFIG_FILE)
        own = {k: v for k, v in told["options"].items() if k not in ("seed", "out")}
        name = names.setdefault(json.dumps([own, told.get(told["options"]["algo"])]), folder.name)
        state = read_json(newest(folder / CHECKPOINTS) / STATE_FILE)
        curves.setdefault(name, []).append([Evaluation.from_dict(one) for one in state["evaluations"]])
    kinds = {(entry.game, entry.options) for entry in drawn}
    if len(kinds) != 1:
        raise ValueError(f"a picture is of evaluated runs of one game and its options, not of {len(kinds)}")
    titles = [" ".join(word for word in kind if word) for kind in kinds]
    return draw_curves(curves, f"{titles[0]} against {YARDSTICK}")


def show_runs(console: Console, entries: Iterable[Entry]) -> None:
    """Print a table for every game and its options, then what cannot be read."""
    for (game, options), group in groupby(entries, key=lambda entry: (entry.game, entry.options)):
        same = list(group)
        if game is None:
            show(console, "Cannot be read", ["run", "why"], [[e.folder, e.problem or ""] for e in same])
            continue
        against = next((f"against {entry.against}" for entry in same if entry.against), "")
        rows = [[text(entry) for text in COLUMNS.values()] for entry in same]
        used = [k for k, column in enumerate(zip(*rows, strict=True)) if any(column)]
        show(
            console,
            " ".join(word for word in (game, options, against) if word),
            [list(COLUMNS)[k] for k in used],
            [[row[k] for k in used] for row in rows],
        )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    config = cli.parse_plain(Config, argv, prog="python -m training.runs", about=__doc__)
    try:
        entries = list_runs(config.folders)
        if config.picture is not None:
            config.picture.parent.mkdir(parents=True, exist_ok=True)
            write_file(config.picture, draw(entries))
    except (OSError, ValueError) as error:
        cli.fail(error)
    if config.json:
        print(json.dumps([asdict(entry) for entry in entries], indent=2, ensure_ascii=False))
    elif not entries:
        print(f"No runs below {', '.join(map(str, config.folders))}: {HOW_TO_MAKE_ONE}")
    else:
        console = new_console()
        show_runs(console, entries)
        note = "Strength at the last evaluation; ± is half the 95 % interval."
        console.print(note, highlight=False)
    return 0


if __name__ == "__main__":
    cli.run(main)
