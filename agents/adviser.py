"""A frozen rule player that a network listens to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from envs.core.game import OBSERVATION

from .base import Decisions
from .rule import RuleAgent, frozen_rule


@dataclass(frozen=True)
class Adviser:
    """A frozen rule player whose action a network sees, one-hot behind the observation.

    Attributes
    ----------
    rule : RuleAgent
    weight : float
        By how much the logit of its action is raised: a network that has learned nothing plays as it does.
    """

    rule: RuleAgent
    weight: float = 0.0

    @classmethod
    def of(cls, name: str, game: str, weight: float = 0.0) -> Adviser:
        """The frozen rule player of this name; ValueError if the game has none."""
        return cls(frozen_rule(name, game), weight)

    def advise(self, decisions: Decisions) -> NDArray[np.uint8]:
        """The observations (N, O) with its actions behind them: (N, O + A)."""
        observations, actions = decisions.observations, self.rule.act(decisions)
        (n, size), num_actions = observations.shape, decisions.action_masks.shape[1]
        seen = np.zeros((n, size + num_actions), OBSERVATION)
        seen[:, :size] = observations
        seen[np.arange(n), size + actions] = 1
        return seen

    def raised(self, logits: NDArray[np.float32], advised: NDArray[np.uint8]) -> NDArray[np.float32]:
        """What a network gives (N, A) for ``advised`` observations, its adviser's action raised."""
        if not self.weight:
            return logits
        return logits + np.float32(self.weight) * advised[:, -logits.shape[1] :]
