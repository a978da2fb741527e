"""What a picture of a table shows, in plain words: a game's ``scene.py`` makes it, ``picture.py`` draws it.

All pictures of a game under the same options are of one size: so a scene always has the same chairs, and
they the same strips, whatever is in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Group(NamedTuple):
    """Cards that lie together: open ones in notation (a bare rank is drawn without a suit), or backs."""

    cards: Sequence[str] = ()
    hidden: int = 0
    label: str = ""
    """What stands below them."""


class Strip(NamedTuple):
    """A place in front of a seat, with its caption: groups of cards, or words where there are none."""

    caption: str
    share: float
    """Of the width that the strips of a row have together."""
    groups: Sequence[Group] = ()
    words: str = ""


class Row(NamedTuple):
    """Strips side by side, with cards of one height."""

    strips: Sequence[Strip]
    height: int
    """Of the cards, in pixels."""
    has_labels: bool = False
    """Whether there is room for the groups' labels."""


class Chair(NamedTuple):
    """One seat and what lies in front of it."""

    rows: Sequence[Row]
    tags: Sequence[str] = ()
    """Short words below the name."""
    is_turn: bool = False
    is_out: bool = False
    """Takes no more part (it has folded)."""
    score: str | None = None
    """At the end."""
    is_winner: bool = False


class Scene(NamedTuple):
    """A table at one moment, with what one seat may know or with all hands."""

    chairs: Sequence[Chair]
    facts: Sequence[str]
    """About the table: they stand above the seats."""
    notes: Sequence[str]
    """What happened: lines below the seats, as many as ``num_notes`` at most."""
    num_notes: int = 1
    width: int = 960
    """In pixels."""


def hand(cards: Sequence[str], size: int, share: float, label: str = "") -> Strip:
    """The strip of a hand of ``size`` cards; no ``cards`` are given where they are hidden."""
    group = Group(cards, size - len(cards), label)
    return Strip(f"hand · {size}", share, (group,) if size else ())


def score(points: object) -> str:
    """Points with their sign.

    >>> score(3), score(0), score(-12)
    ('+3', '0', '−12')
    """
    text = str(points)
    return text.replace("-", "−") if text.startswith(("-", "0")) else f"+{text}"
