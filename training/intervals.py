"""Means over deals and their 95 % intervals.

Points are bootstrapped over the deals, with bias and skewness corrected. Shares have the score interval: a
bootstrap knows nothing of what has not happened yet, and says [100, 100] after 200 deals that were all won.

``tests/test_coverage.py`` draws 4,000 times 200 deals from recorded ones and counts how often the interval
holds the mean of the whole record: 94.1 to 95.4 % for points, with 1.5 to 3.5 % of misses on either side, 94
to 96 % for shares (near 0 and 1 all misses are on one side). The plain percentile interval: 94.2 % for Guan
Pai's points, with twice as many misses on the side of the long tail; for shares 85 % where 99 % of the deals
are won, 18 % where 99.9 % are.

References
----------
B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap", Chapman & Hall, 1993: algorithm 6.1
(resampling), sections 13.3 (the percentile interval) and 14.3 (BCa: bias-corrected and accelerated).
T. C. Hesterberg, "What Teachers Should Know About the Bootstrap", The American Statistician 69(4), 2015: the
expanded percentile interval, which makes up for the narrowness of a bootstrap's means.
E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22, 1927.
L. D. Brown, T. T. Cai, A. DasGupta, "Interval estimation for a binomial proportion", Statistical Science
16(2), 2001: why the score interval.
E. L. Korn, B. I. Graubard, "Confidence intervals for proportions with small expected number of positive
counts estimated from survey data", Survey Methodology 24(2), 1998: the effective sample size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from envs.core.seeding import as_seed

CONFIDENCE = 0.95
RESAMPLES = 10_000
LEAST_RESAMPLES = 39  # with fewer the ends of a 95 % interval are not among the resamples
_NORMAL = NormalDist()
NORMAL_95 = 1.96  # standard errors on either side of a 95 % interval
_Z = _NORMAL.inv_cdf((1 + CONFIDENCE) / 2)  # the same, not rounded
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
    """Means over the deals with their 95 % BCa bootstrap intervals.

    The ends are two of the resampled means, put in order: those that leave out 2.5 % on either side after
    three corrections. Bias: how many of the resampled means lie below the mean itself. Skewness: the
    acceleration of the deals' values. Narrowness: instead of 1.96 standard errors Student's t for D - 1
    degrees of freedom, times the root of D / (D - 1). Negated values give exactly the negated interval, equal
    values one of length 0.

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
    Efron and Tibshirani (1993), equations 14.9 to 14.15; Hesterberg (2015), section 5.3.

    Examples
    --------
    >>> intervals(np.array([[3], [3], [3]]), [3])
    [Interval(mean=1.0, low=1.0, high=1.0)]
    """
    deals = len(values)
    if deals < 2:
        raise ValueError(f"an interval takes at least 2 deals, not {deals}")
    if resamples < LEAST_RESAMPLES:
        raise ValueError(f"a 95 % interval takes at least {LEAST_RESAMPLES} resamples, not {resamples}")
    sums = np.sort(resampled_sums(values, resamples, seed), axis=0)
    totals = values.sum(axis=0)
    below, above = (sums < totals).sum(axis=0).tolist(), (sums > totals).sum(axis=0).tolist()
    skewness = _accelerations(values).tolist()
    found = []
    for column, divisor in enumerate(divisors):
        first, last = _ends(below[column], above[column], skewness[column], resamples, deals)
        games = deals * divisor
        found.append(
            Interval(
                float(totals[column] / games),
                float(sums[first - 1, column] / games),
                float(sums[last - 1, column] / games),
            )
        )
    return found


def _accelerations(values: NDArray[np.int64]) -> NDArray[np.float64]:
    """BCa's acceleration (M,) of the mean of each column: a sixth of its skewness, over the root of D.

    Efron and Tibshirani (1993), equation 14.15: for a mean the jackknife values are the values themselves.
    """
    centred = (len(values) * values - values.sum(axis=0)).astype(np.float64)
    squares = (centred**2).sum(axis=0)
    return np.asarray((centred**3).sum(axis=0) / (6 * np.where(squares > 0, squares, 1) ** 1.5))


def _ends(below: int, above: int, acceleration: float, resamples: int, deals: int) -> tuple[int, int]:
    """Which of the ordered resampled means, counted from 1, are the ends of the interval.

    ``below`` and ``above`` are how many of them are less and more than the mean.
    """
    fewer = min(below, above) + (resamples - below - above) / 2  # a mean that is met is half below
    bias = _NORMAL.inv_cdf(max(fewer, 0.5) / resamples)
    bias = bias if below <= above else -bias
    width = student_95(deals - 1) * math.sqrt(deals / (deals - 1))

    def moved(quantile: float) -> float:
        return bias + (bias + quantile) / (1 - acceleration * (bias + quantile))

    def place(quantile: float) -> int:
        return min(max(math.floor(_NORMAL.cdf(quantile) * (resamples + 1) + 1e-9), 1), resamples)

    return place(moved(-width)), resamples + 1 - place(-moved(width))


def student_95(degrees: int) -> float:
    """Student's t at 97.5 %, to 0.01 from 4 degrees of freedom on; too small with fewer.

    References
    ----------
    M. Abramowitz, I. A. Stegun, "Handbook of Mathematical Functions", 1964, 26.7.5.

    Examples
    --------
    >>> round(student_95(199), 4), round(student_95(9), 3)
    (1.972, 2.262)
    """
    z, n = _Z, degrees
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
    )


def share_intervals(values: NDArray[np.int64], most: Sequence[int]) -> list[Interval]:
    """Shares with their 95 % score intervals, which stay within 0..1.

    Wilson's interval for a share of as many independent cases as would give the variance that is seen between
    the deals (Korn and Graubard's effective sample size): several games of a deal are not independent, and
    ties count half. (Theirs, with that size, is another interval.) Where nothing or everything was won there
    is no variance, and the deals are the cases.

    Parameters
    ----------
    values : (D, M) int64
        M whole numbers of every deal, from 0 to ``most``.
    most : (M,) int

    Returns
    -------
    list of Interval
        One a column; of length 0 where all deals count for the same, but for nothing or everything.

    Raises
    ------
    ValueError
        With fewer than 2 deals.

    References
    ----------
    Wilson (1927); Korn and Graubard (1998); Brown, Cai and DasGupta (2001).

    Examples
    --------
    >>> share_intervals(np.array([[1], [1], [1]]), [2])
    [Interval(mean=0.5, low=0.5, high=0.5)]
    >>> found = share_intervals(np.full((200, 1), 2), [2])[0]
    >>> found.mean, round(found.low, 3), found.high
    (1.0, 0.981, 1.0)
    """
    deals = len(values)
    if deals < 2:
        raise ValueError(f"an interval takes at least 2 deals, not {deals}")
    totals, squares = values.sum(axis=0).tolist(), (values.astype(np.int64) ** 2).sum(axis=0).tolist()
    found = []
    for total, square, full in zip(totals, squares, most, strict=True):
        mean = total / (deals * full)
        variance = (deals * square - total**2) / (deals**2 * (deals - 1) * full**2)  # of the mean
        spread = mean * (1 - mean)
        if variance == 0 and spread > 0:
            found.append(Interval(mean, mean, mean))
            continue
        cases = deals if spread == 0 else spread / variance
        centre = (mean + _Z**2 / (2 * cases)) / (1 + _Z**2 / cases)
        half = _Z * math.sqrt(spread / cases + _Z**2 / (4 * cases**2)) / (1 + _Z**2 / cases)
        low, high = max(centre - half, 0.0), min(centre + half, 1.0)
        found.append(Interval(mean, 0.0 if mean == 0 else low, 1.0 if mean == 1 else high))
    return found
