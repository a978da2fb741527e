"""Xiangxi 96: how the cards of one group can be cut, looked up by their counts (rules, 5 and 9).

All tables are indexed by the counts (0..4 each) of a group's three kinds. What a hand holds three times
is a kan and never cut; tables of hands set it aside, tables of loose cards do not. Four of a kind are in a
hand only with the card that won the game.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from .kinds import COPIES, GROUP_SIZE

KAN = 3
MOUTHS = 2  # kou that a won hand has in all, those on the table included
LOOSE = np.array([0, 1, 2, 0, 0])  # of so many in the hand so many are not in a kan

Counts = tuple[int, ...]
_ALL = tuple(product(range(COPIES + 1), repeat=GROUP_SIZE))


def loose(hand: Counts) -> Counts:
    """The counts without kans.

    >>> loose((3, 2, 1))
    (0, 2, 1)
    """
    return tuple(int(LOOSE[count]) for count in hand)


def without(counts: Counts, *kinds: int) -> Counts:
    """The counts with one card less of each of these kinds."""
    return tuple(count - (kind in kinds) for kind, count in enumerate(counts))


@cache
def cuts(counts: Counts) -> frozenset[int]:
    """The numbers of kou (0..2) with which loose cards can be cut into ju and kou, nothing left over.

    >>> sorted(cuts((1, 1, 1))), sorted(cuts((2, 2, 2))), sorted(cuts((2, 1, 1)))
    ([0], [0], [2])
    """
    if min(counts) < 0:
        return frozenset()
    if not any(counts):
        return frozenset({0})
    ways = set(cuts(without(counts, *range(GROUP_SIZE))))
    for kou in combinations(range(GROUP_SIZE), 2):
        ways |= {number + 1 for number in cuts(without(counts, *kou)) if number < MOUTHS}
    return frozenset(ways)


@cache
def least_left(counts: Counts, most_kou: int) -> int:
    """How many loose cards are left over at least when the rest is cut into ju and at most so many kou.

    >>> least_left((2, 1, 1), 0), least_left((2, 0, 1), 1)
    (1, 1)
    """
    smaller = [without(counts, kind) for kind in range(GROUP_SIZE) if counts[kind]]
    fewest = min(1 + least_left(one, most_kou) for one in smaller) if smaller else 0
    for number in range(most_kou + 1):
        if number in cuts(counts):
            return 0
    return fewest


def free(hand: Counts) -> tuple[bool, ...]:
    """Which kinds may be discarded (section 5): what is beyond the kans and the complete ju.

    >>> free((2, 1, 1)), free((3, 1, 1))
    ((True, False, False), (False, True, True))
    """
    counts = loose(hand)
    return tuple(count > min(counts) for count in counts)


def _table(value: Callable[[Counts], int | list[int]]) -> NDArray[np.int64]:
    """``value`` of all counts of a group's kinds."""
    values = np.array([value(counts) for counts in _ALL])
    return values.reshape((COPIES + 1,) * GROUP_SIZE + values.shape[1:])


def _bits(numbers: frozenset[int]) -> int:
    return sum(1 << number for number in numbers)


CUTS = _table(lambda counts: _bits(cuts(counts)))
"""(5, 5, 5): bit k is set if such loose cards can be cut into ju and k kou."""

CUTS_OF_HAND = _table(lambda hand: _bits(cuts(loose(hand))))
"""(5, 5, 5): the same of what a hand holds."""

KANS = _table(lambda hand: sum(count >= KAN for count in hand))
"""(5, 5, 5): the kans of what a hand holds."""

NUM_LOOSE = _table(lambda hand: sum(loose(hand)))
"""(5, 5, 5): the cards of what a hand holds that are in no kan."""

FREE = _table(lambda hand: _bits(frozenset(kind for kind, is_free in enumerate(free(hand)) if is_free)))
"""(5, 5, 5): bit i is set if the i-th kind of the group may be discarded."""

LEFT = _table(lambda hand: [least_left(loose(hand), most_kou) for most_kou in range(MOUTHS + 1)])
"""(5, 5, 5, 3): ``least_left`` of what a hand holds, by the kou allowed."""

SPARE = _table(
    lambda hand: [
        _bits(
            frozenset(
                kind for kind, count in enumerate(loose(hand))
                if count and least_left(without(loose(hand), kind), m) < least_left(loose(hand), m)
            )
        )
        for m in range(MOUTHS + 1)
    ]
)  # fmt: skip
"""(5, 5, 5, 3): bit i is set if one card less of the i-th kind is one less left over, by the kou allowed."""

TOGETHER = np.array(
    [
        [_bits(frozenset(i + j for i, j in product(range(MOUTHS + 1), repeat=2)
                         if a >> i & 1 and b >> j & 1 and i + j <= MOUTHS))
         for b in range(1 << MOUTHS + 1)]
        for a in range(1 << MOUTHS + 1)
    ]
)  # fmt: skip
"""(8, 8): the bits of two parts of a hand taken together."""
