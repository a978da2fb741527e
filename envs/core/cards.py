"""Cards as text, and hands as bit lanes.

A card is two characters, rank then suit, as in ``3D``; jokers are one. Where only the colour of the suit
matters it comes first, as in ``r7``. A hand is counted by rank. The
same counts as **bit lanes** are one integer: lane k (k = 0..3, ``width`` bits each) has bit r set when the
hand holds more than k cards of rank r. "Holds at least what is needed" is then ``needed & ~hand == 0``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .jit import njit

COLOURS = "rb"  # red, black
SUITS = "SHDC"  # also the order in which equal ranks are spent where suits do not matter
LANES = 4


def lanes_of(counts: NDArray[Any]) -> NDArray[np.int64]:
    """Bit lanes of counts by rank: (..., ranks) integers to (...) int64."""
    width = counts.shape[-1]
    bits = np.int64(1) << np.arange(LANES * width, dtype=np.int64).reshape(LANES, width)
    held = counts[..., None, :] > np.arange(LANES)[:, None]
    return (held * bits).sum(axis=(-2, -1))


@njit
def lane_bit(k, rank, width):
    """The bit that says "more than k cards of this rank"."""
    return np.int64(1) << np.int64(k * width + rank)


_PLACES = np.int64(1) << np.arange(63, dtype=np.int64)  # a table, so that the loop below vectorises


@njit
def unpack_lanes(lanes, size, out):
    """Write bit lanes into ``out`` (size,): place k * R + r is 1 where more than k of rank r are there."""
    for i in range(size):
        out[i] = (lanes & _PLACES[i]) != 0


def lane_columns(width: int) -> NDArray[np.int64]:
    """Entry n: bit lanes of n cards of rank 0; shifted left by r, of rank r."""
    counts = np.zeros((LANES + 1, width), np.int64)
    counts[:, 0] = np.arange(LANES + 1)
    return lanes_of(counts)


def counts_of(lanes: int, width: int) -> list[int]:
    """Counts by rank of bit lanes."""
    return [sum(int(lanes) >> (k * width + r) & 1 for k in range(LANES)) for r in range(width)]


@njit
def thermometer(counts, out):
    """Write counts by rank (R,) into ``out`` (LANES * R,): place k * R + r is 1 where counts[r] > k."""
    width = len(counts)
    for k in range(LANES):
        for rank in range(width):
            out[k * width + rank] = counts[rank] > k


@njit
def one_hot(value, size, out):
    """Write ``value`` into ``out`` (size,): all zeros where it is not in 0..size-1."""
    for i in range(size):
        out[i] = i == value


@njit
def unary(value, size, out):
    """Write ``value`` into ``out`` (size,) as that many ones, then zeros."""
    for i in range(size):
        out[i] = i < value


def parse(cards: str | Iterable[str], pack: Sequence[str]) -> list[str]:
    """Cards of a ``pack`` as a list of ``"5S"`` or bare ranks ``"5"``.

    Takes a list of either, or text: ``"5S 5H 7D"``, ``"5S5H7D"`` or ranks alone, ``"55577"``. Of a pack
    with colours, ``"rA r2 b7"`` or ``"rA2 b7"``.

    Raises
    ------
    ValueError
        With the part that is no card.
    """
    pieces = [cards] if isinstance(cards, str) else list(cards)
    ranks = "".join(dict.fromkeys(card[pack[0][0] in COLOURS] for card in pack))
    if pack[0][0] in COLOURS:  # a colour holds until the next one
        run = re.compile(f"(?P<colour>[{COLOURS}])(?P<ranks>[{ranks}]+)")
        how = f"a colour of {COLOURS} and ranks {ranks}, as in 'r7'"
    else:
        suited = "".join(dict.fromkeys(card[0] for card in pack if len(card) > 1))
        run = re.compile(f"[{suited}][{SUITS}]?|[{ranks}]")
        how = f"ranks {ranks} and suits {SUITS}, as in '5S'"
    found: list[str] = []
    for piece in pieces:
        text = str(piece).replace(" ", "").replace(",", "")
        while text:
            match = run.match(text)
            if match is None:
                raise ValueError(f"{piece!r} is no card: write {how}")
            found += [match["colour"] + rank for rank in match["ranks"]] if run.groups else [match.group()]
            text = text[match.end() :]
    return found


def deck_indices(deck: Sequence[str], pack: Sequence[str]) -> list[int]:
    """The card indices of a ``deck`` given in notation; ValueError unless it holds the whole pack."""
    places: dict[str, list[int]] = {}
    for i, card in enumerate(pack):
        places.setdefault(card, []).append(i)
    deck = [str(card) for card in deck]
    strange = [card for card in deck if card not in places]
    if strange:
        raise ValueError(f"the deck holds {strange[0]!r}, which is no card of the pack ({', '.join(places)})")
    missing = sorted((Counter(pack) - Counter(deck)).elements(), key=pack.index)
    if missing or len(deck) != len(pack):
        what = f"{', '.join(missing[:5])} missing" if missing else "some card is there too often"
        raise ValueError(f"a deck is all {len(pack)} cards of the pack in dealing order; here {what}")
    free = {card: iter(own) for card, own in places.items()}
    return [next(free[card]) for card in deck]
