"""Guan Pai 關牌: a three-player shedding game. ``envs.guan_pai_v0`` is its public face."""

from __future__ import annotations

import types

from ..core.game import Game, GameInfo
from . import legal, observation, scene, table, text
from .actions import CARDS, FEATURE_NAMES, FEATURES
from .rules import MOST_BOMBS, SEATS, GuanPaiRules, most_decisions, units

VERSION = 0
# Standard deviation of a score with default options: 16 in random play, 21 among rule_v0, 25 among networks.
TYPICAL_SCORE = 25.0


def info(rules: GuanPaiRules) -> GameInfo:
    """The fixed facts of the game under ``rules``."""
    n = rules.cards_each
    most_units = units(n, n) * 2**MOST_BOMBS + units(n, n)  # who is liable pays for the other too
    cap = most_units if rules.loss_cap is None else min(rules.loss_cap, most_units)
    return GameInfo(
        name="guan_pai",
        version=VERSION,
        title="Guan Pai 關牌",
        num_players=SEATS,
        cards=CARDS,
        action_names=text.ACTION_NAMES,
        action_features=FEATURES,
        action_feature_names=FEATURE_NAMES,
        fields=tuple(observation.FIELDS.values()),
        max_decisions=most_decisions(n),
        min_utility=-cap * rules.base,
        max_utility=2 * cap * rules.base,
        typical_score=TYPICAL_SCORE * rules.base,
        stats=observation.STATS,
    )


GAME = Game(
    name="guan_pai",
    rules=GuanPaiRules,
    info=info,
    dtype=table.TABLE,
    kernels=types.MappingProxyType(
        {
            "deal": table.deal, "legal": legal.legal, "apply": table.apply,
            "observe": observation.observe, "blank": observation.blank, "stats": observation.stats,
        }
    ),
    text=text,
    scene=scene,
)  # fmt: skip
