"""Guan Pai: which actions are legal (rules, sections 2 to 6), on one record ``t``.

``legal`` writes the mask of the seat to act; ``is_breach`` is the top-card duty (頂大).
"""

from __future__ import annotations

from ..core.jit import njit
from .actions import (
    BEATS,
    BODY,
    BODY_SIZE,
    BOMB,
    BOMB_WITH_ONE,
    FOUR_WITH_TWO,
    KEY,
    KICKER,
    KICKERS,
    LEAD,
    LENGTH,
    MOST_OF_RANK,
    NEED,
    NUM_MAIN,
    NUM_RANKS,
    PAIR,
    PASS,
    SINGLE,
    STRAIGHT,
    TRIPLE_WITH_TWO,
    WINGED,
)
from .rules import DINGDA_FORCED, MUST_BEAT_ALL, MUST_BEAT_OFF, SEATS


@njit
def legal(t, mask):
    """Write 1 for each legal action of the seat to act into ``mask`` (266,), else 0."""
    if t.pending:
        mask[:NUM_MAIN] = 0
        legal_kickers(t, mask)
        return
    mask[NUM_MAIN:] = 0
    legal_main(t, mask)
    if t.lead_diamond_three and t.plays == 0:
        keep_diamond_three(mask)
    if t.must_beat != MUST_BEAT_OFF and t.last != LEAD:
        end = KICKER if t.must_beat == MUST_BEAT_ALL else BOMB
        for action in range(1, end):
            if mask[action]:
                mask[PASS] = 0
    if t.dingda == DINGDA_FORCED and next_has_one(t):
        remove_breaches(t, mask)


@njit
def legal_main(t, mask):
    """Passes and main combinations: what beats the table and what the hand holds."""
    missing = ~t.lanes[t.turn]
    beats = BEATS[t.last]
    for action in range(NUM_MAIN):
        mask[action] = beats[action] & ((NEED[action] & missing) == 0)
    for action in range(TRIPLE_WITH_TWO, STRAIGHT):
        if mask[action]:
            mask[action] = triple_with_two_fits(t, action)
    for action in range(WINGED, FOUR_WITH_TWO):
        if mask[action]:
            mask[action] = wings_fit(t, action)
    for action in range(FOUR_WITH_TWO, BOMB):
        if mask[action]:
            mask[action] = t.left[t.turn] >= BODY_SIZE[action] + KICKERS[action]
    for action in range(BOMB_WITH_ONE, KICKER):
        if mask[action]:
            mask[action] = t.left[t.turn] > BODY_SIZE[action]


@njit
def triple_with_two_fits(t, action):
    """Whether the rest of the hand gives kickers, or the play is a last hand (section 5)."""
    rank = KEY[action]
    others = t.left[t.turn] - t.hand[t.turn, rank]
    if others >= 2:  # a kicker of the triple's own rank would make it a bomb
        return True
    if t.hand[t.turn, rank] == MOST_OF_RANK[rank]:
        return False  # all that is left is a bomb
    return others == 1 or t.last != LEAD  # leading, a bare triple is just a triple


@njit
def wings_fit(t, action):
    """Whether the rest of the hand gives wings, or the play is a last hand (section 5)."""
    others = t.left[t.turn] - BODY_SIZE[action]
    if KICKERS[action] > 0 and others >= KICKERS[action]:
        return True
    if others >= 2 * LENGTH[action]:
        return False  # four or five triples with full wings: no such hand
    if t.last == LEAD:
        return others > 0  # bare, it is just a triple_chain
    return t.short_plane_follow != 0


@njit
def keep_diamond_three(mask):
    """Leave what contains, or can take as a kicker, a three: the first play then spends 3D."""
    for action in range(1, NUM_MAIN):
        takes_others = KICKERS[action] > 0 or WINGED <= action < FOUR_WITH_TWO
        if BODY[action, 0] == 0 and not takes_others:
            mask[action] = 0


@njit
def legal_kickers(t, mask):
    """Ranks for the next kicker from which the play can still be completed."""
    bomb_rank = -1 if WINGED <= t.pending < FOUR_WITH_TWO else KEY[t.pending]
    must_be_three = t.lead_diamond_three and t.plays == 0 and t.chosen[0] == 0
    available = 0
    for rank in range(NUM_RANKS - 1, -1, -1):
        here = 0 if rank == bomb_rank else t.hand[t.turn, rank] - t.chosen[rank]
        available += here
        fits = here > 0 and rank >= t.lowest and available >= t.wanted
        mask[KICKER + rank] = fits and not (must_be_three and rank > 0)


# --- the top-card duty (section 6) --------------------------------------------------------------


@njit
def next_has_one(t):
    return t.left[(t.turn + 1) % SEATS] == 1


@njit
def highest_rank(t, seat):
    rank = NUM_RANKS - 1
    while t.hand[seat, rank] == 0:
        rank -= 1
    return rank


@njit
def is_breach(t, action):
    """Whether a pass or main combination of the seat to act breaks the duty."""
    if not next_has_one(t):
        return False
    top = highest_rank(t, t.turn)
    if action == PASS:
        return SINGLE <= t.last < PAIR and top > KEY[t.last]
    return SINGLE <= action < PAIR and KEY[action] != top and t.left[t.turn] > 1


@njit
def remove_breaches(t, mask):
    for action in range(PAIR):
        if mask[action] and is_breach(t, action):
            mask[action] = 0
