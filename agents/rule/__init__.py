"""Hand-written players: a kernel ``choose(t, mask, key) -> action`` a game, answered in batches.

``agents/rule/<game>.py`` is the newest, named ``rule``; ``<game>_v0.py`` is frozen, named ``rule_v0``.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs.core import batch
from envs.core.game import get
from envs.core.jit import bind

from ..base import Agent, Decisions

FROZEN_RULES = {"guan_pai": (0, 1), "zheng_shang_you": (0,), "diao_xie": (0,), "xiangxi96": (0,)}


def frozen_rules(game: str) -> tuple[str, ...]:
    """The names of a game's frozen rule players, the first one first: yardsticks for reports."""
    return tuple(f"rule_v{version}" for version in FROZEN_RULES[get(game).name])


@cache
def _chooser(module: str) -> Any:
    """The loop over many tables of the kernel ``choose`` in ``agents.rule.<module>``."""
    choose = import_module(f"{__name__}.{module}").choose
    return bind(batch.choose_all, {"choose": choose}, f"rule.{module}")


@cache
def _rater(module: str) -> Any:
    """The same of the kernel ``rate``, which a module has that has ``GRADES``."""
    rate = import_module(f"{__name__}.{module}").rate
    return bind(batch.rate_all, {"rate": rate}, f"rule.{module}")


class RuleAgent(Agent):
    """A hand-written player.

    Parameters
    ----------
    game : str
    frozen : int or None
        Which frozen version; None is the newest.

    Attributes
    ----------
    module : str
        Of ``agents.rule``, where its kernel is.
    """

    needs_tables = True

    def __init__(self, game: str, frozen: int | None = None) -> None:
        version = "" if frozen is None else f"_v{frozen}"
        self.name, self.module = f"rule{version}", game + version
        self._choose_all = _chooser(self.module)

    def act(self, decisions: Decisions) -> NDArray[np.int64]:
        actions = np.zeros(len(decisions), np.int64)
        self._choose_all(self._tables(decisions), decisions.action_masks, decisions.keys, actions)
        return actions

    def _tables(self, decisions: Decisions) -> NDArray[Any]:
        if decisions.tables is None:
            raise ValueError(f"{self.name} needs Decisions.tables, as its needs_tables says")
        return decisions.tables

    @property
    def grades(self) -> tuple[int, ...]:
        """By how much less than its choice actions may score to be nearly as good, for :meth:`rate`.

        From little to much; empty where it does not score actions.
        """
        found: tuple[int, ...] = getattr(import_module(f"{__name__}.{self.module}"), "GRADES", ())
        return found

    def rate(
        self, decisions: Decisions, grades: tuple[int, ...]
    ) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Its actions (N,), and which others score less by at most the ``grades``: (N, G * A) ones and zeros.

        Those of the first of G grades come first, then those of the next, and so on. Its own choice has
        ones; what it did not score, as where its choice is plain before, has zeros.
        """
        masks = decisions.action_masks
        actions = np.zeros(len(decisions), np.int64)
        near = np.zeros((len(decisions), len(grades) * masks.shape[1]), np.uint8)
        scores = np.zeros(masks.shape[1], np.int64)
        steps = np.array(grades, np.int64)
        _rater(self.module)(self._tables(decisions), masks, decisions.keys, steps, scores, actions, near)
        return actions, near


def frozen_rule(name: str, game: str) -> RuleAgent:
    """The frozen rule player of this name.

    Raises
    ------
    ValueError
        If the game has none of this name.
    """
    if name not in frozen_rules(game):
        known = ", ".join(frozen_rules(game))
        raise ValueError(f"no frozen rule player {name!r} of {game}: give one of {known}")
    return RuleAgent(game, frozen=int(name.removeprefix("rule_v")))
