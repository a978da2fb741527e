"""Xiangxi 96: whether a card wins, and the best way it does (rules, section 9), on one record ``t``.

A winning card only changes its own group, and the huxi of loose cards do not depend on how they are
cut. So a way to use the card is tried by what it leaves loose in the group, how many kou it makes of
the table, and the huxi that it adds; whether the rest can be cut is looked up (``shapes.py``).
"""

from __future__ import annotations

import numpy as np

from ..core.jit import njit
from .kinds import GROUP_SIZE, HUN, NUM_GROUPS, NUM_HUN_GROUPS, NUM_KINDS, OTHERS
from .melds import (
    BAO_ZHU_BONUS,
    COMPANIONS,
    OTHER,
    OWN,
    PENG,
    SHAO,
    companion_huxi,
    fills_half,
    four_huxi,
    loose_of,
    may_take_four,
    triple_huxi,
)
from .rules import points_of
from .shapes import CUTS, CUTS_OF_HAND, KAN, KANS, MOUTHS, NUM_LOOSE, TOGETHER

# The ways of section 9, in its order.
(
    LOOSE_CARD,  # a
    TRIPLE,  # b
    FOUR,  # c (i), plus the bits of the companions
    _, _, _,
    FOUR_WITH_MOUTH,  # c (ii)
    FOUR_WITH_HALF,  # c (iii)
    FILL_MOUTH,  # d
    FILL_HALF,  # e
    SPLIT_SENTENCE,  # f
) = range(11)  # fmt: skip
NUM_WAYS = SPLIT_SENTENCE + 1

# A win in one number, the better one greater: points, then huxi, then the way.
POINTS_UNIT, HUXI_UNIT = 1 << 16, 1 << 5
NO_WIN = np.int64(0)


@njit
def cuts_beside(t, seat, group):
    """Bits of the kou that the hand's other groups can be cut into (``shapes.CUTS``)."""
    bits = np.int64(1)
    for other in range(NUM_GROUPS):
        if other != group:
            k = GROUP_SIZE * other
            bits = TOGETHER[bits, CUTS_OF_HAND[t.hand[seat, k], t.hand[seat, k + 1], t.hand[seat, k + 2]]]
            if bits == 0:
                break
    return bits


@njit
def hand_huxi(t, seat):
    """Huxi of the hand when all of it can be cut: its kans and its loose hun cards."""
    huxi = np.int64(0)
    for group in range(NUM_GROUPS):
        k = GROUP_SIZE * group
        one, two, three = t.hand[seat, k], t.hand[seat, k + 1], t.hand[seat, k + 2]
        huxi += KANS[one, two, three] * triple_huxi(t, k, SHAO) + NUM_LOOSE[one, two, three] * HUN[k]
    return huxi


@njit
def has_hun(t, seat):
    """Whether there is a hun card in the hand or on the table of ``seat``."""
    found = np.int64(0)
    for kind in range(GROUP_SIZE * NUM_HUN_GROUPS):
        group = kind // GROUP_SIZE
        found |= t.hand[seat, kind] | t.mouths[seat, kind] | t.sentences[seat, group]
        found |= t.triples[seat, kind] | t.fours[seat, kind]
    return found != 0


@njit
def find_wins(t, seat):
    """Note the kinds that win for ``seat`` as bits: flipped by itself in ``wins[seat, 0]``, by others in [1].

    A card only changes its own group: where one other group cannot be cut, the card has to be of that one.
    """
    t.wins[seat, 0] = 0
    t.wins[seat, 1] = 0
    num_uncut, uncut = np.int64(0), np.int64(0)
    for group in range(NUM_GROUPS):
        k = GROUP_SIZE * group
        if CUTS_OF_HAND[t.hand[seat, k], t.hand[seat, k + 1], t.hand[seat, k + 2]] == 0:
            num_uncut += 1
            uncut = group
    for kind in range(NUM_KINDS):
        if num_uncut == 0 or (num_uncut == 1 and kind // GROUP_SIZE == uncut):
            for is_other in range(2):
                if best_win(t, seat, kind, is_other == 0) != NO_WIN:
                    t.wins[seat, is_other] |= np.int64(1) << kind


@njit
def best_win(t, seat, card, is_own):
    """The best win of ``seat`` with ``card``, its own flip or not, in one number; 0 if there is none."""
    beside = cuts_beside(t, seat, card // GROUP_SIZE)
    if beside == 0:
        return NO_WIN
    best = NO_WIN
    for way in range(NUM_WAYS):
        best = max(best, win_by(t, seat, card, is_own, beside, way))
    return best


@njit
def read_win(value):
    """Points, huxi and way of a win in one number."""
    return value // POINTS_UNIT, value % POINTS_UNIT // HUXI_UNIT, value % HUXI_UNIT


@njit
def win_by(t, seat, card, is_own, beside, way):
    """The win by one way of section 9, or 0."""
    y, z = OTHERS[card, 0], OTHERS[card, 1]
    held, hun = t.hand[seat, card], HUN[card]
    loose, loose_y, loose_z = loose_of(t, seat, card), loose_of(t, seat, y), loose_of(t, seat, z)
    kou = np.int64(t.kou[seat])
    gain = hun
    may = True
    bao_zhu = t.bao_zhu[seat] > 0
    if way == LOOSE_CARD:
        may = held < KAN
        loose += 1
    elif way == TRIPLE:
        may = held == 2
        loose = np.int64(0)
        gain = triple_huxi(t, card, SHAO if is_own else PENG) - 2 * hun
    elif way == FILL_MOUTH:
        may = t.mouths[seat, card] > 0
        kou -= 1
    elif way == FILL_HALF:
        may = fills_half(t, seat, card)
        kou -= 1
        gain = companion_huxi(t, card)
    elif way == SPLIT_SENTENCE:
        may = t.split_table_sentence != 0 and t.sentences[seat, card // GROUP_SIZE] > 0
        kou += 2
    else:
        may = may_take_four(t, seat, card)
        gain = four_huxi(t, card, OWN if is_own else OTHER) - triple_huxi(t, card, SHAO)
        extra = companion_huxi(t, card) - hun  # the same for all kinds of the group
        if way == FOUR_WITH_HALF:
            may = may and fills_half(t, seat, card)
            kou -= 1
            if is_own and hun and (t.fours[seat, y] == OWN or t.fours[seat, z] == OWN):
                bao_zhu = True
                gain += BAO_ZHU_BONUS
        elif way == FOUR_WITH_MOUTH:
            may = may and t.mouths[seat, card] > 0
            kou -= 1
            gain += 2 * extra
        else:
            company = way - FOUR
            loose_y -= company & 1
            loose_z -= company >> 1
            may = may and loose_y >= 0 and loose_z >= 0
            kou += COMPANIONS[company] == 1
            gain += COMPANIONS[company] * extra
    missing = MOUTHS - kou
    if not may or not 0 <= missing <= MOUTHS:
        return NO_WIN
    # How cards can be cut does not depend on which kind of the group is which.
    if not TOGETHER[beside, CUTS[loose, loose_y, loose_z]] >> missing & 1:
        return NO_WIN
    huxi = t.worth[seat] + hand_huxi(t, seat) + gain
    is_su = hun == 0 and not has_hun(t, seat)
    points = points_of(huxi, t.num_players, t.scoring, is_su, bao_zhu)
    if points == 0:
        return NO_WIN
    return POINTS_UNIT * points + HUXI_UNIT * huxi + way
