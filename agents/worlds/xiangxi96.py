"""Xiangxi 96: worlds that a seat may be in.

It knows its hand, the cards on the table and in the piles, how many each holds and how many are in the stock.
All other cards are dealt to the other hands and the stock. Hands only shrink, and whoever holds two or three
of a card that comes up must take it. So a hand has no four of a kind (a dragon would lie on the table), and
no two of a kind that has been flipped, or with four players lies in another's pile. Of the deals that keep to
that all are about equally likely.

What else the others did or left is not used; what only they know of their pasts (chi that they passed,
company that they broke) counts as not having happened.
"""

from __future__ import annotations

import numpy as np

from envs.core.jit import njit
from envs.core.rng import draw_below, seed_stream, shuffle
from envs.xiangxi96.claims import ASKED_HU
from envs.xiangxi96.kinds import COPIES, NUM_CARDS, NUM_KINDS
from envs.xiangxi96.melds import EVENT_UNIT, FLIP, KIND_UNIT, ONE, SEAT_UNIT
from envs.xiangxi96.rules import CLAIMED_DISCARDS_FROM, MOST_SEATS
from envs.xiangxi96.shapes import KAN
from envs.xiangxi96.win import find_wins

STOCK = MOST_SEATS  # a holder of cards behind the seats
NUM_HOLDERS = MOST_SEATS + 1
PAIR = 2  # players: all that is unseen is in one hand, or in the stock
SWAPS = 4  # a card, to forget how the deal began
MOST_TRIES = 1000


@njit
def fill(t, seat, key):
    """Complete ``t``, blanked for ``seat``, who is to act; returns whether another seat has all unseen cards.

    Raises ValueError where no deal of the unseen cards is possible, which no game leads to.
    """
    seed_stream(t.chance, key)
    cards = np.zeros(NUM_CARDS, np.int64)
    size = gather_unseen(t, seat, cards)
    shuffle(t.chance, cards[:size])
    holders = np.full(size, STOCK)
    held = np.zeros((NUM_HOLDERS, NUM_KINDS), np.int64)
    at = 0
    for other in range(t.num_players):
        if other != seat:
            holders[at : at + t.held[other]] = other
            at += t.held[other]
    for i in range(size):
        held[holders[i], cards[i] // COPIES] += 1
    keep_to_limits(t, limits(t), cards[:size], holders, held)
    put(t, seat, cards[:size], holders, held)
    return t.num_players == PAIR and t.dealt == NUM_CARDS


@njit
def gather_unseen(t, seat, cards):
    """Write the cards that may be anywhere into ``cards``: the last ones of each kind."""
    size = 0
    for kind in range(NUM_KINDS):
        for copy in range(t.shown[kind] + t.hand[seat, kind], COPIES):
            cards[size] = COPIES * kind + copy
            size += 1
    return size


@njit
def limits(t):
    """How many of a kind each holder can have, (NUM_HOLDERS, NUM_KINDS).

    Of a card that was taken for three or four of a kind no two are left.
    """
    most = np.full((NUM_HOLDERS, NUM_KINDS), KAN)
    most[STOCK] = COPIES
    is_open = t.is_flip and t.phase == ASKED_HU  # the last flip may still be taken
    for i in range(t.num_events - is_open):
        if t.events[i] // EVENT_UNIT == FLIP:
            kind = t.events[i] % SEAT_UNIT // KIND_UNIT
            for who in range(t.num_players):
                most[who, kind] = ONE
    if t.num_players >= CLAIMED_DISCARDS_FROM:
        for owner in range(t.num_players):
            for kind in range(NUM_KINDS):
                if t.piles[owner, kind]:
                    for who in range(t.num_players):
                        if who != owner:  # he may throw one of several
                            most[who, kind] = ONE
    return most


@njit
def keep_to_limits(t, most, cards, holders, held):
    """Swap cards of different holders at random, unless one would have too many, until nobody has."""
    size = len(cards)
    for _ in range(MOST_TRIES):
        for _ in range(SWAPS * size):
            i, j = draw_below(t.chance, size), draw_below(t.chance, size)
            one, other = holders[i], holders[j]
            kind, new = cards[i] // COPIES, cards[j] // COPIES
            if one == other or kind == new:
                continue
            if held[one, new] < most[one, new] and held[other, kind] < most[other, kind]:
                held[one, kind] -= 1
                held[one, new] += 1
                held[other, new] -= 1
                held[other, kind] += 1
                cards[i], cards[j] = cards[j], cards[i]
        if (held <= most).all():
            return
    raise ValueError("no deal of the unseen cards is possible at this table")


@njit
def put(t, seat, cards, holders, held):
    """Write the deal into the record, and which cards win for the others."""
    at = t.dealt
    for i in range(len(cards)):
        if holders[i] == STOCK:
            t.deck[at] = cards[i]
            at += 1
    for other in range(t.num_players):
        if other != seat:
            for kind in range(NUM_KINDS):
                t.hand[other, kind] = held[other, kind]
            find_wins(t, np.int64(other))
