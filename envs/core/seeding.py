"""Seeds, decks and actions as users give them, checked before they reach compiled code."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cards import deck_indices
from .game import GameInfo

_64_BITS = (1 << 64) - 1


def as_seed(seed: Any) -> int:
    """A seed as an integer of 64 bits; ValueError unless it is a whole number of at least 0."""
    try:
        number = operator.index(seed)
    except TypeError:
        number = -1
    if number < 0:
        raise ValueError(f"a seed is an integer of at least 0, not {seed!r}")
    return number & _64_BITS


def as_index(number: Any, size: int, what: str) -> int:
    """A whole number of 0..size-1; ValueError otherwise."""
    try:
        index = operator.index(number)
    except TypeError:
        index = -1
    if not 0 <= index < size:
        raise ValueError(f"{what} is an integer of 0..{size - 1}, not {number!r}")
    return index


def fresh_seed() -> int:
    """A seed from the operating system."""
    return int.from_bytes(os.urandom(8), "little")


def seeds_for(seed: Any, n: int) -> NDArray[np.uint64]:
    """Seeds (n,) of the tables: s + i for a single ``seed`` s, or the ``n`` seeds that are given."""
    if isinstance(seed, (list, tuple)) or (isinstance(seed, np.ndarray) and seed.ndim):
        if len(seed) != n:
            raise ValueError(f"{len(seed)} seeds for {n} tables; give one a table, or a single integer")
        return np.array([as_seed(s) for s in seed], np.uint64)
    first = as_seed(seed)
    return np.array([(first + i) & _64_BITS for i in range(n)], np.uint64)


def as_dealer(dealer: Any, info: GameInfo) -> int:
    """A dealer's seat; ValueError if there is no such seat."""
    return as_index(dealer, info.num_players, "a dealer's seat")


def as_deck(deck: Any, info: GameInfo) -> NDArray[np.int16]:
    """Card indices (cards of all packs,) of a ``deck`` in notation, -1 where the table shuffles.

    A game of several hands takes a list of decks; those that are missing, or None, are shuffled.

    Raises
    ------
    ValueError
        Unless each deck is a whole pack, and there are no more than hands.
    """
    if not isinstance(deck, Iterable):
        raise ValueError(f"a deck is a list of cards, not {deck!r}")
    decks: list[Any] = [deck] if isinstance(deck, str) else list(deck)
    if not all(one is None or isinstance(one, list | tuple | np.ndarray) for one in decks):
        decks = [deck]  # a single one
    if len(decks) > info.num_decks:
        raise ValueError(f"{info.name} deals {info.num_decks} deck(s) under these options, not {len(decks)}")
    indices = np.full(info.deck_size, -1, np.int16)
    for number, one in enumerate(decks):
        if one is None:
            continue
        start = number * len(info.cards)
        indices[start : start + len(info.cards)] = deck_indices(one, info.cards)
    return indices


def as_decks(decks: Any, n: int, info: GameInfo) -> NDArray[np.int16]:
    """Decks (n, cards of all packs) of card indices, -1 where the table shuffles; ValueError otherwise.

    Given are (n, cards) indices, or (n, packs, cards) in a game of several hands.
    """
    size = len(info.cards)
    given = np.asarray(decks)
    shapes = [(n, info.num_decks, size)] + [(n, size)] * (info.num_decks == 1)
    if given.shape not in shapes or given.dtype.kind not in "iu":
        raise ValueError(
            f"decks are {shapes[-1]} integers, indices into GameInfo.cards, not {given.shape} {given.dtype}"
        )
    single = given.reshape(-1, size)
    dealt = single[:, 0] != -1
    wrong = dealt & (np.sort(single, axis=1) != np.arange(size)).any(axis=1)
    wrong |= ~dealt & (single != -1).any(axis=1)
    if wrong.any():
        table = int(np.flatnonzero(wrong)[0]) // info.num_decks
        raise ValueError(f"deck {table} must hold each of 0..{size - 1} once, or only -1 to shuffle")
    return np.ascontiguousarray(given, np.int16).reshape(n, -1)


def illegal_action(info: GameInfo, seat: int, action: Any, mask: NDArray[np.int8]) -> str:
    """Says which action is not legal, what it means and which ones are."""
    try:
        number = operator.index(action)
        known = 0 <= number < info.num_actions
        name = info.action_names[number] if known else f"actions are 0..{info.num_actions - 1}"
    except TypeError:
        name = f"an action is an integer of 0..{info.num_actions - 1}"
    legal = np.flatnonzero(mask)
    shown = ", ".join(f"{a} ({info.action_names[a]})" for a in legal[:8])
    more = f" and {len(legal) - 8} more" if len(legal) > 8 else ""
    return f"player_{seat} may not play action {action!r} ({name}); legal are {shown}{more}"
