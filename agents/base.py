"""What an agent is: an answer to a batch of decisions, and nothing but what a seat may know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs.core.game import ACTION
from envs.core.jit import njit
from envs.core.rng import uniform

CHECKPOINTS = "checkpoints"  # the folder of a training run that has its saved agents


@dataclass
class Decisions:
    """A batch of N decisions, each of a seat at a table of its own.

    Attributes
    ----------
    observations : (N, O) uint8
    action_masks : (N, A) int8
    seats : (N,) int64
        The seats to act.
    keys : (N,) uint64
        All randomness of an agent comes from its decision's key, so an answer does not depend on
        what else is in the batch. They differ by deal, seating, decision and seat; two agents that change
        places get the same ones, so that a pair is the same the other way round.
    tables : (N,) records or None
        For agents with ``needs_tables``: copies with everything that the seat may not know zeroed.
    """

    observations: NDArray[np.uint8]
    action_masks: NDArray[np.int8]
    seats: NDArray[np.int64]
    keys: NDArray[np.uint64]
    tables: NDArray[Any] | None = None

    def __len__(self) -> int:
        return len(self.observations)

    def __getitem__(self, rows: slice) -> Decisions:
        """Some of the decisions."""
        tables = None if self.tables is None else self.tables[rows]
        return Decisions(
            self.observations[rows], self.action_masks[rows], self.seats[rows], self.keys[rows], tables
        )


class Agent:
    """Base of agents; override ``policy``, or ``act`` where the answer is not a distribution.

    Attributes
    ----------
    name : str
    needs_tables : bool
        Whether ``Decisions.tables`` must be there.
    loaded_as : str or None
        The name or path that ``agents.load`` was given.
    """

    name = "agent"
    needs_tables = False
    loaded_as: str | None = None

    def act(self, decisions: Decisions) -> NDArray[np.int64]:
        """One legal action (N,) a decision: drawn from ``policy`` by the decisions' keys."""
        if type(self).policy is Agent.policy:
            raise NotImplementedError(f"{type(self).__name__} overrides neither act nor policy")
        actions, probabilities = np.zeros(len(decisions), ACTION), self.policy(decisions)
        if not np.isfinite(probabilities).all():  # it would play its first legal action, unnoticed
            raise ValueError("the policy is not finite")
        draw(probabilities, decisions.action_masks, decisions.keys, actions)
        return actions

    def policy(self, decisions: Decisions) -> NDArray[np.float32]:
        """Probabilities (N, A) of the actions, zero where illegal; here all on the answer of ``act``."""
        probabilities = np.zeros(decisions.action_masks.shape, np.float32)
        probabilities[np.arange(len(decisions)), self.act(decisions)] = 1
        return probabilities

    def values(self, decisions: Decisions) -> NDArray[np.float32] | None:
        """Expected points (N,) of the seats to act, where the agent has an opinion."""
        return None


MadeFor = tuple[str, Any, dict[str, Any]]  # game, version of its rules, options


def check_made_for(what: object, made_for: MadeFor, wanted: MadeFor) -> None:
    """ValueError unless an agent was made for the game, rules version and options (``base`` apart) wanted."""
    (game, version, options), (wanted_game, wanted_version, wanted_options) = made_for, wanted
    if game != wanted_game:
        raise ValueError(f"{what} plays {game}, not {wanted_game}")
    if str(version) != str(wanted_version):
        raise ValueError(f"{what} is for version {version} of the rules, these are version {wanted_version}")
    names = sorted({**wanted_options, **options}.keys() - {"base"})
    other = [name for name in names if options.get(name) != wanted_options.get(name)]
    if other:
        told = ", ".join(f"{o}={options.get(o)!r} (here {wanted_options.get(o)!r})" for o in other)
        raise ValueError(f"{what} was made with {told}; give the same --env options")


@njit
def draw(probabilities, masks, keys, actions):
    """Draw a legal action for every row of ``probabilities`` (N, A), by its key."""
    for i in range(len(masks)):
        total = 0.0
        for action in range(masks.shape[1]):
            if masks[i, action]:
                total += probabilities[i, action]
        threshold = uniform(keys[i]) * total
        chosen = -1
        for action in range(masks.shape[1]):
            if masks[i, action] and (probabilities[i, action] > 0 or chosen < 0):
                chosen = action
                threshold -= probabilities[i, action]
                if threshold < 0:
                    break
        actions[i] = chosen
