"""Guan Pai: what a seat sees (``observe``), what it may not know (``blank``), what is counted (``stats``).

Seats in an observation are relative to the observer: 0 itself, 1 the next, 2 the one before.
"""

from __future__ import annotations

import numpy as np

from ..core.cards import LANES, one_hot, thermometer, unary, unpack_lanes
from ..core.game import lay_out
from ..core.jit import njit
from .actions import COLUMN, KEY, KICKERS, KIND, KINDS, LENGTH, LONGEST, MOST_OF_RANK, MOST_WINGS, NUM_RANKS
from .rules import HAND_SIZE, SEATS
from .table import NO_CAP

NUM_MAIN_KINDS = len(KINDS) - 1  # all but the kicker
MOST_BOMBS_OF_SEAT = HAND_SIZE // 4
CAPS = np.array([10, 20, 40, 60, 80, 100, 150, 200, 400])  # units; thresholds of the loss cap

_CARDS = "places (k, r): more than k of rank r"
FIELDS = lay_out(
    [
        ("hand", (LANES, NUM_RANKS), f"own hand; {_CARDS}"),
        ("pending", (LANES, NUM_RANKS), "own body and kickers of a play not yet complete"),
        ("unseen", (LANES, NUM_RANKS), "cards neither in the own hand nor played"),
        ("played", (SEATS, LANES, NUM_RANKS), "cards played by each seat"),
        ("latest", (SEATS, LANES, NUM_RANKS), "cards of each seat's last turn, none for a pass"),
        ("passed", (SEATS,), "whether that last turn was a pass"),
        ("left", (SEATS, HAND_SIZE), "cards in hand, unary"),
        ("bombs", (SEATS, MOST_BOMBS_OF_SEAT), "bombs played, unary"),
        ("table_kind", (NUM_MAIN_KINDS,), "kind of the play to beat, one-hot in the order of the action "
         "table; place 0 (pass) when leading"),
        ("table_key", (NUM_RANKS,), "its key, one-hot"),
        ("table_length", (LONGEST,), "its length, unary"),
        ("owner", (SEATS,), "who played it, or last won a trick"),
        ("passes", (SEATS - 1,), "passes since, unary"),
        ("to_move", (SEATS,), "whose turn it is"),
        ("leader", (SEATS,), "who led the first trick"),
        ("first_play", (1,), "no play has been made yet"),
        ("pending_kind", (NUM_MAIN_KINDS,), "kind of the own play not yet complete, one-hot"),
        ("wanted", (MOST_WINGS,), "kickers still to choose, unary"),
        ("must_beat", (3,), "option, one-hot: off, non_bomb, all"),
        ("lead_diamond_three", (1,), "option"),
        ("short_plane_follow", (1,), "option"),
        ("dingda", (3,), "option, one-hot: liability, forced, off"),
        ("bomb_doubling", (4,), "option, one-hot: every_bomb, once, winner_only, off"),
        ("loss_cap", (len(CAPS),), f"option, unary over thresholds of {', '.join(map(str, CAPS))} units"),
        ("no_cap", (1,), "there is no loss cap"),
    ]
)  # fmt: skip
STATS = ("decisions", "plays", "winner", "liable", "bombs_0", "bombs_1", "bombs_2")

_BLOCK = LANES * NUM_RANKS
_HAND, _PENDING, _UNSEEN, _PLAYED, _LATEST, _PASSED, _LEFT, _BOMBS = (
    FIELDS[name].start
    for name in ("hand", "pending", "unseen", "played", "latest", "passed", "left", "bombs")
)
_TABLE_KIND, _TABLE_KEY, _TABLE_LENGTH, _OWNER, _PASSES, _TO_MOVE, _LEADER, _FIRST, _PENDING_KIND, _WANTED = (
    FIELDS[name].start
    for name in ("table_kind", "table_key", "table_length", "owner", "passes", "to_move", "leader",
                 "first_play", "pending_kind", "wanted")
)  # fmt: skip
_MUST_BEAT, _LEAD_THREE, _SHORT_PLANE, _DINGDA, _DOUBLING, _LOSS_CAP, _NO_CAP = (
    FIELDS[name].start
    for name in ("must_beat", "lead_diamond_three", "short_plane_follow", "dingda", "bomb_doubling",
                 "loss_cap", "no_cap")
)  # fmt: skip


@njit
def observe(t, seat, out):
    """Write what ``seat`` sees into ``out`` (O,) uint8; ``FIELDS`` says where things stand."""
    out[:] = 0
    see_cards(t, seat, out)
    see_trick(t, seat, out)
    see_options(t, out)


@njit
def see_cards(t, seat, out):
    unpack_lanes(t.lanes[seat], _BLOCK, out[_HAND:])
    unseen = np.int64(0)
    for rank in range(NUM_RANKS):
        unseen |= COLUMN[MOST_OF_RANK[rank] - t.hand[seat, rank] - t.gone[rank]] << np.int64(rank)
    unpack_lanes(unseen, _BLOCK, out[_UNSEEN:])
    for i in range(SEATS):
        who = (seat + i) % SEATS
        unpack_lanes(t.played[who], _BLOCK, out[_PLAYED + i * _BLOCK :])
        unpack_lanes(t.latest[who], _BLOCK, out[_LATEST + i * _BLOCK :])
        out[_PASSED + i] = t.passed[who]
        unary(t.left[who], HAND_SIZE, out[_LEFT + i * HAND_SIZE :])
        unary(t.bombs[who], MOST_BOMBS_OF_SEAT, out[_BOMBS + i * MOST_BOMBS_OF_SEAT :])


@njit
def see_trick(t, seat, out):
    out[_TABLE_KIND + KIND[t.last]] = 1
    one_hot(KEY[t.last], NUM_RANKS, out[_TABLE_KEY:])
    unary(LENGTH[t.last], LONGEST, out[_TABLE_LENGTH:])
    if t.owner >= 0:
        out[_OWNER + (t.owner - seat) % SEATS] = 1
    unary(t.passes, SEATS - 1, out[_PASSES:])
    out[_TO_MOVE + (t.turn - seat) % SEATS] = 1
    out[_LEADER + (t.leader - seat) % SEATS] = 1
    out[_FIRST] = t.plays == 0
    if t.pending and t.turn == seat:
        thermometer(t.chosen, out[_PENDING:])
        out[_PENDING_KIND + KIND[t.pending]] = 1
        unary(t.wanted, MOST_WINGS, out[_WANTED:])


@njit
def see_options(t, out):
    out[_MUST_BEAT + t.must_beat] = 1
    out[_LEAD_THREE] = t.lead_diamond_three
    out[_SHORT_PLANE] = t.short_plane_follow
    out[_DINGDA + t.dingda] = 1
    out[_DOUBLING + t.bomb_doubling] = 1
    out[_NO_CAP] = t.loss_cap < 0
    cap = t.loss_cap if t.loss_cap >= 0 else NO_CAP
    for i in range(len(CAPS)):
        out[_LOSS_CAP + i] = cap >= CAPS[i]


@njit
def blank(t, seat):
    """Zero what ``seat`` may not know: other hands, the deck, the chance stream, a play half made."""
    t.chance[:] = 0
    t.deck[:] = 0
    for i in range(1, SEATS):
        other = (seat + i) % SEATS
        t.hand[other, :] = 0
        t.suits[other, :] = 0
        t.lanes[other] = 0
    if t.turn != seat:
        if t.pending:  # as if that play had not been begun
            begun = KICKERS[t.pending] - t.wanted + 1
            for _ in range(begun):
                t.decisions -= 1
                t.log[t.decisions] = 0
        t.pending = 0
        t.wanted = 0
        t.lowest = 0
        t.chosen[:] = 0
    t.breach = 0  # says something of the hand of the seat before


@njit
def stats(t, out):
    """Write the columns of STATS into ``out`` (K,) int64."""
    out[0] = t.decisions
    out[1] = t.plays
    out[2] = t.winner
    out[3] = t.liable
    for seat in range(SEATS):
        out[4 + seat] = t.bombs[seat]
