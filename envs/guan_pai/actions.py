"""Guan Pai: the action table, one row per action (rules, section 3).

An action is a pass, a **main combination** (a whole play, or the body of one with kickers), or one
**kicker**. The ids are the same under every option. What beats what is data: ``BEATS[last, action]``.

======================== === ===================================================================
ids, in this order       n   body
======================== === ===================================================================
pass                     1
single                   13  3..2
pair                     12  33..AA
triple                   11  333..KKK
triple_with_two          12  333..AAA, then two kickers (none as a last hand with fewer cards)
straight                 37  5..12 ranks within 3..A by length and key; first 345A2
pair_chain               56  2..8 pairs within 3..A
triple_chain             38  2..5 triples within 3..A
triple_chain_with_wings  38  the same bodies, then two kickers a triple for 2 or 3 triples; longer
                             ones are last hands only
four_with_two            11  3333..KKKK, then two kickers
bomb                     12  3333..KKKK, AAA
bomb_with_one            12  the same, then one kicker
kicker                   13  one more card of rank 3..2, in non-decreasing order
======================== === ===================================================================
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.cards import SUITS, lane_columns, lanes_of

RANKS = "3456789TJQKA2"
NUM_RANKS = len(RANKS)
ACE, DEUCE = RANKS.index("A"), RANKS.index("2")
MOST_OF_RANK = np.array([3 if r == ACE else 1 if r == DEUCE else 4 for r in range(NUM_RANKS)])
LEFT_OUT = ("2H", "2D", "2C", "AD")
CARDS = tuple(r + s for r in RANKS for s in SUITS if r + s not in LEFT_OUT)
CARD_RANK = np.array([RANKS.index(card[0]) for card in CARDS])
CARD_SUIT = np.array([SUITS.index(card[1]) for card in CARDS])
DIAMOND = SUITS.index("D")
DIAMOND_THREE = CARDS.index("3D")

KINDS = (
    "pass", "single", "pair", "triple", "triple_with_two", "straight", "pair_chain", "triple_chain",
    "triple_chain_with_wings", "four_with_two", "bomb", "bomb_with_one", "kicker",
)  # fmt: skip
MOST_WINGED = 3  # a longer winged chain needs more cards than a hand has
LOW_STRAIGHT = "345A2"


class Action(NamedTuple):
    """One row: what kind, how long as the rules count it, which rank is compared, which cards."""

    kind: str
    length: int
    key: int
    body: tuple[int, ...]  # cards by rank
    kickers: int  # kicker steps that follow, away from a last hand


def _body(low: int, high: int, copies: int) -> tuple[int, ...]:
    return tuple(copies if low <= r <= high else 0 for r in range(NUM_RANKS))


def _sets(kind: str, sizes: dict[int, int], kickers: int = 0) -> list[Action]:
    """One action per rank: ``sizes`` says how many cards of it."""
    return [Action(kind, 1, r, _body(r, r, n), kickers) for r, n in sizes.items()]


def _runs(kind: str, copies: int, lengths: range) -> list[Action]:
    """Every run of each length within 3..A, by length and then by key."""
    rows = []
    for length in lengths:
        if kind == "straight" and length == len(LOW_STRAIGHT):
            low_body = tuple(int(r in LOW_STRAIGHT) for r in RANKS)
            rows.append(Action(kind, length, RANKS.index("5"), low_body, 0))
        for top in range(length - 1, ACE + 1):
            wings = 2 * length if kind == "triple_chain_with_wings" and length <= MOST_WINGED else 0
            rows.append(Action(kind, length, top, _body(top - length + 1, top, copies), wings))
    return rows


def _rows() -> list[Action]:
    to_king, to_ace = range(ACE), range(ACE + 1)
    bombs = {r: int(MOST_OF_RANK[r]) for r in to_ace}
    nothing = (0,) * NUM_RANKS
    return [
        Action("pass", 0, -1, nothing, 0),
        *_sets("single", dict.fromkeys(range(NUM_RANKS), 1)),
        *_sets("pair", dict.fromkeys(to_ace, 2)),
        *_sets("triple", dict.fromkeys(to_king, 3)),
        *_sets("triple_with_two", dict.fromkeys(to_ace, 3), kickers=2),
        *_runs("straight", 1, range(5, 13)),
        *_runs("pair_chain", 2, range(2, 9)),
        *_runs("triple_chain", 3, range(2, 6)),
        *_runs("triple_chain_with_wings", 3, range(2, 6)),
        *_sets("four_with_two", dict.fromkeys(to_king, 4), kickers=2),
        *_sets("bomb", bombs),
        *_sets("bomb_with_one", bombs, kickers=1),
        *_sets("kicker", dict.fromkeys(range(NUM_RANKS), 1)),
    ]


ACTIONS = tuple(_rows())
NUM_ACTIONS = len(ACTIONS)
KIND = np.array([KINDS.index(a.kind) for a in ACTIONS])
KEY = np.array([a.key for a in ACTIONS])
LENGTH = np.array([a.length for a in ACTIONS])
BODY = np.array([a.body for a in ACTIONS], np.int16)
BODY_SIZE = BODY.sum(axis=1)
KICKERS = np.array([a.kickers for a in ACTIONS])
NEED = lanes_of(BODY)  # as bit lanes, see core/cards.py
COLUMN = lane_columns(NUM_RANKS)


def first(kind: str) -> int:
    """The lowest id of a kind of action."""
    return int(np.flatnonzero(KINDS.index(kind) == KIND)[0])


PASS, SINGLE, PAIR, TRIPLE, TRIPLE_WITH_TWO, STRAIGHT, PAIR_CHAIN = map(first, KINDS[:7])
TRIPLE_CHAIN, WINGED, FOUR_WITH_TWO, BOMB, BOMB_WITH_ONE, KICKER = map(first, KINDS[7:])
NUM_MAIN = KICKER  # ids below are passes and main combinations
LEAD = PASS  # the row of BEATS when there is nothing to beat


def _beats(last: Action, new: Action) -> bool:
    """Whether ``new`` beats ``last`` (sections 3 and 4), leaving last hands to the engine."""
    if last.kind == "pass":  # nothing on the table: everything may be led, but not a pass
        return new.kind != "pass"
    if new.kind == "pass":
        return True
    bombs = ("bomb", "bomb_with_one")
    if new.kind in bombs:
        return last.kind not in bombs or new.key > last.key
    return new.kind == last.kind and new.length == last.length and new.key > last.key


BEATS = np.array([[_beats(last, new) for new in ACTIONS[:NUM_MAIN]] for last in ACTIONS[:NUM_MAIN]], np.uint8)

FEATURE_NAMES = (
    *(f"is_{kind}" for kind in KINDS),
    *(f"takes_{k}_of_{r}" for k in range(1, 5) for r in RANKS),
    *(f"key_{r}" for r in RANKS),
    "length", "kickers",
)  # fmt: skip


def _features() -> np.ndarray:
    kinds = np.eye(len(KINDS))[KIND]
    takes = np.concatenate([k <= BODY for k in range(1, 5)], axis=1)
    keys = np.eye(NUM_RANKS + 1)[KEY][:, :NUM_RANKS]  # a pass has no key
    numbers = np.stack([LENGTH / 12, KICKERS / 6], axis=1)
    return np.concatenate([kinds, takes, keys, numbers], axis=1).astype(np.float32)


FEATURES = _features()
