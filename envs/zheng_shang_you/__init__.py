"""Zheng Shang You 爭上游: a four-player shedding game. ``envs.zheng_shang_you_v0`` is its public face."""

from __future__ import annotations

import types

from ..core.game import Game, GameInfo
from . import legal, observation, scene, table, text
from .actions import FEATURE_NAMES, FEATURES, PACKS
from .rules import MOST_MULTIPLIER, SEATS, ZhengShangYouRules, level_of

VERSION = 0
# Standard deviation of a score with one deck and with two: 14 and 10 in random play, 26 and 20 among rule_v0.
TYPICAL_SCORE = (25.0, 20.0)
HAND_FIELDS = (("hand",), ("hand", "hand_twice", "jokers"))


def info(rules: ZhengShangYouRules) -> GameInfo:
    """The fixed facts of the game under ``rules``."""
    n = rules.hand_size
    # Every play takes a card and the losers keep one; three passes follow each but the last. A card goes
    # with one decision, and one more if its suit is to be chosen.
    plays = SEATS * n - (SEATS - 1)
    most_lost = n * MOST_MULTIPLIER * rules.base
    return GameInfo(
        name="zheng_shang_you",
        version=VERSION,
        title="Zheng Shang You 爭上游",
        num_players=SEATS,
        cards=PACKS[rules.decks - 1],
        action_names=text.ACTION_NAMES,
        action_features=FEATURES,
        action_feature_names=FEATURE_NAMES,
        fields=tuple(observation.FIELDS[rules.decks - 1].values()),
        max_decisions=(2 + SEATS - 1) * plays - (SEATS - 1),
        min_utility=-most_lost,
        max_utility=(SEATS - 1) * most_lost,
        typical_score=TYPICAL_SCORE[rules.decks - 1] * rules.base,
        stats=observation.STATS,
        hand_fields=HAND_FIELDS[rules.decks - 1],
    )


def title_of(points: int) -> str:
    """The level of cumulative points, in words.

    >>> title_of(1_400)
    '6 Thousand-Li Horse 千里馬'
    """
    level = level_of(points)
    return f"{level.number} {level.english} {level.chinese}"


GAME = Game(
    name="zheng_shang_you",
    rules=ZhengShangYouRules,
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
    variants=({}, {"decks": 2}),
    title_of=title_of,
)  # fmt: skip
