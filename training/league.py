"""Whom a learner meets: itself, its past selves, a fixed opponent such as the rule player.

At most tables the policy that learns has all seats. At some it has one, drawn for every game, and the
others are a past self's or the fixed opponent's: what is learned there cannot rest on everybody playing as
the policy does today. Past selves that still do well against it are met more often.

References
----------
O. Vinyals et al., "Grandmaster level in StarCraft II using multi-agent reinforcement learning", Nature 575,
2019: prioritised fictitious self-play, opponents drawn by how often the learner fails against them.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents import Agent, Decisions
from agents.adviser import Adviser
from agents.network import NetworkAgent
from envs.core.rng import mix_in
from envs.core.seeding import as_seed
from envs.core.vector import VectorTables

LARGEST_POOL = 8  # past selves
SPACING = 1.25  # the next one is kept after so many times the samples of the last one
FORGETTING = 0.9  # of what is known about past selves, an iteration
SHARPNESS = 2.0  # power of the share of games in which a past self is ahead

_STREAM = 0x1EA6  # keeps these random numbers apart from others made from the same seed
_SEAT, _OPPONENT, _ANSWER = 1, 2, 3  # what a key is for
_POOL = "pool_"  # begins the names of the arrays of past selves
_ARRAYS = ("met", "behind", "games", "learners", "opponents")  # what the next draws depend on


def ask(
    agent: Agent,
    vec: VectorTables,
    seen: Mapping[str, NDArray[Any]],
    seats: NDArray[np.int64],
    rows: NDArray[np.int64],
    keys: NDArray[np.uint64],
) -> NDArray[np.int64]:
    """What ``agent`` answers at the tables ``rows`` (M,)."""
    tables = vec.tables(rows=rows) if agent.needs_tables else None
    return agent.act(
        Decisions(seen["observation"][rows], seen["action_mask"][rows], seats[rows], keys, tables)
    )


class League:
    """The tables with other players, and the past selves among these.

    Parameters
    ----------
    vec : VectorTables
        The rollout's.
    past, fixed : float
        Fractions of the tables, rounded up, where past selves, or the opponent, have all seats but one.
    opponent : Agent or None
        Needed with ``fixed``.
    seed : int
        Of the seats, opponents and their actions.
    greedy : bool
        Whether past selves play their most probable action or draw one.
    adviser : Adviser, optional
        Past selves'.

    Attributes
    ----------
    past : list of NetworkAgent
        Empty until :meth:`begin`.
    """

    def __init__(
        self,
        vec: VectorTables,
        past: float,
        fixed: float,
        opponent: Agent | None,
        seed: int,
        greedy: bool,
        adviser: Adviser | None = None,
    ) -> None:
        n = vec.num_envs
        self._vec, self._greedy, self._adviser = vec, greedy, adviser
        tables = np.arange(n)
        self._with_past = tables < math.ceil(past * n)
        self._with_fixed = ~self._with_past & (tables >= n - math.ceil(fixed * n))
        self._others = self._with_past | self._with_fixed
        self._opponent = opponent
        self.past: list[NetworkAgent] = []
        self._met, self._behind = np.zeros(0), np.zeros(0)
        self._samples = self._kept_at = 0
        self.reseed(seed)

    def reseed(self, seed: int) -> None:
        """Begin anew at all tables: who plays there, and how, depends on ``seed`` and the past selves."""
        n = self._vec.num_envs
        self._steps = 0
        self._bases = mix_in(np.arange(n, dtype=np.uint64), _STREAM, as_seed(seed))
        self._games, self._learners, self._opponents = (np.zeros(n, np.int64) for _ in range(3))
        self._draw(np.flatnonzero(self._others))

    def begin(self, net: nn.Sequential) -> None:
        """Self-play begins: where there are no past selves yet, ``net`` is the first one."""
        if not self.past and self._with_past.any():
            self._add(net)

    def answer(
        self, seen: Mapping[str, NDArray[Any]], seats: NDArray[np.int64], actions: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Answer for the other players (see ``rollout.Players``)."""
        theirs = self._others & (seats != self._learners)
        theirs &= seen["action_mask"].any(axis=1)  # where a game is over nobody is asked
        self._steps += 1
        groups: list[tuple[Agent, NDArray[np.bool_]]] = [
            (agent, theirs & self._with_past & (self._opponents == number))
            for number, agent in enumerate(self.past)
        ]
        if self._opponent is not None:
            groups.append((self._opponent, theirs & self._with_fixed))
        for agent, asked in groups:
            rows = np.flatnonzero(asked)
            if len(rows):
                keys = mix_in(self._bases[rows], _ANSWER, self._steps)
                actions[rows] = ask(agent, self._vec, seen, seats, rows, keys)
        return ~theirs

    def note_results(self, ended: NDArray[np.bool_], scores: NDArray[np.int64]) -> None:
        """Note who was ahead, and draw seats and opponents for the next games."""
        rows = np.flatnonzero(ended & self._with_past)
        behind = scores[rows].max(axis=1) > scores[rows, self._learners[rows]]
        np.add.at(self._met, self._opponents[rows], 1)
        np.add.at(self._behind, self._opponents[rows], behind)
        self._draw(np.flatnonzero(ended & self._others))

    def _draw(self, rows: NDArray[np.int64]) -> None:
        """The learner's seat and the opponent of the next games at ``rows`` (M,)."""
        self._games[rows] += 1
        seats = mix_in(self._bases[rows], _SEAT, self._games[rows]) % np.uint64(self._vec.num_players)
        self._learners[rows] = seats
        if self.past:
            shares = np.cumsum(self.chances())
            numbers = mix_in(self._bases[rows], _OPPONENT, self._games[rows]) * 2.0**-64
            self._opponents[rows] = np.minimum(np.searchsorted(shares, numbers), len(self.past) - 1)

    def chances(self) -> NDArray[np.float64]:
        """How often each past self is met: by the share of games in which it is ahead."""
        ahead = ((self._behind + 1) / (self._met + 2)) ** SHARPNESS
        return ahead / ahead.sum()

    def keep(self, net: nn.Sequential, samples: int) -> None:
        """After so many new ``samples``: make ``net`` a past self, if it is time for one.

        When there is no room the past self goes that is ahead least, but never the newest.
        """
        self._samples += samples
        self._met *= FORGETTING
        self._behind *= FORGETTING
        if not self.past or self._samples < SPACING * self._kept_at:
            return
        if len(self.past) == LARGEST_POOL:
            gone = int(self.chances()[:-1].argmin())
            del self.past[gone]
            self._met, self._behind = np.delete(self._met, gone), np.delete(self._behind, gone)
            self._opponents[self._opponents == gone] = len(self.past) + 1  # the new one plays on
            self._opponents[self._opponents > gone] -= 1
        self._add(net)
        self._kept_at = self._samples

    def _add(self, net: nn.Sequential) -> None:
        frozen = copy.deepcopy(net).requires_grad_(False)
        self.past.append(NetworkAgent(frozen, greedy=self._greedy, adviser=self._adviser))
        self._met, self._behind = np.append(self._met, 0), np.append(self._behind, 0)

    def state(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Everything that later games depend on: arrays, and what JSON can hold."""
        arrays = {
            f"{_POOL}{number}_{name}": np.asarray(tensor.cpu())
            for number, agent in enumerate(self.past)
            for name, tensor in agent.net.state_dict().items()
        }
        arrays |= {f"league_{name}": getattr(self, f"_{name}") for name in _ARRAYS}
        plain = {"size": len(self.past), "samples": self._samples, "kept_at": self._kept_at}
        return arrays, {**plain, "steps": self._steps}

    def load_state(
        self, arrays: Mapping[str, NDArray[Any]], plain: Mapping[str, Any], like: nn.Sequential
    ) -> None:
        """Go on from the ``state`` of a league of the same tables and fractions; all nets are ``like`` it."""
        self.past = []
        for number in range(plain["size"]):
            self._add(like)
            begin = f"{_POOL}{number}_"
            weights = {
                name.removeprefix(begin): torch.from_numpy(array.copy())
                for name, array in arrays.items()
                if name.startswith(begin)
            }
            self.past[-1].net.load_state_dict(weights)
        for name in _ARRAYS:
            setattr(self, f"_{name}", arrays[f"league_{name}"].copy())
        self._samples, self._kept_at = plain["samples"], plain["kept_at"]
        self._steps = plain["steps"]
