"""What a chair sees of a table: the picture that is sent to the page, and nothing that is hidden from it."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from .centre import centre, choices, hides_step, hides_turn, told
from .choosing import choose, hand_of
from .position import Position
from .result import result
from .table import Table


def eyes_of(table: Table, own: Set[int], is_revealed: bool) -> frozenset[int]:
    """The seats whose hands may be seen: all in records, when nobody plays, and at the end; else the own.

    Parameters
    ----------
    table : Table
    own : set of int
        The seats that this page plays.
    is_revealed : bool
        Whether the person asked to see all hands; heeded in training alone.
    """
    everybody = frozenset(range(table.info.num_players))
    is_open = table.is_record or not table.has_people or table.now.is_over
    return everybody if is_open or (is_revealed and table.is_training) else frozenset(own)


def stops(table: Table, eyes: Set[int]) -> list[int]:
    """Indices of the positions that a chair can tell apart."""
    return [i for i, position in enumerate(table.positions) if not hides_step(position, eyes)]


def log(table: Table, eyes: Set[int], shown: list[int]) -> list[dict[str, Any]]:
    """All that happened, in order, as far as a chair sees it: plays and what happened by itself.

    ``stop`` is the number of the position in ``shown`` that it led to.
    """
    lines: list[dict[str, Any]] = []
    stop = -1
    for index, position in enumerate(table.positions):
        is_shown = stop + 1 < len(shown) and shown[stop + 1] == index
        stop += is_shown
        step = position.step
        if step is not None and is_shown:
            lines.append({"stop": stop, "seat": step.seat, **told(step.play)})
            if step.led:
                lines[-1]["led"] = True
        for seat, event, cards in position.events:
            lines.append({"stop": stop, "seat": seat, "event": event, "cards": list(cards)})
    return lines


def picture(table: Table, own: Set[int], is_revealed: bool, stop: int | None = None) -> dict[str, Any]:
    """The table as a page shows it.

    Parameters
    ----------
    table : Table
    own : set of int
        The seats that this page plays.
    is_revealed : bool
    stop : int, optional
        An earlier position to look at; the newest without it.
    """
    eyes = eyes_of(table, own, is_revealed)
    shown = stops(table, eyes)
    newest = len(shown) - 1
    stop = newest if stop is None else max(0, min(stop, newest))
    is_live = stop == newest
    index = len(table.positions) - 1 if is_live else shown[stop]
    position = table.positions[index]
    hidden_turn = hides_turn(position, eyes)
    turn = None if position.is_over or hidden_turn else position.turn
    may_play = is_live and not table.is_record and turn is not None and turn in own
    return {
        "is": "table",
        "game": table.game.name,
        "options": table.rules.as_dict(),
        "seats": [_seat(table, position, seat, eyes) for seat in range(table.info.num_players)],
        "own": sorted(own),
        "turn": turn,
        "asking": hidden_turn,
        "over": position.is_over,
        "record": table.is_record,
        "training": table.is_training,
        "revealed": is_revealed and table.is_training,
        "open": len(eyes) == table.info.num_players,
        "stop": stop,
        "stops": newest,
        "centre": centre(table, index, eyes),
        "log": log(table, eyes, shown),
        "mine": _mine(position) if may_play else None,
        "result": result(table) if position.is_over and is_live else None,
        "deal": table.deal if len(eyes) == table.info.num_players and not table.is_record else None,
    }


def _mine(position: Position) -> dict[str, Any]:
    """What the seat to act may choose: by name, and the cards that any legal play has."""
    return {"choices": choices(position), **choose(position, [])}


def _seat(table: Table, position: Position, seat: int, eyes: Set[int]) -> dict[str, Any]:
    cards = hand_of(position, seat)
    return {"player": table.seats[seat], "cards": cards if seat in eyes else None, "count": len(cards)}
