"""Tournaments of agents on duplicate deals: ``python -m training.evaluate``."""

from __future__ import annotations

from agents import Agent
from envs.core.game import Rules

from .stats import RESAMPLES, Direction, summarise_direction
from .tournament import play_pair


def evaluate_against(
    agent: Agent | str,
    opponent: Agent | str,
    game: str,
    rules: Rules,
    deals: int,
    seed: int,
    resamples: int = RESAMPLES,
) -> Direction:
    """How ``agent`` does alone against ``opponent`` in all the other seats, on duplicate deals.

    Every deal is played once from each seat, so there are ``deals`` times the number of players games.

    Parameters
    ----------
    agent, opponent : Agent or str
        Agents, or their names or paths.
    game : str
    rules : Rules
    deals : int
        At least 2.
    seed : int
        The same seed gives the same deals.
    resamples : int
        Of the bootstrap.

    Returns
    -------
    Direction
        Points a game, win rate and share of deals with a positive total, with 95 % intervals.

    Raises
    ------
    ValueError
        If an agent is unknown, fails or answers with an illegal action, or with fewer than 2 deals.

    Examples
    --------
    >>> from envs.core.game import get
    >>> evaluate_against("random", "random", "guan_pai", get("guan_pai").rules(), 4, seed=0).games
    12
    """
    result = play_pair(game, rules, agent, opponent, deals, seed, both=False)
    return summarise_direction(result.scores[:, 0], result.wins[:, 0], resamples, seed)
