"""Zheng Shang You: worlds that a seat may be in.

It knows its hand, the cards played by each seat, how many each holds, and who led first. All other cards are
dealt to the other hands, whose sizes stay; what is left is out of play (``cards_each``). The first leader was
dealt 3S: with the whole pack dealt, it still has one while it has played none. Who led in a small game, and
what passes and plays say about hands, is not used.
"""

from __future__ import annotations

import numpy as np

from envs.core.jit import njit
from envs.core.rng import seed_stream, shuffle
from envs.zheng_shang_you.actions import CARD_BIT, PACKS, SPADE_THREE
from envs.zheng_shang_you.rules import HAND_SIZES, SEATS
from envs.zheng_shang_you.suits import find_live, held
from envs.zheng_shang_you.table import DECK_SIZE, PACK_SIZES, take_card

WHOLE_HANDS = np.array(HAND_SIZES)  # by the number of decks


@njit
def fill(t, seat, key):
    """Complete ``t``, blanked for ``seat``, who is to act; returns whether all unseen cards are alike."""
    seed_stream(t.chance, key)
    cards = np.zeros(len(PACKS[1]), np.int64)
    is_kept = three_is_kept(t, seat)
    size = gather_unseen(t, seat, is_kept, cards)
    are_alike = cards[0] == cards[size - 1]
    shuffle(t.chance, cards[:size])
    at = 0
    for i in range(1, SEATS):
        other = (seat + i) % SEATS
        wanted = t.left[other]
        t.left[other] = 0
        if is_kept and other == t.leader:
            take_card(t, other, SPADE_THREE)
        while t.left[other] < wanted:
            take_card(t, other, cards[at])
            at += 1
        find_live(t, np.int64(other))
    return are_alike


@njit
def three_is_kept(t, seat):
    """Whether another seat is known to hold a 3S."""
    has_played = t.played[t.leader, 0] >> CARD_BIT[SPADE_THREE] & 1
    return t.cards_each == WHOLE_HANDS[t.decks] and t.leader != seat and has_played == 0


@njit
def gather_unseen(t, seat, is_kept, cards):
    """Write the cards that may be anywhere into ``cards``; a 3S less if one ``is_kept``."""
    size = 0
    for card in range(min(DECK_SIZE, PACK_SIZES[t.decks])):
        place = CARD_BIT[card]
        unseen = t.decks + 1 - held(t.cards[seat, 0], t.cards[seat, 1], place)
        for who in range(SEATS):
            unseen -= held(t.played[who, 0], t.played[who, 1], place)
        unseen -= is_kept and card == SPADE_THREE
        for _ in range(unseen):
            cards[size] = card
            size += 1
    return size
