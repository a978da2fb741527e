"""Tables at which every card is known, solved: every seat plays for its own points.

With two seats this is minimax, and the answer the value of the game. With more it is one of the equilibria
(max-n): of actions that give a seat the same the first one counts, though another may suit the others better.

References
----------
C. Luckhardt, K. Irani, "An algorithmic solution of n-person games", AAAI 1986.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs.core.game import MASK, MONEY, get
from envs.core.jit import bind, njit

NO_ACTION = -1
MOST_TABLES = 20_000  # a decision
DEEPEST = 200  # decisions to the end


def solve(path, masks, best, tried, most, points):
    """Fill ``points`` (A,) with what the seat to act at ``path[0]`` gets after each of its legal actions.

    The search goes depth first: ``path`` (D,) are the tables from the root to where it is, with their legal
    ``masks`` (D, A), the last action ``tried`` (D,) at each and the ``best`` scores (D, P) that its seat to
    act has found so far. Returns False, and nothing to be used, where there are more than ``most`` tables, or
    more than D in a row.
    """
    seen, depth = 0, 0
    tried[0] = NO_ACTION
    legal(path[0], masks[0])  # noqa: F821
    while True:
        action = tried[depth] + 1
        while action < masks.shape[1] and not masks[depth, action]:
            action += 1
        if action < masks.shape[1]:
            tried[depth] = action
            seen, depth = seen + 1, depth + 1
            if seen > most or depth == len(path):
                return False
            path[depth] = path[depth - 1]
            t = path[depth]
            apply(t, action)  # noqa: F821
            tried[depth] = NO_ACTION
            if t.over:
                masks[depth, :] = 0
                best[depth, :] = t.score
            else:
                legal(t, masks[depth])  # noqa: F821
        elif depth == 0:
            return True
        else:
            depth -= 1
            seat = path[depth].turn
            if depth == 0:
                points[tried[0]] = best[1, seat]
            elif is_first(masks[depth], tried[depth]) or best[depth + 1, seat] > best[depth, seat]:
                best[depth] = best[depth + 1]


def is_first(mask, action):
    """Whether ``action`` is the first legal one of ``mask``."""
    return not mask[:action].any()


class Solver:
    """Solves tables of one game at which every card is known.

    Parameters
    ----------
    game : str
    most_tables : int
        It gives up where there are more to be looked at.
    """

    def __init__(self, game: str, most_tables: int = MOST_TABLES) -> None:
        found = get(game)
        self._info, self._most = found.info(found.rules()), most_tables
        self._solve = _solver(game)
        self._path = found.new_tables(DEEPEST, found.rules())
        self._masks = np.zeros((DEEPEST, self._info.num_actions), MASK)
        self._best = np.zeros((DEEPEST, self._path["score"].shape[1]), MONEY)
        self._tried = np.zeros(DEEPEST, np.int64)

    def points(self, table: NDArray[Any]) -> NDArray[np.int64] | None:
        """Points (A,) that the seat to act at ``table`` (1,) gets after each legal action, 0 after others.

        None where there are too many tables to look at.
        """
        points = np.zeros(self._info.num_actions, np.int64)
        self._path[0] = table[0]
        if self._solve(self._path, self._masks, self._best, self._tried, self._most, points):
            return points
        return None


@cache
def _solver(game: str) -> Any:
    """``solve`` of a game."""
    return bind(solve, {**get(game).kernels, "is_first": njit(is_first)}, f"endgame.{game}")
