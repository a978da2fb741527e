"""Guan Pai's first rule player, frozen as the yardstick ``rule_v0``: greedy, one play at a time.

Leading, it sheds many low cards and breaks few sets; following, it takes the cheapest play, and passes
when that costs too much; bombs wait until somebody is nearly out. It goes out when it can, and before a
seat with one card left it leads no single but its highest (the top-card duty, 頂大).

As one against two random players it won 91.4 ± 0.6 % of 9,000 games on duplicate deals and +26.4 points a
game (default options).
"""

from __future__ import annotations

from envs.core.jit import njit
from envs.guan_pai.actions import (
    BODY,
    BODY_SIZE,
    BOMB,
    FOUR_WITH_TWO,
    KEY,
    KICKER,
    KICKERS,
    LEAD,
    NUM_MAIN,
    NUM_RANKS,
    PAIR,
    PASS,
    WINGED,
)
from envs.guan_pai.legal import is_breach, next_has_one
from envs.guan_pai.rules import SEATS

CARD_SHED = 3.0  # worth of a card shed by a lead, against one rank of the cards' mean
BREAK = 2.0  # for each card that stays behind of a pair or triple
BREAK_BOMB = 9.0  # for taking cards out of a bomb
BOMB_KEPT = 20.0  # against leading a bomb
BREAK_KICKER = 2.5  # for a kicker, for each card of its rank in the hand
TOO_DEAR = 14.0  # following costs at most this much, in ranks; else it passes
NEARLY_OUT = 4  # a seat with this few cards is blocked at any cost, bombs included
NEVER = -1000.0


@njit
def choose(t, mask, key):
    """An action for the seat to act at ``t``; ``key`` is not used."""
    if t.pending:
        return cheapest_kicker(t, mask)
    best, best_worth = PASS, NEVER if mask[PASS] == 0 else pass_worth(t)
    for action in range(1, NUM_MAIN):
        if mask[action]:
            if goes_out(t, action):
                return action
            worth = lead_worth(t, action) if t.last == LEAD else follow_worth(t, action)
            if worth > best_worth or mask[best] == 0:
                best, best_worth = action, worth
    return best


@njit
def goes_out(t, action):
    """Whether the play takes the last cards."""
    is_last_hand = WINGED <= action < FOUR_WITH_TWO and KICKERS[action] == 0
    return is_last_hand or BODY_SIZE[action] + KICKERS[action] >= t.left[t.turn]


@njit
def lead_worth(t, action):
    if next_has_one(t) and action < PAIR:
        return NEVER / 2 + KEY[action]  # any other lead first, else the highest single
    ranks = 0
    for rank in range(NUM_RANKS):
        ranks += rank * BODY[action, rank]
    size = BODY_SIZE[action]
    worth = CARD_SHED * (size + KICKERS[action]) - ranks / size - breaking(t, action)
    return worth - BOMB_KEPT if action >= BOMB else worth


@njit
def follow_worth(t, action):
    if is_breach(t, action):
        return NEVER / 2
    if next_has_one(t) and action < PAIR:
        return 0.0  # the highest single: the duty
    cost = KEY[action] + breaking(t, action)
    return -cost - BOMB_KEPT if action >= BOMB else -cost


@njit
def pass_worth(t):
    if is_breach(t, PASS):
        return NEVER
    fewest = min(t.left[(t.turn + 1) % SEATS], t.left[(t.turn + 2) % SEATS])
    return NEVER / 2 if fewest <= NEARLY_OUT else -TOO_DEAR


@njit
def breaking(t, action):
    """What it costs to take only a part of the cards of a rank."""
    cost = 0.0
    for rank in range(NUM_RANKS):
        held, taken = t.hand[t.turn, rank], BODY[action, rank]
        if 0 < taken < held:
            cost += BREAK_BOMB if held == 4 else BREAK * (held - 1)
    return cost


@njit
def cheapest_kicker(t, mask):
    """The lowest rank, loose cards before those of sets."""
    best, least = -1, -NEVER
    for rank in range(NUM_RANKS):
        if mask[KICKER + rank]:
            here = t.hand[t.turn, rank] - t.chosen[rank]
            cost = rank + (0.0 if here == 1 else BREAK_KICKER * here)
            if cost < least:
                best, least = KICKER + rank, cost
    return best
