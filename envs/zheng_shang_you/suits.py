"""Zheng Shang You: which cards a play spends (rules, section 6), on one record ``t``.

A card is **flush-live** when the hand covers a flush straight of five with it, else **idle**. Idle cards
are interchangeable and go first, lowest suit first (S H D C). Where live cards must go besides, the player
chooses their suits, one at a time, rank by rank from the lowest; what leaves no choice is not asked.
Liveness is that of the hand before the play. Until the play is complete its cards gather in ``t.spent``.

Cards are sets of bits (``CARD_BIT``), a hand two of them: its first copies and its second ones.
"""

from __future__ import annotations

import numpy as np

from ..core.climbing import windows
from ..core.jit import njit
from .actions import (
    ACE,
    FLUSH,
    NUM_RANKS,
    NUM_SUITED,
    NUM_SUITS,
    PAIR_CHAIN,
    PLACES,
    RANK_BITS,
    RANKS,
    SHORTEST_STRAIGHT,
    SPADE,
    STRAIGHT,
    SUIT_RANKS,
    THREE,
)

WINDOWS = np.array([sum(1 << RANKS.index(r) for r in run) for run in windows(PLACES, SHORTEST_STRAIGHT)])
NUM_WINDOWS = len(WINDOWS)  # flush straights of five cards, as ranks (bits)
BITS_SET = np.array([bits.bit_count() for bits in range(1 << NUM_SUITS)])  # of a set of suits
LOWEST = np.array([(bits & -bits).bit_length() - 1 for bits in range(1 << NUM_SUITS)])


# --- flush straights ----------------------------------------------------------------------------


@njit
def five_runs(ranks):
    """Where runs of five of these ``ranks`` (bits) begin: bit i is place i of ``PLACES``."""
    places = ranks >> ACE & 3 | ranks << 2  # A and 2 stand low as well
    return places & places >> 1 & places >> 2 & places >> 3 & places >> 4


@njit
def ranks_in(places):
    """The ranks (bits) of a set of places."""
    return places >> 2 | (places & 3) << ACE


@njit
def of_suit(cards, suit):
    """The ranks (bits) of a set of cards in one suit."""
    return cards >> np.int64(NUM_SUITED * suit) & SUIT_RANKS


@njit
def find_live(t, seat):
    """Note which first copies of a hand are flush-live, and which second ones."""
    first, second = t.cards[seat, 0], t.cards[seat, 1]
    live_first, live_second = np.int64(0), np.int64(0)
    for suit in range(NUM_SUITS):
        runs = five_runs(of_suit(first, suit))
        if runs:
            ranks = ranks_in(runs | runs << 1 | runs << 2 | runs << 3 | runs << 4)
            live_first |= ranks << np.int64(NUM_SUITED * suit)
            twice = of_suit(second, suit)
            if twice & ranks:
                live_second |= live_twice(runs, twice) << np.int64(NUM_SUITED * suit)
    t.live[seat, 0] = live_first
    t.live[seat, 1] = live_second


@njit
def live_twice(runs, twice):
    """The ranks of one suit that two flush straights can use at once, both of them held."""
    ranks = np.int64(0)
    for i in range(NUM_WINDOWS):
        for j in range(i, NUM_WINDOWS):
            both = WINDOWS[i] & WINDOWS[j]
            if runs >> i & runs >> j & 1 and both & ~twice == 0:
                ranks |= both
    return ranks


@njit
def covering_suits(first, ranks):
    """The suits (bits) of which a hand has all these ``ranks``: those of a flush straight."""
    suits = 0
    for suit in range(NUM_SUITS):
        if ranks & ~of_suit(first, suit) == 0:
            suits |= 1 << suit
    return suits


@njit
def suits_among(first, ranks):
    """The suits (bits) of which a hand has any of these ``ranks``."""
    suits = 0
    for suit in range(NUM_SUITS):
        if ranks & of_suit(first, suit):
            suits |= 1 << suit
    return suits


@njit
def suits_of(cards, rank):
    """The suits (bits) of the ``cards`` of a rank."""
    suits = 0
    for suit in range(NUM_SUITS):
        suits |= (cards >> np.int64(NUM_SUITED * suit + rank) & 1) << suit
    return suits


# --- the cards of a play ------------------------------------------------------------------------


@njit
def three_is_due(t):
    """Whether this play must contain 3S."""
    return t.lead_spade_three and t.plays == 0


@njit
def choose_cards(t):
    """Gather the cards of the pending play up to the next choice; whether they are complete.

    If not, ``t.suits`` says what there is to choose from.
    """
    seat = t.turn
    if FLUSH <= t.pending < PAIR_CHAIN:
        if t.spent[0] == 0:
            t.suits = suit_options(t)
            if BITS_SET[t.suits] > 1:
                return False
            choose_suit(t, LOWEST[t.suits])
        return True
    if t.live[seat, 0] == 0 and not three_is_due(t):
        for rank in range(NUM_RANKS):
            if t.chosen[rank]:
                spend_idle(t, rank, np.int64(t.chosen[rank]))
        return True
    while True:
        while t.suits_wanted == 0:
            t.asked += 1
            if t.asked == NUM_RANKS:
                return True
            if t.chosen[t.asked]:
                begin_rank(t)
        t.suits = suit_options(t)
        if BITS_SET[t.suits] > 1:
            return False
        choose_suit(t, LOWEST[t.suits])


@njit
def begin_rank(t):
    """Gather the cards of the rank ``t.asked`` that leave no choice; count the others."""
    wanted = np.int64(t.chosen[t.asked])
    t.lowest_suit = 0
    if STRAIGHT <= t.pending < FLUSH:
        t.suits_wanted = wanted
        return
    if t.asked == THREE and three_is_due(t):
        put_aside(t, NUM_SUITED * SPADE + THREE)
        wanted -= 1
    t.suits_wanted = spend_idle(t, np.int64(t.asked), wanted)


@njit
def spend_idle(t, rank, wanted):
    """Gather up to ``wanted`` cards of a rank that are not live, lowest suit first; how many are lacking."""
    first, second = idle_cards(t)
    is_joker = rank >= NUM_SUITED
    for suit in range(1 if is_joker else NUM_SUITS):
        place = NUM_SUITS * NUM_SUITED + rank - NUM_SUITED if is_joker else NUM_SUITED * suit + rank
        idle = held(first, second, place) - (t.spent[0] >> np.int64(place) & 1)  # 3S may have gone
        while idle > 0 and wanted > 0:
            put_aside(t, place)
            idle -= 1
            wanted -= 1
    return wanted


@njit
def idle_cards(t):
    """The first and the second copies in the hand of the seat to act that are not flush-live."""
    seat = t.turn
    return t.cards[seat, 0] & ~t.live[seat, 0], t.cards[seat, 1] & ~t.live[seat, 1]


@njit
def held(first, second, place):
    """How many of the card with this place among the bits."""
    return (first >> np.int64(place) & 1) + (second >> np.int64(place) & 1)


@njit
def put_aside(t, place):
    """Gather the card with this place among the bits."""
    bit = np.int64(1) << np.int64(place)
    t.spent[1] |= t.spent[0] & bit
    t.spent[0] |= bit


@njit
def choose_suit(t, suit):
    """Gather the next card of the rank that is asked for, or a whole flush straight."""
    if FLUSH <= t.pending < PAIR_CHAIN:
        t.spent[0] = RANK_BITS[t.pending] << np.int64(NUM_SUITED * suit)
        return
    put_aside(t, NUM_SUITED * suit + t.asked)
    t.suits_wanted -= 1
    t.lowest_suit = suit


# --- choices ------------------------------------------------------------------------------------


@njit
def suit_options(t):
    """The suits (bits) that the next card of the pending play may be of."""
    first = t.cards[t.turn, 0]
    if FLUSH <= t.pending < PAIR_CHAIN:
        suits = covering_suits(first, RANK_BITS[t.pending])
        return suits & 1 << SPADE if three_is_due(t) else suits
    if STRAIGHT <= t.pending < FLUSH:
        return straight_options(t)
    suits, here_and_above = 0, 0
    for suit in range(NUM_SUITS - 1, t.lowest_suit - 1, -1):
        place = NUM_SUITED * suit + t.asked
        remaining = held(first, t.cards[t.turn, 1], place) - held(t.spent[0], t.spent[1], place)
        here_and_above += remaining
        if remaining > 0 and here_and_above >= t.suits_wanted:
            suits |= 1 << suit
    return suits


@njit
def straight_options(t):
    """Those for a plain straight, which must show two suits in the end."""
    idle_first = shows_two_suits(t)
    suits, shown = 0, suits_among(t.spent[0], RANK_BITS[t.pending])
    for rank in range(t.asked, NUM_SUITED):
        if t.chosen[rank]:
            here = straight_suits(t, rank) if idle_first else all_suits(t, rank)
            if rank == t.asked:
                suits = here
            else:
                shown |= here
    options = 0
    for suit in range(NUM_SUITS):
        if suits >> suit & 1 and BITS_SET[shown | 1 << suit] > 1:
            options |= 1 << suit
    return options


@njit
def straight_suits(t, rank):
    """The suits (bits) of which a plain straight takes this rank: the lowest idle one, else any."""
    first, second = idle_cards(t)
    idle = suits_of(first | second, rank)
    suits = all_suits(t, rank)
    return idle & -idle if idle & suits else suits


@njit
def all_suits(t, rank):
    """The suits (bits) that a rank may be of: all that are held, but for 3S where it is due."""
    if rank == THREE and three_is_due(t):
        return 1 << SPADE
    return suits_of(t.cards[t.turn, 0], rank)


@njit
def shows_two_suits(t):
    """Whether the pending straight shows two suits when idle cards go first; if not, any may go."""
    suits = 0
    for rank in range(NUM_SUITED):
        if t.chosen[rank]:
            suits |= straight_suits(t, rank)
    return BITS_SET[suits] > 1
