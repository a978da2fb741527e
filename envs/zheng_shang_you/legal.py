"""Zheng Shang You: which actions are legal (rules, sections 2 to 6 and 9), on one record ``t``."""

from __future__ import annotations

from ..core.jit import njit
from .actions import (
    BEATS,
    BIG_BOMB,
    BODY,
    BOMB,
    FLUSH,
    FULL_HOUSE,
    JOKER_BOMB,
    KEY,
    KICKER,
    KICKERS,
    LEAD,
    LENGTH,
    NEED,
    NUM_MAIN,
    NUM_RANKS,
    NUM_SUITED,
    NUM_SUITS,
    PAIR_CHAIN,
    RANK_BITS,
    SPADE,
    STRAIGHT,
    SUIT,
    SUIT_RANKS,
    THREE,
    WINGED,
)
from .suits import BITS_SET, covering_suits, suits_among, three_is_due


@njit
def legal(t, mask):
    """Write 1 for each legal action of the seat to act into ``mask`` (495,), else 0."""
    if t.pending:
        mask[:] = 0
        if t.wanted:
            legal_kickers(t, mask)
        else:
            legal_suits(t, mask)
        return
    mask[NUM_MAIN:] = 0
    legal_main(t, mask)
    if three_is_due(t):
        keep_spade_three(t, mask)


@njit
def legal_main(t, mask):
    """Passes and main combinations: what beats the table and what the hand holds."""
    lanes = t.lanes[t.turn]
    missing = ~lanes
    beats = BEATS[t.last]
    for action in range(NUM_MAIN):
        mask[action] = beats[action] & ((NEED[action] & missing) == 0)
    if t.live[t.turn, 0]:
        for action in range(STRAIGHT, PAIR_CHAIN):
            if mask[action]:
                mask[action] = straight_fits(t, action)
    else:
        mask[FLUSH:PAIR_CHAIN] = 0
    if (lanes >> 2 * NUM_SUITED) & SUIT_RANKS == 0:
        return  # no three of a rank: none of what follows
    pairs, ranks_with_pair = count_pairs(t)
    if ranks_with_pair < 2:  # that of the triple itself is none
        mask[FULL_HOUSE:WINGED] = 0
    if t.last == LEAD or WINGED <= t.last < BOMB:
        for action in range(WINGED, BOMB):
            if mask[action]:
                mask[action] = wings_fit(t, action, pairs, ranks_with_pair)
    if (lanes >> 3 * NUM_SUITED) & SUIT_RANKS:
        for action in range(BIG_BOMB, JOKER_BOMB):
            if mask[action]:
                mask[action] = t.hand[t.turn, KEY[action]] >= LENGTH[action]


@njit
def straight_fits(t, action):
    """A straight shows two suits, a flush straight is of one."""
    first = t.cards[t.turn, 0]
    if action >= FLUSH:
        return covering_suits(first, RANK_BITS[action]) != 0
    return BITS_SET[suits_among(first, RANK_BITS[action])] > 1


@njit
def count_pairs(t):
    """Pairs that the hand can be split into, and ranks that have one."""
    pairs, ranks = 0, 0
    for rank in range(NUM_RANKS):
        pairs += t.hand[t.turn, rank] >> 1
        ranks += t.hand[t.turn, rank] > 1
    return pairs, ranks


@njit
def wings_fit(t, action, pairs, ranks_with_pair):
    """Whether enough pairs are left beside the triples for their wings."""
    if t.distinct_wings:
        return ranks_with_pair - KICKERS[action] >= KICKERS[action]
    for rank in range(NUM_RANKS):
        if BODY[action, rank]:
            held = t.hand[t.turn, rank]
            pairs += (held - BODY[action, rank] >> 1) - (held >> 1)
    return pairs >= KICKERS[action]


@njit
def keep_spade_three(t, mask):
    """Leave what contains 3S, or can take it as a kicker (lead_spade_three)."""
    first = t.cards[t.turn, 0]
    for action in range(1, NUM_MAIN):
        if not mask[action]:
            continue
        if BODY[action, THREE] == 0:
            mask[action] = KICKERS[action] > 0 and t.hand[t.turn, THREE] >= 2
        elif FLUSH <= action < PAIR_CHAIN:
            mask[action] = covering_suits(first, RANK_BITS[action]) >> SPADE & 1
        elif STRAIGHT <= action < FLUSH:
            rest = RANK_BITS[action] & ~(1 << THREE)
            mask[action] = suits_among(first, rest) & ~(1 << SPADE) != 0


@njit
def legal_kickers(t, mask):
    """Ranks for the next kicker pair from which the play can still be completed."""
    must_be_three = three_is_due(t) and t.chosen[THREE] == 0
    available = 0
    for rank in range(NUM_RANKS - 1, -1, -1):
        here = t.hand[t.turn, rank] - t.chosen[rank] >> 1
        if BODY[t.pending, rank] and (t.distinct_wings or t.pending < WINGED):
            here = 0
        if t.distinct_wings and here > 1:
            here = 1
        available += here
        fits = here > 0 and rank >= t.lowest and available >= t.wanted
        mask[KICKER + rank] = fits and not (must_be_three and rank > THREE)


@njit
def legal_suits(t, mask):
    """Suits of the next card of the pending play."""
    for suit in range(NUM_SUITS):
        mask[SUIT + suit] = t.suits >> suit & 1
