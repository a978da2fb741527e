"""Guan Pai: the record that a table is, and the kernels that play on one record ``t``.

``deal`` starts a game, ``apply`` plays one action; what is legal is in ``legal.py``, what a seat sees in
``observation.py``. A main combination that wants kickers waits in ``pending`` until the last one is
chosen; before that nobody else sees anything of it.
"""

from __future__ import annotations

import numpy as np

from ..core.cards import SUITS, lane_bit
from ..core.game import COUNTER, MONEY, record
from ..core.jit import njit
from ..core.rng import shuffle
from . import rules
from .actions import (
    BODY,
    BODY_SIZE,
    BOMB,
    CARD_RANK,
    CARD_SUIT,
    CARDS,
    COLUMN,
    DIAMOND,
    DIAMOND_THREE,
    FOUR_WITH_TWO,
    KICKER,
    KICKERS,
    LEAD,
    NUM_RANKS,
    PASS,
    WINGED,
)
from .legal import is_breach
from .rules import DINGDA_LIABILITY, EVERY_BOMB, ONE_BOMB, SEATS, WINNERS_BOMBS, GuanPaiRules

NOBODY = -1
NO_CAP = 1 << 40  # above any loss
LEADING_ORDER = np.array(["DCHS".index(suit) for suit in SUITS])  # of equal ranks, D leads before C, H, S

TABLE = record(
    [
        *GuanPaiRules.dtype(),
        ("chance", np.uint64, (4,)),
        ("deck", COUNTER, (len(CARDS),)),
        ("hand", COUNTER, (SEATS, NUM_RANKS)),  # cards by rank
        ("suits", COUNTER, (SEATS, NUM_RANKS)),  # which: bit s is suit s of S H D C
        ("lanes", np.int64, (SEATS,)),  # the hand as bit lanes (core/cards.py)
        ("left", COUNTER, (SEATS,)),  # cards in hand
        ("gone", COUNTER, (NUM_RANKS,)),  # cards played so far, by anybody
        ("played", np.int64, (SEATS,)),  # by each seat, as bit lanes
        ("latest", np.int64, (SEATS,)),  # cards of each seat's last turn as bit lanes, none for a pass
        ("passed", COUNTER, (SEATS,)),  # whether that last turn was a pass
        ("bombs", COUNTER, (SEATS,)),
        ("turn", COUNTER),
        ("leader", COUNTER),  # who led the first trick
        ("last", COUNTER),  # main combination to beat, LEAD if none
        ("owner", COUNTER),  # who played it
        ("passes", COUNTER),  # passes in a row since
        ("pending", COUNTER),  # main combination whose kickers are being chosen, or 0
        ("wanted", COUNTER),  # kickers still to choose
        ("lowest", COUNTER),  # rank of the last kicker chosen: none may be lower
        ("chosen", COUNTER, (NUM_RANKS,)),  # body and kickers of the pending play
        ("breach", COUNTER),  # whether the last turn broke the top-card duty
        ("plays", COUNTER),  # plays so far, passes not counted
        ("decisions", COUNTER),
        ("log", COUNTER, (rules.most_decisions(),)),  # the actions so far, in their order
        ("over", COUNTER),
        ("winner", COUNTER),
        ("liable", COUNTER),
        ("score", MONEY, (SEATS,)),
    ]
)


# --- dealing ------------------------------------------------------------------------------------


@njit
def deal(t, deck, dealer):
    """Start a game from ``deck`` (48 card indices), or shuffle if its first is -1; no dealer here."""
    if deck[0] < 0:
        for i in range(len(CARDS)):
            t.deck[i] = i
        shuffle(t.chance, t.deck)
    else:
        for i in range(len(CARDS)):
            t.deck[i] = deck[i]
    clear(t)
    for i in range(SEATS * t.cards_each):
        take_card(t, i % SEATS, t.deck[i])
    t.leader = first_leader(t)
    t.turn = t.leader


@njit
def clear(t):
    """The empty table before a deal."""
    t.hand[:] = 0
    t.suits[:] = 0
    t.lanes[:] = 0
    t.left[:] = 0
    t.log[:] = 0
    clear_game(t)


@njit
def clear_game(t):
    """Nothing has been played yet."""
    t.gone[:] = 0
    t.played[:] = 0
    t.latest[:] = 0
    t.passed[:] = 0
    t.bombs[:] = 0
    t.chosen[:] = 0
    t.score[:] = 0
    t.last = LEAD
    t.owner = NOBODY
    t.passes = 0
    t.pending = 0
    t.wanted = 0
    t.lowest = 0
    t.breach = 0
    t.plays = 0
    t.decisions = 0
    t.over = 0
    t.winner = NOBODY
    t.liable = NOBODY


@njit
def take_card(t, seat, card):
    rank = CARD_RANK[card]
    t.lanes[seat] |= lane_bit(t.hand[seat, rank], rank, NUM_RANKS)
    t.hand[seat, rank] += 1
    t.suits[seat, rank] |= 1 << CARD_SUIT[card]
    t.left[seat] += 1


@njit
def first_leader(t):
    """Who holds 3D; in a small game without it, the lowest card (rank, then D C H S)."""
    seat, best = 0, len(CARDS) * 4
    for i in range(SEATS * t.cards_each):
        card = t.deck[i]
        if card == DIAMOND_THREE:
            return i % SEATS
        worth = 4 * CARD_RANK[card] + LEADING_ORDER[CARD_SUIT[card]]
        if worth < best:
            seat, best = i % SEATS, worth
    return seat


# --- playing ------------------------------------------------------------------------------------


@njit
def apply(t, action):
    """Play a legal ``action``."""
    t.log[t.decisions] = action
    t.decisions += 1
    if action >= KICKER:
        t.chosen[action - KICKER] += 1
        t.lowest = action - KICKER
        t.wanted -= 1
        if t.wanted == 0:
            play_chosen(t, t.pending)
    elif action == PASS:
        do_pass(t)
    else:
        start_play(t, action)


@njit
def start_play(t, action):
    others = t.left[t.turn] - BODY_SIZE[action]
    is_long_wings = WINGED <= action < FOUR_WITH_TWO and KICKERS[action] == 0
    if is_long_wings or others < KICKERS[action]:  # a last hand: all at once
        for rank in range(NUM_RANKS):
            t.chosen[rank] = t.hand[t.turn, rank]
        play_chosen(t, action)
        return
    for rank in range(NUM_RANKS):
        t.chosen[rank] = BODY[action, rank]
    if KICKERS[action] == 0:
        play_chosen(t, action)
    else:
        t.pending = action
        t.wanted = KICKERS[action]
        t.lowest = 0


@njit
def do_pass(t):
    t.breach = is_breach(t, PASS)
    t.latest[t.turn] = 0
    t.passed[t.turn] = 1
    t.passes += 1
    t.turn = (t.turn + 1) % SEATS
    if t.passes == SEATS - 1:  # the trick ends, its owner leads
        t.last = LEAD
        t.passes = 0


@njit
def play_chosen(t, action):
    """Put the chosen cards on the table, read as ``action``."""
    seat = t.turn
    breach = is_breach(t, action)
    t.latest[seat] = 0
    for rank in range(NUM_RANKS):
        if t.chosen[rank]:
            spend(t, seat, rank, t.chosen[rank])
    t.passed[seat] = 0
    if action >= BOMB:
        t.bombs[seat] += 1
    t.last = action
    t.owner = seat
    t.passes = 0
    t.pending = 0
    t.chosen[:] = 0
    t.plays += 1
    if t.left[seat] == 0:
        settle(t)  # while t.breach still tells of the turn before
    else:
        t.breach = breach
        t.turn = (seat + 1) % SEATS


@njit
def spend(t, seat, rank, n):
    """Move ``n`` cards of a rank from a hand to the table, lowest suits first (S H D C)."""
    for _ in range(n):
        t.hand[seat, rank] -= 1
        t.lanes[seat] ^= lane_bit(t.hand[seat, rank], rank, NUM_RANKS)
        suits = t.suits[seat, rank]
        suit = suits & -suits  # the lowest bit
        if t.lead_diamond_three and t.plays == 0 and suits & (1 << DIAMOND) and rank == 0:
            suit = 1 << DIAMOND
        t.suits[seat, rank] = suits - suit
    t.left[seat] -= n
    t.gone[rank] += n
    t.latest[seat] |= COLUMN[n] << np.int64(rank)
    for _ in range(n):
        fill_lane(t, seat, rank)


@njit
def fill_lane(t, seat, rank):
    """One more card of ``rank`` among those that ``seat`` has played."""
    k = 0
    while t.played[seat] & lane_bit(k, rank, NUM_RANKS):
        k += 1
    t.played[seat] |= lane_bit(k, rank, NUM_RANKS)


# --- the end (section 7) ------------------------------------------------------------------------


units = njit(rules.units)


@njit
def counted_bombs(t):
    """How often the losses double."""
    if t.bomb_doubling == EVERY_BOMB:
        return t.bombs[0] + t.bombs[1] + t.bombs[2]
    if t.bomb_doubling == ONE_BOMB:
        return min(1, t.bombs[0] + t.bombs[1] + t.bombs[2])
    if t.bomb_doubling == WINNERS_BOMBS:
        return t.bombs[t.winner]
    return 0


@njit
def settle(t):
    """End the deal: the seat that has just played its last card has won."""
    winner = t.turn
    t.over = 1
    t.winner = winner
    before = (winner + SEATS - 1) % SEATS
    if t.dingda == DINGDA_LIABILITY and t.breach:
        t.liable = before
    cap = t.loss_cap if t.loss_cap >= 0 else NO_CAP
    base = t["base"]  # not compiled, t.base is an attribute that NumPy's scalars have
    doubled = np.int64(1) << np.int64(counted_bombs(t))
    for i in range(1, SEATS):
        loser, other = (winner + i) % SEATS, (winner + SEATS - i) % SEATS
        plain = min(units(t.left[loser], t.cards_each), cap)
        pay = min(units(t.left[loser], t.cards_each) * doubled, cap)
        if t.liable == loser:  # covers what the other would have lost without bombs
            pay = min(pay + min(units(t.left[other], t.cards_each), cap), cap)
        elif t.liable == other:
            pay -= plain
        t.score[loser] = -base * pay
        t.score[winner] += base * pay
