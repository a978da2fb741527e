"""Diao Xie: what a seat sees (``observe``), what it may not know (``blank``), what is counted (``stats``).

Seats in an observation are relative to the observer: 0 itself, 1 the next, and so on. Amounts are in b.
"""

from __future__ import annotations

import numpy as np

from ..core.game import Field, lay_out
from ..core.jit import njit
from .actions import CALL, CARRY, COUNTER_CARRY, NO_CARRY
from .hands import (
    CATEGORIES,
    CATEGORY,
    HAND_POINTS,
    NUM_CARDS,
    NUM_CLASSES,
    NUM_TYPES,
    PAIR_ROWS,
    PLAIN,
    STRENGTH,
    TYPE,
    VALUE,
)
from .rules import LIMIT, MOST_HANDS, MOST_SEATS, POT, DiaoXieRules, longest_line
from .table import NONE

AMOUNTS = np.array(
    [
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        8,
        10,
        12,
        16,
        20,
        24,
        32,
        40,
        48,
        64,
        80,
        96,
        128,
        160,
        256,
        512,
        1024,
        4096,
        2**16,
        2**20,
    ]
)
NUM_AMOUNTS = len(AMOUNTS)
NUM_VALUES = len(PAIR_ROWS) + 1
NUM_POINTS = 10
FIRST_ACTIONS = CARRY + 1  # of `pot` betting: fold .. carry
LIMIT_ACTIONS = ("fold", "call", "raise")


def _fields(num_players: int, betting: int) -> dict[str, Field]:
    n, amounts = num_players, ", ".join(map(str, AMOUNTS))
    own = [
        ("cards", (NUM_CARDS,), "own cards, in the order of GameInfo.cards"),
        ("types", (2, NUM_TYPES), "own cards by type (the two of a pair are one): more than k of a type"),
        ("values", (2, NUM_VALUES), "v of the own cards, the higher first, one-hot 0..7"),
        ("category", (len(CATEGORIES),), "category of the own hand, one-hot, plain first"),
        ("points", (NUM_POINTS,), "its points if it is plain, one-hot"),
        ("strength", (NUM_CLASSES - 1,), "classes of hands that it beats, unary"),
    ]
    table = [
        ("place", (n,), "own place in speaking order, one-hot; 0 is the head"),
        ("to_move", (n,), "whose turn it is"),
        ("folded", (n,), "who has folded"),
        ("stakes", (n, NUM_AMOUNTS), "stake of each seat in this hand, in b, unary like the pot"),
        ("pot", (NUM_AMOUNTS,), f"the pot, unary over thresholds of {amounts} b"),
    ]
    if betting == LIMIT:
        line = [("line", (longest_line(n), len(LIMIT_ACTIONS)), "actions in order: fold, call, raise")]
        return lay_out(own + table + line)
    actions = [
        ("actions", (n, FIRST_ACTIONS), "what each seat did at its turn: fold, eat, touch1..touch4, carry"),
        ("second_turn", (3,), "the head's second turn: it is on; counter_carry; no_carry"),
        ("hands_played", (MOST_HANDS,), "hands before this one, unary"),
        ("hands", (MOST_HANDS,), "option, unary"),
        ("counter_carry", (1,), "option"),
        ("fold_penalty", (1,), "option"),
        ("supreme_bonus", (1,), "option"),
    ]
    return lay_out(own + table + actions)


FIELDS = {
    (n, betting): _fields(n, betting) for n in range(2, MOST_SEATS + 1) for betting in (POT, LIMIT)
}  # fmt: skip
COUNTED = ("folds", "eats", "touches", "carries")  # by seat

_CARDS, _TYPES, _VALUES, _CATEGORY, _POINTS, _STRENGTH, _TABLE = (
    FIELDS[2, POT][name].start
    for name in ("cards", "types", "values", "category", "points", "strength", "place")
)


def stats_of(num_players: int) -> tuple[str, ...]:
    """Names of the columns that ``stats`` writes."""
    return ("decisions", "hands", *(f"{what}_{seat}" for what in COUNTED for seat in range(num_players)))


def fields_of(rules: DiaoXieRules) -> tuple[Field, ...]:
    """The fields under these rules."""
    return tuple(FIELDS[rules.num_players, LIMIT if rules.betting == "limit" else POT].values())


@njit
def observe(t, seat, out):
    """Write what ``seat`` sees into ``out`` (O,) uint8; ``FIELDS`` says where things stand."""
    out[:] = 0
    see_hand(t, seat, out)
    at = see_table(t, seat, out)
    if t.betting == LIMIT:
        see_line(t, at, out)
    else:
        see_actions(t, seat, at, out)


@njit
def see_hand(t, seat, out):
    first, second = t.cards[seat, 0], t.cards[seat, 1]
    out[_CARDS + first] = 1
    out[_CARDS + second] = 1
    is_pair = TYPE[first] == TYPE[second]
    out[_TYPES + TYPE[first]] = 1
    out[_TYPES + TYPE[second] + (NUM_TYPES if is_pair else 0)] = 1
    out[_VALUES + max(VALUE[first], VALUE[second])] = 1
    out[_VALUES + NUM_VALUES + min(VALUE[first], VALUE[second])] = 1
    category = CATEGORY[first, second]
    out[_CATEGORY + category] = 1
    if category == PLAIN:
        out[_POINTS + HAND_POINTS[first, second]] = 1
    own = STRENGTH[first, second]
    for k in range(NUM_CLASSES - 1):
        out[_STRENGTH + k] = own > k


@njit
def see_table(t, seat, out):
    """Write what is the same for both kinds of betting; returns where the other fields begin."""
    n = t.num_players
    place, to_move, folded, stakes = _TABLE, _TABLE + n, _TABLE + 2 * n, _TABLE + 3 * n
    pot = stakes + n * NUM_AMOUNTS
    out[place + (seat - t.head + n) % n] = 1
    out[to_move + (t.turn - seat + n) % n] = 1
    for i in range(n):
        who = (seat + i) % n
        out[folded + i] = t.folded[who]
        see_amount(t.stakes[who], out[stakes + i * NUM_AMOUNTS :])
    see_amount(t.pot, out[pot:])
    return pot + NUM_AMOUNTS


@njit
def see_amount(amount, out):
    for k in range(NUM_AMOUNTS):
        out[k] = amount >= AMOUNTS[k]


@njit
def see_line(t, at, out):
    for i in range(t.acted):
        which = t.line[i] - CALL + 1 if t.line[i] >= CALL else 0
        out[at + len(LIMIT_ACTIONS) * i + which] = 1


@njit
def see_actions(t, seat, at, out):
    n = t.num_players
    for i in range(n):
        did = t.did[(seat + i) % n, 0]
        if did != NONE:
            out[at + FIRST_ACTIONS * i + did] = 1
    at += FIRST_ACTIONS * n
    out[at] = t.is_second_turn and t.did[t.head, 1] < COUNTER_CARRY
    out[at + 1] = t.did[t.head, 1] == COUNTER_CARRY
    out[at + 2] = t.did[t.head, 1] == NO_CARRY
    at += 3
    for k in range(MOST_HANDS):
        out[at + k] = t.hand > k
        out[at + MOST_HANDS + k] = t.hands > k
    at += 2 * MOST_HANDS
    out[at] = t.counter_carry
    out[at + 1] = t.fold_penalty
    out[at + 2] = t.supreme_bonus


@njit
def blank(t, seat):
    """Zero what ``seat`` may not know: the cards of others, the decks, the chance stream."""
    t.chance[:] = 0
    t.deck[:] = 0
    for other in range(t.num_players):
        if other != seat:
            t.cards[other, 0] = 0
            t.cards[other, 1] = 0


@njit
def stats(t, out):
    """Write the columns of ``stats_of(n)`` into ``out`` (K,) int64."""
    n = t.num_players
    out[0] = t.decisions
    out[1] = t.hand
    for seat in range(n):
        out[2 + seat] = t.folds[seat]
        out[2 + n + seat] = t.eats[seat]
        out[2 + 2 * n + seat] = t.touches[seat]
        out[2 + 3 * n + seat] = t.carries[seat]
