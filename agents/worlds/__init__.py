"""Worlds: what a table may look like to who does not see everything.

``agents/worlds/<game>.py`` has a kernel ``fill(t, seat, key)``. It completes a record of which ``blank`` has
zeroed what ``seat``, who is to act, may not know: unseen cards are dealt, all possible deals alike where
nothing else is said, and what depends on them is worked out anew. All that is random comes from ``key``, the
new chance stream included, so a world tells nothing of the true one. It returns whether the world is certain:
whether all of them have the same cards in the same hands.

Search draws its worlds as they are dealt (``DealtWorlds``) or, where a game can be played again from its
beginning, by what the others did (``weighing.py``).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs.core.jit import bind
from envs.core.rng import mix_in

Draw = Callable[[NDArray[Any], np.uint64, int, int], NDArray[Any]]
"""Draws worlds of a blanked table (1,) by the key of the decision: number ``first`` and ``count`` in all."""


def fill_all(tables, keys):
    """Complete every table, blanked for its seat to act, by its key; returns whether the last is certain."""
    is_certain = False
    for i in range(len(tables)):
        is_certain = fill(tables[i], np.int64(tables[i].turn), keys[i])  # noqa: F821
    return is_certain


def kernel(game: str) -> Any:
    """``fill`` of a game."""
    return import_module(f"{__name__}.{game}").fill


@cache
def filler(game: str) -> Any:
    """``fill_all`` of a game."""
    return bind(fill_all, {"fill": kernel(game)}, f"worlds.{game}")


def world_keys(key: np.uint64, first: int, count: int) -> NDArray[np.uint64]:
    """The keys (count,) of the worlds number ``first`` and following of the decision with this ``key``."""
    return mix_in(np.full(count, key), np.arange(first, first + count))


class DealtWorlds:
    """Worlds as they are dealt.

    Parameters
    ----------
    game : str
    """

    def __init__(self, game: str) -> None:
        self._fill_all = filler(game)

    def __call__(self, table: NDArray[Any], key: np.uint64, first: int, count: int) -> NDArray[Any]:
        worlds = np.repeat(table, count)
        self._fill_all(worlds, world_keys(key, first, count))
        return worlds
