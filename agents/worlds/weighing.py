"""Worlds as likely as what the others did in them: a rule player is asked what it would have done.

A world is played again from its beginning by the actions of the game. Wherever another seat had a choice
the rule player says what it would do there. Somebody who plays like it does so but for ``SURPRISE`` of the
time; that makes a likelihood of every world. ``PROPOSALS`` worlds are dealt for each that is wanted, and of
them so many are drawn by their likelihoods: sampling, importance resampling.

It holds for others than the rule player as far as they choose as it does more often in the true world than in
dealt ones: in Guan Pai the shipped network does so in 81 % of decisions, and in dealt worlds in 45 %.

References
----------
D. Rubin, "The calculation of posterior distributions by data augmentation: comment", JASA 82(398), 1987: SIR.
N. Gordon, D. Salmond, A. Smith, "Novel approach to nonlinear/non-Gaussian Bayesian state estimation", IEE
Proceedings F 140(2), 1993.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs.core.game import MASK, get
from envs.core.jit import bind
from envs.core.rng import mix_in, uniform

from . import DealtWorlds, Draw

REPLAYED = ("guan_pai",)  # games with a kernel ``rewind`` in their agents/worlds/<game>.py
PROPOSALS = 4  # worlds dealt for each that is drawn
SURPRISE = 0.1  # of the decisions of others: another action than the rule player's
_DRAWING = 0xD3A3  # keeps the numbers that draw apart from those that deal


def explain(worlds, spare, mask, key, surprise, logs):
    """Add to ``logs`` (W,) the logarithms of how likely what the others did is in each of ``worlds`` (W,).

    ``spare`` (1,) and ``mask`` (A,) are room to work in.
    """
    seat = worlds[0].turn
    expected, other = np.log(1 - surprise), np.log(surprise)
    for number in range(len(worlds)):
        spare[0] = worlds[number]
        t = spare[0]
        rewind(t)  # noqa: F821
        for moment in range(worlds[number].decisions):
            action = t.log[moment]
            if t.turn != seat:
                legal(t, mask)  # noqa: F821
                if only_action(mask) < 0:  # noqa: F821
                    logs[number] += expected if choose(t, mask, key) == action else other  # noqa: F821
            apply(t, action)  # noqa: F821


@cache
def _explainer(game: str, rule: str) -> Any:
    """``explain`` of a game, by the rule player of ``agents.rule.<rule>``."""
    found = get(game)
    kernels = {
        **found.kernels,
        "only_action": found.loops.only_action,
        "choose": import_module(f"agents.rule.{rule}").choose,
        "rewind": import_module(f"agents.worlds.{game}").rewind,
    }
    return bind(explain, kernels, f"weighing.{rule}")


class WeighedWorlds:
    """Worlds drawn by how likely what the others did is in them.

    Parameters
    ----------
    game : str
        One of ``REPLAYED``.
    rule : str
        Name of the module of the rule player in ``agents.rule``.
    """

    def __init__(self, game: str, rule: str) -> None:
        found = get(game)
        self._deal, self._explain = DealtWorlds(game), _explainer(game, rule)
        self._mask = np.zeros(found.info(found.rules()).num_actions, MASK)
        self._spare = found.new_tables(1, found.rules())

    def __call__(self, table: NDArray[Any], key: np.uint64, first: int, count: int) -> NDArray[Any]:
        dealt = self._deal(table, key, first * PROPOSALS, count * PROPOSALS)
        logs = np.zeros(len(dealt))
        self._explain(dealt, self._spare, self._mask, key, SURPRISE, logs)
        so_far = np.exp(logs - logs.max()).cumsum()
        start = uniform(mix_in(np.array([key]), _DRAWING, first)[0])
        places = (
            (start + np.arange(count)) / count * so_far[-1]
        )  # evenly, so few are drawn more than their due
        return dealt[np.searchsorted(so_far, places, side="right").clip(max=len(dealt) - 1)]


def likely_worlds(game: str, rule: str) -> Draw:
    """Worlds weighed by what ``agents.rule.<rule>`` would have done; as they are dealt in other games."""
    return WeighedWorlds(game, rule) if game in REPLAYED else DealtWorlds(game)
