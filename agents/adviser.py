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
    """A frozen rule player that shows a network its opinion, in ones and zeros behind the observation.

    Attributes
    ----------
    rule : RuleAgent
    weight : float
        By how much the logit of its action is raised: a network that has learned nothing plays as it does.
    grades : tuple of int
        The network sees not only its action, but for each of these also which score less by at most so much.
    """

    rule: RuleAgent
    weight: float = 0.0
    grades: tuple[int, ...] = ()

    @classmethod
    def of(cls, name: str, game: str, weight: float = 0.0, graded: bool = False) -> Adviser:
        """The frozen rule player of this name; with all its grades, or none, where it is not ``graded``.

        Raises
        ------
        ValueError
            If the game has none of this name.
        """
        rule = frozen_rule(name, game)
        return cls(rule, weight, rule.grades if graded else ())

    def width(self, num_actions: int) -> int:
        """How many ones and zeros it adds to an observation."""
        return (len(self.grades) + 1) * num_actions

    def advise(self, decisions: Decisions) -> NDArray[np.uint8]:
        """The observations (N, O) with its opinion behind them, its actions (N, A) last, one-hot."""
        observations = decisions.observations
        (n, size), num_actions = observations.shape, decisions.action_masks.shape[1]
        seen = np.zeros((n, size + self.width(num_actions)), OBSERVATION)
        seen[:, :size] = observations
        if self.grades:
            actions, seen[:, size:-num_actions] = self.rule.rate(decisions, self.grades)
        else:
            actions = self.rule.act(decisions)
        seen[np.arange(n), actions - num_actions] = 1
        return seen

    def raised(self, logits: NDArray[np.float32], advised: NDArray[np.uint8]) -> NDArray[np.float32]:
        """What a network gives (N, A) for ``advised`` observations, its adviser's action raised."""
        if not self.weight:
            return logits
        return logits + np.float32(self.weight) * advised[:, -logits.shape[1] :]
