"""Xiangxi 96: the record that a table is, and the kernels ``deal`` and ``apply`` on one record ``t``.

Between two decisions all that the rules force happens by itself: flips, claims without a choice, credits,
the end. Who takes the card on offer is in ``claims.py``, what then lies on the table in ``melds.py``, who may
win in ``win.py``, what a seat sees in ``observation.py``.
"""

from __future__ import annotations

import numpy as np

from ..core.game import COUNTER, MONEY, record
from ..core.jit import njit, part
from ..core.rng import draw_below, shuffle
from .actions import HU, PASS, TIE
from .claims import (
    ASKED_CHI,
    ASKED_HU,
    DISCARDING,
    EXHAUSTED,
    NO_REASON,
    ON_OFFER,
    WAITS,
    WON,
    ask,
    chi,
    claims,
    finish,
    may_discard,
    owe_discard,
    owes,
    rest,
    tie,
    win,
)
from .kinds import COPIES, NO_KIND, NUM_CARDS, NUM_GROUPS, NUM_KINDS, OTHERS
from .melds import (
    EXHAUSTED_EVENT,
    FLIP,
    NO_CARD,
    NO_COMPANY,
    NOTHING,
    ONE,
    UNKNOWN,
    lay_dragons,
    lay_from_hand,
    loose_of,
    tell,
)
from .rules import (
    CLAIMED_DISCARDS_FROM,
    DEALT_EACH,
    DEALT_TO_DEALER,
    MOST_SEATS,
    Xiangxi96Rules,
    most_events,
)
from .shapes import KAN
from .win import NO_WIN, find_wins

NOBODY = -1

MOST_EVENTS = max(most_events(n) for n in range(2, MOST_SEATS + 1))

TABLE = record(
    [
        *Xiangxi96Rules.dtype(),
        ("chance", np.uint64, (4,)),
        ("deck", COUNTER, (NUM_CARDS,)),
        ("dealt", COUNTER),  # cards of the deck that are out: the next one is flipped
        ("dealer", COUNTER),
        ("hand", COUNTER, (MOST_SEATS, NUM_KINDS)),
        ("held", COUNTER, (MOST_SEATS,)),  # cards in the hand
        # On the table: see melds.py.
        ("mouths", COUNTER, (MOST_SEATS, NUM_KINDS)),
        ("sentences", COUNTER, (MOST_SEATS, NUM_GROUPS)),
        ("triples", COUNTER, (MOST_SEATS, NUM_KINDS)),
        ("fours", COUNTER, (MOST_SEATS, NUM_KINDS)),
        ("company", COUNTER, (MOST_SEATS, NUM_KINDS)),
        ("lacks", COUNTER, (MOST_SEATS, NUM_GROUPS)),
        ("joined", COUNTER, (MOST_SEATS, NUM_GROUPS)),
        ("bao_zhu", COUNTER, (MOST_SEATS,)),
        ("kou", COUNTER, (MOST_SEATS,)),
        ("worth", COUNTER, (MOST_SEATS,)),  # huxi
        ("piles", COUNTER, (MOST_SEATS, NUM_KINDS)),  # cards that nobody claimed
        ("shown", COUNTER, (NUM_KINDS,)),  # cards that everybody has seen
        ("wins", np.int64, (MOST_SEATS, 2)),  # the kinds that win now: see find_wins
        # Memory: see section 6.
        ("credit", COUNTER, (MOST_SEATS,)),
        ("thrown", COUNTER, (MOST_SEATS, NUM_KINDS)),
        ("passed_chi", COUNTER, (MOST_SEATS, NUM_KINDS)),
        ("broken", COUNTER, (MOST_SEATS, NUM_KINDS)),
        ("ban", COUNTER, (MOST_SEATS,)),  # the kind that may not be discarded now
        # The card on offer.
        ("card", COUNTER),
        ("owner", COUNTER),
        ("is_flip", COUNTER),  # or a discard
        ("phase", COUNTER),
        ("turn", COUNTER),
        ("events", COUNTER, (MOST_EVENTS,)),
        ("num_events", COUNTER),
        ("pending", COUNTER),  # always 0: each action is a whole play
        ("decisions", COUNTER),
        ("over", COUNTER),
        ("outcome", COUNTER),
        ("winner", COUNTER),
        ("won_with", COUNTER),  # the winning card, which is in the winner's hand now
        ("pig", COUNTER),
        ("reason", COUNTER),
        ("win", MONEY),  # how the game was won: see win.py
        ("score", MONEY, (MOST_SEATS,)),
    ]
)


# --- dealing ------------------------------------------------------------------------------------


@part
def deal(t, deck, dealer):
    """Start a game from ``deck`` (card indices), shuffled if its first is -1; ``dealer`` -1 is drawn."""
    if deck[0] >= 0:
        for i in range(NUM_CARDS):
            t.deck[i] = deck[i]
    else:
        for i in range(NUM_CARDS):
            t.deck[i] = i
        shuffle(t.chance, t.deck)
    number_copies(t)
    t.dealer = dealer if dealer >= 0 else draw_below(t.chance, t.num_players)
    clear(t)
    for i in range(t.num_players):
        seat = (t.dealer + i) % t.num_players
        t.held[seat] = DEALT_EACH if i else DEALT_TO_DEALER
        for _ in range(t.held[seat]):
            t.hand[seat, t.deck[t.dealt] // COPIES] += 1
            t.dealt += 1
    for i in range(t.num_players):
        lay_dragons(t, (t.dealer + i) % t.num_players)
    opener = np.int64(t.dealer)
    # A credit is not used for the first discard, unless there is no other way.
    play_on(t, ask(t, DISCARDING, opener) if may_discard(t, opener) else owe_discard(t, opener), np.int64(0))


@njit
def number_copies(t):
    """Of equal cards of the deck the one dealt first gets the lowest index: two equal deals are equal."""
    dealt = np.zeros(NUM_KINDS, np.int64)
    for i in range(NUM_CARDS):
        kind = t.deck[i] // COPIES
        t.deck[i] = COPIES * kind + dealt[kind]
        dealt[kind] += 1


@njit
def clear(t):
    """Before the deal: nothing is in hands or on the table."""
    # Loops, because statements such as t.hand[:] = 0 take ten times as long to compile.
    for seat in range(MOST_SEATS):
        for kind in range(NUM_KINDS):
            t.hand[seat, kind] = 0
            t.mouths[seat, kind] = 0
            t.triples[seat, kind] = NOTHING
            t.fours[seat, kind] = NOTHING
            t.company[seat, kind] = 0
            t.piles[seat, kind] = 0
            t.thrown[seat, kind] = 0
            t.passed_chi[seat, kind] = 0
            t.broken[seat, kind] = 0
        for group in range(NUM_GROUPS):
            t.sentences[seat, group] = 0
            t.lacks[seat, group] = NO_KIND
            t.joined[seat, group] = 0
        t.held[seat] = 0
        t.kou[seat] = 0
        t.worth[seat] = 0
        t.bao_zhu[seat] = 0
        t.credit[seat] = 0
        t.ban[seat] = NO_KIND
        t.wins[seat, 0] = UNKNOWN
        t.wins[seat, 1] = 0
        t.score[seat] = 0
    for kind in range(NUM_KINDS):
        t.shown[kind] = 0
    for i in range(MOST_EVENTS):
        t.events[i] = 0
    t.dealt = 0
    t.card = NO_KIND
    t.owner = t.dealer
    t.is_flip = 0
    t.phase = ASKED_HU  # nobody owes a discard
    t.num_events = 0
    t.decisions = 0
    t.over = 0
    t.outcome = WON
    t.winner = NOBODY
    t.won_with = NO_KIND
    t.pig = NOBODY
    t.reason = NO_REASON
    t.win = NO_WIN


# --- playing ------------------------------------------------------------------------------------


@njit
def apply(t, action):
    """Play a legal ``action``, and on to the next decision."""
    seat = np.int64(t.turn)
    t.decisions += 1
    next_asked = np.int64(1)  # counted from the owner of the card on offer
    if t.phase == DISCARDING:
        flipper = discard(t, seat, action)
    elif action == HU:
        flipper = win(t, seat)
    elif action == PASS:
        t.passed_chi[seat, t.card] |= t.phase == ASKED_CHI
        next_asked += (seat - t.owner + t.num_players) % t.num_players
        flipper = ON_OFFER
    elif action == TIE:
        flipper = tie(t, seat)
    else:
        flipper = chi(t, seat, action)
    play_on(t, flipper, next_asked)


@njit
def play_on(t, flipper, next_asked):
    """Until somebody has to decide or the game is over: ask about the card on offer, flip the next one."""
    while True:
        for seat in range(t.num_players):
            if t.wins[seat, 0] == UNKNOWN and not owes(t, seat):
                find_wins(t, np.int64(seat))
        if flipper == WAITS:
            return
        if flipper != ON_OFFER:
            if t.dealt == NUM_CARDS:
                tell(t, EXHAUSTED_EVENT, flipper, NO_CARD, NO_COMPANY)
                t.outcome = EXHAUSTED
                finish(t)
                return
            flip(t, flipper)
            next_asked = np.int64(0)
        flipper = claims(t, np.int64(t.phase), next_asked)


@njit
def flip(t, seat):
    """FLIP: the next card of the stock is on offer."""
    card = np.int64(t.deck[t.dealt] // COPIES)
    t.dealt += 1
    t.shown[card] += 1
    tell(t, FLIP, seat, card, NO_COMPANY)
    t.card = card
    t.owner = seat
    t.is_flip = 1
    t.phase = ASKED_HU


@njit
def discard(t, seat, kind):
    """DISCARD: a card of the hand is on offer, or with two or three players dead."""
    for i in range(2):
        a = OTHERS[kind, i]
        if t.hand[seat, kind] == 1 and t.hand[seat, a] == KAN and has_full_company(t, seat, a):
            t.broken[seat, a] = 1
    lay_from_hand(t, seat, kind, ONE)
    t.thrown[seat, kind] = 1
    t.ban[seat] = NO_KIND
    t.card = kind
    t.owner = seat
    t.is_flip = 0
    t.phase = ASKED_HU
    return rest(t) if t.num_players < CLAIMED_DISCARDS_FROM else ON_OFFER


@njit
def has_full_company(t, seat, kind):
    """Whether the hand holds both other kinds of the group once or twice."""
    return loose_of(t, seat, OTHERS[kind, 0]) > 0 and loose_of(t, seat, OTHERS[kind, 1]) > 0
