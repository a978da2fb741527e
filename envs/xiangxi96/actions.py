"""Xiangxi 96: the action table (rules, section 3). Each action is a whole play.

=========== ===============================================================================
0..23       discard a card of this kind
hu 胡        win with the card on offer
pass 过      let it go
chi_hand 吃  lay a ju with two cards of the hand
chi_table   complete a kou on the table to a ju
chi_half    complete a ban-zhao on the table to a man-zhao
tie 贴       lay a kou with one card of the hand
=========== ===============================================================================

What the rules force happens by itself: zou, zhao, shao, peng, and a chi that is forced with one way.
"""

from __future__ import annotations

import numpy as np

from ..core.cards import COLOURS
from .kinds import GROUP_SIZE, HUN, KINDS, NUM_GROUPS, NUM_KINDS

CLAIMS = ("hu", "pass", "chi_hand", "chi_table", "chi_half", "tie")
NAMES = (*KINDS, *CLAIMS)
NUM_ACTIONS = len(NAMES)
HU, PASS, CHI_HAND, CHI_TABLE, CHI_HALF, TIE = range(NUM_KINDS, NUM_ACTIONS)

FEATURE_NAMES = (
    "is_discard", *(f"is_{name}" for name in CLAIMS), *(f"is_{colour}" for colour in COLOURS), "is_hun",
    *(f"is_place_{place}" for place in range(GROUP_SIZE)),
    *(f"is_group_{group}" for group in range(NUM_GROUPS)),
)  # fmt: skip


def _features() -> np.ndarray:
    """Which action it is; of a discard also colour, hun or su, its place in the group and the group."""
    features = np.zeros((NUM_ACTIONS, len(FEATURE_NAMES)), np.float32)
    column = {name: number for number, name in enumerate(FEATURE_NAMES)}
    for kind, name in enumerate(KINDS):
        features[kind, column["is_discard"]] = 1
        features[kind, column[f"is_{name[0]}"]] = 1
        features[kind, column["is_hun"]] = HUN[kind]
        features[kind, column[f"is_place_{kind % GROUP_SIZE}"]] = 1
        features[kind, column[f"is_group_{kind // GROUP_SIZE}"]] = 1
    for action in range(NUM_KINDS, NUM_ACTIONS):
        features[action, column[f"is_{NAMES[action]}"]] = 1
    return features


FEATURES = _features()
