"""Diao Xie 钓蟹: two cards and a bet against the pot. ``envs.diao_xie_v0`` is its public face."""

from __future__ import annotations

import math
import types

from ..core.aec import TableEnv
from ..core.game import Game, GameInfo
from . import legal, observation, scene, table, text
from .actions import FEATURE_NAMES, FEATURES
from .hands import PACK
from .rules import DiaoXieRules, most_decisions, score_bounds

VERSION = 0
# b: standard deviation of one hand's score among rule_v0 by default (1.7 in random play). With more players
# and counter_carry it is up to twice that; over several hands, whose pots grow, scores have long tails.
TYPICAL_SCORE = 2.0


def info(rules: DiaoXieRules) -> GameInfo:
    """The fixed facts of the game under ``rules``."""
    n = rules.num_players
    lowest, highest = score_bounds(rules)
    return GameInfo(
        name="diao_xie",
        version=VERSION,
        title="Diao Xie 钓蟹",
        num_players=n,
        cards=PACK,
        action_names=text.ACTION_NAMES,
        action_features=FEATURES,
        action_feature_names=FEATURE_NAMES,
        fields=observation.fields_of(rules),
        max_decisions=most_decisions(rules),
        min_utility=lowest,
        max_utility=highest,
        typical_score=TYPICAL_SCORE * math.sqrt(rules.hands) * rules.base,
        stats=observation.stats_of(n),
        num_decks=rules.hands,
        denominator=n,
        always_won=False,
        hand_fields=("cards",),
    )


class DiaoXieEnv(TableEnv):
    """The raw environment of Diao Xie."""

    @property
    def pot(self) -> int:
        """Points in the pot; with ``betting="pot"`` the stakes of the hand in progress are not in it yet."""
        return int(self._table()["pot"]) * int(self._table()["base"])


GAME = Game(
    name="diao_xie",
    rules=DiaoXieRules,
    info=info,
    dtype=table.TABLE,
    kernels=types.MappingProxyType(
        {
            "deal": table.deal, "legal": legal.legal, "apply": table.apply, "points": table.points,
            "observe": observation.observe, "blank": observation.blank, "stats": observation.stats,
        }
    ),
    text=text,
    scene=scene,
    env_class=DiaoXieEnv,
    variants=({}, *({"num_players": n} for n in (3, 4, 5)), {"betting": "limit"}),
)  # fmt: skip
