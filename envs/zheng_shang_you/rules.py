"""Zheng Shang You: the options, the scoring in plain Python, the levels (rules, sections 7 to 9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ..core.game import Rules, whole_number

SEATS = 4
HAND_SIZES = (13, 27)  # with one deck, with two
MOST_MULTIPLIER = 4


@dataclass(frozen=True)
class ZhengShangYouRules(Rules):
    """Options of Zheng Shang You."""

    decks: Literal[1, 2] = 1
    """One deck of 52 cards, 13 each; or two with their jokers, 108 cards, 27 each."""
    pass_lockout: bool = False
    """Who passes is out until the trick ends, and is skipped."""
    lead_spade_three: bool = False
    """The first play of the deal must contain the card 3S."""
    distinct_wings: bool = False
    """The wings of a triple_chain_with_pairs must be of different ranks, none of them a body rank."""
    base: int = whole_number(1, 1, 1000)
    """Points a card left, before the multiplier."""
    cards_each: int | None = whole_number(None, 1, HAND_SIZES[1])
    """Deal only this many cards to each seat: small games for tests and exact solving. None: all."""

    def __post_init__(self) -> None:
        super().__post_init__()
        whole = HAND_SIZES[self.decks - 1]
        if self.hand_size > whole:
            raise ValueError(f"cards_each is at most {whole} with decks={self.decks}, not {self.cards_each}")
        if self.lead_spade_three and self.hand_size < whole:
            raise ValueError(
                "lead_spade_three needs the whole pack dealt: nobody may hold 3S with "
                f"cards_each={self.cards_each}; leave one of the two out"
            )

    @property
    def hand_size(self) -> int:
        """Cards dealt to each seat."""
        return HAND_SIZES[self.decks - 1] if self.cards_each is None else self.cards_each

    def write(self, table: Any) -> None:
        super().write(table)
        table["cards_each"] = self.hand_size


# The values of `decks` as a table's record holds them: their places in the Literal above.
ONE_DECK, TWO_DECKS = range(2)


def multiplier(left: int, hand_size: int) -> int:
    """What every card left counts for a loser (基數, section 7).

    >>> [multiplier(left, 13) for left in (13, 12, 10, 9, 7, 6)]
    [4, 3, 3, 2, 2, 1]
    """
    played = hand_size - left
    if played == 0:
        return MOST_MULTIPLIER
    if 4 * played < hand_size:
        return 3
    return 2 if 2 * played < hand_size else 1


def scores(rules: ZhengShangYouRules, left: Sequence[int]) -> list[int]:
    """Points of the four seats at the end of a deal (section 7).

    Parameters
    ----------
    rules : ZhengShangYouRules
    left : sequence of int
        Cards left by seat; the winner's is 0.

    Returns
    -------
    list of int
        Zero-sum points by seat.
    """
    points = [-rules.base * n * multiplier(n, rules.hand_size) for n in left]
    points[list(left).index(0)] = -sum(points)
    return points


# --- levels (等級, section 8) -------------------------------------------------------------------


class Level(NamedTuple):
    """A level and its title: ``number`` counts from 1, ``least`` points lead to it."""

    number: int
    least: int | None
    english: str
    chinese: str


LEVELS = tuple(
    Level(number, least, english, chinese)
    for number, (least, english, chinese) in enumerate(
        (
            (None, "Snail", "蝸牛"),
            (60, "Foal", "小馬駒"),
            (140, "Third-Class Horse", "三等馬"),
            (300, "Second-Class Horse", "二等馬"),
            (720, "First-Class Horse", "一等馬"),
            (1_400, "Thousand-Li Horse", "千里馬"),
            (2_000, "White Crane", "白鶴"),
            (3_000, "Purple Chestnut", "紫騂"),
            (4_500, "Startled Sail", "驚帆"),
            (6_200, "Yellow-Hoofed Lightning", "爪黃飛電"),
            (8_000, "Dark Cloud Treading Snow", "烏雲踏雪"),
            (12_000, "Night-Shining Jade Lion", "照夜玉獅子"),
            (17_000, "Dilu (White-Browed)", "的盧"),
            (22_000, "Vanishing Shadow", "絕影"),
            (28_000, "Red Hare", "赤兔"),
            (40_000, "Black Dapple", "烏騅"),
            (60_000, "Morning Duck", "晨鳧"),
            (90_000, "Bronze Bird", "銅爵"),
            (140_000, "Flying Pinion", "飛翩"),
            (300_000, "Lightning Chaser", "追電"),
            (450_000, "Shadow Treader", "躡景"),
            (600_000, "White Hare", "白兔"),
            (1_000_000, "Wind Chaser", "追風"),
        ),
        start=1,
    )
)


def level_of(points: int) -> Level:
    """The level of cumulative ``points``: the highest one whose threshold they reach.

    >>> level_of(59).english, level_of(1_400)[:2]
    ('Snail', (6, 1400))
    """
    return next(level for level in reversed(LEVELS) if level.least is None or level.least <= points)
