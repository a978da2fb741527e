"""``search``: tries every action in random worlds and plays them out: determinised Monte Carlo.

A **world** is the table with the cards that the seat does not see dealt at random, as far as they can be so
(``agents/worlds``). The actions are tried in the same worlds; after each a player plays all seats to the end,
the rest of a play in several steps included, and the seat's final points count (``playouts.py``): the rule
player, or for ``search-net`` a network, which then also says which actions are worth trying.

By successive halving: rounds of fresh worlds, after each of which the worse half of the actions is dropped.
What the player itself would do stays to the end, and the best of the others is taken only where it has
gained a standard error on it (``CONFIDENCE``), world by world: luck that is left in the means misleads.
Every round gets the same number of playouts, so in later ones each action gets more. A playout costs far more
than all else: ``playouts`` an action are what a decision takes, whatever is chosen.

Where every card is known (few unseen ones, all alike) the rest of the game is solved (``endgame.py``).

What it cannot do: it plays on as if all could see all cards (it neither hides nor finds out anything), it
takes others for players of its own kind, and but for Guan Pai (``worlds/weighing.py``) and Diao Xie it does
not weigh worlds by what others did; in Guan Pai ``search_v0`` does not either.

References
----------
Z. Karnin, T. Koren, O. Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013.
J. Long, N. Sturtevant, M. Buro, T. Furtak, "Understanding the success of perfect information Monte Carlo
sampling in game tree search", AAAI 2010.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from envs.core.game import ACTION, GameInfo

from .base import Agent, Decisions, draw
from .endgame import Solver
from .playouts import Playouts, PolicyPlayouts, RulePlayouts
from .rule import RuleAgent
from .worlds import DealtWorlds, filler
from .worlds.weighing import likely_worlds

if TYPE_CHECKING:
    from .network import NetworkAgent  # torch is slow to import

CONFIDENCE = (
    1.0  # standard errors; of many actions one passes by luck often, yet more lose more than they save
)
MOST_WORLDS = 64  # at once, where time is the budget
MILLISECOND = 1e-3
OWN, NEVER = 2.0, -np.inf  # preferences: for the own choice, above all chances; for what is not tried

Preferences = Callable[[Decisions], NDArray[np.float32]]
"""How much actions (N, A) are preferred before any search; ``NEVER`` if they are not to be tried."""


@dataclass(frozen=True)
class Budget:
    """What a decision may take.

    Attributes
    ----------
    playouts : int
        Games played out an action that is tried, on average; every round has one world at least.
    milliseconds : float or None
        Time for a decision, in place of ``playouts``; every round has one world at least.

    Raises
    ------
    ValueError
        If one of them is not positive.
    """

    playouts: int
    milliseconds: float | None = None

    def __post_init__(self) -> None:
        if self.playouts < 1 or (self.milliseconds is not None and self.milliseconds <= 0):
            raise ValueError(f"search takes at least 1 playout an action or some milliseconds, not {self}")

    def __str__(self) -> str:
        return f"{self.playouts}" if self.milliseconds is None else f"{self.milliseconds:g}ms"


RULE_BUDGET = Budget(128)  # in Guan Pai more bring nothing that can be measured
NETWORK_BUDGET = Budget(32)
MOST_TRIED, LEAST_TRIED = 8, 0.01  # actions of a network: the best so many, with at least this probability


class Weighed(NamedTuple):
    """What search found out about a decision.

    Attributes
    ----------
    action : int
        What it plays.
    tried : (C,) int64
        The actions that it tried, what the player itself would do first.
    points : (C,) float64
        Points of the seat to act at the end of the game after each of them, on average. The player's own
        choice has its mean of all worlds; the others have that mean and what they gained on it in the worlds
        in which they were tried, so that nobody is better for having met better worlds.
    worlds : (C,) int64
        In how many worlds each was tried; 0 where every card is known and the points are exact, or where
        there was nothing to choose.
    """

    action: int
    tried: NDArray[np.int64]
    points: NDArray[np.float64]
    worlds: NDArray[np.int64]


class SearchAgent(Agent):
    """Determinised Monte Carlo.

    Parameters
    ----------
    game : str
    name : str
    prefer : callable
        What the player would do without search: the first action that it prefers most.
    play_out : Playouts
    budget : Budget

    Attributes
    ----------
    is_reproducible : bool
        Whether an answer depends on its decision and key alone: not with a budget of time. Only agents that
        may not be so have this attribute.
    """

    needs_tables = True

    def __init__(self, game: str, name: str, prefer: Preferences, play_out: Playouts, budget: Budget) -> None:
        self.name, self._prefer, self._play_out, self._budget = name, prefer, play_out, budget
        self._fill_all, self._solver = filler(game), Solver(game)
        self.is_reproducible = budget.milliseconds is None

    def act(self, decisions: Decisions) -> NDArray[np.int64]:
        return np.array([weighed.action for weighed in self.weigh(decisions)], np.int64)

    def weigh(self, decisions: Decisions) -> list[Weighed]:
        """What it plays at each of N decisions, and the points of all that it tried.

        Raises
        ------
        ValueError
            If the decisions come without tables.
        """
        if decisions.tables is None:
            raise ValueError(f"{self.name} needs Decisions.tables, as its needs_tables says")
        preferences, weighed = self._prefer(decisions), []
        for i, preferred in enumerate(preferences):
            start, table, key = perf_counter(), decisions.tables[i : i + 1], decisions.keys[i : i + 1]
            candidates = np.argsort(-preferred, kind="stable")[: np.count_nonzero(preferred > NEVER)]
            legal = np.flatnonzero(decisions.action_masks[i])
            known = self._solved(table, key) if len(legal) > 1 else None
            if known is not None:
                by_preference = np.r_[candidates, np.setdiff1d(legal, candidates)]
                points = known[by_preference].astype(np.float64)
                weighed.append(_untried(by_preference, points, int(points.argmax())))
            elif len(candidates) > 1:
                weighed.append(self._search(table, candidates, key[0], start))
            else:
                weighed.append(_untried(candidates, np.full(len(candidates), np.nan)))
        return weighed

    def _solved(self, table: NDArray[Any], key: NDArray[np.uint64]) -> NDArray[np.int64] | None:
        """Points (A,) after each action, where every card is known and not too many are left."""
        world = table.copy()
        return self._solver.points(world) if self._fill_all(world, key) else None

    def _search(
        self, table: NDArray[Any], candidates: NDArray[np.int64], key: np.uint64, start: float
    ) -> Weighed:
        """The ``candidates`` (C,), the player's own choice first, tried at ``table`` (1,).

        A budget of time begins at ``start``.
        """
        gains, squares = np.zeros(len(candidates)), np.zeros(len(candidates))  # on the own choice
        tried_in, left = np.zeros(len(candidates), np.int64), np.arange(len(candidates))
        own, tried = 0.0, 0  # points of the own choice, worlds
        rounds = (len(candidates) - 1).bit_length()  # halved so often one is left, beside the own choice
        budget = self._budget.playouts * len(candidates) // rounds
        for number in range(1, rounds + 1):
            worlds, seconds = max(1, budget // len(left)), 0.0
            if self._budget.milliseconds is not None:
                worlds, seconds = 1, self._budget.milliseconds * MILLISECOND * number / rounds
            while worlds:
                begun = perf_counter()
                points = self._play_out(table, candidates[left], key, tried, worlds)
                gained = points - points[:, :1]
                gains[left] += gained.sum(axis=0)
                squares[left] += (gained * gained).sum(axis=0)
                own += points[:, 0].sum()
                tried += worlds
                now = perf_counter()
                worlds = min(MOST_WORLDS, int(worlds * (start + seconds - now) / (now - begun)))
                worlds = max(worlds, 0)
            tried_in[left] = tried
            by_worth = 1 + np.argsort(-gains[left[1:]], kind="stable")
            left = left[np.r_[0, np.sort(by_worth[: len(left) // 2])]]
        best = left[gains[left].argmax()]
        spread = np.sqrt(max(0.0, squares[best] - gains[best] ** 2 / max(1, tried)))
        chosen = best if gains[best] > CONFIDENCE * spread else 0
        return Weighed(int(candidates[chosen]), candidates, own / tried + gains / tried_in, tried_in)


def _untried(actions: NDArray[np.int64], points: NDArray[np.float64], best: int = 0) -> Weighed:
    """An answer that took no search; where nothing is legal the action is 0."""
    action = int(actions[best]) if len(actions) else 0
    return Weighed(action, actions, points, np.zeros(len(actions), np.int64))


def rule_search(game: str, budget: Budget = RULE_BUDGET, frozen: int | None = None) -> SearchAgent:
    """Search with a rule player, the newest or a ``frozen`` one; that takes worlds as they are dealt."""
    rule = RuleAgent(game, frozen)

    def prefer(decisions: Decisions) -> NDArray[np.float32]:
        preferences = np.where(decisions.action_masks, np.float32(0), np.float32(NEVER))
        preferences[np.arange(len(decisions)), rule.act(decisions)] = OWN
        return preferences

    name = f"search:{budget}" if frozen is None else f"search:{budget} by {rule.name}"
    draw_worlds = likely_worlds(game, rule.module) if frozen is None else DealtWorlds(game)
    return SearchAgent(game, name, prefer, RulePlayouts(game, rule.module, draw_worlds), budget)


def network_search(info: GameInfo, network: NetworkAgent, budget: Budget = NETWORK_BUDGET) -> SearchAgent:
    """Search with a network, which chooses the actions that are tried and plays the games out."""

    def prefer(decisions: Decisions) -> NDArray[np.float32]:
        preferences = np.full(decisions.action_masks.shape, NEVER, np.float32)
        for i in range(len(decisions)):  # one by one: digits depend on batches
            asked, own = decisions[i : i + 1], np.zeros(1, ACTION)
            chances = network.chances(asked)
            if network.greedy:
                own[0] = chances[0].argmax()
            else:
                draw(chances, asked.action_masks, asked.keys, own)
            best = np.argsort(-chances[0], kind="stable")[:MOST_TRIED]
            best = best[chances[0, best] >= LEAST_TRIED]
            preferences[i, best] = chances[0, best]
            preferences[i, own] = OWN
        return preferences

    play_out = PolicyPlayouts(info, network, likely_worlds(info.name, RuleAgent(info.name).module))
    return SearchAgent(info.name, f"search-net:{budget}:{network.name}", prefer, play_out, budget)
