"""A game between two plays."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any

from numpy.typing import NDArray

from envs.core import plays
from envs.core.aec import Snapshot
from envs.core.game import Game, GameInfo, Play

LARGEST_DEAL = 2**63 - 1


@dataclass(frozen=True)
class Step:
    """A play that was made: by whom, whether it led (nothing was to beat), and its actions."""

    seat: int
    play: Play
    led: bool


@dataclass
class Position:
    """The table between two plays.

    Attributes
    ----------
    game : Game
    info : GameInfo
    tables : (1,) record
    snapshot : Snapshot
    step : Step or None
        The play that led here.
    events : list of (seat, event, cards)
        What happened by itself on the way.
    last : Step or None
        In climbing games the play that is to be beaten.
    marked : list of (play, marks) or None
        What ``choosing.py`` has worked out once.
    """

    game: Game
    info: GameInfo
    tables: NDArray[Any]
    snapshot: Snapshot
    step: Step | None = None
    events: list[tuple[int, str, tuple[str, ...]]] = field(default_factory=list)
    last: Step | None = None
    marked: list[tuple[Play, Counter[str]]] | None = None

    @property
    def t(self) -> Any:
        """The record."""
        return self.tables[0]

    @property
    def turn(self) -> int:
        return int(self.t["turn"])

    @property
    def is_over(self) -> bool:
        return bool(self.t["over"])

    @cached_property
    def plays(self) -> list[Play]:
        """Every legal play of the seat to act."""
        return plays.legal_plays(self.game, self.info, self.tables)


def is_climbing(game: Game) -> bool:
    """Whether a last play is to be beaten."""
    return "last" in (game.dtype.names or ())


def lead_of(game: Game) -> int:
    """What the field ``last`` of a climbing game holds when nothing is to beat."""
    return int(import_module(f"envs.{game.name}.actions").LEAD)
