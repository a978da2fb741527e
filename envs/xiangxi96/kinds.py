"""Xiangxi 96: the 24 kinds of card and the groups that they are in (rules, section 1)."""

from __future__ import annotations

import numpy as np

from ..core.cards import COLOURS

RANKS = "A23456789JQK"  # A is low and goes with 2 and 3 only
COPIES = 4
KINDS = tuple(colour + rank for colour in COLOURS for rank in RANKS)
NUM_KINDS = len(KINDS)
PACK = tuple(kind for kind in KINDS for _ in range(COPIES))  # card i is of kind i // COPIES
NUM_CARDS = len(PACK)
NO_KIND = -1

GROUP_SIZE = 3  # A23, 456, 789 or JQK of one colour: kinds 3g, 3g + 1, 3g + 2
NUM_GROUPS = NUM_KINDS // GROUP_SIZE
GROUPS = tuple(KINDS[GROUP_SIZE * g : GROUP_SIZE * (g + 1)] for g in range(NUM_GROUPS))

OTHERS = np.array(
    [[other for other in range(k - k % GROUP_SIZE, k - k % GROUP_SIZE + GROUP_SIZE) if other != k]
     for k in range(NUM_KINDS)]
)  # fmt: skip
"""(24, 2): the two other kinds of each kind's group, the lower one first."""

HUN = np.array([kind[0] == "r" and kind[1] not in "JQK" for kind in KINDS]).astype(np.int64)
"""(24,): 1 for the counting (荤) kinds red A to 9; all others are plain (素)."""

RED_FACES = np.array([kind[0] == "r" and kind[1] in "JQK" for kind in KINDS]).astype(np.int64)
NUM_HUN_GROUPS = int(HUN.sum()) // GROUP_SIZE  # the first ones
