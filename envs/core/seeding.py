"""Seeds, decks and actions as users give them, checked before they reach compiled code."""

from __future__ import annotations

import operator
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

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


def as_decks(decks: Any, n: int, info: GameInfo) -> NDArray[np.int16]:
    """Decks (n, cards) of card indices, a row of -1 where the table shuffles; ValueError otherwise."""
    size = len(info.cards)
    given = np.asarray(decks)
    if given.shape != (n, size) or given.dtype.kind not in "iu":
        raise ValueError(
            f"decks are ({n}, {size}) integers, indices into GameInfo.cards, not {given.shape} {given.dtype}"
        )
    dealt = given[:, 0] != -1
    wrong = dealt & (np.sort(given, axis=1) != np.arange(size)).any(axis=1)
    wrong |= ~dealt & (given != -1).any(axis=1)
    if wrong.any():
        table = int(np.flatnonzero(wrong)[0])
        raise ValueError(f"deck {table} must hold each of 0..{size - 1} once, or only -1 to shuffle")
    return np.ascontiguousarray(given, np.int16)


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
