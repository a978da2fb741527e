"""What workers of Ray would bring: a model, and the numbers in it measured on this machine.

An iteration plays a batch in S shards and then learns from it. With W workers it takes

    ceil(S / W) t + u

seconds, where t is what a worker takes for a shard and u what the learner takes for a batch; a batch of B
samples comes to B / (ceil(S / W) t + u) a second, at most B / (t + u). Sending is left out: of the samples
of a batch, and of the weights once a machine.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from envs.core.game import Rules

from .config import Config
from .learners import Plan, learner_of
from .shards import Player, Sharded, ShardedRollout, part_of


class OneHere:
    """A team of one, in this process, by whose clock it plays; see ``shards.Team``.

    Attributes
    ----------
    shards : int
        That were played.
    seconds : float
        Of processor time that they took.
    """

    def __init__(self, player: Player) -> None:
        self._player = player
        self.shards, self.seconds = 0, 0.0

    def share(self, content: Any) -> Any:
        return content

    def do(self, jobs: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        for job in jobs:
            start = time.process_time()
            samples, games = self._player(*job)
            self.seconds += time.process_time() - start
            self.shards += 1
            yield samples.copy(), games

    def close(self) -> None:
        """There is nothing to end."""


@dataclass(frozen=True)
class Costs:
    """What an iteration takes, by processor time.

    Attributes
    ----------
    samples : float
        Of a batch.
    shards : float
        That hold it.
    shard_seconds, learner_seconds : float
        Of a worker for a shard, and of the learner for a batch.
    sample_bytes : float
    """

    samples: float
    shards: float
    shard_seconds: float
    learner_seconds: float
    sample_bytes: float

    def rate(self, workers: int) -> float:
        """Samples a second with so many workers.

        >>> costs = Costs(samples=1000, shards=10, shard_seconds=1, learner_seconds=2, sample_bytes=100)
        >>> [round(costs.rate(workers)) for workers in (1, 4, 10, 100)]
        [83, 200, 333, 333]
        """
        return self.samples / (math.ceil(self.shards / workers) * self.shard_seconds + self.learner_seconds)


def measure(config: Config, rules: Rules, seconds: float, progress: float) -> Costs:
    """What iterations take in this process, for so many seconds of processor time, but at least one.

    Parameters
    ----------
    config : Config
        Of a run of PPO, DMC or RPI.
    rules : Rules
    seconds : float
    progress : float
        Of the run's budget (0..1).
    """
    plan = Plan.of(config, rules)
    learner = learner_of(plan)
    assert isinstance(learner, Sharded)
    team = OneHere(Player(part_of(plan, config.shard_games)))
    rollout = learner.rollout = ShardedRollout(learner, config.shard_games, team)
    learner.iterate(progress)  # compiles
    shards, playing, sent = team.shards, team.seconds, rollout.sent
    start, iterations, samples, spent = time.process_time(), 0, 0, 0.0
    while not iterations or spent < seconds:
        samples += int(learner.iterate(progress)["samples"])
        iterations, spent = iterations + 1, time.process_time() - start
    shards, playing, sent = team.shards - shards, team.seconds - playing, rollout.sent - sent
    return Costs(
        samples / iterations, shards / iterations, playing / shards, (spent - playing) / iterations,
        sent / samples,
    )  # fmt: skip


def row(costs: Costs, workers: Sequence[int]) -> dict[str, Any]:
    """The costs, and what so many ``workers`` would give, as a row of a table."""
    return {
        "shards_a_batch": costs.shards,
        "samples_a_second_of_a_worker": costs.samples / costs.shards / costs.shard_seconds,
        "bytes_a_sample": costs.sample_bytes,
        "samples_a_second_of_learning": costs.samples / costs.learner_seconds,
        **{f"with_{number}": costs.rate(number) for number in workers},
    }
