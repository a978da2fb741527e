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
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import nn

from agents import Agent
from envs.core.rng import mix_in
from envs.core.seeding import as_seed
from envs.core.vector import VectorTables

from .league import ask

PRIOR_FILE = "prior.safetensors"
_STREAM = 0x7EAC  # keeps these random numbers apart from others made from the same seed


class WarmStart:
    """The teacher, in all seats (see ``rollout.Players``), and the policy that comes of it.

    Parameters
    ----------
    vec : VectorTables
        The rollout's.
    teacher : callable
        Gives the teacher; called when it is first asked, so what has learned enough needs it no more.
    seed : int
        Of the teacher's actions.
    samples : int
        To be learned from the teacher, at least.
    policy : nn.Sequential
        The network that learns.

    Attributes
    ----------
    prior : nn.Sequential
        The policy at the end of the imitation.
    samples_left : int
    """

    def __init__(
        self,
        vec: VectorTables,
        teacher: Callable[[], Agent],
        seed: int,
        samples: int,
        policy: nn.Sequential,
    ) -> None:
        self._vec, self._load_teacher, self.samples_left = vec, teacher, samples
        self._teacher: Agent | None = None
        self.prior = copy.deepcopy(policy).requires_grad_(False)
        self._wanted = np.ones(vec.num_envs, np.bool_)
        self.reseed(seed)

    def reseed(self, seed: int) -> None:
        """What the teacher draws from now on depends on ``seed`` alone."""
        self._bases = mix_in(np.arange(len(self._wanted), dtype=np.uint64), _STREAM, as_seed(seed))
        self._steps = 0

    def answer(
        self, seen: Mapping[str, NDArray[Any]], seats: NDArray[np.int64], actions: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Answer for everybody: every decision is learned."""
        if self._teacher is None:
            self._teacher = self._load_teacher()
        self._steps += 1
        rows = np.flatnonzero(seen["action_mask"].any(axis=1))  # where a game is over nobody is asked
        keys = mix_in(self._bases[rows], self._steps)
        actions[rows] = ask(self._teacher, self._vec, seen, seats, rows, keys)
        return self._wanted

    def note_results(self, ended: NDArray[np.bool_], scores: NDArray[np.int64]) -> None:
        """Nothing depends on results."""

    def note(self, samples: int, policy: nn.Sequential) -> bool:
        """So many ``samples`` were learned; returns whether that was the end of the imitation."""
        self.samples_left -= samples
        if self.samples_left > 0:
            return False
        self.prior.load_state_dict(policy.state_dict())
        return True

    def state(self) -> dict[str, Any]:
        """What JSON can hold of it; the prior is saved with the networks."""
        return {"samples_left": self.samples_left, "steps": self._steps}

    def load_state(self, plain: Mapping[str, Any]) -> None:
        """Go on from the ``state``."""
        self.samples_left, self._steps = plain["samples_left"], plain["steps"]
