"""External sampling for Diao Xie, by playing the engine: the kernels of ``cfr.SampledCFR``, and ``estimate``.

For one seat cards are dealt and the others' actions drawn; all actions of the seat itself are tried.

References
----------
M. Lanctot, K. Waugh, M. Zinkevich, M. Bowling, "Monte Carlo sampling for regret minimization in extensive
games", NIPS 2009.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs.core.batch import NO_DEALER
from envs.core.game import get
from envs.core.jit import njit
from envs.core.rng import mix_in, uniform
from envs.core.seeding import as_seed
from envs.diao_xie.hands import HAND_TYPE
from envs.diao_xie.rules import DiaoXieRules
from envs.diao_xie.table import LONGEST_LINE, apply, deal

from .betting_tree import GAME, NO_CHILD, Floats, tree_of
from .exploitability import Exploitability

DEALS_OF_A_RESPONSE = 400_000  # to train a response with, for each seat
DEALS_OF_AN_ESTIMATE = 200_000  # to measure it on
REGRETS, RESPONSE, NOTHING = range(3)  # what is learned from a deal
NO_ACTION = -1
_ACTIONS = 1  # what a key is for


def new_levels(rules: DiaoXieRules, seed: int) -> tuple[NDArray[Any], NDArray[np.uint64]]:
    """Tables for trying out actions, one a level, and the key (1,) of what is drawn."""
    game, levels = get(GAME), LONGEST_LINE + 1
    tables = game.new_tables(levels, rules)
    game.loops.seed(tables, np.full(levels, as_seed(seed), np.uint64))
    return tables, mix_in(np.full(1, as_seed(seed), np.uint64), _ACTIONS)


def estimate(rules: DiaoXieRules, policy: Floats, seed: int) -> Exploitability:
    """Train a response to ``policy`` (D, 151, A) for each seat, then play it on other deals.

    Returns
    -------
    Exploitability
        ``best_responses`` are values of the trained responses, so gains are lower bounds up to chance;
        ``error`` is the standard error of their mean.
    """
    n, children = rules.num_players, tree_of(rules).child_table
    fixed = policy.astype(np.float32)
    gained, unused = np.zeros_like(fixed), np.zeros((0, 0, 0), np.float32)
    tables, keys = new_levels(rules, seed + 1)
    own, best, variance = np.zeros(n), np.zeros(n), 0.0
    for seat in range(n):
        arrays = fixed, gained, unused
        explore_deals(tables, children, seat, *arrays, RESPONSE, keys, DEALS_OF_A_RESPONSE)
        sums = explore_deals(tables, children, seat, *arrays, NOTHING, keys, DEALS_OF_AN_ESTIMATE)
        best[seat], own[seat], squares = sums / DEALS_OF_AN_ESTIMATE
        variance += (squares - (best[seat] - own[seat]) ** 2) / DEALS_OF_AN_ESTIMATE
    return Exploitability(own / rules.base, best / rules.base, float(np.sqrt(variance)) / n / rules.base)


@njit
def explore_deals(tables, children, seat, policy, sums, total, learned, keys, deals):
    """Explore ``deals`` new deals for ``seat``.

    Returns (3,): the sums of its values by its response and by the policy, and of their squared differences.
    """
    no_deck, results = np.full(1, -1, np.int16), np.zeros(3)
    for _ in range(deals):
        deal(tables[0], no_deck, NO_DEALER)
        response, value = explore(tables, children, seat, policy, sums, total, learned, keys)
        results[0] += response
        results[1] += value
        results[2] += (response - value) ** 2
    return results


@njit
def explore(tables, children, seat, policy, sums, total, learned, keys):
    """Try all actions at the points of ``seat`` with one deal; those of the others are drawn.

    ``sums`` (D, H, A) are regrets, or what each action was worth against a fixed policy: the response
    takes the best one. Returns what the response and what the policy is worth. A level is one more action
    of the seat. (Not recursive: Numba's cache breaks functions that call themselves.)
    """
    levels, actions = len(tables), children.shape[1]
    points, taken, reaches = np.zeros(levels, np.int64), np.zeros(levels, np.int64), np.ones(levels)
    own, best = np.zeros((levels, actions)), np.zeros((levels, actions))  # values of actions
    first, second = tables[0].cards[seat, 0], tables[0].cards[seat, 1]
    hand = HAND_TYPE[first, second]
    level = 0
    while True:
        points[level] = play_others(tables[level], points[level], seat, children, policy, keys)
        action = NO_ACTION
        value = 0.0
        if tables[level].over:
            value = tables[level].score[seat] / (tables[level].num_players * 1.0)
        else:
            action = next_action(children[points[level]], NO_ACTION)
        response = value
        while action == NO_ACTION:  # the level is done: it was an action of the one above
            if level == 0:
                return response, value
            level -= 1
            point = points[level]
            own[level, taken[level]], best[level, taken[level]] = value, response
            action = next_action(children[point], taken[level])
            if action == NO_ACTION:
                value, response = weigh(
                    children[point], policy[point, hand], sums[point, hand], own[level], best[level]
                )
                if learned == REGRETS:
                    total[point, hand] += reaches[level] * policy[point, hand]
                    add_regrets(sums[point, hand], children[point], own[level], value, policy[point, hand])
                elif learned == RESPONSE:
                    sums[point, hand] += best[level]
        point = points[level]
        taken[level] = action
        tables[level + 1] = tables[level]
        apply(tables[level + 1], action)
        points[level + 1] = children[point, action]
        reaches[level + 1] = reaches[level] * policy[point, hand, action]
        level += 1


@njit
def play_others(t, point, seat, children, policy, keys):
    """Draw the others' actions up to a turn of ``seat`` or the end; returns the point."""
    while not t.over and t.turn != seat:
        hand = HAND_TYPE[t.cards[t.turn, 0], t.cards[t.turn, 1]]
        action = draw(policy[point, hand], keys)
        apply(t, action)
        point = children[point, action]
    return point


@njit
def next_action(children, action):
    """The first legal action after ``action``, or NO_ACTION."""
    for following in range(action + 1, len(children)):
        if children[following] != NO_CHILD:
            return following
    return NO_ACTION


@njit
def weigh(children, policy, sums, own, best):
    """What the policy and what the response is worth, from the values of the actions (A,)."""
    value, response, highest = 0.0, 0.0, -np.inf
    for action in range(len(children)):
        if children[action] != NO_CHILD:
            value += policy[action] * own[action]
            if sums[action] > highest:
                highest, response = sums[action], best[action]
    return value, response


@njit
def add_regrets(regrets, children, values, value, policy):
    """Add up regrets and let ``policy`` be in proportion to the positive ones: regret matching."""
    positive, legal = 0.0, 0
    for action in range(len(children)):
        if children[action] != NO_CHILD:
            regrets[action] += values[action] - value
            positive += max(regrets[action], 0.0)
            legal += 1
    for action in range(len(children)):
        if children[action] != NO_CHILD:
            policy[action] = max(regrets[action], 0.0) / positive if positive > 0 else 1 / legal


@njit
def draw(policy, keys):
    """An action drawn from ``policy`` (A,); moves the key on."""
    threshold = uniform(keys[0])
    keys[0] += np.uint64(1)
    chosen = NO_ACTION
    for action in range(len(policy)):
        if policy[action] > 0:
            chosen = action
            threshold -= policy[action]
            if threshold < 0:
                break
    return chosen
