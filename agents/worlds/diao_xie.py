"""Diao Xie: worlds that a seat may be in.

It knows its two cards and what everybody did. The other cards of this hand are dealt to the other seats,
folded ones too, and the decks of the hands to come are shuffled; hands that have been settled are forgotten.

In a game of bets what others did tells nearly everything about their cards: by worlds that do not weigh it
the search loses to the rule player, with limit betting 0.45 b a hand. So a deal is kept if the others would
have done with it what they did, as players of ``rule_v0`` who slip now and then; else it is dealt again.
"""

from __future__ import annotations

import numpy as np

from envs.core.jit import njit
from envs.core.rng import draw_below, draw_cards, seed_stream
from envs.diao_xie.actions import NUM_ACTIONS
from envs.diao_xie.hands import NUM_CARDS
from envs.diao_xie.legal import legal
from envs.diao_xie.rules import LIMIT
from envs.diao_xie.table import play_limit, play_pot

from ..rule.diao_xie_v0 import choose

ANTE = 1  # b
SLIP = 16  # one action in so many may be anything
MOST_DEALS = 200  # the last one is kept in any case
NO_KEY = np.uint64(0)  # the rule player uses none


@njit
def fill(t, seat, key):
    """Complete ``t``, blanked for ``seat``, who is to act; returns False: no world is certain."""
    seed_stream(t.chance, key)
    for hand in range(t.hand + 1, t.hands):
        deck = t.deck[NUM_CARDS * hand : NUM_CARDS * (hand + 1)]
        for i in range(NUM_CARDS):
            deck[i] = i
        draw_cards(t.chance, deck, 2 * t.num_players)
    mask = np.zeros(NUM_ACTIONS, np.int8)
    for _ in range(MOST_DEALS):
        deal_others(t, seat, t.deck[NUM_CARDS * t.hand : NUM_CARDS * (t.hand + 1)])
        if is_likely(t, seat, mask):
            break
    return False


@njit
def deal_others(t, seat, deck):
    """Deal this hand, from a ``deck`` in which ``seat`` gets what it has."""
    for i in range(NUM_CARDS):
        deck[i] = i
    swap(deck, t.cards[seat, 0], 0)  # the lower card: the higher one is still in its place
    swap(deck, t.cards[seat, 1], 1)
    draw_cards(t.chance, deck[2:], 2 * (t.num_players - 1))
    swap(deck, 0, 2 * seat)
    swap(deck, 1, 2 * seat + 1)
    for other in range(t.num_players):
        first, second = deck[2 * other], deck[2 * other + 1]
        t.cards[other, 0] = min(first, second)
        t.cards[other, 1] = max(first, second)


@njit
def swap(cards, i, j):
    card = cards[i]
    cards[i] = cards[j]
    cards[j] = card


@njit
def is_likely(t, seat, mask):
    """Whether the others do what they did when this hand is played again; leaves ``t`` as it was."""
    take_back(t)
    is_so = True
    for i in range(t.acted):
        action = np.int64(t.line[i])
        if is_so and t.turn != seat:
            legal(t, mask)
            is_so = choose(t, mask, NO_KEY) == action or draw_below(t.chance, SLIP) == 0
        if t.betting == LIMIT:
            play_limit(t, t.turn, action)
        else:
            play_pot(t, t.turn, action)
    return is_so


@njit
def take_back(t):
    """Back to the beginning of the hand, but for the list of actions and the counts of a game."""
    for who in range(t.num_players):
        t.folded[who] = 0
        if t.betting == LIMIT:  # the ante counts as a stake, and all stakes are paid
            t.net[who] += t.stakes[who] - ANTE
            t.pot -= t.stakes[who] - ANTE
            t.stakes[who] = ANTE
        else:
            t.stakes[who] = 0
    t.first_stake = 0
    t.is_second_turn = 0
    t.raises = 0
    t.to_act = t.num_players
    t.turn = t.head
