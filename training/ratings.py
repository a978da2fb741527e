"""Ratings from a mixed pool: tables of different agents, each game ranked by its scores.

References
----------
R. C. Weng, C.-J. Lin, "A Bayesian Approximation Method for Online Ranking", JMLR 12, 2011 (the
Plackett-Luce update, as implemented by openskill).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from openskill.models import PlackettLuce

from envs.core.seeding import as_seed

_STREAM = 0x9001  # keeps these random numbers apart from others made from the same seed


@dataclass(frozen=True)
class Rating:
    """An agent's strength ``mu`` (a newcomer has 25) and its standard deviation ``sigma``."""

    mu: float
    sigma: float
    games: int


def pool_seatings(num_players: int, num_agents: int, games: int, seed: int) -> NDArray[np.int64]:
    """Random seatings (games, n) of the agents' numbers.

    Every table seats different agents where there are enough; with fewer than seats all of them sit
    down, and the seats left are given out at random.

    >>> sorted(pool_seatings(3, 5, 1, seed=0)[0].tolist())
    [1, 3, 4]
    """
    rng = np.random.default_rng([as_seed(seed), _STREAM])
    everybody = np.tile(np.arange(num_agents), (games, 1))
    if num_agents >= num_players:
        return rng.permuted(everybody, axis=1)[:, :num_players]
    more = rng.integers(0, num_agents, (games, num_players - num_agents))
    return rng.permuted(np.concatenate([everybody, more], axis=1), axis=1)


def rate(seatings: NDArray[np.int64], scores: NDArray[np.int64], num_agents: int) -> list[Rating]:
    """Ratings of the agents from games in their order.

    An agent that holds several seats of a table is rated at each, and keeps the mean. Agents do not
    change, so nothing is added to the uncertainty from game to game (``tau`` is 0).

    Parameters
    ----------
    seatings : (G, n) int64
        Numbers of the agents at the seats.
    scores : (G, n) int64
        The highest comes first; equal scores share a rank.
    num_agents : int

    Examples
    --------
    >>> first, second = rate(np.array([[0, 1], [1, 0]]), np.array([[5, -5], [-1, 1]]), 2)
    >>> first.mu > 25 > second.mu, first.games
    (True, 2)
    """
    model = PlackettLuce(tau=0)
    ratings = [model.rating() for _ in range(num_agents)]
    for seating, points in zip(seatings.tolist(), scores.tolist(), strict=True):
        rated = model.rate([[ratings[agent]] for agent in seating], scores=[float(p) for p in points])
        for agent in set(seating):
            own = [team[0] for team, seated in zip(rated, seating, strict=True) if seated == agent]
            ratings[agent] = model.rating(
                mu=sum(r.mu for r in own) / len(own), sigma=sum(r.sigma for r in own) / len(own)
            )
    games = [int((seatings == agent).any(axis=1).sum()) for agent in range(num_agents)]
    return [Rating(r.mu, r.sigma, g) for r, g in zip(ratings, games, strict=True)]
