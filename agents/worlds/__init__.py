"""Worlds: what a table may look like to who does not see everything, and games played out in them.

``agents/worlds/<game>.py`` has a kernel ``fill(t, seat, key)``. It completes a record of which ``blank`` has
zeroed what ``seat``, who is to act, may not know: unseen cards are dealt, all possible deals alike where
nothing else is said, and what depends on them is worked out anew. All that is random comes from ``key``, the
new chance stream included, so a world tells nothing of the true one. The loop that tries candidates in such
worlds is written once and bound to each game.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from envs.core.game import get
from envs.core.jit import bind
from envs.core.rng import mix


def play_out(t, mask, key):
    """Let the rule player's ``choose`` play all seats to the end; forced decisions need none."""
    while not t.over:
        legal(t, mask)  # noqa: F821
        action = only_action(mask)  # noqa: F821
        if action < 0:
            action = choose(t, mask, key)  # noqa: F821
        apply(t, action)  # noqa: F821


def try_candidates(tables, candidates, key, first, count, sums, mask, spare):
    """Play every candidate (C,) of the seat to act at ``tables[0]`` out in the same ``count`` worlds.

    The worlds are those number ``first`` and on of ``key``. The seat's scores are added to ``sums`` (C,);
    ``mask`` (A,) and ``spare`` (2,), a world and a trial in it, are room to work in.
    """
    seat = np.int64(tables[0].turn)
    for number in range(first, first + count):
        world_key = mix(key ^ np.uint64(number))
        spare[0] = tables[0]
        fill(spare[0], seat, world_key)  # noqa: F821
        for i in range(len(candidates)):
            spare[1] = spare[0]
            trial = spare[1]
            apply(trial, candidates[i])  # noqa: F821
            play_out(trial, mask, world_key)
            sums[i] += trial.score[seat]


def fill_all(tables, keys):
    """Complete every table, blanked for its seat to act, by its key."""
    for i in range(len(tables)):
        fill(tables[i], np.int64(tables[i].turn), keys[i])  # noqa: F821


@cache
def filler(game: str) -> Any:
    """``fill_all`` of a game."""
    return bind(fill_all, {"fill": import_module(f"{__name__}.{game}").fill}, f"worlds.{game}")


@cache
def trier(game: str, rule: str) -> Any:
    """``try_candidates`` of a game, played out by the kernel ``choose`` of ``agents.rule.<rule>``."""
    found, owner = get(game), f"worlds.{rule}"
    kernels = {
        **found.kernels,
        "only_action": found.loops.only_action,
        "choose": import_module(f"agents.rule.{rule}").choose,
        "fill": import_module(f"{__name__}.{game}").fill,
    }
    kernels["play_out"] = bind(play_out, kernels, owner)
    return bind(try_candidates, kernels, owner)
