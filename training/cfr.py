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

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs.core.game import Rules
from envs.diao_xie.hands import NUM_HAND_TYPES
from envs.diao_xie.rules import DiaoXieRules

from .betting_tree import GAME, MOST_EXACT, Floats, Tree, betting_of, tree_of
from .exploitability import Exploitability, best_response, go_back, reaches_of
from .external_sampling import REGRETS, estimate, explore_deals, new_levels

DEALS_AN_ITERATION = 10_000  # of external sampling, for each seat


class CFRPlus:
    """CFR+ for two or three players.

    Parameters
    ----------
    rules : DiaoXieRules
        One hand.
    """

    measured_every = 3  # times as many iterations as at the last measurement

    def __init__(self, rules: DiaoXieRules) -> None:
        self.rules, self.betting = rules, betting_of(rules)
        self.tree = self.betting.tree
        self.iterations = 0
        self._strategy = _uniform(self.tree)  # (D, H, A)
        self._regrets, self._total = np.zeros_like(self._strategy), np.zeros_like(self._strategy)

    def iterate(self) -> None:
        """Update every seat once."""
        self.iterations += 1
        n = self.rules.num_players
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

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that later iterations depend on."""
        return {
            "iterations": np.array(self.iterations),
            "strategy": self._strategy,
            "regrets": self._regrets,
            "total": self._total,
        }

    def load_state(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from the ``state`` of a learner of the same rules."""
        self.iterations = int(arrays["iterations"])
        for own, kept in ((self._strategy, "strategy"), (self._regrets, "regrets"), (self._total, "total")):
            own[:] = arrays[kept]

    def policy(self) -> Floats:
        """The average policy, (D, 151, A)."""
        return _average(self._total, self.tree)

    def measure(self) -> Exploitability:
        """Exact values and best responses of the average policy."""
        return best_response(self.betting, self.policy())


def _uniform(tree: Tree) -> Floats:
    """The policy (D, 151, A) that plays all legal actions alike."""
    legal = np.repeat(tree.legal[:, None], NUM_HAND_TYPES, axis=1)
    policy: Floats = legal / legal.sum(axis=2, keepdims=True)
    return policy


def _average(total: NDArray[Any], tree: Tree) -> Floats:
    """The policy in proportion to ``total`` (D, 151, A), uniform where that is 0."""
    sums = total.sum(axis=2, keepdims=True, dtype=np.float64)
    return np.divide(total, sums, out=_uniform(tree), where=sums > 0)


class SampledCFR:
    """CFR by external sampling, for any number of players.

    Parameters
    ----------
    rules : DiaoXieRules
        One hand.
    seed : int
        Of the deals and the drawn actions.
    """

    measured_every = 10  # measuring takes longer

    def __init__(self, rules: DiaoXieRules, seed: int) -> None:
        self.rules, self.tree = rules, tree_of(rules)
        self.iterations, self._seed = 0, seed
        self._strategy = _uniform(self.tree).astype(np.float32)  # (D, H, A)
        self._regrets, self._total = np.zeros_like(self._strategy), np.zeros_like(self._strategy)
        self._tables, self._keys = new_levels(rules, seed)

    def iterate(self) -> None:
        """Update every seat on some thousand deals, then weigh down what is old."""
        self.iterations += 1
        arrays = self._strategy, self._regrets, self._total
        for seat in range(self.rules.num_players):
            explore_deals(
                self._tables, self.tree.child_table, seat, *arrays, REGRETS, self._keys, DEALS_AN_ITERATION
            )
        older = np.float32(self.iterations / (self.iterations + 1))
        self._regrets *= older
        self._total *= older

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that later iterations depend on."""
        arrays = {"strategy": self._strategy, "regrets": self._regrets, "total": self._total}
        return {
            **arrays,
            "iterations": np.array(self.iterations),
            "tables": self._tables,
            "keys": self._keys,
        }

    def load_state(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from the ``state`` of a learner of the same rules."""
        self.iterations = int(arrays["iterations"])
        for own, kept in ((self._strategy, "strategy"), (self._regrets, "regrets"), (self._total, "total"),
                          (self._tables, "tables"), (self._keys, "keys")):  # fmt: skip
            own[:] = arrays[kept]

    def policy(self) -> Floats:
        """The average policy, (D, 151, A)."""
        return _average(self._total, self.tree)

    def measure(self) -> Exploitability:
        """Values of the average policy and trained responses to it, estimated."""
        return estimate(self.rules, self.policy(), self._seed)


def learner_of(rules: Rules, seed: int) -> CFRPlus | SampledCFR:
    """CFR+ where sums over all deals are feasible, else external sampling.

    Raises
    ------
    ValueError
        If these are not the rules of a single hand of Diao Xie.
    """
    if not isinstance(rules, DiaoXieRules):
        raise ValueError(
            f"CFR is for {GAME}, where all hands can be gone through: "
            f"python -m training.selfplay {GAME} --algo cfr"
        )
    return CFRPlus(rules) if rules.num_players <= MOST_EXACT else SampledCFR(rules, seed)
