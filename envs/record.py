"""Games as files: JSON lines, one game a line, written, read, replayed and verified.

A record says everything about a game: the options, the deck, every decision and what came of it. Playing
its decisions again gives the same plays and the same scores, or the record is wrong and :func:`verify`
says where. ``raw_env.record()`` makes one, and so does ``python -m training.evaluate --save-records``.

    python -m envs.record verify docs/records/records-guan_pai.jsonl
    python -m envs.record verify reports/*/records.jsonl
    python -m envs.record gif docs/records/records-guan_pai.jsonl game.gif --game 3 --seat 0

``verify`` plays every game again and compares: exit code 1 if a game is not as recorded, 2 if a file cannot
be read. ``gif`` makes an animation of one game: exit code 2 if it cannot.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .core.commands import Parser, fail, run
from .core.drawing.pixels import write_gif
from .core.drawing.tables import svg
from .core.game import Game, Rules, get
from .core.plays import make_record
from .core.plays import replay as replay_decisions
from .core.seeding import as_dealer, as_deck, as_index

Record = Mapping[str, Any]

SHOWN = 5  # problems of a file that are printed; the others are counted
LEAST_SECONDS, MOST_SECONDS = 0.02, 20  # of a picture in an animation: equal ones add up, to 655 s at most
LAST_LONGER = 3  # times as long as the others is the last one shown


class Key(NamedTuple):
    """A field of a record: its type as people write it, its shape, what it means.

    A shape is a type, None, ``[shape]`` for a list of any length, ``[shape, shape, ...]`` for one of just
    these, or a tuple of shapes of which one must fit.
    """

    type: str
    shape: Any
    meaning: str


KEYS = {
    "game": Key("string", str, "name of the game, such as `guan_pai`"),
    "version": Key("integer", int, "version of its rules as implemented (`GameInfo.version`)"),
    "rules": Key("object", dict, "every option and its value"),
    "decks": Key(
        "list of lists of cards",
        [[str]],
        "the packs in dealing order: one, or one a hand in games of several",
    ),
    "dealer": Key("integer or null", (int, None), "the dealer's seat, in games that have one"),
    "agents": Key("list of strings or null", ([str], None), "who played, by seat"),
    "decisions": Key("list of [seat, action]", [[int, int]], "every step of the environment"),
    "plays": Key(
        "list of [seat, name, cards, first]",
        [[int, str, [str], int]],
        "every complete play, a pass too: who, the rules' name, the physical cards, "
        "and the index of its first decision",
    ),
    "events": Key(
        "list of [number, seat, event, cards]",
        [[int, int, str, [str]]],
        "what happened by itself, in games where something does, and the index of the decision that led to "
        "it, -1 for what happened in the deal",
    ),
    "scores": Key(
        'list of integers (or of text, as in "1/3") or null',
        ([(int, str)], None),
        "points by seat; null while the game goes on",
    ),
}
"""The fields that every record has. At the end of a game come those of its ``info``, such as winner."""


# --- one record ---------------------------------------------------------------------------------


def _fits(value: Any, shape: Any) -> bool:
    if isinstance(shape, tuple):
        return any(_fits(value, one) for one in shape)
    if isinstance(shape, list):
        if not isinstance(value, list | tuple) or len(shape) not in (1, len(value)):
            return False
        return all(_fits(part, shape[i % len(shape)]) for i, part in enumerate(value))
    return value is None if shape is None else type(value) is shape


def check(record: Any) -> None:
    """ValueError unless ``record`` has the fields of a record and they have the right types."""
    if not isinstance(record, Mapping):
        raise ValueError(f"a record is an object, not {type(record).__name__}")
    for name, key in KEYS.items():
        if name not in record:
            raise ValueError(f"the field {name!r} is missing")
        if not _fits(record[name], key.shape):
            raise ValueError(f"{name} must be {key.type}, not {_short(record[name])}")


def _short(value: Any) -> str:
    text = ascii(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


class Start(NamedTuple):
    """What a record's game starts from."""

    game: Game
    rules: Rules
    deck: NDArray[np.int16]
    dealer: int | None


def start(record: Record) -> Start:
    """What a record's game starts from, checked; ValueError for what this version cannot replay."""
    check(record)
    game = get(record["game"])
    try:
        rules = game.rules.make(record["rules"])
    except TypeError as error:
        raise ValueError(str(error)) from None
    info = game.info(rules)
    if record["version"] != info.version:
        raise ValueError(
            f"made by version {record['version']} of {info.name}'s rules; these are version {info.version}, "
            "which may play it otherwise"
        )
    missing = rules.as_dict().keys() - record["rules"].keys()
    if missing:
        raise ValueError(f"rules: the option {min(missing)!r} is missing")
    if len(record["decks"]) != info.num_decks:
        raise ValueError(
            f"decks: {info.name} deals {info.num_decks} deck(s) under these rules, not {len(record['decks'])}"
        )
    if record["agents"] is not None and len(record["agents"]) != info.num_players:
        raise ValueError(f"agents: {info.num_players} seats, but {len(record['agents'])} names")
    deck = as_deck(record["decks"], info)
    dealer = None if record["dealer"] is None else as_dealer(record["dealer"], info)
    if (dealer is not None) != game.has_dealer:
        raise ValueError(f"dealer: {info.name} has {'one' if game.has_dealer else 'none'}, not {dealer}")
    return Start(game, rules, deck, dealer)


def replay(record: Record) -> Iterator[NDArray[Any]]:
    """Play a record's game again: its table (1,) as dealt, then after every decision, as copies.

    The tables are as they were but for the chance stream, which a record does not hold.

    Raises
    ------
    ValueError
        If this is no record, if it is of other rules, or at its first decision that is not legal.
    """
    game, rules, deck, dealer = start(record)
    for table in replay_decisions(game, rules, deck, record["decisions"], -1 if dealer is None else dealer):
        yield table.copy()


def verify(record: Record) -> None:
    """Play a record's game again and compare everything that came of it.

    Raises
    ------
    ValueError
        Says where the record first differs, or why it cannot be replayed.

    Examples
    --------
    >>> from envs import make
    >>> raw = make("guan_pai").unwrapped
    >>> raw.reset(seed=7)
    >>> record = raw.record()
    >>> verify(record)
    >>> verify({**record, "scores": [0, 0, 0]})
    Traceback (most recent call last):
    ValueError: scores: recorded [0, 0, 0], replayed None
    """
    game, rules, deck, dealer = start(record)
    again = make_record(game, rules, deck, record["decisions"], dealer, record["agents"])
    for name, value in again.items():
        if name not in record:
            raise ValueError(f"the field {name!r} is missing; replayed it is {_short(value)}")
        _compare(name, record[name], value)
    unknown = [name for name in record if name not in again]
    if unknown:
        raise ValueError(f"the replayed game has no field {unknown[0]!r}")


def _compare(name: str, recorded: Any, replayed: Any) -> None:
    """ValueError where the two first differ."""
    if name in ("decisions", "plays", "events"):
        for i, (one, other) in enumerate(zip(recorded, replayed, strict=False)):
            _compare(f"{name}[{i}]", list(one), list(other))
        if len(recorded) != len(replayed):
            raise ValueError(f"{name}: {len(recorded)} recorded, {len(replayed)} replayed")
    elif recorded != replayed or type(recorded) is not type(replayed):
        raise ValueError(f"{name}: recorded {_short(recorded)}, replayed {_short(replayed)}")


# --- files --------------------------------------------------------------------------------------


def write(records: Iterable[Record], path: str | os.PathLike[str]) -> None:
    """Write ``records`` to a file, one a line: completely or, if anything fails, not at all.

    Raises
    ------
    ValueError
        If one is no record.
    OSError
        If the file cannot be written; what was at ``path`` is still there.
    """
    with whole(path) as file:
        for record in records:
            check(record)
            file.write(json.dumps(record).encode() + b"\n")


@contextmanager
def whole(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write: in the end it is at ``path`` as a whole or, if anything fails, not at all."""
    path = Path(path)
    temporary = path.with_name(f".unfinished-{os.getpid()}-{path.name}")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def parse(line: str | bytes) -> dict[str, Any]:
    """The record on one line of a file; ValueError if it is none."""
    try:
        record: dict[str, Any] = json.loads(line)
    except UnicodeDecodeError:
        raise ValueError("not JSON: the text is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from None
    except (ValueError, RecursionError) as error:  # a number of too many digits, brackets too deep
        raise ValueError(f"not JSON that can be read: {_short(str(error))}") from None
    check(record)
    return record


def _lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, bytes]]:
    """The lines of a file and their numbers from 1, empty ones left out."""
    with Path(path).open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield number, line


def read(path: str | os.PathLike[str]) -> Iterator[dict[str, Any]]:
    """The records of a file, one after another; they are not replayed (see :func:`verify`).

    Raises
    ------
    ValueError
        At a line that is no record, with file, line number and reason.
    OSError
        If the file cannot be read.
    """
    for _, record in placed(path):
        yield record


def placed(path: str | os.PathLike[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """As :func:`read`, each with the place where it stands: ``"games.jsonl:3"``."""
    for number, line in _lines(path):
        place = f"{os.fspath(path)}:{number}"
        try:
            yield place, parse(line)
        except ValueError as error:
            raise ValueError(f"{place}: {error}") from None


def animate(
    record: Record,
    path: str | os.PathLike[str],
    seat: int | None = None,
    *,
    seconds: float = 1.0,
    width: int | None = None,
) -> None:
    """Make a GIF of a game: its table as dealt, then after every decision.

    Pictures that follow each other and are equal become one. The file is written completely or not at all.

    Parameters
    ----------
    record : Record
    path : path
    seat : int, optional
        From whose chair; with all hands open without it.
    seconds : float
        How long each picture is shown, at most 200; the last one three times as long.
    width : int, optional
        In pixels; smaller pictures make a smaller file.

    Raises
    ------
    ValueError
        As :func:`replay`, and for a bad seat, time or width.
    ImportError
        If resvg-py is not installed.
    OSError
        If the file cannot be written; what was at ``path`` is still there.

    Examples
    --------
    >>> from envs import make
    >>> raw = make("guan_pai").unwrapped
    >>> raw.reset(seed=7)
    >>> animate(raw.record(), "game.gif", seat=0)  # doctest: +SKIP
    """
    game, rules, _, _ = start(record)
    info = game.info(rules)
    chair = None if seat is None else as_index(seat, info.num_players, "a seat")
    if not LEAST_SECONDS <= seconds <= MOST_SECONDS:
        raise ValueError(f"seconds is a number of {LEAST_SECONDS}..{MOST_SECONDS}, not {seconds!r}")
    if width is not None and width < 1:
        raise ValueError(f"width is at least 1 pixel, not {width!r}")
    pictures = [svg(game, info, table, chair) for table in replay(record)]
    with whole(path) as file:
        write_gif(pictures, file, seconds, LAST_LONGER * seconds, width)


# --- the command line ---------------------------------------------------------------------------


def verify_file(path: str | os.PathLike[str]) -> tuple[int, list[str]]:
    """How many games a file holds, and a line of text for each that is not as recorded."""
    games, problems = 0, []
    for number, line in _lines(path):
        games += 1
        try:
            verify(parse(line))
        except ValueError as error:
            problems.append(f"{os.fspath(path)}:{number}: {error}")
    return games, problems


def main(argv: list[str] | None = None) -> int:
    """Run the command line."""
    parser = Parser(prog="python -m envs.record", description="Work with records of games.", about=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    what = "play every game of these files again and compare"
    command = commands.add_parser("verify", help=what, description=f"{what.capitalize()}.", about=__doc__)
    command.add_argument("files", nargs="+", metavar="FILE", help="JSON lines, one game a line")
    what = "make an animation of one game"
    command = commands.add_parser("gif", help=what, description=f"{what.capitalize()}.", about=__doc__)
    command.add_argument("file", metavar="FILE", help="JSON lines, one game a line")
    command.add_argument("out", metavar="OUT", help="the GIF to write")
    command.add_argument("--game", type=int, default=1, metavar="K", help="which one, counted from 1")
    command.add_argument("--seat", type=int, metavar="S", help="from whose chair; else all hands are open")
    command.add_argument("--seconds", type=float, default=1.0, help="how long each picture is shown")
    command.add_argument("--width", type=int, help="in pixels")
    chosen = parser.parse_args(argv)
    return _verify(chosen.files) if chosen.command == "verify" else _gif(chosen)


def _gif(chosen: argparse.Namespace) -> int:
    try:
        record = next(islice(read(chosen.file), max(0, chosen.game - 1), None), None)
        if record is None or chosen.game < 1:
            raise ValueError(f"{chosen.file} has no game {chosen.game}")
        animate(record, chosen.out, chosen.seat, seconds=chosen.seconds, width=chosen.width)
    except (OSError, ValueError, ImportError) as error:
        fail(error)
    print(f"{chosen.out}: {len(record['decisions'])} decisions")
    return 0


def _verify(paths: list[str]) -> int:
    code = 0
    for path in paths:
        try:
            games, problems = verify_file(path)
        except OSError as error:
            print(f"{path}: cannot be read: {error.strerror}", file=sys.stderr)
            code = 2
            continue
        count = f"{games:,} game{'s' * (games != 1)}"
        if not problems:
            print(f"{path}: {count}, all as recorded")
            continue
        for problem in problems[:SHOWN]:
            print(problem)
        more = f", of which {SHOWN} are shown" if len(problems) > SHOWN else ""
        print(f"{path}: {count}, {len(problems):,} not as recorded{more}")
        code = max(code, 1)
    return code


if __name__ == "__main__":
    run(main)
