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
    BOTH,
    COMPANIONS,
    OTHER,
    OWN,
    PENG,
    SHAO,
    companion_huxi,
    fills_half,
    four_huxi,
    is_bao_zhu,
    loose_of,
    triple_huxi,
)
from .rules import points_of
from .shapes import CUTS, CUTS_OF_HAND, KAN, MOUTHS, TOGETHER

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
    for kind in range(NUM_KINDS):
        if t.hand[seat, kind] == KAN:
            huxi += triple_huxi(t, kind, SHAO)
        else:
            huxi += HUN[kind] * t.hand[seat, kind]
    return huxi


@njit
def has_hun(t, seat):
    """Whether there is a hun card in the hand or on the table of ``seat``."""
    for kind in range(GROUP_SIZE * NUM_HUN_GROUPS):
        if t.hand[seat, kind] or t.mouths[seat, kind] or t.triples[seat, kind] or t.fours[seat, kind]:
            return True
    return t.sentences[seat, :NUM_HUN_GROUPS].any()


@njit
def has_bao_zhu(t, seat):
    found = False
    for group in range(NUM_HUN_GROUPS):
        found |= is_bao_zhu(t, seat, group)
    return found


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
    held, loose_y, loose_z = t.hand[seat, card], loose_of(t, seat, y), loose_of(t, seat, z)
    loose = loose_of(t, seat, card)
    kou = np.int64(t.kou[seat])
    mark = OWN if is_own else OTHER
    gain = np.int64(0)
    bao_zhu = False
    if way == LOOSE_CARD:
        if held == KAN:
            return NO_WIN
        loose += 1
        gain = HUN[card]
    elif way == TRIPLE:
        if held != 2:
            return NO_WIN
        loose = np.int64(0)
        gain = triple_huxi(t, card, SHAO if is_own else PENG) - 2 * HUN[card]
    elif way < FILL_MOUTH:
        if held != KAN and t.triples[seat, card] != SHAO:
            return NO_WIN
        gain = four_huxi(t, card, mark) - triple_huxi(t, card, SHAO)
        if way == FOUR_WITH_HALF:
            if not fills_half(t, seat, card):
                return NO_WIN
            kou -= 1
            if is_own and HUN[card] and (t.fours[seat, y] == OWN or t.fours[seat, z] == OWN):
                bao_zhu = True
                gain += BAO_ZHU_BONUS
        else:
            company = BOTH
            if way == FOUR_WITH_MOUTH:
                if t.mouths[seat, card] == 0:
                    return NO_WIN
                kou -= 1
            else:
                company = way - FOUR
                kou += COMPANIONS[company] == 1
                loose_y -= company & 1
                loose_z -= company >> 1
                if loose_y < 0 or loose_z < 0:
                    return NO_WIN
            if company & 1:
                gain += companion_huxi(t, y) - HUN[card]
            if company & 2:
                gain += companion_huxi(t, z) - HUN[card]
    elif way == FILL_MOUTH:
        if t.mouths[seat, card] == 0:
            return NO_WIN
        kou -= 1
        gain = HUN[card]
    elif way == FILL_HALF:
        if not fills_half(t, seat, card):
            return NO_WIN
        kou -= 1
        gain = companion_huxi(t, card)
    else:
        if not t.split_table_sentence or t.sentences[seat, card // GROUP_SIZE] == 0:
            return NO_WIN
        kou += 2
        gain = HUN[card]
    missing = MOUTHS - kou
    if not 0 <= missing <= MOUTHS:
        return NO_WIN
    place = card % GROUP_SIZE
    if place == 0:
        cuts = CUTS[loose, loose_y, loose_z]
    elif place == 1:
        cuts = CUTS[loose_y, loose, loose_z]
    else:
        cuts = CUTS[loose_y, loose_z, loose]
    if not TOGETHER[beside, cuts] >> missing & 1:
        return NO_WIN
    huxi = t.worth[seat] + hand_huxi(t, seat) + gain
    is_su = HUN[card] == 0 and not has_hun(t, seat)
    bao_zhu = bao_zhu or has_bao_zhu(t, seat)
    points = points_of(huxi, t.num_players, t.scoring, is_su, bao_zhu)
    if points == 0:
        return NO_WIN
    return POINTS_UNIT * points + HUXI_UNIT * huxi + way
