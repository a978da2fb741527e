"""What a game declares: its options, its observation fields, its numbers and its kernels.

A game is a folder of files with the same names and functions as the others' (``rules``, ``actions``,
``table``, ``legal``, ``observation``, ``text``, ``scene``) and one :class:`Game` that ties them together.
Everything around it (PettingZoo, vectors, single seats, records, agents) is written once, in terms of these.
"""

from __future__ import annotations

import dataclasses
import math
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from . import batch
from .commands import did_you_mean
from .jit import bind, config

# The one set of dtypes: another one would make Numba compile everything again.
OBSERVATION = np.uint8
MASK = np.int8
COUNTER = np.int16
ACTION = np.int64
MONEY = np.int64
REWARD = np.float32

NO_LIMIT = -1  # how an option that is None is written into a table

R = TypeVar("R", bound="Rules")


@dataclass(frozen=True)
class Rules:
    """Base of a game's options: one field an option, its type says which values it takes.

    ``Literal[...]`` lists the values; ``bool``; ``int`` or ``int | None`` with the metadata ``least``
    and ``most`` (see :func:`whole_number`). A value outside is a ValueError.
    """

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self))
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.integer | np.bool_):
                object.__setattr__(self, field.name, value.item())  # as_dict is for JSON
            _check_option(field, hints[field.name], getattr(self, field.name))

    @classmethod
    def make(cls: type[R], options: Mapping[str, Any]) -> R:
        """The rules with these options; an unknown name is a TypeError that lists the known ones."""
        known = [field.name for field in dataclasses.fields(cls)]
        unknown = [name for name in options if name not in known]
        if unknown:
            raise TypeError(
                f"unknown option {unknown[0]!r} of {cls.__module__.split('.')[-2]}; "
                f"its options are {', '.join(known)}"
            )
        return cls(**options)

    def as_dict(self) -> dict[str, Any]:
        """All options by name, in a form that JSON can hold."""
        return dataclasses.asdict(self)

    def write(self, table: Any) -> None:
        """Write every option into the record ``table``: the number of its value, or its value."""
        hints = get_type_hints(type(self))
        for field in dataclasses.fields(self):
            value, hint = getattr(self, field.name), hints[field.name]
            if get_origin(hint) is Literal:
                value = get_args(hint).index(value)
            table[field.name] = NO_LIMIT if value is None else int(value)

    @classmethod
    def dtype(cls) -> list[tuple[str, type]]:
        """The fields of a table's record that hold the options."""
        return [(field.name, np.int64) for field in dataclasses.fields(cls)]

    @classmethod
    def equal(cls, tables: NDArray[Any], others: NDArray[Any]) -> bool:
        """Whether two arrays of records were made under the same options."""
        return all((tables[name][0] == others[name]).all() for name, _ in cls.dtype())


def whole_number(default: int | None, least: int, most: int) -> Any:
    """Declare an integer option of least..most in a :class:`Rules` class."""
    return dataclasses.field(default=default, metadata={"least": least, "most": most})


def _check_option(field: dataclasses.Field[Any], hint: Any, value: Any) -> None:
    if get_origin(hint) is Literal:
        allowed = get_args(hint)
        if any(value == a and type(value) is type(a) for a in allowed):
            return
        raise ValueError(f"option {field.name} must be one of {allowed}, not {value!r}")
    if hint is bool:
        if isinstance(value, bool):
            return
        raise ValueError(f"option {field.name} must be True or False, not {value!r}")
    may_be_none = get_origin(hint) in (Union, types.UnionType) and type(None) in get_args(hint)
    if value is None and may_be_none:
        return
    least, most = field.metadata["least"], field.metadata["most"]
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
        return
    none = " or None" if may_be_none else ""
    raise ValueError(f"option {field.name} must be an integer of {least}..{most}{none}, not {value!r}")


def record(fields: Sequence[tuple[Any, ...]]) -> np.dtype[Any]:
    """The dtype of a table's record: ``fields`` aligned, wide ones first, without gaps.

    What is in a gap is not copied with a record, and two equal tables would differ as bytes.
    """
    by_width = sorted(fields, key=lambda field: -np.dtype(field[1]).itemsize)
    size = np.dtype(by_width).itemsize
    gap = np.dtype(by_width, align=True).itemsize - size
    return np.dtype([*by_width, ("filler", np.uint8, (gap,))] if gap else by_width, align=True)


class Field(NamedTuple):
    """One named piece of the flat observation."""

    name: str
    start: int
    shape: tuple[int, ...]
    meaning: str

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def slice(self) -> slice:
        return slice(self.start, self.start + self.size)


def lay_out(pieces: Sequence[tuple[str, tuple[int, ...], str]]) -> dict[str, Field]:
    """Give each (name, shape, meaning) its place, one behind the other."""
    fields: dict[str, Field] = {}
    start = 0
    for name, shape, meaning in pieces:
        fields[name] = Field(name, start, shape, meaning)
        start += fields[name].size
    return fields


class Play(NamedTuple):
    """What a person calls a move: its cards, how they are read, and the actions that make it.

    ``name`` is the rules' name ("pass" for a pass), ``key`` the rank that is compared ("" for a pass),
    ``length`` as the rules count it, ``cards`` the physical cards, ``actions`` what to pass to
    ``env.step`` one after another.
    """

    name: str
    key: str
    length: int
    cards: tuple[str, ...]
    actions: tuple[int, ...]


@dataclass(frozen=True)
class GameInfo:
    """Everything fixed about a game under given rules.

    Attributes
    ----------
    name : str
        Identifier, such as ``"guan_pai"``.
    title : str
        Its name for people.
    version : int
        Version of the rules as implemented; grows when behaviour changes.
    num_players : int
    cards : tuple of str
        The pack in the order of card indices (decks hold such indices).
    action_names : tuple of str
    action_features : (A, F) float32 array
        What each action takes and is; ``action_feature_names`` names the columns.
    fields : tuple of Field
        The pieces of the observation.
    max_decisions : int
        No game takes more decisions (steps of the environment).
    min_utility, max_utility : int
        Bounds of a seat's score in points.
    typical_score : float
        About the standard deviation of a score, in points, between players of equal strength; divides
        rewards in training.
    stats : tuple of str
        Names of the columns of ``infos["final_stats"]``.
    num_decks : int
        Packs that a game deals, one behind the other: more than one where an episode has several hands.
    denominator : int
        Scores are whole multiples of 1 / denominator points; ``infos["final_scores"]`` counts those.
    always_won : bool
        Whether every game has exactly one winner.
    hand_fields : tuple of str
        The fields that together say which cards a seat holds.
    """

    name: str
    version: int
    title: str
    num_players: int
    cards: tuple[str, ...]
    action_names: tuple[str, ...]
    action_features: NDArray[np.float32]
    action_feature_names: tuple[str, ...]
    fields: tuple[Field, ...]
    max_decisions: int
    min_utility: int
    max_utility: int
    typical_score: float
    stats: tuple[str, ...]
    num_decks: int = 1
    denominator: int = 1
    always_won: bool = True
    hand_fields: tuple[str, ...] = ("hand",)

    @property
    def num_actions(self) -> int:
        return len(self.action_names)

    @property
    def deck_size(self) -> int:
        """Cards of all the packs that a game deals."""
        return self.num_decks * len(self.cards)

    @property
    def observation_size(self) -> int:
        return self.fields[-1].start + self.fields[-1].size

    @property
    def hand_places(self) -> NDArray[np.int64]:
        """Where in an observation the seat's own cards stand."""
        slices = {field.name: field.slice for field in self.fields}
        return np.concatenate([np.r_[slices[name]] for name in self.hand_fields])

    def observation_dict(self, observation: NDArray[np.uint8]) -> dict[str, NDArray[np.uint8]]:
        """The pieces of a flat observation, or of a batch (..., O) of them, by name (views)."""
        lead = observation.shape[:-1]
        return {f.name: observation[..., f.slice].reshape(lead + f.shape) for f in self.fields}


@dataclass(frozen=True, eq=False)
class Game:
    """The parts of a game. ``get(name)`` finds it; it pickles by its name.

    ``dtype`` is that of a table's record, ``kernels`` the functions ``deal``, ``legal``, ``apply``,
    ``observe``, ``blank`` and ``stats`` on one record (and ``points``, see ``batch.py``). ``text`` is a
    module with ``hand``, ``reading``, ``spent``, ``prefer``, ``same_cards``, ``why_not``, ``outcome`` and
    ``view``, and ``events`` where things happen by themselves. ``scene`` is a module with ``scene``, what a
    picture of a table shows, and ``OPEN_AT_THE_END``, whether all hands are shown then.

    Of a record's fields the core knows the options, ``chance`` (4,) uint64, ``deck`` (room for all packs),
    ``turn`` (the seat to act), ``pending`` (not 0 in the middle of a play), ``over``, ``score`` (by seat) and
    ``decisions``, and ``dealer`` in games that have one.

    ``variants`` are sets of options under which observations have other shapes, first the defaults: docs and
    benchmarks go through them. ``title_of`` names the level of a player's cumulative points, in games with
    levels. ``env_class`` is a class for the raw environment, where the game has something to ask that others
    have not.
    """

    name: str
    rules: type[Rules]
    info: Callable[[Any], GameInfo]
    dtype: np.dtype[Any]
    kernels: Mapping[str, Any]
    text: types.ModuleType
    scene: types.ModuleType
    variants: tuple[Mapping[str, Any], ...] = ({},)
    title_of: Callable[[int], str] | None = None
    env_class: type[Any] | None = None

    @property
    def has_dealer(self) -> bool:
        return "dealer" in (self.dtype.names or ())

    def __reduce__(self) -> tuple[Callable[[str], Game], tuple[str]]:
        return get, (self.name,)

    def new_tables(self, n: int, rules: Rules) -> NDArray[Any]:
        """``n`` records with these rules, not yet seeded or dealt."""
        tables = np.zeros(n, self.dtype)
        if config.DISABLE_JIT:  # plain Python reads fields as attributes of a recarray only
            tables = tables.view(np.recarray)
        rules.write(tables)
        return tables

    @cached_property
    def loops(self) -> types.SimpleNamespace:
        """The loops of ``core/batch.py``, bound to this game's kernels."""
        return self._bind(self.name, {})

    @cached_property
    def skipping_loops(self) -> types.SimpleNamespace:
        """The same, but ``reset``, ``step`` and ``serve`` play decisions with one legal action themselves."""
        return self._bind(f"{self.name}.skipping", {"SKIP_FORCED": True})

    def _bind(self, owner: str, constants: Mapping[str, Any]) -> types.SimpleNamespace:
        names: dict[str, Any] = {**self.kernels, **constants}
        bound = types.SimpleNamespace()
        for name, loop in batch.LOOPS.items():
            is_part = name in batch.PARTS
            names[name] = self.kernels.get(name) or bind(loop, names, owner, is_part=is_part)
            setattr(bound, name, names[name])
        return bound


@cache
def get(name: str) -> Game:
    """The game of this name."""
    from importlib import import_module

    if name not in NAMES:
        raise ValueError(f"no game {name!r}; {did_you_mean(name, NAMES)}")
    game: Game = import_module(f"envs.{name}").GAME
    return game


NAMES = ("guan_pai", "zheng_shang_you", "diao_xie", "xiangxi96")
