"""``random``: every legal action with the same probability."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from envs.core.vector import sample_masks

from .base import Agent, Decisions


class UniformAgent(Agent):
    """Plays uniformly at random among the legal actions."""

    name = "random"

    def act(self, decisions: Decisions) -> NDArray[np.int64]:
        actions = np.zeros(len(decisions), np.int64)
        sample_masks(decisions.action_masks, decisions.keys.copy(), actions)
        return actions

    def policy(self, decisions: Decisions) -> NDArray[np.float32]:
        counts = decisions.action_masks.sum(axis=1, keepdims=True)
        return (decisions.action_masks / counts).astype(np.float32)
