"""Diao Xie: the record that a table is, and the kernels that play on one record ``t``.

Amounts are whole multiples of b until the end, when what is in the pot is split and the base comes in.
``deal`` starts an episode and decides the cards of all its hands, ``apply`` plays one action; what is legal
is in ``legal.py``, how a hand is settled in ``settle.py``, what a seat sees in ``observation.py``.
"""

from __future__ import annotations

import numpy as np

from ..core.game import COUNTER, MONEY, record
from ..core.jit import njit
from ..core.rng import draw_cards
from .actions import (
    CARRY,
    COUNTER_CARRY,
    EAT,
    FIFTHS,
    FOLD,
    RAISE,
    TOUCH,
    TOUCH_MOST,
)
from .hands import NUM_CARDS
from .rules import LIMIT, MOST_HANDS, MOST_SEATS, POT, RAISE_BY, DiaoXieRules, longest_line
from .settle import (
    NOBODY,
    all_stakes,
    best_hand,
    collect_penalties,
    finish,
    is_last_hand,
    num_live,
    pay,
    settle,
)

NONE = -1  # no action yet
LONGEST_LINE = longest_line(MOST_SEATS)

TABLE = record(
    [
        *DiaoXieRules.dtype(),
        ("chance", np.uint64, (4,)),
        ("deck", COUNTER, (MOST_HANDS * NUM_CARDS,)),  # of all hands, one behind the other
        ("cards", COUNTER, (MOST_SEATS, 2)),  # of this hand, the lower index first
        ("hand", COUNTER),  # number of this hand, from 0
        ("head", COUNTER),  # who speaks first
        ("turn", COUNTER),
        ("is_second_turn", COUNTER),  # whether the head is asked for a counter_carry
        ("did", COUNTER, (MOST_SEATS, 2)),  # each seat's first action in this hand, and its last one
        ("line", COUNTER, (LONGEST_LINE,)),  # all actions of this hand in order
        ("acted", COUNTER),  # how many they are
        ("folded", COUNTER, (MOST_SEATS,)),
        ("raises", COUNTER),  # limit betting
        ("to_act", COUNTER),  # limit betting: seats that have not answered the last raise
        ("pot", MONEY),  # b; with `pot` betting the same during the whole hand
        ("stakes", MONEY, (MOST_SEATS,)),  # b, of this hand; with `limit` betting what was paid
        ("first_stake", MONEY),  # of the head, without a counter_carry
        ("owed", MONEY, (MOST_SEATS,)),  # b, penalties for the pot of the next hand
        ("net", MONEY, (MOST_SEATS,)),  # b, received less paid so far
        ("folds", COUNTER, (MOST_SEATS,)),  # in all hands so far
        ("eats", COUNTER, (MOST_SEATS,)),
        ("touches", COUNTER, (MOST_SEATS,)),
        ("carries", COUNTER, (MOST_SEATS,)),
        ("pending", COUNTER),  # always 0: each action is a whole play
        ("decisions", COUNTER),
        ("over", COUNTER),
        ("winner", COUNTER),  # of the last hand that was settled
        ("score", MONEY, (MOST_SEATS,)),  # points times the number of players
    ]
)


# --- dealing ------------------------------------------------------------------------------------


@njit
def deal(t, deck, dealer):
    """Start an episode from ``deck`` (card indices of all hands); a hand that begins with -1 is shuffled."""
    for hand in range(t.hands):
        start = NUM_CARDS * hand
        if start < len(deck) and deck[start] >= 0:
            for i in range(start, start + NUM_CARDS):
                t.deck[i] = deck[i]
        else:
            for i in range(NUM_CARDS):
                t.deck[start + i] = i
            draw_cards(t.chance, t.deck[start : start + NUM_CARDS], 2 * t.num_players)
    t.hand = 0
    t.head = 0
    t.pot = 0
    t.owed[:] = 0
    t.net[:] = 0
    t.folds[:] = 0
    t.eats[:] = 0
    t.touches[:] = 0
    t.carries[:] = 0
    t.decisions = 0
    t.over = 0
    t.winner = NOBODY
    t.score[:] = 0
    begin_hand(t)


@njit
def begin_hand(t):
    """Penalties and antes go into the pot, two cards to each seat."""
    n = t.num_players
    collect_penalties(t)
    if t.pot < n:
        for seat in range(n):
            pay(t, seat, 1)
    for seat in range(n):
        first = t.deck[NUM_CARDS * t.hand + 2 * seat]
        second = t.deck[NUM_CARDS * t.hand + 2 * seat + 1]
        t.cards[seat, 0] = min(first, second)
        t.cards[seat, 1] = max(first, second)
    t.did[:] = NONE
    t.line[:] = NONE
    t.acted = 0
    t.folded[:] = 0
    t.stakes[:] = 0
    if t.betting == LIMIT:
        t.stakes[:n] = 1
    t.first_stake = 0
    t.is_second_turn = 0
    t.raises = 0
    t.to_act = n
    t.turn = t.head


# --- playing ------------------------------------------------------------------------------------


@njit
def apply(t, action):
    """Play a legal ``action``."""
    seat = t.turn
    t.decisions += 1
    t.line[t.acted] = action
    t.acted += 1
    if t.did[seat, 0] == NONE:
        t.did[seat, 0] = action
    t.did[seat, 1] = action
    count(t, seat, action)
    if t.betting == POT:
        play_pot(t, seat, action)
    else:
        play_limit(t, seat, action)


@njit
def count(t, seat, action):
    """For the statistics of an episode."""
    t.folds[seat] += action == FOLD
    t.eats[seat] += action == EAT
    t.touches[seat] += TOUCH <= action <= TOUCH_MOST
    t.carries[seat] += action in (CARRY, COUNTER_CARRY)


@njit
def touch_stake(pot, k):
    """What ``touch`` k stakes, in b."""
    return min(pot - 1, max(1, k * pot // FIFTHS))


@njit
def stake_of(t, action):
    """What an action of ``pot`` betting adds to the stake of the seat to act, in b."""
    if action == EAT:
        return t.pot
    if TOUCH <= action <= TOUCH_MOST:
        return touch_stake(t.pot, action - TOUCH + 1)
    if action in (CARRY, COUNTER_CARRY):
        return t.pot + all_stakes(t)
    return np.int64(0)


@njit
def play_pot(t, seat, action):
    n = t.num_players
    t.folded[seat] = action == FOLD
    t.stakes[seat] += stake_of(t, action)
    if t.is_second_turn:
        end_hand(t, best_hand(t))
        return
    if seat == t.head:
        t.first_stake = t.stakes[seat]
    last = (t.head + n - 1) % n
    if seat == last:
        if t.counter_carry and not t.folded[t.head] and num_live(t) > 1:
            t.is_second_turn = 1
            t.turn = t.head
        else:
            end_hand(t, best_hand(t))
        return
    t.turn = (seat + 1) % n
    if t.turn == last and num_live(t) == 1:  # all but the last have folded
        end_hand(t, last)


@njit
def end_hand(t, winner):
    """Settle a hand with ``pot`` betting; then comes the next one, or the end."""
    settle(t, winner)
    if is_last_hand(t):
        finish(t)
    else:
        begin_hand(t)


@njit
def play_limit(t, seat, action):
    n = t.num_players
    t.to_act -= 1
    if action == FOLD:
        t.folded[seat] = 1
    else:
        amount = most_paid(t) - t.stakes[seat]
        if action == RAISE:
            amount += RAISE_BY
            t.raises += 1
            t.to_act = num_live(t) - 1
        t.stakes[seat] += amount
        pay(t, seat, amount)
    if t.to_act == 0 or num_live(t) == 1:
        winner = best_hand(t)
        t.net[winner] += t.pot
        t.pot = 0
        t.winner = winner
        t.hand += 1
        finish(t)
        return
    t.turn = (seat + 1) % n
    while t.folded[t.turn]:
        t.turn = (t.turn + 1) % n


@njit
def most_paid(t):
    """The largest amount that anybody has paid, in b."""
    most = np.int64(0)
    for seat in range(t.num_players):
        most = max(most, t.stakes[seat])
    return most


@njit
def points(t, seat):
    """What ``seat`` is rewarded with at the end."""
    return t.score[seat] / t.num_players
