"""Worlds: what a table may look like to who does not see everything.

``agents/worlds/<game>.py`` has a kernel ``fill(t, seat, key)``. It completes a record of which ``blank`` has
zeroed what ``seat``, who is to act, may not know: unseen cards are dealt, all possible deals alike where
nothing else is said, and what depends on them is worked out anew. All that is random comes from ``key``, the
new chance stream included, so a world tells nothing of the true one. It returns whether the world is certain:
whether all of them have the same cards in the same hands.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from envs.core.jit import bind


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
