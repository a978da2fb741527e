"""A pool: deals played once each by a table of agents seated at random, for the ratings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agents import Agent
from envs.core.game import Rules, get
from envs.core.seeding import as_seed

from .blocks import POOL, Block, Played
from .ratings import pool_seatings
from .tournament import DEALS_AT_A_TIME, play_blocks


def pool_blocks(seatings: NDArray[np.int64], seed: int, at_a_time: int = DEALS_AT_A_TIME) -> list[Block]:
    """The blocks that play a deal with each of ``seatings`` (games, n), other deals than those of pairs."""
    return [
        Block(seed, POOL, first, seatings[first : first + at_a_time, None])
        for first in range(0, len(seatings), at_a_time)
    ]


def pool_scores(played: Sequence[Played], seatings: NDArray[np.int64]) -> NDArray[np.int64]:
    """Points by seat (games, n) of the games of ``pool_blocks``."""
    return np.concatenate([np.zeros_like(seatings[:0]), *(block.scores[:, 0] for block in played)])


def play_pool(
    game: str, rules: Rules, agents: Sequence[Agent | str], games: int, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Play deals once each with the agents seated at random, as ratings want it (``ratings.rate``).

    Parameters
    ----------
    game : str
    rules : Rules
    agents : sequence of Agent or str
        Agents, or their names or paths.
    games : int
    seed : int
        Of the deals, the seats and the agents' random numbers.

    Returns
    -------
    seatings : (games, n) int64
        Who sat where: places in ``agents``.
    scores : (games, n) int64
        Points by seat, times ``GameInfo.denominator``.

    Raises
    ------
    ValueError
        If an agent is unknown, fails or answers with an illegal action.

    Examples
    --------
    >>> rules, agents = get("guan_pai").rules(), ["random", "lowest"]
    >>> seatings, scores = play_pool("guan_pai", rules, agents, games=4, seed=0)
    >>> seatings.shape, scores.sum(axis=1).tolist()
    ((4, 3), [0, 0, 0, 0])
    """
    seatings = pool_seatings(get(game).info(rules).num_players, len(agents), games, seed)
    played = list(play_blocks(game, rules, agents, pool_blocks(seatings, as_seed(seed))))
    return seatings, pool_scores(played, seatings)
