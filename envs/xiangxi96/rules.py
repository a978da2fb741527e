"""Xiangxi 96: the options, what hands are worth in points, and how long a game can be (rules, 11 and 12)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..core.game import Rules, whole_number
from ..core.jit import njit
from .kinds import COPIES, NUM_CARDS

MOST_SEATS = 4
DEALT_EACH = 21
DEALT_TO_DEALER = 22


@dataclass(frozen=True)
class Xiangxi96Rules(Rules):
    """Options of Xiangxi 96."""

    num_players: int = whole_number(3, 2, MOST_SEATS)
    """Players. With 4, discards may be claimed; with 2 or 4, 10 huxi win instead of 15."""
    scoring: Literal["feng_sheng", "big_small"] = "feng_sheng"
    """A point more for every five huxi (逢升), or two levels (大小胡)."""
    zhao_extra: Literal["hun", "all"] = "hun"
    """Companions of a zhao or a shuang long add 1 huxi if they are hun, or always."""
    red_face_is_red: bool = True
    """Threes and fours of red J, Q, K are worth what red ones are."""
    split_table_sentence: bool = False
    """A sentence on the table may be read, with the winning card, as two mouths."""
    pig_points: int = whole_number(8, 0, 1000)
    """Points that a pig pays to each other player."""
    base: int = whole_number(1, 1, 1000)
    """Multiplies every payment."""


# The values of options as a table's record holds them.
FENG_SHENG, BIG_SMALL = range(2)
EXTRA_HUN, EXTRA_ALL = range(2)

MOST_POINTS = 10
CLAIMED_DISCARDS_FROM = 4  # with fewer players discards are dead


# Cards of all hands at the start, by the number of players; 0 where nobody plays.
NUM_DEALT = np.array([0] + [DEALT_TO_DEALER + DEALT_EACH * others for others in range(MOST_SEATS)])


def stock_size(num_players: int) -> int:
    """Cards to be flipped.

    >>> [stock_size(n) for n in (2, 3, 4)]
    [53, 32, 11]
    """
    return NUM_CARDS - int(NUM_DEALT[num_players])


@njit
def least_huxi(num_players):
    """The huxi that a win needs (起胡)."""
    return 15 if num_players == 3 else 10


@njit
def ladder(huxi, num_players, scoring):
    """Points for ``huxi`` (section 11), 0 where they are too few."""
    least = least_huxi(num_players)
    if huxi < least:
        return 0
    if scoring == FENG_SHENG:  # least, least + 1, and then a point for every five
        return min(MOST_POINTS, 1 + (huxi - least + 4) // 5)
    if num_players == 3:
        return MOST_POINTS if huxi >= 32 else 1
    return 2 if huxi >= 24 else 1


@njit
def points_of(huxi, num_players, scoring, is_su, is_bao_zhu):
    """Points of a hand from each other player (section 11); 0 where it may not win."""
    points = ladder(huxi, num_players, scoring)
    if is_su:
        return max(points, MOST_POINTS)
    if is_bao_zhu and points > 0:
        is_small = scoring == BIG_SMALL and num_players != 3
        return max(points, 2 if is_small else MOST_POINTS)
    return points


def score_bounds(rules: Xiangxi96Rules) -> tuple[int, int]:
    """The least and the greatest score of a seat, in points."""
    others = rules.num_players - 1
    lost = max(MOST_POINTS, rules.pig_points * others)
    won = max(MOST_POINTS * others, rules.pig_points)
    return -lost * rules.base, won * rules.base


def most_decisions(rules: Xiangxi96Rules) -> int:
    """A bound on the decisions of a game.

    Every card on offer is asked for at most so often: hu by each player, chi and tie by two. Then comes
    at most one discard. What is on offer is flipped; with four players also what is thrown, and of that
    there is no more than the hands have at the start.
    """
    n = rules.num_players
    flips = stock_size(n)
    asked_of_flip = n + 2 + 2
    if n < CLAIMED_DISCARDS_FROM:
        return 1 + flips * (asked_of_flip + 1)
    discards = int(NUM_DEALT[n])
    asked_of_discard = (n - 1) + 1 + 1
    return flips * asked_of_flip + discards * (1 + asked_of_discard)


def most_events(num_players: int) -> int:
    """A bound on what happens by itself in a game.

    Dragons (four cards each); each flip and what is taken of it; with four players also what is taken
    of the discards; a credit for each lone dragon; the end.
    """
    dealt = int(NUM_DEALT[num_players])
    dragons = dealt // COPIES
    discards = dealt if num_players >= CLAIMED_DISCARDS_FROM else 0
    return 2 * dragons + 2 * stock_size(num_players) + discards + 1
