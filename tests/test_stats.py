"""The figures of a tournament against plain Python and against what an interval promises."""

from __future__ import annotations

import math
import random
from statistics import NormalDist

import numpy as np
import pytest

from training.stats import (
    Interval,
    game_figures,
    halves,
    intervals,
    resampled_sums,
    summarise_direction,
    summarise_pair,
    z_score,
)

# Three deals of a game for three: points of the single player in seats 0, 1, 2; A alone, then B alone.
A_ALONE = [[10, -5, 4], [0, -6, 6], [-8, -8, 10]]
B_ALONE = [[-5, -5, 2], [3, 0, 0], [-8, 1, 1]]
SCORES = np.array([[a, b] for a, b in zip(A_ALONE, B_ALONE, strict=True)])


def test_means_of_a_tiny_example_by_hand():
    found = summarise_pair(SCORES, SCORES > 0, resamples=999)
    a, b = found.alone
    assert (a.deals, a.games) == (3, 9)
    assert a.points.mean == pytest.approx(3 / 9)  # totals 9, 0, -6
    assert a.win_rate.mean == pytest.approx(4 / 9)
    assert a.duplicate_share.mean == pytest.approx((1 + 0.5 + 0) / 3)
    assert b.points.mean == pytest.approx(-11 / 9)  # totals -8, 3, -6
    assert b.win_rate.mean == pytest.approx(4 / 9)
    assert b.duplicate_share.mean == pytest.approx(1 / 3)
    assert [s.mean for s in a.seat_points] == pytest.approx([2 / 3, -19 / 3, 20 / 3])
    assert [s.mean for s in a.seat_win_rates] == pytest.approx([1 / 3, 0, 1])
    assert found.difference.mean == pytest.approx((17 - 3 + 0) / 9)
    mean, squares = 14 / 3, sum((d - 14 / 3) ** 2 for d in (17, -3, 0))
    assert found.z == pytest.approx(mean / math.sqrt(squares / 2 / 3))


def test_interval_is_that_of_the_book():
    """BCa by Efron and Tibshirani's equations 14.9 to 14.15, word for word, with Student's quantile."""
    values = [17, -3, 0, 5, -9, 40, 1, 2]
    n, normal = len(values), NormalDist()
    means = sorted(resampled_sums(np.array(values)[:, None], 999, seed=4)[:, 0] / n)
    mean = sum(values) / n
    z0 = normal.inv_cdf(sum(1 if m < mean else 0.5 if m == mean else 0 for m in means) / 999)
    without = [(sum(values) - v) / (n - 1) for v in values]
    centre = sum(without) / n
    a = sum((centre - w) ** 3 for w in without) / (6 * sum((centre - w) ** 2 for w in without) ** 1.5)
    width = 2.3646 * math.sqrt(n / (n - 1))  # t of 7 degrees of freedom
    low, high = (normal.cdf(z0 + (z0 + z) / (1 - a * (z0 + z))) for z in (-width, width))
    found = intervals(np.array(values)[:, None], [1], 999, seed=4)[0]
    assert found.mean == mean
    first, last = math.floor(low * 1000), 1000 - math.floor((1 - high) * 1000)  # counted from 1
    assert found.low in means[first - 2 : first + 1]
    assert found.high in means[last - 2 : last + 1]
    assert z0 > 0.02 and a > 0.05  # neither correction is nothing


def test_no_correction_leaves_the_percentiles():
    """For many symmetrical deals k = 25 of 1,000 on either side."""
    values = np.arange(-500, 501)[:, None]
    means = np.sort(resampled_sums(values, 9999, seed=4)[:, 0]) / 1001
    found = intervals(values, [1], 9999, seed=4)[0]
    assert abs(np.searchsorted(means, found.low) - 249) < 60
    assert abs(np.searchsorted(means, found.high) - 9749) < 60


@pytest.mark.parametrize("seed", range(5))
def test_negated_values_give_the_negated_interval(seed):
    values = np.rint(np.random.default_rng(seed).exponential(20, (30 + seed, 4))).astype(np.int64)
    for one, other in zip(intervals(values, [3] * 4), intervals(-values, [3] * 4), strict=True):
        assert other == Interval(-one.mean, -one.high, -one.low)


def test_resampled_sums_are_sums_of_as_many_deals():
    values = np.array([[1, 1000], [1, 3000], [1, 0]])
    sums = resampled_sums(values, 500, seed=0)
    assert (sums[:, 0] == 3).all()
    possible = {a + b + c for a in (0, 1000, 3000) for b in (0, 1000, 3000) for c in (0, 1000, 3000)}
    assert set(sums[:, 1].tolist()) == possible


@pytest.mark.parametrize("most_numbers", [1, 70, 1 << 20])
def test_resamples_in_chunks_are_the_same(monkeypatch, most_numbers):
    values = np.arange(20).reshape(10, 2)
    whole = resampled_sums(values, 100, seed=3)
    monkeypatch.setattr("training.intervals._MOST_NUMBERS", most_numbers)
    assert (resampled_sums(values, 100, seed=3) == whole).all()


def test_other_seeds_draw_other_deals():
    values = np.arange(10)[:, None]
    assert (resampled_sums(values, 100, seed=3) != resampled_sums(values, 100, seed=4)).any()


def test_95_of_100_intervals_hold_the_mean():
    """Skewed scores as card games have them; 400 tournaments of 60 deals."""
    rng = random.Random(5)
    held = 0
    for tournament in range(400):
        values = np.array([[round(40 * rng.expovariate(1)) - 40] for _ in range(60)])
        found = intervals(values, [1], 399, seed=tournament)[0]
        held += found.low <= 0 <= found.high
    assert 0.90 < held / 400 < 0.98


def test_paired_difference_is_antisymmetric():
    rng = np.random.default_rng(0)
    scores = rng.integers(-50, 51, (40, 2, 3))
    one, other = (summarise_pair(s, s > 0) for s in (scores, scores[:, ::-1]))
    assert one.alone == other.alone[::-1]
    assert one.difference == Interval(-other.difference.mean, -other.difference.high, -other.difference.low)
    assert one.z == -other.z


def test_no_variance_gives_an_interval_of_length_0():
    scores = np.tile([[[5, -3, -2], [5, -3, -2]]], (7, 1, 1))
    found = summarise_pair(scores, scores > 0)
    assert found.difference == Interval(0, 0, 0)
    assert found.z == 0
    assert found.alone[0].points == Interval(0, 0, 0)
    assert found.alone[0].win_rate == Interval(1 / 3, 1 / 3, 1 / 3)
    assert found.alone[0].duplicate_share == Interval(0.5, 0.5, 0.5)


def test_z_without_spread_around_something_else():
    assert z_score(np.array([2, 2, 2])) is None


def test_ties_count_half():
    assert halves(np.array([7, 0, 0, -1])).tolist() == [2, 1, 1, 0]
    scores = np.array([[1, -1], [2, -2], [5, 0], [0, -9]])
    assert summarise_direction(scores, scores > 0).duplicate_share.mean == (0.5 + 0.5 + 1 + 0) / 4


@pytest.mark.parametrize(
    ("deals", "resamples", "said"), [(1, 1000, "at least 2 deals"), (5, 38, "at least 39 resamples")]
)
def test_too_little_for_an_interval(deals, resamples, said):
    with pytest.raises(ValueError, match=said):
        intervals(np.zeros((deals, 1), np.int64), [1], resamples)


def test_game_figures_leave_out_the_winner():
    columns = ("length", "winner", "bombs_0", "bombs_1")
    stats = np.array([[[30, 0, 1, 0], [40, 1, 2, 3]]])  # one deal, the single player in seat 0, then 1
    found = {figure.name: (figure.table, figure.single) for figure in game_figures(columns, stats)}
    assert found == {"length": (35, None), "bombs": (3, 2)}
