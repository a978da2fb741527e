"""Shards: parts of a batch that anybody can play, with the same result whoever does.

A **shard** is so many tables that play one game each, to its end. What it comes to depends on the run's
seed, the weights, the iteration and the shard's number alone: a shard that was lost is played again, one that
was played twice is the same, and it does not matter how many play. A batch is the shards 0, 1, 2, ... that
together hold as many samples as are wanted. As a shard is so many games, and not so many samples, short
games are not favoured.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from envs.core.rng import mix_in
from envs.core.seeding import as_seed

from .cluster import Workers
from .dmc import DMC, DMCConfig
from .learners import Plan, learner_of
from .optimiser import as_array, has_fast_bfloat16
from .options import option
from .ppo import PPO
from .rpi import RPI
from .sb3 import SB3Config

Acting = dict[str, Any]  # what a learner's play depends on: its weights, and a number or two
Shard = tuple[NDArray[Any], int]  # samples, games
Sharded = PPO | DMC | RPI

SPARE = 1.02  # as many shards are asked for as the last iteration would have needed, times this
_STREAM = 0x5AAD  # keeps these random numbers apart from others made from the same seed
_STATE = "shards"  # the name of the array that a checkpoint has


class Team(Protocol):
    """Who plays: see ``cluster.Workers``."""

    def share(self, content: Any) -> Any:
        """What stands for the ``content`` in many jobs, so that it is sent once."""

    def do(self, jobs: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """Do the jobs, each the arguments of :meth:`Player.__call__`; yields what they come to in order."""

    def close(self) -> None:
        """End."""


def seed_of(seed: int, iteration: int, number: int) -> int:
    """The seed of a shard: of its deals and of what is drawn."""
    return int(mix_in(np.array([as_seed(seed)], np.uint64), _STREAM, iteration, number)[0])


def acting_of(learner: Sharded) -> Acting:
    """What a player needs to play as this ``learner`` would now."""
    weights = {name: as_array(tensor).copy() for name, tensor in learner.policy.state_dict().items()}
    if isinstance(learner, PPO):
        return {"weights": weights, "is_taught": learner.is_taught}
    return {"weights": weights, "epsilon": learner.epsilon}


class Player:
    """Plays shards: a learner that does not learn.

    Parameters
    ----------
    plan : Plan
        Of ``part_of``.
    """

    def __init__(self, plan: Plan) -> None:
        torch.set_num_threads(1)
        learner = learner_of(plan)
        assert isinstance(learner, Sharded) and not isinstance(learner.rollout, ShardedRollout)
        self._learner, self._rollout, self._seed = learner, learner.rollout, plan.seed

    def __call__(self, acting: Acting, iteration: int, number: int) -> Shard:
        """Play a shard.

        Parameters
        ----------
        acting : dict
            Of ``acting_of``.
        iteration, number : int

        Returns
        -------
        samples : (B,) records
            Of the learner's rollout; overwritten by the next call.
        games : int
        """
        learner, seed = self._learner, seed_of(self._seed, iteration, number)
        weights = {name: torch.from_numpy(array.copy()) for name, array in acting["weights"].items()}
        learner.policy.load_state_dict(weights)
        self._rollout.begin(seed)
        if isinstance(learner, PPO):
            learner.is_taught = acting["is_taught"]
        else:
            learner.epsilon = acting["epsilon"]
        if not isinstance(learner, RPI):
            learner.reseed(seed)
        return learner.play()


def part_of(plan: Plan, games: int) -> Plan:
    """The plan of those who play shards of so many ``games`` for the learner of ``plan``.

    They play on processors of their own, all with the numbers of this one.

    Raises
    ------
    ValueError
        For what cannot be played so.
    """
    options = plan.options
    if isinstance(options, SB3Config):
        raise ValueError("sb3 plays its games itself: --backend ray is for ppo, dmc and rpi")
    if getattr(options, "past", 0):
        algo = "dmc" if isinstance(options, DMCConfig) else "ppo"
        raise ValueError(f"past selves are not sent to workers: leave {option(algo, 'past')} out")
    if options.bfloat16 is None:
        options = replace(options, bfloat16=has_fast_bfloat16())
    return replace(plan, options=replace(options, num_envs=games), device="cpu", one_game=True)


class ShardedRollout:
    """Stands in the place of a learner's rollout and has others play the batches.

    Parameters
    ----------
    learner : PPO, DMC or RPI
    games : int
        Of a shard.
    team : Team
        Of players by ``part_of``.

    Attributes
    ----------
    sent : int
        Bytes of the samples that were played.
    """

    def __init__(self, learner: Sharded, games: int, team: Team) -> None:
        self._learner, self._team = learner, team
        self.size = learner.config.batch  # DMC too: it makes its steps when the batch is there
        self._iteration = 0
        # The last iteration's samples and shards, or of the first what would be played at once elsewhere.
        self._samples, self._shards = self.size, math.ceil(learner.config.num_envs / games)
        self.sent = 0

    def collect(self, *_: Any) -> Shard:
        """A batch of at least ``size`` samples, by the learner's networks as they are now; and its games.

        What a rollout is given, the policy and who else plays, the players have themselves.
        """
        acting = self._team.share(acting_of(self._learner))
        parts: list[NDArray[Any]] = []
        samples = games = 0
        while samples < self.size:
            missing = math.ceil((self.size - samples) * self._shards / self._samples * SPARE)
            jobs = [(acting, self._iteration, len(parts) + k) for k in range(missing)]
            for part, ended in self._team.do(jobs):
                parts.append(part.copy())  # else all are kept where results are shared
                samples, games = samples + len(part), games + ended
        batch = np.concatenate(parts)
        self._samples, self._shards, self._iteration = samples, len(parts), self._iteration + 1
        self.sent += batch.nbytes
        return batch, games

    def forget(self) -> None:
        """No game is in progress between two batches."""

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that the next batch depends on but the learner."""
        return {_STATE: np.array([self._iteration, self._samples, self._shards])}

    def load_state(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from the ``state`` of another one of the same plan."""
        self._iteration, self._samples, self._shards = arrays[_STATE].tolist()

    def close(self) -> None:
        """End the players."""
        self._team.close()


def spread(learner: Sharded, plan: Plan, games: int, workers: int | None, address: str) -> None:
    """Have ``workers`` of Ray play the batches of the ``learner`` of ``plan``, so many ``games`` a shard.

    Parameters are as ``cluster.Workers`` has them.
    """
    team = Workers(Player, (part_of(plan, games),), workers, address)
    learner.rollout = ShardedRollout(learner, games, team)
