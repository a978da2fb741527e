"""Xiangxi 96: who takes the card on offer, what he owes, how the game ends (rules, sections 3 and 4).

All on one record ``t``. Functions that play on return the seat that flips next, or ``WAITS`` when somebody
has to decide or the game is over. Their names are those of section 3.
"""

from __future__ import annotations

import numpy as np

from ..core.jit import njit
from .actions import CHI_HALF, CHI_HAND, CHI_TABLE
from .kinds import GROUP_SIZE, NO_KIND, NUM_GROUPS, OTHERS
from .melds import (
    CHI_HAND_EVENT,
    CREDIT_EVENT,
    NO_CARD,
    NO_COMPANY,
    OTHER,
    OWN,
    PENG,
    PENG_EVENT,
    PIG_EVENT,
    SHAO,
    SHAO_EVENT,
    SHUANG,
    SHUANG_EVENT,
    ZOU_EVENT,
    complete_half,
    complete_mouth,
    fills_half,
    is_half,
    lay_four,
    lay_mouth,
    lay_sentence,
    lay_triple,
    loose_of,
    may_take_four,
    tell,
)
from .shapes import FREE, MOUTHS
from .win import best_win, read_win

# Who flips next, where it is not a seat.
WAITS = np.int64(-1)  # nobody: somebody is asked, or the game is over
ON_OFFER = np.int64(-2)  # nobody yet: a card is on offer

DISCARDING, ASKED_HU, ASKED_CHI, ASKED_TIE = np.arange(4)  # phases: what is being decided
WON, PIG, EXHAUSTED = range(3)  # outcomes
NO_REASON, BROKEN_COMPANY, THIRD_KOU, NO_DISCARD = np.arange(4)  # reasons of a pig


@njit
def next_seat(t, seat):
    return np.int64((seat + 1) % t.num_players)


@njit
def rest(t):
    """Nobody claims the card."""
    t.piles[t.owner, t.card] += 1
    t.card = NO_KIND
    return next_seat(t, t.owner)


@njit
def claims(t, phase, k):
    """Go through the list of claims, from ``phase`` and there from the k-th seat after the owner on."""
    n, card, owner = t.num_players, np.int64(t.card), np.int64(t.owner)
    if phase == ASKED_HU:
        while k < n:
            seat = (owner + k) % n
            if k == 1 and t.is_flip:  # after the owner's hu, before the others'
                if may_take_four(t, owner, card):
                    return zou(t, owner, OWN)
                if t.hand[owner, card] == 2:
                    return triple(t, owner, SHAO, SHAO_EVENT)
            if t.wins[seat, 0 if k == 0 else 1] >> card & 1:
                return ask(t, ASKED_HU, seat)
            k += 1
        for i in range(1, n):
            seat = (owner + i) % n
            if may_take_four(t, seat, card):
                return zou(t, seat, OTHER)
        for i in range(1, n):
            seat = (owner + i) % n
            if t.hand[seat, card] == 2:
                return triple(t, seat, PENG, PENG_EVENT)
    nearest = 0 if t.is_flip else 1
    if phase <= ASKED_CHI:
        for i in range(k if phase == ASKED_CHI else nearest, 2):
            seat = (owner + i) % n
            hand, table, half = chi_ways(t, seat, card)
            ways = hand + table + half
            if ways > 0:
                is_forced = table or half or loose_of(t, seat, card) == 0
                if ways > 1 or not is_forced:
                    return ask(t, ASKED_CHI, seat)
                way = CHI_HAND if hand else (CHI_TABLE if table else CHI_HALF)
                tell(t, CHI_HAND_EVENT + way - CHI_HAND, seat, card, NO_COMPANY)
                return chi(t, seat, way)
    for i in range(k if phase == ASKED_TIE else nearest, 2):
        seat = (owner + i) % n
        if tie_card(t, seat, card) != NO_KIND:
            return ask(t, ASKED_TIE, seat)
    return rest(t)


@njit
def ask(t, phase, seat):
    t.phase = phase
    t.turn = seat
    return WAITS


@njit
def chi_ways(t, seat, card):
    """Which of chi_hand, chi_table and chi_half there are (section 4)."""
    is_barred = t.thrown[seat, card] or t.passed_chi[seat, card]
    hand = not is_barred and loose_of(t, seat, OTHERS[card, 0]) > 0 and loose_of(t, seat, OTHERS[card, 1]) > 0
    table = not is_barred and t.mouths[seat, card] > 0
    return np.int64(hand), np.int64(table), np.int64(fills_half(t, seat, card))


@njit
def tie_card(t, seat, card):
    """The card of the hand that would make a kou with ``card``, or -1 (section 4)."""
    if t.kou[seat] >= MOUTHS:
        return np.int64(NO_KIND)
    loose = loose_of(t, seat, card)
    loose_y, loose_z = loose_of(t, seat, OTHERS[card, 0]), loose_of(t, seat, OTHERS[card, 1])
    if (loose_y > 0) == (loose_z > 0):
        return np.int64(NO_KIND)
    partner = OTHERS[card, 0] if loose_y else OTHERS[card, 1]
    if loose == 0 or (loose == 1 and loose_y + loose_z == 2):
        return partner
    return np.int64(NO_KIND)


@njit
def chi(t, seat, way):
    card = np.int64(t.card)
    if way == CHI_HAND:
        lay_sentence(t, seat, card)
    elif way == CHI_TABLE:
        complete_mouth(t, seat, card)
    else:
        complete_half(t, seat, card)
    return owe_discard(t, seat)


@njit
def tie(t, seat):
    card = np.int64(t.card)
    lay_mouth(t, seat, card, tie_card(t, seat, card))
    t.ban[seat] = card
    return owe_discard(t, seat)


@njit
def triple(t, seat, mark, event):
    card = np.int64(t.card)
    lay_triple(t, seat, card, mark)
    tell(t, event, seat, card, NO_COMPANY)
    return owe_discard(t, seat)


@njit
def zou(t, seat, mark):
    card = np.int64(t.card)
    company = lay_four(t, seat, card, mark)
    if company == SHUANG:
        tell(t, SHUANG_EVENT, seat, card, NO_COMPANY)
        return owe_discard(t, seat)
    tell(t, ZOU_EVENT, seat, card, company)
    is_ban, is_lone = is_half(t, seat, card), company == NO_COMPANY
    if t.broken[seat, card] and (is_lone or is_ban):
        return pig(t, seat, BROKEN_COMPANY)
    if is_ban and t.kou[seat] > MOUTHS:
        return pig(t, seat, THIRD_KOU)
    if is_lone:
        t.ban[seat] = NO_KIND
        t.card = NO_KIND
        return next_seat(t, seat)
    return owe_discard(t, seat)


@njit
def owe_discard(t, seat):
    """ENTRY: a credit is spent even if a card may be discarded."""
    t.card = NO_KIND
    if t.credit[seat] > 0:
        t.credit[seat] -= 1
        t.ban[seat] = NO_KIND
        tell(t, CREDIT_EVENT, seat, NO_CARD, NO_COMPANY)
        return next_seat(t, seat)
    if not may_discard(t, seat):
        return pig(t, seat, NO_DISCARD)
    return ask(t, DISCARDING, seat)


@njit
def owes(t, who):
    """Whether this seat has to discard, which everybody sees."""
    return t.phase == DISCARDING and t.turn == who and not t.over


@njit
def free_kinds(t, seat, group):
    """Bits of the kinds of a group that the hand may discard but for the tie ban (section 5)."""
    k = GROUP_SIZE * group
    return FREE[t.hand[seat, k], t.hand[seat, k + 1], t.hand[seat, k + 2]]


@njit
def may_discard(t, seat):
    """Whether there is a legal discard."""
    for group in range(NUM_GROUPS):
        bits = free_kinds(t, seat, group)
        if t.ban[seat] // GROUP_SIZE == group:  # -1 // 3 is no group
            bits &= ~(1 << t.ban[seat] % GROUP_SIZE)
        if bits != 0:
            return True
    return False


# --- the end ------------------------------------------------------------------------------------


@njit
def win(t, seat):
    """HU."""
    card = np.int64(t.card)
    t.win = best_win(t, seat, card, t.is_flip != 0 and t.owner == seat)
    t.hand[seat, card] += 1
    t.held[seat] += 1
    t.shown[card] -= 1  # from now on it is counted with the hand
    t.card = NO_KIND
    t.won_with = card
    t.outcome = WON
    t.winner = seat
    points, _, _ = read_win(t.win)
    points *= t["base"]  # not compiled, t.base is an attribute that NumPy's scalars have
    pay(t, seat, points)
    finish(t)
    return WAITS


@njit
def pig(t, seat, reason):
    tell(t, PIG_EVENT, seat, NO_CARD, NO_COMPANY)
    t.outcome = PIG
    t.pig = seat
    t.reason = reason
    t.card = NO_KIND
    points = t.pig_points * t["base"]
    pay(t, seat, -points)
    finish(t)
    return WAITS


@njit
def pay(t, seat, points):
    """Each other player pays ``points`` to ``seat``."""
    for other in range(t.num_players):
        t.score[other] = -points
    t.score[seat] = points * (t.num_players - 1)


@njit
def finish(t):
    t.over = 1
    t.turn = 0
    t.phase = DISCARDING
