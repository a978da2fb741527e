"""Whom a learner meets: itself, its past selves, the rule player.

At most tables the policy that learns has all seats. At some it has one, drawn for every game, and the
others are a past self's or the rule player's: what is learned there cannot rest on everybody playing as
the policy does today. Past selves that still do well against it are met more often.

References
----------
O. Vinyals et al., "Grandmaster level in StarCraft II using multi-agent reinforcement learning", Nature 575,
2019: prioritised fictitious self-play, opponents drawn by how often the learner fails against them.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents import Agent, Decisions, load
from agents.network import NetworkAgent
from envs.core.rng import mix_in
from envs.core.seeding import as_seed
from envs.core.vector import VectorTables

RULE = "rule"
LARGEST_POOL = 8  # past selves
SPACING = 1.25  # the next one is kept after so many times the samples of the last one
FORGETTING = 0.9  # of what is known about past selves, an iteration
SHARPNESS = 2.0  # power of the share of games in which a past self is ahead

_STREAM = 0x1EA6  # keeps these random numbers apart from others made from the same seed
_SEAT, _OPPONENT, _ANSWER = 1, 2, 3  # what a key is for
_POOL = "pool_"  # begins the names of the arrays of past selves


def _asked(
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
    past, rule : float
        Fractions of the tables where past selves, or the newest rule player, have all seats but one.
    seed : int
        Of the seats, opponents and their actions.
    greedy : bool
        Whether past selves play their most probable action or draw one.
    first : nn.Sequential
        The network at the start: the first past self.
    """

    def __init__(
        self, vec: VectorTables, past: float, rule: float, seed: int, greedy: bool, first: nn.Sequential
    ) -> None:
        n = vec.num_envs
        self._vec, self._greedy = vec, greedy
        self._with_past = np.arange(n) < round(past * n)
        self._with_rule = ~self._with_past & (np.arange(n) < round((past + rule) * n))
        self._rule = load(RULE, vec.game.name, vec.rules)
        self.past = [_copy(first)] if past else []
        self._met, self._behind = np.zeros(len(self.past)), np.zeros(len(self.past))
        self._samples = self._kept_at = 0
        self._bases = mix_in(np.arange(n, dtype=np.uint64), _STREAM, as_seed(seed))
        self._steps = 0
        self._games = np.zeros(n, np.int64)
        self._learners = np.zeros(n, np.int64)
        self._opponents = np.zeros(n, np.int64)
        self._draw(np.flatnonzero(self._with_past | self._with_rule))

    def answer(
        self, seen: Mapping[str, NDArray[Any]], seats: NDArray[np.int64], actions: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Answer for the other players (see ``rollout.Players``)."""
        theirs = (self._with_past | self._with_rule) & (seats != self._learners)
        self._steps += 1
        groups = [(self._rule, np.flatnonzero(theirs & self._with_rule))]
        for number, net in enumerate(self.past):
            rows = np.flatnonzero(theirs & self._with_past & (self._opponents == number))
            groups.append((NetworkAgent(net, greedy=self._greedy), rows))
        for agent, rows in groups:
            if len(rows):
                keys = mix_in(self._bases[rows], _ANSWER, self._steps)
                actions[rows] = _asked(agent, self._vec, seen, seats, rows, keys)
        return ~theirs

    def note_results(self, ended: NDArray[np.bool_], scores: NDArray[np.int64]) -> None:
        """Note who was ahead, and draw seats and opponents for the next games."""
        rows = np.flatnonzero(ended & self._with_past)
        behind = scores[rows].max(axis=1, initial=0) > scores[rows, self._learners[rows]]
        np.add.at(self._met, self._opponents[rows], 1)
        np.add.at(self._behind, self._opponents[rows], behind)
        self._draw(np.flatnonzero(ended & (self._with_past | self._with_rule)))

    def _draw(self, rows: NDArray[np.int64]) -> None:
        """The learner's seat and the opponent of the next games at ``rows`` (M,)."""
        self._games[rows] += 1
        keys = mix_in(self._bases[rows], self._games[rows])
        seats = mix_in(keys, _SEAT) % np.uint64(self._vec.num_players)
        self._learners[rows] = seats
        if self.past:
            shares = np.cumsum(self.chances())
            numbers = mix_in(keys, _OPPONENT) * 2.0**-64
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
            self._opponents[self._opponents == gone] = len(self.past)  # the new one plays on
            self._opponents[self._opponents > gone] -= 1
        self.past.append(_copy(net))
        self._met, self._behind = np.append(self._met, 0), np.append(self._behind, 0)
        self._kept_at = self._samples

    def state(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Everything that later games depend on: arrays, and what JSON can hold."""
        arrays = {
            f"{_POOL}{number}_{name}": np.asarray(tensor.detach().cpu())
            for number, net in enumerate(self.past)
            for name, tensor in net.state_dict().items()
        }
        arrays |= {f"league_{name}": array for name, array in self._arrays().items()}
        plain = {"size": len(self.past), "samples": self._samples, "kept_at": self._kept_at}
        return arrays, {**plain, "steps": self._steps}

    def load_state(self, arrays: Mapping[str, NDArray[Any]], plain: Mapping[str, Any]) -> None:
        """Go on from the ``state`` of a league of the same tables and fractions."""
        self._samples, self._kept_at = plain["samples"], plain["kept_at"]
        self._steps = plain["steps"]
        for name in self._arrays():
            setattr(self, f"_{name}", arrays[f"league_{name}"].copy())
        self.past = [_copy(self.past[0]) for _ in range(plain["size"])]
        for number, net in enumerate(self.past):
            begin = f"{_POOL}{number}_"
            net.load_state_dict(
                {
                    name.removeprefix(begin): torch.from_numpy(array.copy())
                    for name, array in arrays.items()
                    if name.startswith(begin)
                }
            )

    def _arrays(self) -> dict[str, NDArray[Any]]:
        """What the next draws depend on, by the names of the attributes."""
        return {
            "met": self._met,
            "behind": self._behind,
            "games": self._games,
            "learners": self._learners,
            "opponents": self._opponents,
        }


def _copy(net: nn.Sequential) -> nn.Sequential:
    return copy.deepcopy(net).requires_grad_(False)


class Teacher:
    """An agent in all seats, whose every decision is learned from.

    Parameters
    ----------
    vec : VectorTables
        The rollout's.
    agent : Agent
    seed : int
        Of its actions.
    """

    def __init__(self, vec: VectorTables, agent: Agent, seed: int) -> None:
        self.agent, self._vec = agent, vec
        self._rows = np.arange(vec.num_envs)
        self._bases = mix_in(self._rows.astype(np.uint64), _STREAM, as_seed(seed))
        self._wanted = np.ones(vec.num_envs, np.bool_)
        self.steps = 0

    def answer(
        self, seen: Mapping[str, NDArray[Any]], seats: NDArray[np.int64], actions: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Answer for everybody (see ``rollout.Players``)."""
        self.steps += 1
        keys = mix_in(self._bases, self.steps)
        actions[:] = _asked(self.agent, self._vec, seen, seats, self._rows, keys)
        return self._wanted

    def note_results(self, ended: NDArray[np.bool_], scores: NDArray[np.int64]) -> None:
        """Nothing depends on results."""
