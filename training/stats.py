"""Figures of a tournament with their 95 % intervals; the unit of all statistics is the deal.

A deal is played several times with the agents in other seats (duplicate deals), so the luck of the
cards and of the seat cancels within it; two deals are independent of each other.

References
----------
B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap", Chapman & Hall, 1993: resampling in
chapter 6, the percentile interval in section 13.3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from envs.core.seeding import as_seed

CONFIDENCE = 0.95
RESAMPLES = 10_000
NORMAL_95 = 1.96  # standard errors on either side of a 95 % interval
WINNER = "winner"
SEAT_COLUMNS = (WINNER, "liable", "pig")  # names of GameInfo.stats that hold a seat, -1 for nobody
CODE_COLUMNS = ("outcome", "reason")  # that hold numbers of names: no means of them
LEAST_RESAMPLES = 39  # with fewer the ends of a 95 % interval are not among the resamples
_MOST_NUMBERS = 1 << 21  # random numbers held at a time
_STREAM = 0xB007  # keeps these random numbers apart from others made from the same seed


@dataclass(frozen=True)
class Interval:
    """A mean with the ends of its 95 % interval.

    >>> Interval(1.5, 1.0, 2.25)
    Interval(mean=1.5, low=1.0, high=2.25)
    >>> Interval(1.5, 1.0, 2.25).half_width
    0.625
    """

    mean: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half the length of the interval: the number after "+-"."""
        return (self.high - self.low) / 2


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
    """

    deals: int
    games: int
    points: Interval
    win_rate: Interval
    duplicate_share: Interval
    seat_points: tuple[Interval, ...]
    seat_win_rates: tuple[Interval, ...]


@dataclass(frozen=True)
class Pair:
    """Both directions of a pair of agents, and the paired difference a game in favour of the first."""

    alone: tuple[Direction, Direction]
    difference: Interval
    z: float | None


def resampled_sums(
    values: NDArray[np.int64], resamples: int = RESAMPLES, seed: int = 0
) -> NDArray[np.float64]:
    """Sums over resampled deals: as many deals as there are, drawn with replacement.

    All columns share the draws. Sums of whole numbers are exact (below 2**53), so the result does
    not depend on the order in which they are added.

    Parameters
    ----------
    values : (D, M) int64
        M figures of every deal.
    resamples : int
    seed : int

    Returns
    -------
    (resamples, M) float64

    References
    ----------
    Efron and Tibshirani (1993), algorithm 6.1.
    """
    deals = len(values)
    rng = np.random.default_rng([as_seed(seed), _STREAM])
    sums = np.empty((resamples, values.shape[1]))
    at_a_time = max(1, _MOST_NUMBERS // deals)
    for start in range(0, resamples, at_a_time):
        rows = min(at_a_time, resamples - start)
        drawn = rng.integers(0, deals, (rows, deals))
        drawn += deals * np.arange(rows)[:, None]
        times = np.bincount(drawn.ravel(), minlength=rows * deals).reshape(rows, deals)
        sums[start : start + rows] = times.astype(np.float64) @ values.astype(np.float64)
    return sums


def intervals(
    values: NDArray[np.int64], divisors: Sequence[int], resamples: int = RESAMPLES, seed: int = 0
) -> list[Interval]:
    """Means over the deals with their 95 % percentile intervals.

    With k = floor(0.025 (resamples + 1)) the ends are the k-th smallest and the k-th largest of the
    resampled means; negated values give exactly the negated interval, equal values one of length 0.

    Parameters
    ----------
    values : (D, M) int64
        M whole numbers of every deal.
    divisors : (M,) int
        What each is divided by: games a deal, for a mean a game.
    resamples : int
        At least 39.
    seed : int

    Returns
    -------
    list of Interval
        One a column.

    Raises
    ------
    ValueError
        With fewer than 2 deals or 39 resamples.

    References
    ----------
    Efron and Tibshirani (1993), section 13.3 (the percentile interval) and section 12.5 (k).

    Examples
    --------
    >>> intervals(np.array([[3], [3], [3]]), [3])
    [Interval(mean=1.0, low=1.0, high=1.0)]
    """
    if len(values) < 2:
        raise ValueError(f"an interval takes at least 2 deals, not {len(values)}")
    if resamples < LEAST_RESAMPLES:
        raise ValueError(f"a 95 % interval takes at least {LEAST_RESAMPLES} resamples, not {resamples}")
    k = math.floor((1 - CONFIDENCE) / 2 * (resamples + 1) + 1e-9)
    sums = np.sort(resampled_sums(values, resamples, seed), axis=0)
    totals = values.sum(axis=0)
    found = []
    for column, divisor in enumerate(divisors):
        games = len(values) * divisor
        found.append(
            Interval(
                float(totals[column] / games),
                float(sums[k - 1, column] / games),
                float(sums[resamples - k, column] / games),
            )
        )
    return found


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
    deals, seats = scores.shape
    totals, wins = scores.sum(axis=1), wins.astype(np.int64)
    columns = np.column_stack([totals, wins.sum(axis=1), halves(totals), scores, wins])
    points, win_rate, share, *by_seat = intervals(
        columns,
        [seats * denominator, seats, 2] + [denominator] * seats + [1] * seats,
        resamples,
        seed,
    )
    return Direction(
        deals, deals * seats, points, win_rate, share, tuple(by_seat[:seats]), tuple(by_seat[seats:])
    )


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
    totals = scores.sum(axis=2)
    difference = totals[:, 0] - totals[:, 1]
    first, second = (
        summarise_direction(scores[:, d], wins[:, d], resamples, seed, denominator) for d in range(2)
    )
    paired = intervals(difference[:, None], [scores.shape[2] * denominator], resamples, seed)[0]
    return Pair((first, second), paired, z_score(difference))


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
