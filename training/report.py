"""The report of a tournament: tables for the terminal and ``report.md``, JSON, and a picture."""

from __future__ import annotations

import dataclasses
import io
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from envs.core.game import GameInfo

from .ratings import Rating
from .stats import WINNER, Direction, Figure, Interval, Pair
from .tables import new_console

HOW_MEASURED = (
    "Duplicate deals: the cards of every deal are played with the first agent of a pair alone in each "
    "seat against the second in all others, and with the second alone in each seat. "
    "The deal is the unit of the statistics. Brackets are 95 % intervals over the deals: of points by the "
    "BCa bootstrap ({resamples:,} resamples; Efron & Tibshirani 1993, section 14.3), of shares Wilson's. "
    "Points and games won are those of the single player{chance}; "
    "deals won are the deals with a positive total over all seats, ties half. "
    "The paired difference of a deal is (total of the first alone - total of the second alone) / {seats}, "
    "in points a game; z is its mean in standard errors."
)
HOW_WORTH = (
    "What a deal is worth: so many independent games (new cards for each, the single player in a seat drawn "
    "at random) would tell as much about the points as one deal. More than the games it takes is what "
    "duplicate play and the rotation of seats save; less means that a deal's games say partly the same."
)
HOW_RATED = (
    "Ratings (Plackett-Luce, openskill; a newcomer has 25 ± 8.33) come from {games:,} extra deals, each "
    "played once by a table of randomly seated agents and ranked by score; ± is one standard deviation, as "
    "the model sees it."
)


PICTURE = "![Points a game, row alone against column](crosstable.png)"
NARROW = 110  # characters


@dataclass(frozen=True)
class PairReport:
    """What is reported of a pair: the entries ``a`` and ``b``, figures, and game-specific figures."""

    a: int
    b: int
    summary: Pair
    figures: tuple[list[Figure], list[Figure]]


@dataclass(frozen=True)
class Section:
    """A table of text."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


def number(value: float) -> str:
    """A number with its sign, and a plain 0 for an exact zero.

    >>> number(1.5), number(-0.254), number(0.0)
    ('+1.50', '-0.25', '0')
    """
    return "0" if value == 0 else f"{value:+.2f}"


def percent(value: float) -> str:
    """A share as a percentage without its sign.

    >>> percent(0.5)
    '50.0'
    """
    return f"{100 * value:.1f}"


def interval(found: Interval, text: Callable[[float], str] = number) -> str:
    """A mean and its interval.

    >>> interval(Interval(0.0, 0.0, 0.0)), interval(Interval(0.5, 0.25, 0.75), percent)
    ('0 [0, 0]', '50.0 [25.0, 75.0]')
    """
    return f"{text(found.mean)} [{text(found.low)}, {text(found.high)}]"


def worth(games: float | None) -> str:
    """How many independent games a deal is worth.

    >>> worth(4.25), worth(None)
    ('4.2', 'no spread')
    """
    return "no spread" if games is None else f"{games:,.1f}"


def sections(
    info: GameInfo, labels: Sequence[str], pairs: Sequence[PairReport], ratings: Sequence[Rating]
) -> list[Section]:
    """All tables of the report."""
    strength, differences, worths, seats, figures = [], [], [], [], []
    for pair in pairs:
        names = labels[pair.a], labels[pair.b]
        difference = interval(pair.summary.difference)
        z = "" if pair.summary.z is None else number(pair.summary.z)
        differences.append([f"{names[0]} - {names[1]}", difference, z])
        for direction, own in enumerate(pair.summary.alone):
            who = names[direction], names[1 - direction]
            strength.append([*who, *_strength(own)])
            if info.num_players > 2:  # with two both directions are the same games
                worths.append([*who, str(info.num_players), worth(own.worth)])
            for seat, (points, wins) in enumerate(zip(own.seat_points, own.seat_win_rates, strict=True)):
                seats.append([*who, str(seat), interval(points), interval(wins, percent)])
            for figure in pair.figures[direction]:
                figures.append([*who, *_figure(figure)])
        games = 2 * info.num_players if info.num_players > 2 else 2
        worths.append([f"{names[0]} - {names[1]}", "", str(games), worth(pair.summary.worth)])
    found = [
        Section(
            f"Strength{chance_of(info)}",
            ["Alone", "Against", "Points a game", "Games won %", "Deals won %"],
            strength,
        ),
        Section("Paired difference", ["Pair", "Points a game", "z"], differences),
        Section(
            "What a deal is worth in independent games",
            ["Alone", "Against", "Games played", "Independent games"],
            worths,
        ),
        Section("By seat", ["Alone", "Against", "Seat", "Points a game", "Games won %"], seats),
        Section(
            f"{info.title}: means a game",
            ["Alone", "Against", "Figure", "Whole table", "Single player"],
            figures,
        ),
    ]
    if ratings:
        order = sorted(range(len(labels)), key=lambda entry: -ratings[entry].mu)
        rated = [
            [labels[entry], f"{own.mu:.2f} ± {own.sigma:.2f}", f"{own.games:,}"]
            for entry, own in ((entry, ratings[entry]) for entry in order)
        ]
        found.append(Section("Ratings", ["Agent", "Rating", "Games"], rated))
    return found


def chance_of(info: GameInfo) -> str:
    """What chance wins, in games that always have one winner; elsewhere what it is to win."""
    if WINNER not in info.stats:
        return " (a game is won with points above 0)"
    if not info.always_won:
        return " (a game may have no winner)"
    return f" (chance wins {percent(1 / info.num_players)} % of the games)"


def session(
    labels: Sequence[str],
    seatings: NDArray[np.int64],
    scores: NDArray[np.int64],
    title_of: Callable[[int], str],
) -> Section:
    """What every agent has won or lost over all games of the pool (G, n), and the level of those points."""
    rows = []
    for entry, name in enumerate(labels):
        own = scores[seatings == entry]
        total = int(own.sum())
        rows.append([name, f"{len(own):,}", f"{total:+,}", title_of(total)])
    title = f"Session: cumulative points of the {len(seatings):,} extra deals, from 0, and their level"
    return Section(title, ["Agent", "Seats", "Points", "Level"], rows)


def _strength(own: Direction) -> list[str]:
    return [interval(own.points), interval(own.win_rate, percent), interval(own.duplicate_share, percent)]


def _figure(figure: Figure) -> list[str]:
    def text(value: float) -> str:
        return f"{percent(value)} %" if figure.is_share else f"{value:.2f}"

    return [figure.name, text(figure.table), "" if figure.single is None else text(figure.single)]


def show(console: Console, tables: Iterable[Section], warnings: Sequence[str] = ()) -> None:
    """Print the ``warnings`` and the tables; in a narrow terminal an interval stands below its mean."""
    for warning in warnings:
        console.print(warning.replace("**", ""), style="bold red", markup=False, highlight=False)
    below = "\n[" if console.width < NARROW else " ["
    for section in tables:
        table = Table(title=escape(section.title), title_justify="left", header_style="bold")
        for i, name in enumerate(section.header):
            is_figure = i > 0 and name not in ("Against", "Figure", "Level")
            table.add_column(escape(name), justify="right" if is_figure else "left", no_wrap=is_figure)
        for row in section.rows:
            table.add_row(*(escape(cell.replace(" [", below)) for cell in row))
        console.print(table)


def markdown(
    title: str,
    facts: Sequence[tuple[str, str]],
    tables: Sequence[Section],
    notes: Sequence[str],
    last: Sequence[str] = (PICTURE,),
) -> str:
    """The text of ``report.md``: a list of ``facts`` (name, value), ``notes``, the tables, and the rest."""
    parts = [f"# {title}", "\n".join(f"- {name}: {value}" for name, value in facts), *notes]
    for section in tables:
        lines = [section.header, ["---"] * len(section.header), *section.rows]
        cells = "\n".join("| " + " | ".join(c.replace("|", "\\|") for c in line) + " |" for line in lines)
        parts += [f"## {section.title}", cells]
    return "\n\n".join([*parts, *last]) + "\n"


def tell(content: dict[str, Any] | None, tables: Iterable[Section], warnings: Sequence[str] = ()) -> None:
    """Print the results: the tables, or ``content`` as JSON, with the warnings on the standard error."""
    if content is None:
        show(new_console(), tables, warnings)
        return
    show(Console(stderr=True), (), warnings)
    print(as_json(content), end="")


def as_json(content: dict[str, Any]) -> str:
    """JSON with one key of the top level a line.

    >>> print(as_json({"a": 1, "b": [1, 2]}))
    {
    "a": 1,
    "b": [1,2]
    }
    <BLANKLINE>
    """
    lines = [f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in content.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def crosstable(info: GameInfo, labels: Sequence[str], pairs: Sequence[PairReport]) -> bytes:
    """A PNG: points a game of the agent in the row, alone against the one in the column."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Picture

    names = [label.encode("ascii", "replace").decode() for label in labels]  # what every font has
    size = len(names)
    points = [[float("nan")] * size for _ in names]
    picture = Picture(figsize=(2.5 + 1.4 * size, 1.8 + 0.8 * size), dpi=120, layout="constrained")
    axes = picture.add_subplot()
    for pair in pairs:
        for own, (row, column) in zip(pair.summary.alone, ((pair.a, pair.b), (pair.b, pair.a)), strict=True):
            points[row][column] = own.points.mean
            text = f"{number(own.points.mean)}\n[{number(own.points.low)}, {number(own.points.high)}]"
            axes.text(column, row, text, ha="center", va="center", fontsize=9, parse_math=False)
    most = max((abs(p) for row in points for p in row if p == p), default=0) or 1
    image = axes.imshow(points, cmap="PRGn", vmin=-1.6 * most, vmax=1.6 * most, aspect="auto")
    picture.colorbar(image, label="points a game")
    for axis, position in ((axes.xaxis, "against"), (axes.yaxis, "alone")):
        axis.set_ticks(range(size), labels=names)
        axis.set_label_text(position)
        for tick in axis.get_ticklabels():
            tick.set_parse_math(False)
    axes.set_title(f"{info.name}: points a game, with 95 % intervals", fontsize=10)
    FigureCanvasAgg(picture)
    file = io.BytesIO()
    picture.savefig(file, format="png", metadata={"Software": None})
    return file.getvalue()


def plain(found: Any) -> Any:
    """Dataclasses as dictionaries, for JSON."""
    return dataclasses.asdict(found)
