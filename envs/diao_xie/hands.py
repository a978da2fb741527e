"""Diao Xie: the cards, what two of them are, and which hand is stronger (rules, sections 1 to 3).

``STRENGTH[a, b]`` is the class of the hand of the cards a and b, from 0 (weakest) to 125; hands of one class
are equal, and the earlier speaker wins. ``TYPE`` makes the two cards of a pair one of 17 types, and
``HAND_TYPE[a, b]`` the hand one of 151: nothing in the game tells hands of one type apart.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

REDS, BLACKS = ("H", "D"), ("S", "C")
JOKER, RED_THREE = "X", "3H"
PACK = (
    *(rank + "H" for rank in "23456789TJQ"),
    *(rank + "D" for rank in "2456789TJQ"),
    *(rank + suit for suit in BLACKS for rank in "4678T"),
    JOKER,
)
NUM_CARDS = len(PACK)

# The pairs from the strongest down; those of one row are equal.
PAIR_ROWS = (
    ("QH QD",),
    ("2H 2D",),
    ("8H 8D",),
    ("4H 4D",),
    ("6H 6D", "TH TD", "4S 4C"),
    ("JH JD", "7H 7D", "TS TC", "6S 6C"),
    ("9H 9D", "5H 5D", "7S 7C", "8S 8C"),
)
TYPE_NAMES = (*(pair for row in PAIR_ROWS for pair in row), JOKER, RED_THREE)
NUM_TYPES = len(TYPE_NAMES)
TYPE = np.array([next(t for t, name in enumerate(TYPE_NAMES) if card in name.split()) for card in PACK])
_VALUE_OF = {card: len(PAIR_ROWS) - i for i, row in enumerate(PAIR_ROWS) for card in " ".join(row).split()}
VALUE = np.array([_VALUE_OF.get(card, 0) for card in PACK])  # v: the row of its pair; X and 3H are ignored
_POINTS_OF = {JOKER: 6, "Q": 2, "J": 1, "T": 0}
POINTS = np.array([_POINTS_OF[card[0]] if card[0] in _POINTS_OF else int(card[0]) for card in PACK])

CATEGORIES = ("plain", "earth_eight", "heaven_eight", "heaven_nine", "pair", "supreme")  # weakest first
CHINESE = ("杂牌", "地八", "天八", "天九", "对子", "至尊宝")
PLAIN, EARTH_EIGHT, HEAVEN_EIGHT, HEAVEN_NINE, PAIR, SUPREME = range(len(CATEGORIES))


def category_of(a: int, b: int) -> int:
    """What the cards ``a`` and ``b`` are together."""
    cards = {PACK[a], PACK[b]}
    ranks = {card[0] for card in cards}
    if cards == {JOKER, RED_THREE}:
        return SUPREME
    if TYPE[a] == TYPE[b]:
        return PAIR
    if ranks == {"Q", "9"}:
        return HEAVEN_NINE
    if ranks == {"Q", "8"}:
        return HEAVEN_EIGHT
    return EARTH_EIGHT if ranks == {"2", "8"} else PLAIN


def points_of(a: int, b: int) -> int:
    """Points of a plain hand: the sum, less 10 from 10 on."""
    return int(POINTS[a] + POINTS[b]) % 10


def key_of(a: int, b: int) -> tuple[int, int, int, int]:
    """What is compared: the category, then what decides within it (section 3).

    >>> key_of(PACK.index("QH"), PACK.index("8S")), key_of(PACK.index("TH"), PACK.index("TS"))
    ((2, 1, 0, 0), (0, 0, 3, 2))
    """
    category = category_of(a, b)
    values = sorted((int(VALUE[a]), int(VALUE[b])), reverse=True)
    if category == PLAIN:
        return PLAIN, points_of(a, b), values[0], values[1]
    if category == PAIR:
        return PAIR, values[0], 0, 0
    if category in (HEAVEN_EIGHT, EARTH_EIGHT):  # the eight decides
        return category, int(VALUE[a] if PACK[a][0] == "8" else VALUE[b]), 0, 0
    return category, 0, 0, 0


HANDS = tuple(combinations(range(NUM_CARDS), 2))
_KEYS = sorted({key_of(a, b) for a, b in HANDS})
NUM_CLASSES = len(_KEYS)
_TYPES = sorted({tuple(sorted((int(TYPE[a]), int(TYPE[b])))) for a, b in HANDS})
HAND_TYPES = tuple(_TYPES)  # as two card types, the lower first
NUM_HAND_TYPES = len(HAND_TYPES)


def _table(value: dict[tuple[int, int], int]) -> np.ndarray:
    """Values of hands as (card, card), in either order; -1 for twice the same card."""
    table = np.full((NUM_CARDS, NUM_CARDS), -1)
    for (a, b), number in value.items():
        table[a, b] = table[b, a] = number
    return table


STRENGTH = _table({hand: _KEYS.index(key_of(*hand)) for hand in HANDS})
CATEGORY = _table({hand: category_of(*hand) for hand in HANDS})
HAND_POINTS = _table({(a, b): points_of(a, b) for a, b in HANDS})
HAND_TYPE = _table({(a, b): HAND_TYPES.index(tuple(sorted((int(TYPE[a]), int(TYPE[b]))))) for a, b in HANDS})
