"""Figures of a tournament; the unit of all statistics is the deal.

A deal is played several times with the agents in other seats (duplicate deals), so the luck of the
cards and of the seat cancels within it; two deals are independent of each other. See ``intervals.py`` for the
intervals.

References
----------
B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap", Chapman & Hall, 1993.
L. Kish, "Survey Sampling", Wiley, 1965: the design effect, in section 8.2.
W. G. Cochran, "Sampling Techniques", 3rd edition, Wiley, 1977: samples of clusters, in chapter 9.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .intervals import (
    LEAST_RESAMPLES,
    NORMAL_95,
    RESAMPLES,
    Interval,
    intervals,
    resampled_sums,
    share_intervals,
)

__all__ = [
    "LEAST_RESAMPLES",
    "NORMAL_95",
    "RESAMPLES",
    "Direction",
    "Figure",
    "Interval",
    "Pair",
    "game_figures",
    "halves",
    "intervals",
    "resampled_sums",
    "share_intervals",
    "summarise_direction",
    "summarise_pair",
    "worth_of_a_deal",
    "z_score",
]

WINNER = "winner"
SEAT_COLUMNS = (WINNER, "liable", "pig")  # names of GameInfo.stats that hold a seat, -1 for nobody
CODE_COLUMNS = ("outcome", "reason")  # that hold numbers of names: no means of them


@dataclass(frozen=True)
class Direction:
    """How one player alone did against the others; shares are of 1.

    Attributes
    ----------
    deals, games : int
    points : Interval
        Points a game.
    win_rate : Interval
        Share of the games won; chance is 1 / number of seats.
    duplicate_share : Interval
        Share of the deals with a positive total over all seats, ties half.
    seat_points, seat_win_rates : tuple of Interval
        The same by the seat of the single player.
    worth : float or None
        How many independent games tell as much about its points as one deal (``worth_of_a_deal``).
    """

    deals: int
    games: int
    points: Interval
    win_rate: Interval
    duplicate_share: Interval
    seat_points: tuple[Interval, ...]
    seat_win_rates: tuple[Interval, ...]
    worth: float | None = None  # as in curves saved without it


@dataclass(frozen=True)
class Pair:
    """Both directions of a pair of agents, and the paired difference a game in favour of the first.

    ``worth`` is how many independent games, half of each direction, tell as much about it as one deal.
    """

    alone: tuple[Direction, Direction]
    difference: Interval
    z: float | None
    worth: float | None


def halves(totals: NDArray[np.int64]) -> NDArray[np.int64]:
    """What deals count for in the share with a positive total, in halves: 2, for a tie 1, or 0.

    >>> halves(np.array([5, 0, -3])).tolist()
    [2, 1, 0]
    """
    return (np.sign(totals) + 1).astype(np.int64)


def z_score(values: NDArray[np.int64]) -> float | None:
    """The mean over the deals in units of its standard error, the sample deviation over the root of D.

    Without any spread it is 0 where all values are 0, else None.

    References
    ----------
    Efron and Tibshirani (1993), section 2.1: the standard error of a mean.

    Examples
    --------
    >>> z_score(np.array([1, 3])), z_score(np.array([0, 0])), z_score(np.array([1, 1]))
    (2.0, 0.0, None)
    """
    mean, deviation = float(values.mean()), float(values.std(ddof=1))
    if deviation == 0:
        return 0.0 if mean == 0 else None
    return mean / (deviation / math.sqrt(len(values)))


def worth_of_a_deal(scores: NDArray[np.int64]) -> float | None:
    """How many independent games tell as much as one deal played with every seating.

    It is the variance of one game (a deal of its own, the single player in a seat drawn at random) over the
    variance of the mean over a deal's games. For the paired difference two means are needed, so it is 2 (the
    variances of a game of either direction, added) over the variance of a deal's difference. The number of
    games of a deal over this number is Kish's design effect.

    Parameters
    ----------
    scores : (D, n) or (D, 2, n) int64
        Of one direction; or of both, for their difference.

    Returns
    -------
    float or None
        None without any spread between the deals: then no number of games is enough.

    References
    ----------
    Kish (1965), section 8.2; Cochran (1977), section 9.4: samples of whole clusters, here the games of deals.

    Examples
    --------
    >>> worth_of_a_deal(np.array([[5, -5], [3, -1], [-4, 4]]))  # good cards are good for either seat
    46.0
    """
    directions = scores[:, None] if scores.ndim == 2 else scores
    of_deals = directions.mean(axis=2)
    deals = len(of_deals)
    of_games = 0.0
    for own, means in zip(directions.swapaxes(0, 1), of_deals.T, strict=True):
        # The first term is too small by the variance of the mean that it is taken from.
        of_games += float(own.var()) + float(means.var(ddof=1)) / deals
    compared = of_deals[:, 0] - of_deals[:, 1] if scores.ndim == 3 else of_deals[:, 0]
    between = float(compared.var(ddof=1))
    return None if between == 0 else directions.shape[1] * of_games / between


def summarise_direction(
    scores: NDArray[np.int64],
    wins: NDArray[np.bool_],
    resamples: int = RESAMPLES,
    seed: int = 0,
    denominator: int = 1,
) -> Direction:
    """How the single player did.

    Parameters
    ----------
    scores : (D, n) int64
        Points of the single player times ``denominator``, deal by deal and by its seat.
    wins : (D, n) bool
        Whether it won.
    resamples, seed : int
        Of the bootstrap.

    Examples
    --------
    >>> scores = np.array([[9, -3, 0], [-4, 2, 2]])
    >>> found = summarise_direction(scores, scores > 0)
    >>> found.points.mean, found.win_rate.mean, found.duplicate_share.mean
    (1.0, 0.5, 0.75)
    """
    columns, divisors = _points_columns(scores, denominator)
    return _direction(scores, wins, intervals(columns, divisors, resamples, seed))


def summarise_pair(
    scores: NDArray[np.int64],
    wins: NDArray[np.bool_],
    resamples: int = RESAMPLES,
    seed: int = 0,
    denominator: int = 1,
) -> Pair:
    """Both directions, and the paired difference.

    The paired difference of a deal is (A-alone total - B-alone total) / n: what A alone wins a game
    beyond what B alone wins with the same cards in the same seats.

    Parameters
    ----------
    scores : (D, 2, n) int64
        Points of the single player times ``denominator``: A alone, then B alone, by its seat.
    wins : (D, 2, n) bool
    resamples, seed : int
        Of the bootstrap.
    """
    seats, totals = scores.shape[2], scores.sum(axis=2)
    difference = totals[:, 0] - totals[:, 1]
    (first, divisors), (second, _) = (_points_columns(scores[:, d], denominator) for d in range(2))
    columns = np.column_stack([first, second, difference])
    found = intervals(columns, [*divisors, *divisors, seats * denominator], resamples, seed)
    parts = found[: 1 + seats], found[1 + seats : -1]
    one, other = (_direction(scores[:, d], wins[:, d], parts[d]) for d in range(2))
    return Pair((one, other), found[-1], z_score(difference), worth_of_a_deal(scores))


def _points_columns(scores: NDArray[np.int64], denominator: int) -> tuple[NDArray[np.int64], list[int]]:
    """What is bootstrapped of a direction, (D, 1 + n) with the divisors: the total, and points by seat."""
    seats = scores.shape[1]
    return np.column_stack([scores.sum(axis=1), scores]), [seats * denominator] + [denominator] * seats


def _direction(scores: NDArray[np.int64], wins: NDArray[np.bool_], points: Sequence[Interval]) -> Direction:
    """A direction's figures, given the intervals of ``_points_columns``."""
    deals, seats = scores.shape
    won = wins.astype(np.int64)
    shares = np.column_stack([won.sum(axis=1), halves(scores.sum(axis=1)), won])
    win_rate, duplicate_share, *by_seat = share_intervals(shares, [seats, 2] + [1] * seats)
    return Direction(
        deals,
        deals * seats,
        points[0],
        win_rate,
        duplicate_share,
        tuple(points[1:]),
        tuple(by_seat),
        worth_of_a_deal(scores),
    )


@dataclass(frozen=True)
class Figure:
    """A game-specific figure: its mean a game at the whole table and for the single player.

    ``is_share`` says that both are shares of the games.
    """

    name: str
    table: float
    single: float | None
    is_share: bool


def game_figures(columns: Sequence[str], stats: NDArray[np.int64]) -> list[Figure]:
    """Means of a game's own statistics.

    Parameters
    ----------
    columns : sequence of str
        ``GameInfo.stats``. Columns ``x_0`` to ``x_{n-1}`` are one figure by seat; those of
        SEAT_COLUMNS hold a seat or -1 and give a share of the games; those of CODE_COLUMNS are left out.
    stats : (D, n, K) int64
        Of one direction, by the seat of the single player.

    Examples
    --------
    >>> stats = np.array([[[40, 1, 0, 2], [50, -1, 0, 1]]])
    >>> for figure in game_figures(["length", "liable", "bombs_0", "bombs_1"], stats):
    ...     print(figure)
    Figure(name='length', table=45.0, single=None, is_share=False)
    Figure(name='liable', table=0.5, single=0.0, is_share=True)
    Figure(name='bombs', table=1.5, single=0.5, is_share=False)
    """
    seats = range(stats.shape[1])
    single = np.arange(stats.shape[1])
    by_seat = {f"{name[:-2]}_{seat}" for name in columns if name.endswith("_0") for seat in seats}
    found = []
    for k, name in enumerate(columns):
        values = stats[..., k]
        if name in SEAT_COLUMNS:
            if name != WINNER:  # its share is the win rate
                found.append(Figure(name, _mean(values >= 0), _mean(values == single), True))
        elif name in CODE_COLUMNS:
            continue
        elif name not in by_seat:
            found.append(Figure(name, _mean(values), None, False))
        elif name.endswith("_0"):
            values = np.stack([stats[..., columns.index(f"{name[:-2]}_{seat}")] for seat in seats], axis=2)
            own = values[:, single, single]
            found.append(Figure(name[:-2], _mean(values.sum(axis=2)), _mean(own), False))
    return found


def _mean(values: NDArray[np.int64] | NDArray[np.bool_]) -> float:
    return float(values.sum() / values.size)
