"""Guan Pai's rule player (first stand-in: the lowest legal play, a pass only when there is none)."""

from __future__ import annotations

from envs.core.jit import njit


@njit
def choose(t, mask, key):
    """An action for the seat to act at ``t``."""
    for action in range(1, len(mask)):
        if mask[action]:
            return action
    return 0
