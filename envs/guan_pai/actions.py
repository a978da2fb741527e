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

import numpy as np

from ..core.cards import SUITS, lane_columns, lanes_of
from ..core.climbing import Action, action, beating, features_of, times, windows

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
TO_KING, TO_ACE = RANKS[:ACE], RANKS[: ACE + 1]  # runs are made of the latter
MOST_WINGED = 3  # a longer winged chain needs more cards than a hand has
LOW_STRAIGHT = "345A2"
LONGEST, MOST_WINGS = 12, 6


def _sets(kind: str, copies: int, ranks: str, kickers: int = 0) -> list[Action]:
    """One action per rank, so many cards of it: in a bomb of aces there are three."""
    most = {RANKS[r]: int(n) for r, n in enumerate(MOST_OF_RANK)}
    return [action(RANKS, kind, r * min(copies, most[r]), r, 1, kickers) for r in ranks]


def _runs(kind: str, copies: int, lengths: range) -> list[Action]:
    """Every run of each length within 3..A, by length and then by key."""
    rows = []
    for length in lengths:
        if kind == "straight" and length == len(LOW_STRAIGHT):
            rows.append(action(RANKS, kind, LOW_STRAIGHT, "5", length))
        kickers = 2 * length if kind == "triple_chain_with_wings" and length <= MOST_WINGED else 0
        for run in windows(TO_ACE, length):
            rows.append(action(RANKS, kind, times(run, copies), run[-1], length, kickers))
    return rows


ACTIONS = (
    action(RANKS, "pass"),
    *_sets("single", 1, RANKS),
    *_sets("pair", 2, TO_ACE),
    *_sets("triple", 3, TO_KING),
    *_sets("triple_with_two", 3, TO_ACE, kickers=2),
    *_runs("straight", 1, range(5, LONGEST + 1)),
    *_runs("pair_chain", 2, range(2, 9)),
    *_runs("triple_chain", 3, range(2, 6)),
    *_runs("triple_chain_with_wings", 3, range(2, 6)),
    *_sets("four_with_two", 4, TO_KING, kickers=2),
    *_sets("bomb", 4, TO_ACE),
    *_sets("bomb_with_one", 4, TO_ACE, kickers=1),
    *_sets("kicker", 1, RANKS),
)
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


BEATS = beating(ACTIONS[:NUM_MAIN], _beats)
FEATURE_NAMES, FEATURES = features_of(ACTIONS, KINDS, RANKS, LONGEST, MOST_WINGS)
