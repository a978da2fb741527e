"""Guan Pai's second rule player, frozen as the yardstick ``rule_v1``: it counts plays.

Its measure of a hand is ``plays_left``: the plays that it takes to get rid of the cards, less a credit
for those that nothing unseen beats, since they win the lead back. Every legal action is tried, the cards
that stay are measured, and what was shed is added: leading, many and low cards are good; following, any
play is better than a pass as long as it does not break the hand. Three things matter besides:

* an unbeatable play after which at most one beatable play is to come all but wins the deal;
* a breach of the top-card duty (頂大) is the last resort, also where the duty is off: it lets the next
  seat go out;
* a bomb doubles the losses, so it is good with few plays left and bad with many.

Scores are integers, in hundredths of a play. The weights were found by an evolution strategy in games
against earlier versions; what made no measurable difference was left out.
"""

from __future__ import annotations

import numpy as np

from envs.core.jit import njit
from envs.guan_pai.actions import (
    ACE,
    BODY,
    BODY_SIZE,
    BOMB,
    FOUR_WITH_TWO,
    KEY,
    KICKER,
    KICKERS,
    LEAD,
    LENGTH,
    MOST_OF_RANK,
    NUM_MAIN,
    NUM_RANKS,
    PASS,
    WINGED,
)
from envs.guan_pai.legal import is_breach
from envs.guan_pai.rules import SEATS

PLAY = 100  # one play
LONE_PAIR = -12  # a pair is a little easier to get rid of than other plays

# What an unbeatable play is credited in ``plays_left``: singles, pairs, triples, bombs. A bomb pays for
# itself and for a beatable play, as it wins back the lead that was lost with that one.
CREDIT = (120, 144, 0, 360)
BEATABLE = (PLAY, PLAY, PLAY, 2 * PLAY)  # with these what is left are the plays that may be beaten

LEAD_CARD, LEAD_RANK = 14, 2  # for a card shed, and against a rank of the key, when leading
FOLLOW_PLAY, FOLLOW_CARD = 88, 34  # for not passing, and for a card shed, when following
BLOCK, FEW_LEFT = 89, 6  # for beating the play of a seat with this few cards left
BOMB_PLAY, BOMB_EARLY = 87, 25  # for bombing, and against it in percent of the plays then left
ALL_BUT_WON = 670  # for an unbeatable play with at most one beatable play to come
BREACH = 10_000  # above any other difference

GRADES = (5, 12, 25, 50, 100, 200, 400)  # by so much less an action is nearly as good

ALL_RANKS = (1 << NUM_RANKS) - 1
RUN_RANKS = (1 << (ACE + 1)) - 1  # those of straights and chains
ACES = 1 << ACE
SHORTEST_STRAIGHT = 5

# Sets of ranks are bit masks: their sizes, their highest ranks, and how many runs they fall into.
COUNT = np.array([ranks.bit_count() for ranks in range(ALL_RANKS + 1)])
TOP = np.array([ranks.bit_length() - 1 for ranks in range(ALL_RANKS + 1)])
RUNS = np.array([(ranks & ~(ranks << 1)).bit_count() for ranks in range(ALL_RANKS + 1)])

# The body of an action is so many copies of a set of ranks.
COPIES = BODY.max(axis=1)
RANKS_OF = np.array([sum(1 << r for r in range(NUM_RANKS) if body[r]) for body in BODY])
LOWEST_BEATING = np.maximum(KEY - LENGTH + 2, 0)  # the lowest rank of a body of the kind that beats it
SIZE = BODY_SIZE + KICKERS


@njit
def lanes(t):
    """The own hand as four sets of ranks: those with one card or more, two, three, four."""
    held = t.lanes[t.turn]
    return (
        held & ALL_RANKS,
        held >> NUM_RANKS & ALL_RANKS,
        held >> 2 * NUM_RANKS & ALL_RANKS,
        held >> 3 * NUM_RANKS,
    )


@njit
def unseen_lanes(t, most):
    """What the other hands may hold together, likewise, where none of them has over ``most`` cards."""
    one, two, three, four = 0, 0, 0, 0
    for rank in range(NUM_RANKS):
        n = min(most, MOST_OF_RANK[rank] - t.gone[rank] - t.hand[t.turn, rank])
        one |= (n > 0) << rank
        two |= (n > 1) << rank
        three |= (n > 2) << rank
        four |= (n > 3) << rank
    return one, two, three, four


@njit
def without(hand, ranks):
    """``hand`` less one card of each of ``ranks``."""
    one, two, three, four = hand
    return (
        (one & ~ranks) | (two & ranks),
        (two & ~ranks) | (three & ranks),
        (three & ~ranks) | (four & ranks),
        four & ~ranks,
    )


@njit
def from_top(unseen):
    """The ranks that no unseen one is above."""
    return ALL_RANKS >> TOP[unseen] << TOP[unseen] if unseen else ALL_RANKS


# --- the measure of a hand ----------------------------------------------------------------------


@njit
def sets_left(hand, kickers, tops, credit):
    """``plays_left`` without straights: bombs, triples, pairs, singles, and chains of them."""
    one, two, three, four = hand
    bombs = four | (three & ACES)
    triples = three & ~bombs
    pairs = two & ~three
    singles = one & ~two
    chained = pairs & (pairs << 1 | pairs >> 1)
    pairs &= ~chained
    # Triples take two cards along and bombs one: first singles, then pairs, but none that wins the lead.
    room = kickers + 2 * COUNT[triples] + COUNT[bombs]
    taken_singles = min(room, COUNT[singles & ~tops[0]])
    taken_pairs = min((room - taken_singles) // 2, COUNT[pairs & ~tops[1]])
    plays = COUNT[bombs] + RUNS[triples] + RUNS[chained] + COUNT[singles] - taken_singles
    return (
        PLAY * plays
        + (PLAY + LONE_PAIR) * (COUNT[pairs] - taken_pairs)
        - credit[0] * COUNT[singles & tops[0]]
        - credit[1] * COUNT[pairs & tops[1]]
        - credit[2] * COUNT[triples & tops[2]]
        - credit[3] * COUNT[bombs]
    )


@njit
def plays_left(hand, kickers, tops, credit):
    """Plays needed to empty ``hand`` after ``kickers`` more cards have gone as such, less the credits.

    The least over all ways of taking out straights; the rest of the hand falls into sets by rank.
    """
    best = sets_left(hand, kickers, tops, credit)
    runs = hand[0] & RUN_RANKS
    for _ in range(1, SHORTEST_STRAIGHT):
        runs &= runs >> 1  # the lowest ranks of runs of this length
    ranks = (1 << SHORTEST_STRAIGHT) - 1
    while runs:
        starts = runs
        while starts:
            low = starts & -starts
            starts ^= low
            rest = without(hand, low * ranks)
            best = min(best, PLAY + plays_left(rest, kickers, tops, credit))
        ranks = ranks << 1 | 1
        runs &= runs >> 1
    return best


@njit
def beatable(action, unseen, most):
    """Whether one of the other hands, of at most ``most`` cards, may beat ``action``, bombs apart."""
    if most < BODY_SIZE[action]:
        return False
    ranks = unseen[COPIES[action] - 1]
    if LENGTH[action] > 1:
        ranks &= RUN_RANKS
    for _ in range(1, LENGTH[action]):
        ranks &= ranks >> 1
    return ranks >> LOWEST_BEATING[action] != 0


# --- choosing -----------------------------------------------------------------------------------


@njit
def choose(t, mask, key):
    """The best action by its score, for the seat to act at ``t``; ``key`` is not used."""
    return rate(t, mask, key, None)


@njit
def rate(t, mask, key, scores):
    """The same, and write what the main actions that were looked at score into ``scores`` (A,)."""
    left = t.left[t.turn]
    most = max(t.left[(t.turn + 1) % SEATS], t.left[(t.turn + 2) % SEATS])
    unseen = unseen_lanes(t, most)
    tops = from_top(unseen[0]), from_top(unseen[1]), from_top(unseen[2])
    if t.pending:
        return choose_kicker(t, mask, tops)
    hand = lanes(t)
    best, best_score = -1, 0
    for action in range(NUM_MAIN):
        if not mask[action]:
            continue
        is_long_wings = WINGED <= action < FOUR_WITH_TWO and KICKERS[action] == 0
        if action != PASS and (SIZE[action] >= left or is_long_wings):
            return action  # the last cards
        score = score_of(t, action, hand, unseen, tops, most)
        if scores is not None:
            scores[action] = score
        if best < 0 or score > best_score:
            best, best_score = action, score
    return best


@njit
def score_of(t, action, hand, unseen, tops, most):
    """How good a pass or a play is that does not empty ``hand``."""
    score = 0
    if is_breach(t, action):
        score -= BREACH
    if action == PASS:
        return score - plays_left(hand, 0, tops, CREDIT)
    rest = hand
    for _ in range(COPIES[action]):
        rest = without(rest, RANKS_OF[action])
    after = plays_left(rest, KICKERS[action], tops, CREDIT)
    score -= after
    if t.last == LEAD:
        score += LEAD_CARD * SIZE[action] - LEAD_RANK * KEY[action]
    else:
        score += FOLLOW_PLAY + FOLLOW_CARD * SIZE[action]
        if t.left[t.owner] <= FEW_LEFT:
            score += BLOCK
    if action >= BOMB:
        score += BOMB_PLAY - BOMB_EARLY * after // PLAY
    if not beatable(action, unseen, most) and plays_left(rest, KICKERS[action], tops, BEATABLE) <= PLAY:
        score += ALL_BUT_WON
    return score


@njit
def choose_kicker(t, mask, tops):
    """The lowest of the kickers that leave the best hand, picked one after the other."""
    hand = lanes(t)
    for rank in range(NUM_RANKS):
        for _ in range(t.chosen[rank]):
            hand = without(hand, 1 << rank)
    barred = -1 if WINGED <= t.pending < FOUR_WITH_TWO else KEY[t.pending]
    lowest = NUM_RANKS
    for wanted in range(t.wanted - 1, -1, -1):
        best, fewest = -1, 0
        for rank in range(t.lowest, NUM_RANKS):
            if rank == barred or not hand[0] >> rank & 1:
                continue
            plays = plays_left(without(hand, 1 << rank), wanted, tops, CREDIT)
            if best < 0 or plays < fewest:
                best, fewest = rank, plays
        hand = without(hand, 1 << best)
        lowest = min(lowest, best)
    if mask[KICKER + lowest]:
        return KICKER + lowest
    for action in range(KICKER, len(mask)):  # the very first play wants a three (lead_diamond_three)
        if mask[action]:
            return action
    return -1
