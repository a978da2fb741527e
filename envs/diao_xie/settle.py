"""Diao Xie: who wins a hand, what that brings, and the end of an episode (rules, sections 3 and 7).

Kernels on one record ``t`` (see ``table.py``); amounts are whole multiples of b until the very end.
"""

from __future__ import annotations

import numpy as np

from ..core.jit import njit
from .actions import COUNTER_CARRY
from .hands import CATEGORY, HAND_POINTS, PLAIN, STRENGTH, SUPREME

NOBODY = -1


@njit
def collect_penalties(t):
    for seat in range(t.num_players):
        pay(t, seat, t.owed[seat])
        t.owed[seat] = 0


@njit
def pay(t, seat, amount):
    """A seat pays into the pot."""
    t.net[seat] -= amount
    t.pot += amount


@njit
def total(t, amounts):
    """The sum of what the seats have, in b."""
    together = np.int64(0)
    for seat in range(t.num_players):
        together += amounts[seat]
    return together


@njit
def all_stakes(t):
    return total(t, t.stakes)


@njit
def num_live(t):
    """Seats that have not folded."""
    n = np.int64(0)
    for seat in range(t.num_players):
        n += t.folded[seat] == 0
    return n


@njit
def strength(t, seat):
    return STRENGTH[t.cards[seat, 0], t.cards[seat, 1]]


@njit
def best_hand(t):
    """The strongest live hand; of equal ones that of the earlier speaker (section 3)."""
    best = NOBODY
    for i in range(t.num_players):
        seat = (t.head + i) % t.num_players
        if not t.folded[seat] and (best == NOBODY or strength(t, seat) > strength(t, best)):
            best = seat
    return best


@njit
def settle(t, winner):
    """Steps 1 to 6 for a hand with ``pot`` betting."""
    n = t.num_players
    won, lost_extra = t.stakes[winner], np.int64(0)  # W and e
    if won == 0:  # without having acted
        won = t.pot
    if t.did[winner, 1] == COUNTER_CARRY and has_equal(t, winner):
        won, lost_extra = t.first_stake, t.stakes[winner] - t.first_stake
    lost = all_stakes(t) - t.stakes[winner]  # L
    received = won if lost >= won else min(won, t.pot + lost)
    for seat in range(n):
        if seat != winner:
            t.net[seat] -= t.stakes[seat]
    t.net[winner] += received - lost_extra
    if t.supreme_bonus:
        give_bonus(t)
    if t.fold_penalty and won >= t.pot:
        for seat in range(n):
            if folded_better(t, seat, winner):
                t.owed[seat] = won
    t.pot += lost - received + lost_extra
    t.winner = winner
    t.head = winner
    t.hand += 1


@njit
def has_equal(t, winner):
    """Whether another live seat has a hand of the same key."""
    for seat in range(t.num_players):
        if seat != winner and not t.folded[seat] and strength(t, seat) == strength(t, winner):
            return True
    return False


@njit
def give_bonus(t):
    """The holder of the supreme hand gets n b from every other player."""
    n = t.num_players
    for holder in range(n):
        if CATEGORY[t.cards[holder, 0], t.cards[holder, 1]] == SUPREME:
            for seat in range(n):
                t.net[seat] -= n
            t.net[holder] += n * n


@njit
def folded_better(t, seat, winner):
    """Whether a folded seat owes a penalty: a stronger hand, or an equal one that spoke earlier."""
    if not t.folded[seat]:
        return False
    own, best = strength(t, seat), strength(t, winner)
    if own != best:
        return own > best
    first, second = t.cards[winner, 0], t.cards[winner, 1]
    if CATEGORY[first, second] == PLAIN and HAND_POINTS[first, second] == 0:
        return False
    n = t.num_players
    return (seat - t.head + n) % n < (winner - t.head + n) % n


@njit
def is_last_hand(t):
    """Whether the episode ends with the hand that was settled (step 7)."""
    return t.hand == t.hands or (t.pot == 0 and total(t, t.owed) == 0)


@njit
def finish(t):
    """End the episode: penalties are paid, the pot is split equally."""
    t.over = 1
    collect_penalties(t)
    n = t.num_players
    base = t["base"]  # not compiled, t.base is an attribute that NumPy's scalars have
    for seat in range(n):
        t.score[seat] = base * (n * t.net[seat] + t.pot)
    t.pot = 0
