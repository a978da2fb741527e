"""Diao Xie: which actions are legal (rules, sections 5 and 6), on one record ``t``."""

from __future__ import annotations

from ..core.jit import njit
from .actions import CALL, CARRY, COUNTER_CARRY, EAT, FOLD, NO_CARRY, RAISE, TOUCH, TOUCH_MOST
from .rules import LIMIT, MOST_RAISES
from .settle import all_stakes
from .table import most_paid, touch_stake


@njit
def legal(t, mask):
    """Write 1 for each legal action of the seat to act into ``mask`` (11,), else 0."""
    mask[:] = 0
    if t.betting == LIMIT:
        mask[FOLD] = most_paid(t) > t.stakes[t.turn]
        mask[CALL] = 1
        mask[RAISE] = t.raises < MOST_RAISES
        return
    if t.is_second_turn:
        mask[COUNTER_CARRY] = 1
        mask[NO_CARRY] = 1
        return
    mask[FOLD] = 1
    mask[EAT] = 1
    mask[CARRY] = all_stakes(t) > 0
    mask[TOUCH] = 1
    for action in range(TOUCH + 1, TOUCH_MOST + 1):  # a level that stakes no more than a lower one is none
        k = action - TOUCH + 1
        mask[action] = touch_stake(t.pot, k) > touch_stake(t.pot, k - 1)
