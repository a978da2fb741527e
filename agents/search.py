"""``search``: tries every action in random worlds and plays them out: determinised Monte Carlo.

A **world** is the table with the cards that the seat does not see dealt at random, as far as they can be so
(``agents/worlds``). Every legal action is tried in the same worlds; after it the rule player plays all seats
to the end, the rest of a play in several steps included, and the seat's final points count. By successive
halving: rounds of fresh worlds, after each of which the worse half of the actions is dropped, until one is
left. The means are over all rounds so far; of equal ones the rule player's own choice is the better, then
the lower action.

Every round gets the same number of playouts, so in later ones each action gets more. A playout costs far more
than all else: ``playouts`` a legal action are what a decision takes, whatever is chosen.

What it cannot do: it plays on as if all could see all cards (it neither hides nor finds out anything), it
takes others for rule players, and but for Diao Xie it does not weigh worlds by what others did. A world that
is certain is not solved exactly.

What it gains alone against ``rule_v0`` in all other seats, with 128 playouts (duplicate deals, seed 0):

=========================== ===== ===================== ===================
game                        deals points a game         deals with a gain
=========================== ===== ===================== ===================
Guan Pai                    200   +14.1 (11.9 to 16.3)  86 % (82 to 91)
Zheng Shang You             200   +4.6 (3.7 to 5.6)     77 % (71 to 83)
Zheng Shang You, two decks  60    +11.3 (7.0 to 16.0)   81 % (71 to 90)
Diao Xie                    2000  +0.08 (0.06 to 0.10)  52 % (50 to 54)
Diao Xie, five players      1000  +0.10 (0.05 to 0.16)  61 % (58 to 64)
Diao Xie, limit betting     2000  +0.12 (0.09 to 0.15)  57 % (55 to 58)
Xiangxi 96                  100   +0.1 (-0.2 to 0.5)    53 % (45 to 61)
=========================== ===== ===================== ===================

Against Guan Pai's ``rule_v1`` it is +5.2 (3.5 to 6.9) and 69 %. In Xiangxi 96 no gain can be measured.

References
----------
Z. Karnin, T. Koren, O. Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013.
J. Long, N. Sturtevant, M. Buro, T. Furtak, "Understanding the success of perfect information Monte Carlo
sampling in game tree search", AAAI 2010.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs.core.game import MASK

from .base import Agent, Decisions
from .rule import RuleAgent
from .worlds import trier

PLAYOUTS = 128  # in Guan Pai more bring nothing that can be measured
SPARE_TABLES = 2
MILLISECOND = 1e-3


class SearchAgent(Agent):
    """Determinised Monte Carlo with a rule player.

    Parameters
    ----------
    game : str
    playouts : int
        Games played out a legal action, on average; every round has one world at least.
    milliseconds : float, optional
        Time for a decision, in place of ``playouts``; every round has one world at least.
    frozen : int, optional
        Which frozen rule player plays the games out; None is the newest.

    Attributes
    ----------
    is_reproducible : bool
        Whether an answer depends on its decision and key alone: not with ``milliseconds``. Only agents that
        may not be so have this attribute.

    Raises
    ------
    ValueError
        If ``playouts`` or ``milliseconds`` is not positive.
    """

    needs_tables = True

    def __init__(
        self,
        game: str,
        playouts: int = PLAYOUTS,
        milliseconds: float | None = None,
        frozen: int | None = None,
    ) -> None:
        if playouts < 1 or (milliseconds is not None and milliseconds <= 0):
            raise ValueError(
                f"search takes at least 1 playout an action or some milliseconds a decision, "
                f"not playouts={playouts}, milliseconds={milliseconds}"
            )
        budget = f"{playouts}" if milliseconds is None else f"{milliseconds:g}ms"
        self._rule = RuleAgent(game, frozen)
        self._try = trier(game, game if frozen is None else f"{game}_v{frozen}")
        self._playouts = playouts
        self._seconds = None if milliseconds is None else milliseconds * MILLISECOND
        self.is_reproducible = milliseconds is None
        self.name = f"search:{budget}" if frozen is None else f"search:{budget} by {self._rule.name}"

    def act(self, decisions: Decisions) -> NDArray[np.int64]:
        if decisions.tables is None:
            raise ValueError(f"{self.name} needs Decisions.tables, as its needs_tables says")
        actions = self._rule.act(decisions)
        room = np.zeros(decisions.action_masks.shape[1], MASK), np.repeat(decisions.tables[:1], SPARE_TABLES)
        for i in range(len(decisions)):
            legal = np.flatnonzero(decisions.action_masks[i])
            if len(legal) > 1:  # else it is forced
                candidates = np.concatenate([actions[i : i + 1], legal[legal != actions[i]]])
                actions[i] = self._search(decisions.tables[i : i + 1], candidates, decisions.keys[i], *room)
        return actions

    def _search(
        self,
        table: NDArray[Any],
        candidates: NDArray[np.int64],
        key: np.uint64,
        mask: NDArray[np.int8],
        spare: NDArray[Any],
    ) -> np.int64:
        """The best of the ``candidates`` (C,), the rule player's choice first, at ``table`` (1,)."""
        sums = np.zeros(len(candidates), np.int64)
        rounds = (len(candidates) - 1).bit_length()  # halved so often one is left
        budget = self._playouts * len(candidates) // rounds
        first, start = 0, perf_counter()
        for number in range(1, rounds + 1):
            worlds, end = max(1, budget // len(candidates)), start
            if self._seconds is not None:
                worlds, end = 1, start + self._seconds * number / rounds
            while True:
                self._try(table, candidates, key, first, worlds, sums, mask, spare)
                first += worlds
                if perf_counter() >= end:
                    break
            by_worth = np.argsort(-sums, kind="stable")
            better = np.sort(by_worth[: (len(candidates) + 1) // 2])  # in their order before: it decides ties
            candidates, sums = candidates[better], sums[better]
        return candidates[0]
