"""Diao Xie's first rule player, frozen as the yardstick ``rule_v0``: thresholds on the hand's strength.

A hand is worth its **chance**: the share of all two-card hands that it beats (ties half). Every kind of
decision has chances from which it carries, eats, or folds; with everything else it touches for the least.
The thresholds are those of a search for what a best response gains least against, with two players and with
three (``python -m training.exploit diao_xie rule``): 0.08 b a hand and seat by default, where always
touching loses 0.22. With four and five players a chance is worth less, by a guess.
"""

from __future__ import annotations

import numpy as np

from envs.core.jit import njit
from envs.diao_xie.actions import CALL, CARRY, COUNTER_CARRY, EAT, FOLD, NO_CARRY, RAISE, TOUCH
from envs.diao_xie.hands import HANDS, NUM_CLASSES, STRENGTH
from envs.diao_xie.rules import LIMIT

# With two players, and with more: from which chance on to take an action.
FIRST_EAT = (0.0, 0.82)  # nobody has staked yet
SMALL_CARRY, SMALL_EAT, SMALL_FOLD_BELOW = (0.48, 0.63), (0.62, 0.85), (0.34, 0.87)  # below the pot is staked
BIG_CARRY, BIG_EAT, BIG_FOLD_BELOW = (0.71, 0.88), (0.83, 0.91), (0.30, 0.59)  # the pot or more is staked
COUNTER_CARRY_FROM = (0.82, 0.85)
LIMIT_RAISE = (0.85, 0.9, 0.95, 1.0)  # after so many raises
LIMIT_FOLD_BELOW = (0.0, 0.55, 0.8, 0.9)

TUNED_OTHERS = 2  # with more opponents the thresholds of three players want a better hand

_COUNT = np.bincount([STRENGTH[hand] for hand in HANDS], minlength=NUM_CLASSES)
SHARE = (np.cumsum(_COUNT) - _COUNT / 2) / len(HANDS)  # by class: hands beaten, ties half


@njit
def choose(t, mask, key):
    """An action for the seat to act at ``t``; ``key`` is not used."""
    own = chance(t)
    if t.betting == LIMIT:
        if mask[RAISE] and own >= LIMIT_RAISE[t.raises]:
            return RAISE
        return FOLD if mask[FOLD] and own < LIMIT_FOLD_BELOW[t.raises] else CALL
    k = int(t.num_players > 2)
    if mask[COUNTER_CARRY]:
        return COUNTER_CARRY if own >= COUNTER_CARRY_FROM[k] else NO_CARRY
    stake = highest_stake(t)
    if stake == 0:
        return EAT if own >= FIRST_EAT[k] else TOUCH
    if stake < t.pot:
        return answer(own, SMALL_CARRY[k], SMALL_EAT[k], SMALL_FOLD_BELOW[k])
    return answer(own, BIG_CARRY[k], BIG_EAT[k], BIG_FOLD_BELOW[k])


@njit
def answer(own, carry, eat, fold_below):
    """What to do with the chance ``own`` when others have staked."""
    if own >= carry:
        return CARRY
    if own >= eat:
        return EAT
    return FOLD if own < fold_below else TOUCH


@njit
def chance(t):
    """The share of hands that the own one beats, less in larger company."""
    share = SHARE[STRENGTH[t.cards[t.turn, 0], t.cards[t.turn, 1]]]
    others = t.num_players - 1
    return share if others <= TUNED_OTHERS else share ** (others / TUNED_OTHERS)


@njit
def highest_stake(t):
    highest = 0
    for seat in range(t.num_players):
        highest = max(highest, t.stakes[seat])
    return highest
