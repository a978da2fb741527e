"""``hu_first``: a baseline of Xiangxi 96 that is stated in a line."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from envs.xiangxi96.actions import HU

from .base import Decisions
from .uniform import UniformAgent


class HuFirstAgent(UniformAgent):
    """Wins whenever it can, and else plays a uniformly random legal action."""

    name = "hu_first"

    def act(self, decisions: Decisions) -> NDArray[np.int64]:
        return np.where(decisions.action_masks[:, HU] != 0, HU, super().act(decisions))

    def policy(self, decisions: Decisions) -> NDArray[np.float32]:
        probabilities = super().policy(decisions)
        wins = decisions.action_masks[:, HU] != 0
        probabilities[wins] = 0
        probabilities[wins, HU] = 1
        return probabilities
