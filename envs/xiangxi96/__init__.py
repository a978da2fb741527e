"""Xiangxi 96 湘西96扑克: melds from a pack of 96. ``envs.xiangxi96_v0`` is its public face."""

from __future__ import annotations

import types

from ..core.aec import TableEnv
from ..core.game import Game, GameInfo
from ..core.seeding import as_index
from . import legal, observation, scene, table, text
from .actions import FEATURE_NAMES, FEATURES
from .kinds import PACK
from .rules import Xiangxi96Rules, most_decisions, score_bounds
from .units import Unit, melds_of

VERSION = 0
# Points: standard deviation among rule_v0 by default (3.4 with two players, 4.2 with four).
TYPICAL_SCORE = 4.4


def info(rules: Xiangxi96Rules) -> GameInfo:
    """The fixed facts of the game under ``rules``."""
    lowest, highest = score_bounds(rules)
    return GameInfo(
        name="xiangxi96",
        version=VERSION,
        title="Xiangxi 96 湘西96扑克",
        num_players=rules.num_players,
        cards=PACK,
        action_names=text.ACTION_NAMES,
        action_features=FEATURES,
        action_feature_names=FEATURE_NAMES,
        fields=observation.fields_of(rules),
        max_decisions=most_decisions(rules),
        min_utility=lowest,
        max_utility=highest,
        typical_score=TYPICAL_SCORE * rules.base,
        stats=observation.stats_of(rules.num_players),
        always_won=False,
    )


class Xiangxi96Env(TableEnv):
    """The raw environment of Xiangxi 96."""

    def melds(self, seat: int) -> list[Unit]:
        """What lies on the table before ``seat``, group by group, as the rules' cases file writes it.

        ``{"type": "tie" | "chi", "cards": [...]}``, ``{"type": "peng" | "shao", "card": ...}``, ``{"type":
        "zou" | "ban" | "man", "card": ..., "own": bool, "with": [companions]}`` or ``{"type": "shuang",
        "cards": [two], "own": [two], "with": [one]}``.
        """
        return melds_of(self._table(), as_index(seat, self.game.num_players, "a seat"))


GAME = Game(
    name="xiangxi96",
    rules=Xiangxi96Rules,
    info=info,
    dtype=table.TABLE,
    kernels=types.MappingProxyType(
        {
            "deal": table.deal, "legal": legal.legal, "apply": table.apply, "observe": observation.observe,
            "blank": observation.blank, "stats": observation.stats,
        }
    ),
    text=text,
    scene=scene,
    env_class=Xiangxi96Env,
    variants=({}, {"num_players": 2}, {"num_players": 4}),
)  # fmt: skip
