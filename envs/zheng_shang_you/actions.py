"""Zheng Shang You: the action table, one row per action (rules, sections 3 to 5).

An action is a pass, a **main combination** (a whole play, or the body of one with kickers), one **kicker**
pair, or a **suit**. The ids are the same with one deck and with two, and under every option. What beats
what is data: ``BEATS[last, action]``.

======================= === ====================================================================
ids, in this order      n   body
======================= === ====================================================================
pass                    1
single                  15  3..2, x, X
pair                    15  33..22, xx, XX
triple                  13  333..222
straight                61  5..13 ranks by length and key; first A2345
flush_straight          61  the same, of one suit
pair_chain              99  2..13 pairs; first 2233
triple_chain            83  2..9 triples
full_house              13  333..222, then a pair
triple_chain_with_pairs 49  2..5 triples, then as many pairs
bomb                    65  3333..2222, then those of 5, 6, 7 and 8 cards
joker_bomb              1   xxXX
kicker                  15  a pair of rank 3..2, x, X, in non-decreasing order
suit                    4   S H D C: which suit a card of the play is of, where that matters
======================= === ====================================================================
"""

from __future__ import annotations

import numpy as np

from ..core.cards import LANES, SUITS, lanes_of
from ..core.climbing import Action, action, beating, features_of, times, windows

RANKS = "3456789TJQKA2xX"
NUM_RANKS = len(RANKS)
SUITED = RANKS[:-2]  # the ranks that have suits: all but the jokers
NUM_SUITED = len(SUITED)
THREE, ACE = RANKS.index("3"), RANKS.index("A")
PLACES = "A23456789TJQKA2"  # of chains: A and 2 stand low or high (section 4)
NUM_SUITS = len(SUITS)
JOKERS = ("x", "X")

DECK = (*(r + s for r in SUITED for s in SUITS), *JOKERS)
PACKS = (DECK[: -len(JOKERS)], DECK + DECK)  # with one deck, with two
MOST_OF_RANK = np.array([[4] * NUM_SUITED + [0, 0], [8] * NUM_SUITED + [2, 2]])  # likewise
CARD_RANK = np.array([RANKS.index(card[0]) for card in PACKS[1]])
CARD_SUIT = np.array([SUITS.index(card[1]) if card not in JOKERS else -1 for card in PACKS[1]])
SPADE = SUITS.index("S")
SPADE_THREE = DECK.index("3S")

# Cards as bits: those of a suit stand together by rank, then the jokers. A hand is two such sets, of its
# first copies and of its second ones.
CARD_BIT = np.array(
    [NUM_SUITED * s + r if s >= 0 else NUM_SUITS * NUM_SUITED + r - NUM_SUITED
     for r, s in zip(CARD_RANK, CARD_SUIT, strict=True)]
)  # fmt: skip
NUM_BITS = len(DECK)
SUIT_RANKS = (1 << NUM_SUITED) - 1  # all ranks of a suit, as bits
ALL_BITS = (1 << NUM_BITS) - 1

KINDS = (
    "pass", "single", "pair", "triple", "straight", "flush_straight", "pair_chain", "triple_chain",
    "full_house", "triple_chain_with_pairs", "bomb", "joker_bomb", "kicker", "suit",
)  # fmt: skip
SHORTEST_STRAIGHT = 5
STRAIGHT_LENGTHS = range(SHORTEST_STRAIGHT, 14)
PAIR_CHAIN_LENGTHS = range(2, 14)
TRIPLE_CHAIN_LENGTHS = range(2, 10)  # nine triples are a hand
WINGED_LENGTHS = range(2, 6)  # five with their wings are 25 cards
BOMB_SIZES = range(4, 9)
MOST_WINGS = WINGED_LENGTHS[-1]
LONGEST = 27


def _sets(kind: str, copies: int, ranks: str, kickers: int = 0) -> list[Action]:
    """One action per rank, so many cards of it."""
    return [action(RANKS, kind, r * copies, r, copies + 2 * kickers, kickers) for r in ranks]


def _chains(kind: str, copies: int, lengths: range, wings: bool = False) -> list[Action]:
    """Every chain of each number of ranks, by that number and then by key."""
    rows = []
    for groups in lengths:
        kickers = groups if wings else 0
        for window in windows(PLACES, groups):
            size = copies * groups + 2 * kickers
            rows.append(action(RANKS, kind, times(window, copies), window[-1], size, kickers))
    return rows


ACTIONS = (
    action(RANKS, "pass"),
    *_sets("single", 1, RANKS),
    *_sets("pair", 2, RANKS),
    *_sets("triple", 3, SUITED),
    *_chains("straight", 1, STRAIGHT_LENGTHS),
    *_chains("flush_straight", 1, STRAIGHT_LENGTHS),
    *_chains("pair_chain", 2, PAIR_CHAIN_LENGTHS),
    *_chains("triple_chain", 3, TRIPLE_CHAIN_LENGTHS),
    *_sets("full_house", 3, SUITED, kickers=1),
    *_chains("triple_chain_with_pairs", 3, WINGED_LENGTHS, wings=True),
    *(row for size in BOMB_SIZES for row in _sets("bomb", size, SUITED)),
    action(RANKS, "joker_bomb", "xxXX", "X", 4),
    *_sets("kicker", 2, RANKS),
    *(action(RANKS, "suit") for _ in SUITS),
)
NUM_ACTIONS = len(ACTIONS)
KIND = np.array([KINDS.index(a.kind) for a in ACTIONS])
KEY = np.array([a.key for a in ACTIONS])
LENGTH = np.array([a.length for a in ACTIONS])  # cards, kickers included
BODY = np.array([a.body for a in ACTIONS], np.int16)
BODY_SIZE = BODY.sum(axis=1)
KICKERS = np.array([a.kickers for a in ACTIONS])  # pairs
# Counts as bit lanes (core/cards.py) of the ranks with suits, up to four of each, then jokers: entry
# [r, n] is n cards of rank r. Of five to eight cards of a rank the rest is in lanes of its own.
JOKER_PLACE = LANES * NUM_SUITED
COUNTED = np.zeros((NUM_RANKS, MOST_OF_RANK.max() + 1), np.int64)
COUNTED_MORE = np.zeros_like(COUNTED)
for _n in range(1, COUNTED.shape[1]):
    COUNTED[:NUM_SUITED, _n] = lanes_of(np.eye(NUM_SUITED, dtype=int) * _n)
    COUNTED_MORE[:NUM_SUITED, _n] = lanes_of(np.eye(NUM_SUITED, dtype=int) * (_n - LANES))
    for _joker in range(len(JOKERS)):  # two of each at most
        COUNTED[NUM_SUITED + _joker, _n] = (1 << JOKER_PLACE + _joker) | (_n > 1) << JOKER_PLACE + 2 + _joker
NEED = np.array([sum(int(COUNTED[r, n]) for r, n in enumerate(body)) for body in BODY])
RANK_BITS = np.array([sum(1 << r for r in range(NUM_SUITED) if body[r]) for body in BODY])


def first(kind: str) -> int:
    """The lowest id of a kind of action."""
    return int(np.flatnonzero(KINDS.index(kind) == KIND)[0])


PASS, SINGLE, PAIR, TRIPLE, STRAIGHT, FLUSH, PAIR_CHAIN, TRIPLE_CHAIN = map(first, KINDS[:8])
FULL_HOUSE, WINGED, BOMB, JOKER_BOMB, KICKER, SUIT = map(first, KINDS[8:])
BIG_BOMB = BOMB + NUM_SUITED  # five cards and more
NUM_MAIN = KICKER  # ids below are passes and main combinations
LEAD = PASS  # the row of BEATS when there is nothing to beat


def _beats(last: Action, new: Action) -> bool:
    """Whether ``new`` beats ``last`` (section 5)."""
    if last.kind == "pass":  # nothing on the table: everything may be led, but not a pass
        return new.kind != "pass"
    if new.kind == "pass":
        return True
    if "joker_bomb" in (last.kind, new.kind):
        return last.kind != "joker_bomb"
    if "bomb" in (last.kind, new.kind):
        return last.kind != "bomb" or (new.kind == "bomb" and (new.length, new.key) > (last.length, last.key))
    if last.kind == "straight" and new.kind == "flush_straight":
        return new.length == last.length
    return new.kind == last.kind and new.length == last.length and new.key > last.key


BEATS = beating(ACTIONS[:NUM_MAIN], _beats)
FEATURE_NAMES, FEATURES = features_of(ACTIONS, KINDS, RANKS, LONGEST, MOST_WINGS)
FEATURE_NAMES += tuple(f"suit_{suit}" for suit in SUITS)
FEATURES = np.concatenate([FEATURES, np.eye(NUM_ACTIONS, dtype=np.float32)[:, SUIT:]], axis=1)
