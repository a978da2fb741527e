"""Zheng Shang You: the record that a table is, and the kernels that play on one record ``t``.

``deal`` starts a game, ``apply`` plays one action; what is legal is in ``legal.py``, which cards a play
spends in ``suits.py``, what a seat sees in ``observation.py``. A main combination waits in ``pending``
until its kickers and suits are chosen; before that nobody else sees anything of it.
"""

from __future__ import annotations

import numpy as np

from ..core.cards import SUITS
from ..core.game import COUNTER, MONEY, record
from ..core.jit import njit
from ..core.rng import shuffle
from . import rules
from .actions import (
    BODY,
    BOMB,
    CARD_BIT,
    CARD_RANK,
    CARD_SUIT,
    COUNTED,
    KICKER,
    KICKERS,
    LEAD,
    NUM_RANKS,
    PACKS,
    PASS,
    SPADE_THREE,
    SUIT,
)
from .rules import SEATS, TWO_DECKS, ZhengShangYouRules
from .suits import choose_cards, choose_suit, find_live

NOBODY = -1
PACK_SIZES = np.array([len(pack) for pack in PACKS])
DECK_SIZE = len(PACKS[1]) // 2
LEADING_ORDER = np.array(["DCHS".index(suit) for suit in SUITS])  # of equal ranks, D leads before C, H, S

TABLE = record(
    [
        *ZhengShangYouRules.dtype(),
        ("chance", np.uint64, (4,)),
        ("deck", COUNTER, (len(PACKS[1]),)),
        ("hand", COUNTER, (SEATS, NUM_RANKS)),  # cards by rank
        ("lanes", np.int64, (SEATS,)),  # the same as bit lanes, up to four of a rank (COUNTED)
        ("cards", np.int64, (SEATS, 2)),  # cards of which one is held, and two (bits, CARD_BIT)
        ("live", np.int64, (SEATS, 2)),  # those of them that are flush-live (suits.py)
        ("left", COUNTER, (SEATS,)),  # cards in hand
        ("gone", COUNTER, (NUM_RANKS,)),  # cards played so far, by anybody
        ("played", np.int64, (SEATS, 2)),  # by each seat, like `cards`
        ("latest", np.int64, (SEATS, 2)),  # cards of each seat's last turn, none for a pass
        ("passed", COUNTER, (SEATS,)),  # whether that last turn was a pass
        ("out", COUNTER, (SEATS,)),  # who has passed on the play on the table (pass_lockout: on the trick)
        ("bombs", COUNTER, (SEATS,)),
        ("turn", COUNTER),
        ("leader", COUNTER),  # who led the first trick
        ("last", COUNTER),  # main combination to beat, LEAD if none
        ("owner", COUNTER),  # who played it
        ("pending", COUNTER),  # main combination that is not yet complete, or 0
        ("steps", COUNTER),  # actions that it took so far
        ("wanted", COUNTER),  # kickers still to choose
        ("lowest", COUNTER),  # no kicker may be of a lower rank
        ("chosen", COUNTER, (NUM_RANKS,)),  # body and kickers of the pending play
        ("spent", np.int64, (2,)),  # those of its cards that are decided, like `cards`
        ("asked", COUNTER),  # rank whose suits are being chosen
        ("suits_wanted", COUNTER),  # cards of it still to choose
        ("lowest_suit", COUNTER),  # none may be of a lower suit
        ("suits", COUNTER),  # the suits to choose from, as bits
        ("plays", COUNTER),  # plays so far, passes not counted
        ("decisions", COUNTER),
        ("over", COUNTER),
        ("winner", COUNTER),
        ("score", MONEY, (SEATS,)),
    ]
)


# --- dealing ------------------------------------------------------------------------------------


@njit
def deal(t, deck, dealer):
    """Start a game from ``deck`` (card indices), or shuffle if its first is -1; no dealer here."""
    size = PACK_SIZES[t.decks]
    if deck[0] < 0:
        for i in range(size):
            t.deck[i] = i
        shuffle(t.chance, t.deck[:size])
    else:
        for i in range(size):
            t.deck[i] = deck[i]
    if t.decks == TWO_DECKS:
        number_copies(t)
    clear(t)
    for i in range(SEATS * t.cards_each):
        take_card(t, i % SEATS, t.deck[i])
    for seat in range(SEATS):
        find_live(t, seat)
    t.leader = first_leader(t)
    t.turn = t.leader


@njit
def number_copies(t):
    """Of two equal cards of the deck the one dealt first gets the lower index: two equal deals are equal."""
    dealt = np.zeros(DECK_SIZE, np.int16)
    for i in range(2 * DECK_SIZE):
        card = t.deck[i] % DECK_SIZE
        t.deck[i] = card + DECK_SIZE * dealt[card]
        dealt[card] = 1


@njit
def clear(t):
    """The empty table before a deal."""
    t.hand[:] = 0
    t.lanes[:] = 0
    t.cards[:] = 0
    t.left[:] = 0
    t.gone[:] = 0
    t.played[:] = 0
    t.latest[:] = 0
    t.passed[:] = 0
    t.out[:] = 0
    t.bombs[:] = 0
    t.score[:] = 0
    t.last = LEAD
    t.owner = NOBODY
    t.plays = 0
    t.decisions = 0
    t.over = 0
    t.winner = NOBODY
    clear_pending(t)


@njit
def clear_pending(t):
    """No play is being made."""
    t.pending = 0
    t.steps = 0
    t.wanted = 0
    t.lowest = 0
    t.chosen[:] = 0
    t.spent[:] = 0
    t.asked = NOBODY
    t.suits_wanted = 0
    t.lowest_suit = 0
    t.suits = 0


@njit
def take_card(t, seat, card):
    rank = CARD_RANK[card]
    bit = np.int64(1) << np.int64(CARD_BIT[card])
    t.hand[seat, rank] += 1
    t.lanes[seat] |= COUNTED[rank, t.hand[seat, rank]]
    t.cards[seat, 1] |= t.cards[seat, 0] & bit
    t.cards[seat, 0] |= bit
    t.left[seat] += 1


@njit
def first_leader(t):
    """Who was dealt 3S first; in a small game without it, the lowest card (rank, then D C H S)."""
    seat, best = 0, len(SUITS) * NUM_RANKS
    for i in range(SEATS * t.cards_each):
        card = t.deck[i]
        if card % DECK_SIZE == SPADE_THREE:
            return i % SEATS
        worth = len(SUITS) * CARD_RANK[card]
        if CARD_SUIT[card] >= 0:
            worth += LEADING_ORDER[CARD_SUIT[card]]
        if worth < best:
            seat, best = i % SEATS, worth
    return seat


# --- playing ------------------------------------------------------------------------------------


@njit
def apply(t, action):
    """Play a legal ``action``."""
    t.decisions += 1
    if action == PASS:
        do_pass(t)
        return
    t.steps += 1
    if action >= SUIT:
        choose_suit(t, action - SUIT)
    elif action >= KICKER:
        choose_kicker(t, action - KICKER)
    else:
        t.pending = action
        t.wanted = KICKERS[action]
        for rank in range(NUM_RANKS):
            t.chosen[rank] = BODY[action, rank]
    if t.wanted == 0 and choose_cards(t):
        play_chosen(t)


@njit
def choose_kicker(t, rank):
    t.chosen[rank] += 2
    t.wanted -= 1
    t.lowest = rank + 1 if t.distinct_wings else rank


@njit
def do_pass(t):
    seat = t.turn
    t.latest[seat, 0] = 0
    t.latest[seat, 1] = 0
    t.passed[seat] = 1
    t.out[seat] = 1
    next_turn(t)
    if t.turn == t.owner:  # the trick ends, its owner leads
        t.last = LEAD
        t.out[:] = 0


@njit
def next_turn(t):
    """The turn goes to the next seat that is not out."""
    t.turn = (t.turn + 1) % SEATS
    while t.out[t.turn]:
        t.turn = (t.turn + 1) % SEATS


@njit
def play_chosen(t):
    """Put the pending play on the table."""
    seat = t.turn
    one, two = t.spent[0], t.spent[1]
    t.latest[seat, 0], t.latest[seat, 1] = one, two
    held, twice = t.cards[seat, 0], t.cards[seat, 1]
    t.cards[seat, 0] = held & ~one | twice & one & ~two
    t.cards[seat, 1] = twice & ~one
    t.played[seat, 1] |= t.played[seat, 0] & one | two
    t.played[seat, 0] |= one
    for rank in range(NUM_RANKS):
        n = t.chosen[rank]
        if n:
            before = t.hand[seat, rank]
            t.hand[seat, rank] = before - n
            t.lanes[seat] ^= COUNTED[rank, before] ^ COUNTED[rank, before - n]
            t.gone[rank] += n
            t.left[seat] -= n
    if t.live[seat, 0]:  # what is not live never becomes so
        find_live(t, np.int64(seat))
    t.passed[seat] = 0
    if not t.pass_lockout:
        t.out[:] = 0
    t.bombs[seat] += t.pending >= BOMB
    t.last = t.pending
    t.owner = seat
    t.plays += 1
    clear_pending(t)
    if t.left[seat] == 0:
        settle(t)
    else:
        next_turn(t)


# --- the end (section 7) ------------------------------------------------------------------------


multiplier = njit(rules.multiplier)


@njit
def settle(t):
    """End the deal: the seat that has just played its last card has won."""
    winner = t.turn
    t.over = 1
    t.winner = winner
    for i in range(1, SEATS):
        loser = (winner + i) % SEATS
        # Not compiled, t.base is an attribute that NumPy's scalars have.
        loss = t["base"] * t.left[loser] * multiplier(t.left[loser], t.cards_each)
        t.score[loser] = -loss
        t.score[winner] += loss
