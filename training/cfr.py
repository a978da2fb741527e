"""Counterfactual regret minimisation for Diao Xie, over 151 hand types and all betting lines.

Two players and three: CFR+ with exact sums over all deals (no sampling): regrets are never negative, seats
are updated one after another, iteration t counts t times in the average policy, which is the result. Between
two players its exploitability goes to 0. From three players on self-play promises no equilibrium; what is
reported is what a best response of one seat would gain.

Four players and five: external sampling. For each seat in turn cards are dealt and the others' actions drawn,
all actions of the seat itself are tried by playing the engine, and what is old counts less and less (linear
weights). Gains are estimated by training a response in the same way and playing it on fresh deals: a lower
bound, with its standard error.

References
----------
M. Zinkevich, M. Johanson, M. Bowling, C. Piccione, "Regret minimization in games with incomplete
information", NIPS 2007.
O. Tammelin, N. Burch, M. Johanson, M. Bowling, "Solving heads-up limit Texas hold'em", IJCAI 2015: CFR+.
M. Lanctot, K. Waugh, M. Zinkevich, M. Bowling, "Monte Carlo sampling for regret minimization in extensive
games", NIPS 2009: external sampling.
N. Brown, T. Sandholm, "Solving imperfect-information games via discounted regret minimization", AAAI 2019:
linear weights.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from envs.core.jit import njit
from envs.core.rng import mix_in, uniform
from envs.core.game import get
from envs.diao_xie.actions import NUM_ACTIONS
from envs.diao_xie.hands import HAND_TYPE, NUM_HAND_TYPES
from envs.diao_xie.rules import DiaoXieRules
from envs.diao_xie.table import LONGEST_LINE, apply, deal

from .betting_tree import GAME, MOST_EXACT, NO_CHILD, Floats, betting_of, tree_of
from .exploit import Exploitability, best_response, go_back, reaches_of

_ACTIONS = 1  # what a key is for
DEALS_AN_ITERATION = 10_000  # of external sampling, for each seat
DEALS_OF_A_RESPONSE = 400_000  # to train a response with, for each seat
DEALS_OF_AN_ESTIMATE = 200_000  # to measure it on


class CFRPlus:
    """CFR+ for two or three players.

    Parameters
    ----------
    rules : DiaoXieRules
        One hand.
    """

    is_exact = True

    def __init__(self, rules: DiaoXieRules) -> None:
        self.betting = betting_of(rules)
        self.tree = self.betting.tree
        self.iterations = 0
        legal = np.repeat(self.tree.legal[:, None], self.betting.num_hands, axis=1)
        self._uniform = legal / legal.sum(axis=2, keepdims=True)
        self._strategy = self._uniform.copy()  # (D, H, A)
        self._regrets, self._total = np.zeros(legal.shape), np.zeros(legal.shape)

    def iterate(self) -> None:
        """Update every seat once."""
        self.iterations += 1
        n = self.betting.rules.num_players
        for seat in range(n):
            at_points, at_ends = reaches_of(self.tree, self._strategy, n)
            ends = self.betting.end_values(seat, at_ends)
            go_back(self.tree, seat, ends, partial(self._update, at_points[seat]))

    def _update(self, own_reaches: Floats, point: int, values: Floats) -> Floats:
        """Add up regrets and the average at a ``point``; ``values`` (H, legal) of its actions."""
        actions = list(self.tree.children[point])
        strategy = self._strategy[point][:, actions]
        self._total[point][:, actions] += self.iterations * own_reaches[point][:, None] * strategy
        expected: Floats = (strategy * values).sum(axis=1)
        regrets = np.maximum(self._regrets[point][:, actions] + values - expected[:, None], 0)
        self._regrets[point][:, actions] = regrets
        sums = regrets.sum(axis=1, keepdims=True)
        matched = np.divide(regrets, sums, out=np.full_like(regrets, 1 / len(actions)), where=sums > 0)
        self._strategy[point][:, actions] = matched
        return expected

    def policy(self) -> Floats:
        """The average policy, (D, 151, A)."""
        return _normalised(self._total, self._uniform)

    def measure(self) -> Exploitability:
        """Exact values and best responses of the average policy."""
        return best_response(self.betting, self.policy())


def _normalised(total: NDArray[np.floating], otherwise: NDArray[np.floating]) -> Floats:
    sums = total.sum(axis=2, keepdims=True, dtype=np.float64)
    return np.divide(total, sums, out=otherwise.astype(np.float64), where=sums > 0)


class SampledCFR:
    """CFR by external sampling, for any number of players.

    Parameters
    ----------
    rules : DiaoXieRules
        One hand.
    seed : int
        Of the deals and the drawn actions.
    """

    is_exact = False

    def __init__(self, rules: DiaoXieRules, seed: int) -> None:
        self.rules, self.tree = rules, tree_of(rules)
        self.iterations, self._seed = 0, seed
        shape = (len(self.tree.lines), NUM_HAND_TYPES, NUM_ACTIONS)
        self._regrets, self._total = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        self._tables, self._keys = _stack(rules, seed)

    def iterate(self) -> None:
        """Update every seat on some thousand deals, then weigh down what is old."""
        self.iterations += 1
        sample(self._tables, self.tree.child_table, self._regrets, self._total, self._keys, DEALS_AN_ITERATION)
        older = np.float32(self.iterations / (self.iterations + 1))
        self._regrets *= older
        self._total *= older

    def policy(self) -> Floats:
        """The average policy, (D, 151, A)."""
        legal = np.broadcast_to(self.tree.legal[:, None], self._total.shape)
        return _normalised(self._total, legal / legal.sum(axis=2, keepdims=True))

    def measure(self) -> Exploitability:
        """Values of the average policy and trained responses to it, on the same deals."""
        return estimate(self.rules, self.policy(), self._seed)


def _stack(rules: DiaoXieRules, seed: int):
    """Tables for trying out actions, one a level, and the key (1,) of what is drawn."""
    game, levels = get(GAME), LONGEST_LINE + 1
    tables = game.new_tables(levels, rules)
    game.loops.seed(tables, np.full(levels, seed, np.uint64))
    return tables, mix_in(np.full(1, seed, np.uint64), _ACTIONS)


@njit
def sample(tables, children, regrets, total, keys, deals):
    """``deals`` rounds of external sampling for every seat."""
    no_deck = np.full(1, -1, np.int16)
    for _ in range(deals):
        for seat in range(tables[0].num_players):
            deal(tables[0], no_deck, -1)
            explore(tables, 0, 0, seat, children, regrets, total, 1.0, keys)


@njit
def explore(tables, level, point, seat, children, regrets, total, reach, keys):
    """The value for ``seat`` of the table at ``level``: all its own actions, drawn ones of the others.

    ``reach`` is the probability that the seat's own policy comes here.
    """
    t = tables[level]
    strategy = np.zeros(children.shape[1])
    while not t.over:
        acting = t.turn
        hand = HAND_TYPE[t.cards[acting, 0], t.cards[acting, 1]]
        match_regrets(regrets[point, hand], children[point], strategy)
        if acting == seat:
            break
        action = draw(strategy, keys)
        apply(t, action)
        point = children[point, action]
    if t.over:
        return t.score[seat] / (t.num_players * 1.0)
    values = np.zeros(len(strategy))
    expected = 0.0
    for action in range(len(strategy)):
        if children[point, action] != NO_CHILD:
            tables[level + 1] = t
            apply(tables[level + 1], action)
            values[action] = explore(
                tables, level + 1, children[point, action], seat, children, regrets, total,
                reach * strategy[action], keys,
            )  # fmt: skip
            expected += strategy[action] * values[action]
    for action in range(len(strategy)):
        if children[point, action] != NO_CHILD:
            regrets[point, hand, action] += values[action] - expected
            total[point, hand, action] += reach * strategy[action]
    return expected


@njit
def match_regrets(regrets, children, strategy):
    """Regret matching: in proportion to positive regrets, uniform where there are none."""
    positive, legal = 0.0, 0
    for action in range(len(strategy)):
        if children[action] != NO_CHILD:
            positive += max(regrets[action], 0.0)
            legal += 1
    for action in range(len(strategy)):
        if children[action] == NO_CHILD:
            strategy[action] = 0
        elif positive > 0:
            strategy[action] = max(regrets[action], 0.0) / positive
        else:
            strategy[action] = 1 / legal


@njit
def draw(strategy, keys):
    """An action drawn from ``strategy`` (A,); moves the key on."""
    threshold = uniform(keys[0])
    keys[0] += np.uint64(1)
    chosen = -1
    for action in range(len(strategy)):
        if strategy[action] > 0:
            chosen = action
            threshold -= strategy[action]
            if threshold < 0:
                break
    return chosen


# --- estimated responses ------------------------------------------------------------------------


def estimate(rules: DiaoXieRules, policy: Floats, seed: int) -> Exploitability:
    """Train a response to ``policy`` (D, 151, A) for each seat, then play it on other deals.

    Returns
    -------
    Exploitability
        ``best_responses`` are values of the trained responses, so gains are lower bounds up to chance;
        ``error`` is the standard error of their mean.
    """
    n, children = rules.num_players, tree_of(rules).child_table
    policy = policy.astype(np.float32)
    gained = np.zeros(policy.shape, np.float32)
    tables, keys = _stack(rules, seed + 1)
    own, best, variance = np.zeros(n), np.zeros(n), 0.0
    for seat in range(n):
        sums = np.zeros(3)
        respond_often(tables, seat, children, policy, gained, True, keys, DEALS_OF_A_RESPONSE, sums)
        sums[:] = 0
        respond_often(tables, seat, children, policy, gained, False, keys, DEALS_OF_AN_ESTIMATE, sums)
        best[seat], own[seat], squares = sums / DEALS_OF_AN_ESTIMATE
        variance += (squares - (best[seat] - own[seat]) ** 2) / DEALS_OF_AN_ESTIMATE
    unit = rules.base
    return Exploitability(own / unit, best / unit, float(np.sqrt(variance)) / n / unit)


@njit
def respond_often(tables, seat, children, policy, gained, is_learning, keys, deals, sums):
    """Add up over ``deals`` the values of the response and of the policy, and the squares of what it gains."""
    no_deck = np.full(1, -1, np.int16)
    for _ in range(deals):
        deal(tables[0], no_deck, -1)
        response, own = respond(tables, 0, 0, seat, children, policy, gained, is_learning, keys)
        sums[0] += response
        sums[1] += own
        sums[2] += (response - own) ** 2


@njit
def respond(tables, level, point, seat, children, policy, gained, is_learning, keys):
    """Values for ``seat`` of its response, the action with the best ``gained`` sum, and of its policy.

    While learning ``gained`` (D, 151, A) adds up what each action was worth; the others' actions are drawn.
    """
    t = tables[level]
    while not t.over and t.turn != seat:
        hand = HAND_TYPE[t.cards[t.turn, 0], t.cards[t.turn, 1]]
        action = draw(policy[point, hand], keys)
        apply(t, action)
        point = children[point, action]
    if t.over:
        score = t.score[seat] / (t.num_players * 1.0)
        return score, score
    hand = HAND_TYPE[t.cards[seat, 0], t.cards[seat, 1]]
    response, own, best = 0.0, 0.0, -np.inf
    for action in range(children.shape[1]):
        if children[point, action] == NO_CHILD:
            continue
        tables[level + 1] = t
        apply(tables[level + 1], action)
        one, other = respond(
            tables, level + 1, children[point, action], seat, children, policy, gained, is_learning, keys
        )
        own += policy[point, hand, action] * other
        if gained[point, hand, action] > best:
            best, response = gained[point, hand, action], one
        if is_learning:
            gained[point, hand, action] += one
    return response, own
