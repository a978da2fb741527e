"""A warm start: learn to play as a teacher first, then go on from there by reinforcement.

Where wins are sparse a network that begins with random play sees few of them. So an agent, such as the
rule player, has all seats at first; the policy learns its actions and the critic its scores. Afterwards the
policy is held near to what it has learned by a term of the loss that fades.

References
----------
G. Hinton, O. Vinyals, J. Dean, "Distilling the knowledge in a neural network", arXiv:1503.02531, 2015: the
gradient of the cross-entropy with soft goals.
O. Vinyals et al., "Grandmaster level in StarCraft II using multi-agent reinforcement learning", Nature 575,
2019: self-play that is held near to a policy learned from others' games.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from torch import nn

from agents import Agent
from envs.core.vector import VectorTables

from .league import Teacher

PRIOR_FILE = "prior.safetensors"


class WarmStart:
    """The teacher, how much is still to be learned from it, and the policy that came of it.

    Parameters
    ----------
    vec : VectorTables
        The rollout's.
    agent : Agent
    seed : int
        Of the teacher's actions.
    samples : int
        To be learned from the teacher.
    policy : nn.Sequential
        The network that learns.

    Attributes
    ----------
    prior : nn.Sequential
        The policy at the end of the imitation.
    """

    def __init__(
        self, vec: VectorTables, agent: Agent, seed: int, samples: int, policy: nn.Sequential
    ) -> None:
        self.teacher = Teacher(vec, agent, seed)
        self.samples_left = samples
        self.prior = copy.deepcopy(policy).requires_grad_(False)

    def note(self, samples: int, policy: nn.Sequential) -> bool:
        """So many ``samples`` were learned from; returns whether that was the end of the imitation."""
        self.samples_left -= samples
        self.prior.load_state_dict(policy.state_dict())
        return self.samples_left <= 0

    def state(self) -> dict[str, Any]:
        """What JSON can hold of it; the prior is saved with the networks."""
        return {"samples_left": self.samples_left, "steps": self.teacher.steps}

    def load_state(self, plain: Mapping[str, Any]) -> None:
        """Go on from the ``state``."""
        self.samples_left, self.teacher.steps = plain["samples_left"], plain["steps"]
