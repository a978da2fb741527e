"""Zheng Shang You's rule player, frozen as the yardstick ``rule_v0``: it counts plays.
"""

from __future__ import annotations

import numpy as np

from envs.core.climbing import windows
from envs.core.jit import njit
from envs.zheng_shang_you.actions import (
    ACE,
    BODY,
    BOMB,
    FLUSH,
    JOKER_BOMB,
    JOKERS,
    KEY,
    KICKER,
    KICKERS,
    LEAD,
    LENGTH,
    MOST_OF_RANK,
    NUM_MAIN,
    NUM_RANKS,
    NUM_SUITED,
    NUM_SUITS,
    PAIR_CHAIN,
    PASS,
    PLACES,
    RANKS,
    SHORTEST_STRAIGHT,
    SUIT,
    WINGED,
)
from envs.zheng_shang_you.rules import SEATS
from envs.zheng_shang_you.suits import covering_suits, live_cards, of_suit
from envs.zheng_shang_you.table import multiplier

FEW, SOME = 3, 6  # cards in a hand
PLAY = 100
SLACK = 100
# What plays of each sort cost in a hand, in hundredths of a play, and what is good or bad about a play.
# Found by an evolution strategy, with one deck and with two.
WEIGHTS = np.array(
    [
        (-8, 49, 123, 101, 5, 10, 44, 112, 1, 105, 40, 112, -124, 55, 142, 24, 16, 20, 7, 130, 22, 100, 31, 17, 35, 112, 22, 598, 300, 80, 13),
        (24, 63, 110, 79, 3, 30, 56, 89, 2, 98, 36, 85, -134, 49, 95, 17, 14, 14, 4, 90, -3, 100, 22, 5, 41, 119, 27, 635, 300, 69, 7),
    ],
    dtype=[
        (name, np.int64)
        for name in (
            "single_top", "single_near", "single", "single_low", "near", "low",
            "pair_near", "pair", "near_pairs", "chain", "triple_top", "triple", "bomb", "short",
            "straight", "straight_top", "stuck",
            "lead_card", "lead_rank", "follow_play", "follow_card", "block", "sure", "hurry", "band",
            "bomb_play", "bomb_early", "won", "all_but_won", "danger", "danger_rank",
        )
    ],
)  # fmt: skip
# The same, so that what is left are the plays that may be beaten; a bomb wins back the lead once.
BEATABLE = WEIGHTS[0].copy()
for _name in BEATABLE.dtype.names:
    BEATABLE[_name] = 0 if _name.endswith("top") or _name in ("short", "stuck") else PLAY
BEATABLE["bomb"] = -PLAY

# Counts by rank are nibbles of one integer, the lowest rank first; of more than seven cards seven count.
NIBBLE, MOST_COUNTED = 4, 7
ONES = sum(1 << NIBBLE * rank for rank in range(NUM_RANKS))
SUITED_ONES = sum(1 << NIBBLE * rank for rank in range(NUM_SUITED))
GUARDS = ONES << NIBBLE - 1
TAKES = np.array(
    [sum(min(n, MOST_COUNTED) << NIBBLE * rank for rank, n in enumerate(body)) for body in BODY.tolist()]
)
COPIES = BODY.max(axis=1).astype(np.int64)
GROUPS = (BODY > 0).sum(axis=1)
LOW_PLACES = 2  # A and 2 below 3
LOW_BITS = (1 << NIBBLE * LOW_PLACES) - 1
NUM_PLACES = len(PLACES)
# Straights by their first place and their length: as counts and as a set of ranks.
STRAIGHTS = np.zeros((NUM_PLACES, NUM_SUITED + 1), np.int64)
STRAIGHT_RANKS = np.zeros_like(STRAIGHTS)
for _size in range(SHORTEST_STRAIGHT, NUM_SUITED + 1):
    for _run in windows(PLACES, _size):
        _start = PLACES.index(_run)
        STRAIGHTS[_start, _size] = sum(1 << NIBBLE * RANKS.index(r) for r in _run)
        STRAIGHT_RANKS[_start, _size] = sum(1 << RANKS.index(r) for r in _run)
SPREAD = np.array(
    [sum((ranks >> r & 1) << NIBBLE * r for r in range(NUM_SUITED)) for ranks in range(1 << NUM_SUITED)]
)
MOST_PLANS = 32


@njit
def counted(counts):
    """Counts by rank (R,) as nibbles."""
    hand = np.int64(0)
    for rank in range(NUM_RANKS):
        hand |= np.int64(min(counts[rank], MOST_COUNTED)) << np.int64(NIBBLE * rank)
    return hand


@njit
def holds(hand, take):
    """Whether every count of ``hand`` is at least that of ``take``."""
    return (hand | GUARDS) - take & GUARDS == GUARDS


@njit
def at_least(hand, n):
    """The ranks of which there are ``n`` cards (1 to 4) or more, a one in each one's nibble."""
    b0, b1, b2 = hand & ONES, hand >> 1 & ONES, hand >> 2 & ONES
    if n == 1:
        return b0 | b1 | b2
    if n == 2:
        return b1 | b2
    return b0 & b1 | b2 if n == 3 else b2


@njit
def size(ranks):
    """How many ranks are in a set."""
    return ranks % 15  # nibbles are digits to the base 16, and 16 leaves 1


@njit
def num_runs(ranks):
    return size(ranks & ~(ranks << NIBBLE))


@njit
def in_places(ranks):
    """A set of ranks laid out in the places of chains: A and 2 stand low as well."""
    ranks &= SUITED_ONES
    return ranks << NIBBLE * LOW_PLACES | ranks >> NIBBLE * ACE


@njit
def unseen_cards(t, most):
    """Cards that others may hold, as nibbles, where none of them has more than ``most`` of a rank."""
    unseen = np.int64(0)
    for rank in range(NUM_RANKS):
        n = MOST_OF_RANK[t.decks, rank] - t.gone[rank] - t.hand[t.turn, rank]
        unseen |= min(n, most, MOST_COUNTED) << np.int64(NIBBLE * rank)
    return unseen


@njit
def classes(t, unseen, w):
    """Which ranks are how strong: singles on top, near it, low; pairs on top, near it; triples on top."""
    top, near, low, top_pairs, near_pairs, top_triples = 0, 0, 0, 0, 0, 0
    above, pairs_above, triples_above = 0, 0, 0
    hidden = -t.left[t.turn]
    for seat in range(SEATS):
        hidden += t.left[seat]
    for rank in range(NUM_RANKS - 1, -1, -1):
        bit = 1 << NIBBLE * rank
        n = unseen >> NIBBLE * rank & MOST_COUNTED
        if above == 0:
            top |= bit
        elif above <= w.near:
            near |= bit
        elif hidden - above - n <= w.low:
            low |= bit
        if pairs_above == 0:
            top_pairs |= bit
        elif pairs_above <= w.near_pairs:
            near_pairs |= bit
        if triples_above == 0:
            top_triples |= bit
        above += n
        pairs_above += n >= 2
        triples_above += n >= 3
    return top, near, low, top_pairs, near_pairs, top_triples


# --- the measure of a hand ----------------------------------------------------------------------


@njit
def sets_left(hand, kickers, straights, strong, w):
    """What it costs to get rid of ``hand`` without straights, after ``kickers`` pairs have gone with a play."""
    top, near, low, top_pairs, near_pairs, top_triples = strong
    b0, b1, bombs = hand & ONES, hand >> 1 & ONES, hand >> 2 & ONES
    triples = b0 & b1 & ~bombs
    pairs = b1 & ~b0 & ~bombs
    singles = b0 & ~b1 & ~bombs
    chained = pairs & SUITED_ONES
    chained &= chained << NIBBLE | chained >> NIBBLE
    loose = pairs & ~chained
    weak = loose & ~top_pairs
    num_triples, num_weak = size(triples), size(weak)
    taken = min(kickers + num_triples, num_weak)
    near_weak = size(weak & near_pairs)
    low_weak = num_weak - near_weak
    num_bombs, num_top = size(bombs), size(singles & top)
    num_top_pairs = size(loose & top_pairs)
    num_chains = num_runs(chained)
    controls = num_bombs + num_top + num_top_pairs
    others = straights + size(singles) - num_top + max(num_weak - taken, 0) + num_chains
    cost = (
        w.single_top * num_top
        + w.single_near * size(singles & near)
        + w.single_low * size(singles & low)
        + w.single * size(singles & ~(top | near | low))
        + w.pair * max(low_weak - taken, 0)
        + w.pair_near * min(num_weak - taken, near_weak)
        + w.chain * num_chains
        + w.bomb * num_bombs
    )
    if num_triples:
        top_runs = size(triples & top_triples)
        runs = num_runs(triples)
        others += max(runs - top_runs, 0)
        controls += top_runs
        cost += w.triple * runs - (w.triple - w.triple_top) * top_runs
    if others - 1 > controls:
        cost += w.stuck * (others - 1 - controls)
    if kickers:
        cost += w.short * max(kickers - num_weak - size(chained), 0)
    return cost


@njit
def make_plans(t, hand, unseen, most, strong, w):
    """Ways of taking straights out of ``hand``: (N, 2), cards and costs; the first takes none."""
    plans = np.empty((MOST_PLANS, 3), np.int64)
    plans[0, :] = 0
    count = 1
    base = 0
    best = sets_left(hand, 0, 0, strong, w)
    while True:
        rest = hand - plans[base, 0]
        places = in_places(at_least(rest, 1))
        starts = places & places >> 4 & places >> 8 & places >> 12 & places >> 16
        if starts == 0:
            break
        single = in_places(at_least(rest, 1) & ~at_least(rest, 2))
        found = -1
        limit = best + SLACK
        for start in range(NUM_PLACES - SHORTEST_STRAIGHT + 1):
            if not starts >> NIBBLE * start & 1:
                continue
            length = SHORTEST_STRAIGHT
            while True:
                if count < MOST_PLANS and (
                    length == SHORTEST_STRAIGHT
                    or single >> NIBBLE * start & single >> NIBBLE * (start + length - 1) & 1
                ):
                    take = STRAIGHTS[start, length]
                    is_sure = sure_straight(t, start, length, unseen, most)
                    sure, weak = plans[base, 1] + is_sure, plans[base, 2] + 1 - is_sure
                    whole = w.straight_top * sure + w.straight * weak + sets_left(rest - take, 0, weak - sure, strong, w)
                    if whole <= limit:
                        plans[count, 0] = plans[base, 0] + take
                        plans[count, 1] = sure
                        plans[count, 2] = weak
                        if whole < best:
                            best = whole
                            found = count
                        count += 1
                if length == NUM_SUITED or not places >> NIBBLE * (start + length) & 1:
                    break
                length += 1
                if STRAIGHTS[start, length] == 0:
                    break
        if found < 0:
            break
        base = found
    return plans[:count]


@njit
def sure_straight(t, start, length, unseen, most):
    if most < length:
        return True
    if t.suited[t.turn] and covering_suits(t.cards[t.turn, 0], STRAIGHT_RANKS[start, length]):
        return True
    places = in_places(at_least(unseen, 1))
    for _ in range(1, length):
        places &= places >> NIBBLE
    return places >> NIBBLE * (start + 1) == 0


@njit
def plays_left(hand, kickers, plans, strong, w):
    """What it costs to get rid of ``hand``, by the best of the ``plans`` that it still holds."""
    best = sets_left(hand, kickers, 0, strong, w)
    for i in range(1, len(plans)):
        take = plans[i, 0]
        if holds(hand, take):
            sure, weak = plans[i, 1], plans[i, 2]
            cost = w.straight_top * sure + w.straight * weak
            best = min(best, cost + sets_left(hand - take, kickers, weak - sure, strong, w))
    return best


@njit
def beatable(action, unseen, most):
    """Whether others, of at most ``most`` cards each, may beat ``action``, bombs on other plays apart."""
    if action == JOKER_BOMB or FLUSH <= action < PAIR_CHAIN or most < LENGTH[action]:
        return False
    if action >= BOMB:
        return bigger_bomb(action, unseen)
    ranks = at_least(unseen, COPIES[action])
    groups = GROUPS[action]
    if groups == 1:
        return ranks >> NIBBLE * (KEY[action] + 1) != 0
    places = in_places(ranks)
    for _ in range(1, groups):
        places &= places >> NIBBLE
    return places >> NIBBLE * (KEY[action] + LOW_PLACES + 2 - groups) != 0


@njit
def bigger_bomb(action, unseen):
    if unseen >> NIBBLE * NUM_SUITED == (2 << NIBBLE | 2):
        return True
    for rank in range(NUM_SUITED):
        n = unseen >> NIBBLE * rank & MOST_COUNTED
        if n > LENGTH[action] or (n == LENGTH[action] and rank > KEY[action]):
            return True
    return False


# --- choosing -----------------------------------------------------------------------------------


@njit
def choose(t, mask, key):
    """The best action by its score, for the seat to act at ``t``; ``key`` is not used."""
    return decide(t, mask, WEIGHTS[t.decks], BEATABLE)


@njit
def decide(t, mask, w, b):
    if t.pending and t.wanted == 0:
        return choose_suit(t, mask)
    seat = t.turn
    left = t.left[seat]
    most, fewest = 0, 99
    for i in range(1, SEATS):
        n = t.left[(seat + i) % SEATS]
        most, fewest = max(most, n), min(fewest, n)
    hand = counted(t.hand[seat])
    unseen = unseen_cards(t, most)
    strong = classes(t, unseen, w)
    if t.pending:
        return choose_kicker(t, mask, hand, unseen, most, strong, w)
    for action in range(NUM_MAIN - 1, PASS, -1):
        if mask[action] and LENGTH[action] == left:
            return action
    plans = make_plans(t, hand, unseen, most, strong, w)
    bombs = at_least(unseen, 4) != 0 or unseen >> NIBBLE * NUM_SUITED == (2 << NIBBLE | 2)
    best, best_score = -1, 0
    for action in range(NUM_MAIN):
        if not mask[action]:
            continue
        if action == PASS:
            score = -plays_left(hand, 0, plans, strong, w)
        else:
            rest = hand - TAKES[action]
            after = plays_left(rest, KICKERS[action], plans, strong, w)
            score = worth(t, action, after, fewest, w) - after
            if not beatable(action, unseen, most):
                if t.last != LEAD:
                    score += w.sure
                if plays_left(rest, KICKERS[action], plans, strong, b) <= PLAY:
                    score += w.all_but_won if bombs else w.won
            else:
                score -= risk(t, action, w)
        if best < 0 or score > best_score:
            best, best_score = action, score
    return best


@njit
def worth(t, action, after, fewest, w):
    """What is good about a play, apart from the hand that stays."""
    length = LENGTH[action]
    if t.last == LEAD:
        score = w.lead_card * length - w.lead_rank * KEY[action]
    else:
        score = w.follow_play + w.follow_card * length
        if t.left[t.owner] <= SOME:
            score += w.block
    if action >= BOMB:
        score += w.bomb_play - w.bomb_early * after // PLAY
    left = t.left[t.turn]
    if fewest <= FEW:
        score += w.hurry * length
    if fewest <= SOME:
        score += w.band * (multiplier(left, t.cards_each) - multiplier(left - length, t.cards_each))
    return score


@njit
def risk(t, action, w):
    """What is bad about a play that may be beaten: others may go out on it."""
    score = 0
    for i in range(1, SEATS):
        n = t.left[(t.turn + i) % SEATS]
        if n == LENGTH[action]:
            score += w.danger - w.danger_rank * KEY[action]
    return score


@njit
def choose_kicker(t, mask, hand, unseen, most, strong, w):
    """The lowest of the kicker pairs that leave the best hand, picked one after the other."""
    rest = hand - counted(t.chosen)
    plans = make_plans(t, rest, unseen, most, strong, w)
    barred = 0
    if t.distinct_wings or t.pending < WINGED:
        barred = at_least(TAKES[t.pending], 1)
    lowest = NUM_RANKS
    for wanted in range(t.wanted - 1, -1, -1):
        best, fewest = -1, 0
        for rank in range(t.lowest, NUM_RANKS):
            if barred >> NIBBLE * rank & 1 or (rest >> NIBBLE * rank & MOST_COUNTED) < 2:
                continue
            pair = 2 << NIBBLE * rank
            cost = plays_left(rest - pair, wanted, plans, strong, w)
            if best < 0 or cost < fewest:
                best, fewest = rank, cost
        if best < 0:
            break
        rest -= 2 << NIBBLE * best
        lowest = min(lowest, best)
        if t.distinct_wings:
            barred |= 1 << NIBBLE * best
    for rank in range(lowest, NUM_RANKS):
        if mask[KICKER + rank]:
            return KICKER + rank
    for rank in range(NUM_RANKS):
        if mask[KICKER + rank]:
            return KICKER + rank
    return -1


@njit
def choose_suit(t, mask):
    """The suit whose card leaves the most cards in flush straights; of equal ones the lowest."""
    seat = t.turn
    held, twice = t.cards[seat, 0], t.cards[seat, 1]
    best, most = -1, -1
    for suit in range(NUM_SUITS):
        if not mask[SUIT + suit]:
            continue
        if FLUSH <= t.pending < PAIR_CHAIN:
            one, two = np.int64(0), np.int64(0)
            for rank in range(NUM_SUITED):
                if BODY[t.pending, rank]:
                    one |= np.int64(1) << np.int64(NUM_SUITED * suit + rank)
        else:
            bit = np.int64(1) << np.int64(NUM_SUITED * suit + t.asked)
            one, two = t.spent[0] | bit, t.spent[1] | t.spent[0] & bit
        live_first, live_second = live_cards(held & ~one | twice & one & ~two, twice & ~one)
        live = 0
        for other in range(NUM_SUITS):
            live += size(SPREAD[of_suit(live_first, other)]) + size(SPREAD[of_suit(live_second, other)])
        if live > most:
            best, most = SUIT + suit, live
    return best
