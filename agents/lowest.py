"""``lowest``: the greedy player of the climbing games, a yardstick that is stated in a line."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .base import Agent, Decisions

PASS = 0  # the action, in every climbing game


class LowestAgent(Agent):
    """Plays the lowest legal id that is not a pass: it beats whenever it can, as low as it can."""

    name = "lowest"

    def act(self, decisions: Decisions) -> NDArray[np.int64]:
        plays = decisions.action_masks[:, PASS + 1 :] != 0
        return np.where(plays.any(axis=1), plays.argmax(axis=1) + PASS + 1, PASS)
