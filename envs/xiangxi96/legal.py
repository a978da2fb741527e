"""Xiangxi 96: which actions are legal (rules, sections 3 to 5), on one record ``t``."""

from __future__ import annotations

import numpy as np

from ..core.jit import njit
from .actions import CHI_HALF, CHI_HAND, CHI_TABLE, HU, NUM_ACTIONS, PASS, TIE
from .claims import ASKED_HU, ASKED_TIE, DISCARDING, chi_ways, free_kinds
from .kinds import GROUP_SIZE, NO_KIND, NUM_GROUPS


@njit
def legal(t, mask):
    """Write 1 for each legal action of the seat to act into ``mask`` (30,), else 0."""
    for action in range(NUM_ACTIONS):
        mask[action] = 0
    seat = np.int64(t.turn)
    if t.phase == DISCARDING:
        for group in range(NUM_GROUPS):
            bits = free_kinds(t, seat, group)
            for i in range(GROUP_SIZE):
                mask[GROUP_SIZE * group + i] = bits >> i & 1
        if t.ban[seat] != NO_KIND:
            mask[t.ban[seat]] = 0
        return
    mask[PASS] = 1
    if t.phase == ASKED_HU:
        mask[HU] = 1
    elif t.phase == ASKED_TIE:
        mask[TIE] = 1
    else:
        hand, table, half = chi_ways(t, seat, np.int64(t.card))
        mask[CHI_HAND] = hand
        mask[CHI_TABLE] = table
        mask[CHI_HALF] = half
        mask[PASS] = hand + table + half == 1  # with two ways it is forced, and the way is chosen
