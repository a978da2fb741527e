"""Guan Pai: worlds that a seat may be in.

It knows its hand, the ranks played by each seat, how many cards each holds, and who led first. All other
cards are dealt to the other hands, whose sizes stay; what is left is out of play (``cards_each``). The first
leader was dealt 3D: with the whole pack dealt, it still has it while it has played no three. Who led in a
small game is not used; what passes and plays say about hands is a matter of ``weighing.py``, for which
``rewind`` lets a world be played again.

Of played cards the record keeps ranks, not suits: the first ones in the order S H C D count as played, 3D
last of the threes. Suits matter for the first play only, when none is played yet.
"""

from __future__ import annotations

import numpy as np

from envs.core.cards import SUITS, lane_bit
from envs.core.jit import njit
from envs.core.rng import seed_stream, shuffle
from envs.guan_pai.actions import (
    CARD_RANK,
    CARDS,
    COLUMN,
    DIAMOND_THREE,
    KEY,
    LEAD,
    NUM_RANKS,
    PAIR,
    RANKS,
    SINGLE,
)
from envs.guan_pai.legal import highest_rank
from envs.guan_pai.rules import HAND_SIZE, SEATS
from envs.guan_pai.table import clear_game, take_card

THREE = RANKS.index("3")
NO_RANK = NUM_RANKS
ORDER = "SHCD"  # of suits, as they count as played
IN_ORDER = np.array([[CARDS.index(r + s) if r + s in CARDS else -1 for s in ORDER] for r in RANKS])
SUIT_BITS = np.array([1 << SUITS.index(suit) for suit in ORDER])
DIAMOND_BIT = 1 << SUITS.index("D")
COPIES = len(SUITS)


@njit
def fill(t, seat, key):
    """Complete ``t``, blanked for ``seat``, who is to act; returns whether all unseen cards are alike."""
    seed_stream(t.chance, key)
    cards = np.zeros(len(CARDS), np.int64)
    is_kept = three_is_kept(t, seat)
    size = gather_unseen(t, seat, is_kept, cards)
    are_alike = t.plays > 0 and CARD_RANK[cards[0]] == CARD_RANK[cards[size - 1]]
    shuffle(t.chance, cards[:size])
    at = 0
    for i in range(1, SEATS):
        other = (seat + i) % SEATS
        wanted = t.left[other]
        t.left[other] = 0
        if is_kept and other == t.leader:
            take_card(t, other, DIAMOND_THREE)
        while t.left[other] < wanted:
            take_card(t, other, cards[at])
            at += 1
    t.breach = was_breach(t, seat)
    return are_alike


@njit
def three_is_kept(t, seat):
    """Whether another seat is known to hold 3D."""
    return t.cards_each == HAND_SIZE and t.leader != seat and t.played[t.leader] >> THREE & 1 == 0


@njit
def gather_unseen(t, seat, is_kept, cards):
    """Write the cards that may be anywhere into ``cards``; not 3D if that ``is_kept``."""
    size = 0
    for rank in range(NUM_RANKS):
        gone = t.gone[rank]
        for i in range(len(SUITS)):
            card = IN_ORDER[rank, i]
            if card < 0 or t.suits[seat, rank] & SUIT_BITS[i]:
                continue
            if gone > 0:
                gone -= 1
            elif not (is_kept and card == DIAMOND_THREE):
                cards[size] = card
                size += 1
    return size


@njit
def was_breach(t, seat):
    """Whether the turn before broke the top-card duty (頂大): ``seat`` had one card left.

    That is so where a single lay on the table, played or passed on, and a higher card stayed in the hand.
    """
    if t.left[seat] != 1 or t.plays == 0:
        return False
    before = (seat + SEATS - 1) % SEATS
    return highest_rank(t, before) > single_before(t, seat)


@njit
def single_before(t, seat):
    """The rank of the single that lay on the table after the turn before; above all where none did."""
    if SINGLE <= t.last < PAIR:
        return KEY[t.last]
    if t.last == LEAD:  # the trick has just ended with that pass: the play was the own one
        for rank in range(NUM_RANKS):
            if t.latest[seat] == COLUMN[1] << rank:
                return np.int64(rank)
    return np.int64(NO_RANK)


@njit
def rewind(t):
    """Make of the world ``t`` the beginning of its game: every card that was played is in its hand again."""
    for seat in range(SEATS):
        for rank in range(NUM_RANKS):
            for k in range(COPIES):
                if t.played[seat] & lane_bit(k, rank, NUM_RANKS):
                    take_back(t, seat, rank)
    clear_game(t)
    t.turn = t.leader


@njit
def take_back(t, seat, rank):
    """Put a card of ``rank`` back into a hand; of which suit is not known, but for 3D of who led first."""
    had_three = rank == THREE and seat == t.leader and t.cards_each == HAND_SIZE
    suits = np.int64(t.suits[seat, rank])
    t.suits[seat, rank] |= DIAMOND_BIT if had_three and not suits & DIAMOND_BIT else ~suits & (suits + 1)
    t.lanes[seat] |= lane_bit(t.hand[seat, rank], rank, NUM_RANKS)
    t.hand[seat, rank] += 1
    t.left[seat] += 1
