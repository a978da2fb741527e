"""Zheng Shang You: what a seat sees (``observe``), what it may not know (``blank``), what is counted.

Seats in an observation are relative to the observer: 0 itself, 1 the next, and so on. With two decks there
are more fields behind those of one deck: second copies of cards, more than four of a rank, jokers.
"""

from __future__ import annotations

import numpy as np

from ..core.cards import LANES, one_hot, unary, unpack_lanes
from ..core.game import lay_out
from ..core.jit import njit
from .actions import (
    COUNTED,
    COUNTED_MORE,
    JOKER_PLACE,
    JOKERS,
    KEY,
    KIND,
    KINDS,
    LEAD,
    LENGTH,
    MOST_OF_RANK,
    MOST_WINGS,
    NUM_RANKS,
    NUM_SUITED,
    NUM_SUITS,
)
from .rules import HAND_SIZES, ONE_DECK, SEATS
from .suits import NUM_WINDOWS, five_runs, of_suit
from .table import clear_pending

NUM_MAIN_KINDS = KINDS.index("kicker")
NUM_JOKERS = 2 * len(JOKERS)
HAND_SIZE = HAND_SIZES[0]
HAND_SIZE_MORE = HAND_SIZES[1] - HAND_SIZE

_CARDS, _COUNTS, _JOKERS = (NUM_SUITS, NUM_SUITED), (LANES, NUM_SUITED), (2, len(JOKERS))
_ONE_DECK = [
    ("hand", _CARDS, "own hand; places (s, r): the card of suit S H D C and rank 3..2"),
    ("ranks", _COUNTS, "own hand; places (k, r): more than k of rank r"),
    ("live", _CARDS, "own cards that are flush-live (rules, section 6)"),
    ("runs", (NUM_SUITS, NUM_WINDOWS), "flush straights of five in the own hand, by suit, A2345..JQKA2"),
    ("unseen", _COUNTS, "cards neither in the own hand nor played, by rank"),
    ("played", (SEATS, *_CARDS), "cards played by each seat"),
    ("latest", (SEATS, *_CARDS), "cards of each seat's last turn, none for a pass"),
    ("passed", (SEATS,), "whether that last turn was a pass"),
    ("out", (SEATS,), "who has passed since the last play (pass_lockout: in this trick)"),
    ("left", (SEATS, HAND_SIZE), "cards in hand, unary"),
    ("table_kind", (NUM_MAIN_KINDS,), "kind of the play to beat, one-hot in the order of the action table; "
     "place 0 (pass) when leading"),
    ("table_key", (NUM_SUITED,), "its key, one-hot"),
    ("table_length", (HAND_SIZE,), "its number of cards, unary"),
    ("owner", (SEATS,), "who played it, or last won a trick"),
    ("to_move", (SEATS,), "whose turn it is"),
    ("leader", (SEATS,), "who led the first trick"),
    ("first_play", (1,), "no play has been made yet"),
    ("pending_kind", (NUM_MAIN_KINDS,), "kind of the own play not yet complete, one-hot"),
    ("pending", _COUNTS, "its body and kickers by rank"),
    ("pending_cards", _CARDS, "those of its cards that are decided"),
    ("wanted", (MOST_WINGS,), "kicker pairs still to choose, unary"),
    ("asked", (NUM_SUITED,), "rank of which a suit is to be chosen, one-hot"),
    ("suits", (NUM_SUITS,), "the suits to choose from"),
    ("pass_lockout", (1,), "option"),
    ("lead_spade_three", (1,), "option"),
    ("distinct_wings", (1,), "option"),
]  # fmt: skip
_SECOND = "the second copies"
_MORE = "more than four of a rank; places (k, r): more than 4 + k"
_TWO_DECKS = [
    ("hand_twice", _CARDS, f"own hand: {_SECOND}"),
    ("ranks_more", _COUNTS, f"own hand: {_MORE}"),
    ("jokers", _JOKERS, "own hand; places (k, j): more than k of x, X"),
    ("live_twice", _CARDS, f"flush-live cards: {_SECOND}"),
    ("unseen_more", _COUNTS, f"unseen cards: {_MORE}"),
    ("unseen_jokers", _JOKERS, "unseen jokers"),
    ("played_twice", (SEATS, *_CARDS), f"cards played by each seat: {_SECOND}"),
    ("played_jokers", (SEATS, *_JOKERS), "jokers played by each seat"),
    ("latest_twice", (SEATS, *_CARDS), f"cards of each seat's last turn: {_SECOND}"),
    ("latest_jokers", (SEATS, *_JOKERS), "jokers of each seat's last turn"),
    ("left_more", (SEATS, HAND_SIZE_MORE), f"cards in hand beyond {HAND_SIZE}, unary"),
    ("table_key_joker", (len(JOKERS),), "key of the play to beat, if a joker: x, X"),
    ("table_length_more", (HAND_SIZE_MORE,), f"its cards beyond {HAND_SIZE}, unary"),
    ("pending_more", _COUNTS, f"own play not yet complete: {_MORE}"),
    ("pending_jokers", _JOKERS, "its jokers"),
    ("pending_twice", _CARDS, f"those of its cards that are decided: {_SECOND}"),
]
FIELDS = (lay_out(_ONE_DECK), lay_out(_ONE_DECK + _TWO_DECKS))  # by number of decks
STATS = (
    "decisions", "plays", "winner", *(f"bombs_{seat}" for seat in range(SEATS)),
    *(f"left_{seat}" for seat in range(SEATS)),
)  # fmt: skip

# Where the fields start: constants, as a loop of fixed place and length is several times faster.
_BLOCK = NUM_SUITS * NUM_SUITED
(
    _HAND, _RANKS, _LIVE, _RUNS, _UNSEEN, _PLAYED, _LATEST, _PASSED, _OUT, _LEFT, _TABLE_KIND, _TABLE_KEY,
    _TABLE_LENGTH, _OWNER, _TO_MOVE, _LEADER, _FIRST_PLAY, _PENDING_KIND, _PENDING, _PENDING_CARDS, _WANTED,
    _ASKED, _SUITS, _PASS_LOCKOUT, _LEAD_SPADE_THREE, _DISTINCT_WINGS,
    _HAND_TWICE, _RANKS_MORE, _HAND_JOKERS, _LIVE_TWICE, _UNSEEN_MORE, _UNSEEN_JOKERS, _PLAYED_TWICE,
    _PLAYED_JOKERS, _LATEST_TWICE, _LATEST_JOKERS, _LEFT_MORE, _TABLE_KEY_JOKER, _TABLE_LENGTH_MORE,
    _PENDING_MORE, _PENDING_JOKERS, _PENDING_TWICE,
) = (field.start for field in FIELDS[1].values())  # fmt: skip


@njit
def observe(t, seat, out):
    """Write what ``seat`` sees into ``out`` (O,) uint8; ``FIELDS`` says where things stand."""
    out[:] = 0
    see_cards(t, seat, out)
    see_trick(t, seat, out)
    if t.decks != ONE_DECK:
        see_more(t, seat, out)
    if t.pending and t.turn == seat:
        see_pending(t, out)


@njit
def see_cards(t, seat, out):
    unpack_lanes(t.cards[seat, 0], _BLOCK, out[_HAND:])
    unpack_lanes(t.lanes[seat], _BLOCK, out[_RANKS:])
    if t.live[seat, 0]:
        see_live(t, seat, out)
    unseen = np.int64(0)
    for rank in range(NUM_SUITED):
        unseen |= COUNTED[rank, MOST_OF_RANK[t.decks, rank] - t.hand[seat, rank] - t.gone[rank]]
    unpack_lanes(unseen, _BLOCK, out[_UNSEEN:])
    for i in range(SEATS):
        who = (seat + i) % SEATS
        unpack_lanes(t.played[who, 0], _BLOCK, out[_PLAYED + _BLOCK * i :])
        unpack_lanes(t.latest[who, 0], _BLOCK, out[_LATEST + _BLOCK * i :])
        out[_PASSED + i] = t.passed[who]
        out[_OUT + i] = t.out[who]
        unary(np.int64(t.left[who]), HAND_SIZE, out[_LEFT + HAND_SIZE * i :])


@njit
def see_live(t, seat, out):
    unpack_lanes(t.live[seat, 0], _BLOCK, out[_LIVE:])
    if t.decks != ONE_DECK:
        unpack_lanes(t.live[seat, 1], _BLOCK, out[_LIVE_TWICE:])
    for suit in range(NUM_SUITS):
        runs = five_runs(of_suit(t.cards[seat, 0], suit))
        for i in range(NUM_WINDOWS):
            out[_RUNS + NUM_WINDOWS * suit + i] = runs >> i & 1


@njit
def see_trick(t, seat, out):
    out[_TABLE_KIND + KIND[t.last]] = 1
    if t.last != LEAD:
        joker = KEY[t.last] - NUM_SUITED
        place = _TABLE_KEY + KEY[t.last] if joker < 0 else _TABLE_KEY_JOKER + joker
        out[place] = 1
    unary(LENGTH[t.last], HAND_SIZE, out[_TABLE_LENGTH:])
    if t.owner >= 0:
        out[_OWNER + (t.owner - seat) % SEATS] = 1
    out[_TO_MOVE + (t.turn - seat) % SEATS] = 1
    out[_LEADER + (t.leader - seat) % SEATS] = 1
    out[_FIRST_PLAY] = t.plays == 0
    out[_PASS_LOCKOUT] = t.pass_lockout
    out[_LEAD_SPADE_THREE] = t.lead_spade_three
    out[_DISTINCT_WINGS] = t.distinct_wings


@njit
def see_more(t, seat, out):
    """The fields that there are with two decks only."""
    unpack_lanes(t.cards[seat, 1], _BLOCK, out[_HAND_TWICE:])
    more, unseen, unseen_jokers = np.int64(0), np.int64(0), np.int64(0)
    for rank in range(NUM_SUITED):
        more |= COUNTED_MORE[rank, t.hand[seat, rank]]
        unseen |= COUNTED_MORE[rank, MOST_OF_RANK[1, rank] - t.hand[seat, rank] - t.gone[rank]]
    for rank in range(NUM_SUITED, NUM_RANKS):
        unseen_jokers |= COUNTED[rank, MOST_OF_RANK[1, rank] - t.hand[seat, rank] - t.gone[rank]]
    unpack_lanes(more, _BLOCK, out[_RANKS_MORE:])
    see_jokers(t.cards[seat, 0], t.cards[seat, 1], out[_HAND_JOKERS:])
    unpack_lanes(unseen, _BLOCK, out[_UNSEEN_MORE:])
    unpack_lanes(unseen_jokers >> np.int64(JOKER_PLACE), NUM_JOKERS, out[_UNSEEN_JOKERS:])
    for i in range(SEATS):
        who = (seat + i) % SEATS
        unpack_lanes(t.played[who, 1], _BLOCK, out[_PLAYED_TWICE + _BLOCK * i :])
        see_jokers(t.played[who, 0], t.played[who, 1], out[_PLAYED_JOKERS + NUM_JOKERS * i :])
        unpack_lanes(t.latest[who, 1], _BLOCK, out[_LATEST_TWICE + _BLOCK * i :])
        see_jokers(t.latest[who, 0], t.latest[who, 1], out[_LATEST_JOKERS + NUM_JOKERS * i :])
        unary(np.int64(t.left[who]) - HAND_SIZE, HAND_SIZE_MORE, out[_LEFT_MORE + HAND_SIZE_MORE * i :])
    unary(LENGTH[t.last] - HAND_SIZE, HAND_SIZE_MORE, out[_TABLE_LENGTH_MORE:])


@njit
def see_jokers(first, second, out):
    """Write the jokers of a set of cards into ``out`` (4,)."""
    unpack_lanes(first >> np.int64(_BLOCK) | second >> np.int64(_BLOCK) << 2, NUM_JOKERS, out)


@njit
def see_pending(t, out):
    """What only the seat that makes the play knows of it."""
    lower, more = np.int64(0), np.int64(0)
    for rank in range(NUM_RANKS):
        lower |= COUNTED[rank, t.chosen[rank]]
        more |= COUNTED_MORE[rank, t.chosen[rank]]
    out[_PENDING_KIND + KIND[t.pending]] = 1
    unpack_lanes(lower, _BLOCK, out[_PENDING:])
    unpack_lanes(t.spent[0], _BLOCK, out[_PENDING_CARDS:])
    if t.decks != ONE_DECK:
        unpack_lanes(more, _BLOCK, out[_PENDING_MORE:])
        unpack_lanes(lower >> np.int64(JOKER_PLACE), NUM_JOKERS, out[_PENDING_JOKERS:])
        unpack_lanes(t.spent[1], _BLOCK, out[_PENDING_TWICE:])
    unary(t.wanted, MOST_WINGS, out[_WANTED:])
    if t.wanted == 0:
        one_hot(t.asked, NUM_SUITED, out[_ASKED:])
        for suit in range(NUM_SUITS):
            out[_SUITS + suit] = t.suits >> suit & 1


@njit
def blank(t, seat):
    """Zero what ``seat`` may not know: other hands, the deck, the chance stream, a play half made."""
    t.chance[:] = 0
    t.deck[:] = 0
    for i in range(1, SEATS):
        other = (seat + i) % SEATS
        t.hand[other, :] = 0
        t.lanes[other] = 0
        t.cards[other, :] = 0
        t.live[other, :] = 0
    if t.turn != seat:  # as if that play had not been begun
        t.decisions -= t.steps
        clear_pending(t)


@njit
def stats(t, out):
    """Write the columns of STATS into ``out`` (K,) int64."""
    out[0] = t.decisions
    out[1] = t.plays
    out[2] = t.winner
    for seat in range(SEATS):
        out[3 + seat] = t.bombs[seat]
        out[3 + SEATS + seat] = t.left[seat]
