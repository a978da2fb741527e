"""Diao Xie: the action table (rules, sections 5 and 6). Each action is a whole play.

====================== ============================================================================
fold 弃                stake nothing, out of the hand
eat 吃                 stake the pot P
touch1..touch4 碰      stake about k fifths of the pot, at least b and at most P - b
carry 带               stake P and the sum S of all stakes before
counter_carry 头家反带  the head's second turn: stake P + S more
no_carry               the head's second turn: nothing more
call                   limit betting: pay what is owed, a check when nothing is
raise                  limit betting: pay what is owed and 2 b more
====================== ============================================================================
"""

from __future__ import annotations

import numpy as np

NAMES = (
    "fold", "eat", "touch1", "touch2", "touch3", "touch4", "carry", "counter_carry", "no_carry", "call",
    "raise",
)  # fmt: skip
FOLD, EAT, TOUCH, _, _, TOUCH_MOST, CARRY, COUNTER_CARRY, NO_CARRY, CALL, RAISE = range(len(NAMES))
NUM_ACTIONS = len(NAMES)
NUM_TOUCHES = TOUCH_MOST - TOUCH + 1
FIFTHS = NUM_TOUCHES + 1  # touch k stakes k fifths of the pot

FEATURE_NAMES = (*(f"is_{name}" for name in NAMES), "pots", "stakes")


def _features() -> np.ndarray:
    """Which action it is, and what it stakes: so many pots and so many times the stakes before."""
    pots = np.array([0, 1, *(k / FIFTHS for k in range(1, FIFTHS)), 1, 1, 0, 0, 0])
    stakes = np.array([name in ("carry", "counter_carry") for name in NAMES])
    return np.column_stack([np.eye(NUM_ACTIONS), pots, stakes]).astype(np.float32)


FEATURES = _features()
