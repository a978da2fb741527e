"""Xiangxi 96's first rule player, frozen as the yardstick ``rule_v0``: it looks at what a play leaves.

It wins when it can. Else every legal action is tried, a claim together with the best discard after it, and
the position that the own seat is then in is measured:

- **left over**: the groups of the hand are cut into ju and, as far as two kou are not on the table yet, kou.
  A card that is left over costs, less where unseen cards may take it along: the third of a pair, the one
  between or beside two others of its group. The cheapest way of sharing the kou among the groups counts.
- **huxi**: those of the table and of the whole hand, and what pairs and threes may become. Each that is
  lacking to the least costs much more than a card; those beyond it are good for the ladder.
- **su hu**: with few hun cards, all of them loose, the hand is also measured as one for su hu, where
  these have to go and huxi do not matter; the better of the two counts.
- **pigs**: unseen cards that would make one of the own seat, and few cards that may be discarded.
- **ready**: unseen cards that win, times their points.

Alone against ``hu_first`` players, on 2,000 duplicate deals by default options, it gains with three players
+2.89 +- 0.11 points a game (wins 45.2 +- 1.2 % of the games, 77 % of those that anybody wins; against
``random`` +3.24 +- 0.11), with two +2.32 +- 0.09 (80.6 +- 1.2 %, 84 %), with four +2.35 +- 0.10
(24.1 +- 0.9 %, 77 %); it is a pig in less than 0.1 % of its games. Among its like 11 % of the games with
three are exhausted, 0.2 % with two, 38 % with four. A decision takes about two and a half microseconds.
"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from envs.core.jit import njit
from envs.xiangxi96.actions import CHI_HALF, CHI_HAND, CHI_TABLE, HU, NUM_ACTIONS, PASS
from envs.xiangxi96.claims import ASKED_CHI, DISCARDING, free_kinds, tie_card
from envs.xiangxi96.kinds import (
    COPIES,
    GROUP_SIZE,
    HUN,
    NO_KIND,
    NUM_CARDS,
    NUM_GROUPS,
    NUM_HUN_GROUPS,
    NUM_KINDS,
    OTHERS,
)
from envs.xiangxi96.melds import (
    OTHER,
    OWN,
    PENG,
    SHAO,
    companion_huxi,
    fills_half,
    four_huxi,
    loose_of,
    may_take_four,
    triple_huxi,
)
from envs.xiangxi96.rules import FENG_SHENG, ladder, least_huxi
from envs.xiangxi96.shapes import CUTS_OF_HAND, KAN, MOUTHS, Counts, loose, without
from envs.xiangxi96.table import has_full_company
from envs.xiangxi96.win import NO_WIN, best_win, hand_huxi, read_win

# With two, three and four players; found by an evolution strategy in games against earlier versions.
_WEIGHTS = {
    # Of a card left over, and of a hun one in addition.
    "left": (1000, 1000, 1000), "left_hun": (44, 173, 90),
    # Good about what is left over: an unseen card that makes three of a pair, a ju of two kinds.
    "pair": (970, 2206, 4275), "sentence": (2968, 1339, 1464),
    # Of a huxi that is lacking to the least; good about one beyond it.
    "short": (25961, 7151, 2148), "over": (465, 366, 142),
    # How far huxi count that a pair, a three may still bring (in thousandths).
    "pair_huxi": (36, 346, 2029), "four_huxi": (151, 198, 1035),
    # Of an unseen card that makes a pig, times its points; of each card that is lacking to a few free ones.
    "pig": (2562, 3723, 3841), "few": (203, 107, 229),
    # Good about a hand that waits for a win, and about an unseen card that wins, times its points.
    "ready": (283, 172, 342), "win": (1388, 4766, 2355),
    # Good about a hand for su hu; of a hun card in it.
    "su": (9043, 8060, 4814), "su_hun": (2719, 3033, 3298),
}  # fmt: skip
_DTYPE = [(name, np.int64) for name in _WEIGHTS]
WEIGHTS = np.array(list(zip(*_WEIGHTS.values(), strict=True)), _DTYPE).view(np.recarray)
GRADES = (0, 250, 500, 1000, 2000, 4000, 8000)  # by so much less an action is nearly as good
FEWEST_SEATS = 2  # whose weights come first

CERTAIN = 1000  # chances are in thousandths,
HUXI = 1000  # and so are huxi
HUXI_TO_A_POINT = 5  # in feng_sheng
FEW_FREE = 4  # cards that may be discarded
MOST_HUN = 6  # in a hand for su hu
FORBIDDEN = np.int64(-1 << 40)  # the score of what cannot be
NEAR = np.int64(2)  # seats that a chi is asked of: so many of the flips concern one


def _ways(hand: Counts) -> list[tuple[int, ...]]:
    """The ways to cut a group of a hand: (kou, cards left over of each kind), without needless ones.

    >>> _ways((2, 1, 0)), _ways((3, 1, 1)), _ways((1, 1, 1))
    ([(0, 2, 1, 0), (1, 1, 0, 0)], [(0, 0, 1, 1), (1, 0, 0, 0)], [(0, 0, 0, 0)])
    """
    found: set[tuple[int, ...]] = set()
    open_ways = [(0, *loose(hand))]
    while open_ways:
        kou, *counts = way = open_ways.pop()
        if min(counts) >= 0 and kou <= MOUTHS and way not in found:
            found.add(way)
            open_ways.append((kou, *without(tuple(counts), *range(GROUP_SIZE))))
            for pair in combinations(range(GROUP_SIZE), 2):
                open_ways.append((kou + 1, *without(tuple(counts), *pair)))
    return sorted(
        way
        for way in found
        if not any(w != way and all(a <= b for a, b in zip(w, way, strict=True)) for w in found)
    )


_SHAPE = (KAN + 1,) * GROUP_SIZE
_WAYS = {hand: _ways(hand) for hand in product(range(KAN + 1), repeat=GROUP_SIZE)}
NUM_WAYS = np.array([len(ways) for ways in _WAYS.values()]).reshape(_SHAPE)
WAYS = np.zeros((*_SHAPE, NUM_WAYS.max(), 1 + GROUP_SIZE), np.int64)
"""(4, 4, 4, W, 4): the ways by what the hand holds of a group's kinds; the first NUM_WAYS of them."""
for _hand, _found in _WAYS.items():
    WAYS[_hand][: len(_found)] = _found

SURPLUS = np.array([sum(loose(hand)) - GROUP_SIZE * min(loose(hand)) for hand in _WAYS]).reshape(_SHAPE)
"""(4, 4, 4): how many cards of a group may be discarded."""


# --- choosing -----------------------------------------------------------------------------------


@njit
def choose(t, mask, key):
    """The best action by its score, for the seat to act at ``t``; ``key`` is not used."""
    return decide(t, mask, WEIGHTS[t.num_players - FEWEST_SEATS], None)


@njit
def rate(t, mask, key, scores):
    """The same, and write what the actions that were looked at score into ``scores`` (A,)."""
    return decide(t, mask, WEIGHTS[t.num_players - FEWEST_SEATS], scores)


@njit
def decide(t, mask, w, scores):
    """The same with given weights, and with scores or None. Actions are tried on ``t`` and taken back."""
    seat = np.int64(t.turn)
    costs = np.zeros((NUM_GROUPS, MOUTHS + 1), np.int64)
    if t.phase == DISCARDING:
        return best_discard(t, seat, costs, w, scores)[0]
    if mask[HU]:
        return np.int64(HU)
    best, best_score = np.int64(-1), FORBIDDEN
    for action in range(PASS, NUM_ACTIONS):
        if mask[action]:
            score = claim_score(t, seat, action, costs, w)
            if scores is not None:
                scores[action] = score
            if best < 0 or score > best_score:
                best, best_score = np.int64(action), score
    return best


@njit
def best_discard(t, seat, costs, w, scores):
    """The best kind to discard and its score; -1 if there is none. Each kind's is written unless None."""
    chance = chance_of(t)
    all_costs(t, seat, chance, costs, w)
    best, best_score = np.int64(-1), FORBIDDEN
    for group in range(NUM_GROUPS):
        bits = free_kinds(t, seat, group)
        if bits == 0:
            continue
        costs_before = costs[group, 0], costs[group, 1], costs[group, 2]
        for kind in range(GROUP_SIZE * group, GROUP_SIZE * (group + 1)):
            if not bits >> (kind % GROUP_SIZE) & 1 or kind == t.ban[seat]:
                continue
            a, b = OTHERS[kind, 0], OTHERS[kind, 1]
            memory = t.thrown[seat, kind], t.broken[seat, a], t.broken[seat, b]
            if t.hand[seat, kind] == 1:
                t.broken[seat, a] |= t.hand[seat, a] == KAN and has_full_company(t, seat, a)
                t.broken[seat, b] |= t.hand[seat, b] == KAN and has_full_company(t, seat, b)
            t.thrown[seat, kind] = 1
            give(t, seat, kind, np.int64(1))
            group_costs(t, seat, group, chance, costs[group], w)
            score = value(t, seat, chance, costs, w)
            give(t, seat, kind, np.int64(-1))
            t.thrown[seat, kind], t.broken[seat, a], t.broken[seat, b] = memory
            if scores is not None:
                scores[kind] = score
            if score > best_score:
                best, best_score = np.int64(kind), score
        costs[group, 0], costs[group, 1], costs[group, 2] = costs_before
    return best, best_score


@njit
def claim_score(t, seat, action, costs, w):
    """What a claim or a pass scores, with the best discard after it."""
    card, partner = np.int64(t.card), np.int64(tie_card(t, seat, np.int64(t.card)))
    lay(t, seat, card, action, partner, np.int64(1))
    if action == PASS or t.credit[seat] > 0:
        chance = chance_of(t)
        all_costs(t, seat, chance, costs, w)
        score = value(t, seat, chance, costs, w)
    else:
        score = best_discard(t, seat, costs, w, None)[1]
    lay(t, seat, card, action, partner, np.int64(-1))
    return score


@njit
def lay(t, seat, card, action, partner, sign):
    """Lay what a claim lays (``sign`` 1), or take it back (-1), as far as the measure looks at it."""
    y, z, group = OTHERS[card, 0], OTHERS[card, 1], card // GROUP_SIZE
    hun = sign * HUN[card]
    if action == PASS:
        t.passed_chi[seat, card] += sign * (t.phase == ASKED_CHI)
    elif action == CHI_HAND:
        give(t, seat, y, sign)
        give(t, seat, z, sign)
        t.sentences[seat, group] += sign
        t.worth[seat] += GROUP_SIZE * hun
    elif action == CHI_TABLE:
        t.mouths[seat, card] -= sign
        t.kou[seat] -= sign
        t.sentences[seat, group] += sign
        t.worth[seat] += hun
    elif action == CHI_HALF:
        t.lacks[seat, group] = NO_KIND if sign > 0 else card
        t.kou[seat] -= sign
        t.worth[seat] += sign * companion_huxi(t, card)
    else:
        give(t, seat, partner, sign)
        t.mouths[seat, y + z - partner] += sign
        t.kou[seat] += sign
        t.worth[seat] += 2 * hun
        t.ban[seat] = card if sign > 0 else NO_KIND


@njit
def give(t, seat, kind, sign):
    """Lay a card of the hand, or take it back."""
    t.hand[seat, kind] -= sign
    t.shown[kind] += sign


# --- what is left over --------------------------------------------------------------------------


@njit
def unseen_of(t, seat, kind):
    """How many cards of a kind ``seat`` does not know the place of."""
    return np.int64(COPIES - t.shown[kind] - t.hand[seat, kind])


@njit
def chance_of(t):
    """The chance that an unseen card is flipped before the stock is empty, in thousandths."""
    stock = NUM_CARDS - np.int64(t.dealt)
    unseen = stock
    for i in range(1, t.num_players):
        unseen += t.held[(t.turn + i) % t.num_players]
    return CERTAIN * stock // max(unseen, 1)


@njit
def all_costs(t, seat, chance, costs, w):
    """Write ``group_costs`` of every group into ``costs`` (8, 3)."""
    for group in range(NUM_GROUPS):
        group_costs(t, seat, group, chance, costs[group], w)


@njit
def group_costs(t, seat, group, chance, out, w):
    """What the cards of a group cost that are left over, by the kou that the group may make (0 to 2)."""
    k = GROUP_SIZE * group
    held = t.hand[seat, k], t.hand[seat, k + 1], t.hand[seat, k + 2]
    out[:] = -FORBIDDEN
    for i in range(NUM_WAYS[held]):
        way = WAYS[held][i]
        gain = np.int64(0)
        for kind in range(k, k + GROUP_SIZE):
            if way[1 + kind - k] == 2:
                gain += w.pair * unseen_of(t, seat, kind)
            is_barred = t.thrown[seat, kind] > 0 or t.passed_chi[seat, kind] > 0
            if not is_barred and way[1 + OTHERS[kind, 0] - k] > 0 and way[1 + OTHERS[kind, 1] - k] > 0:
                gain += w.sentence * unseen_of(t, seat, kind)
        cost = (w.left + w.left_hun * HUN[k]) * (way[1] + way[2] + way[3]) - gain * chance // CERTAIN
        for kou in range(way[0], MOUTHS + 1):
            out[kou] = min(out[kou], cost)


@njit
def least_cost(costs, kou, first):
    """The least that the groups from ``first`` on cost when they share so many kou."""
    none, one, two = costs[first, 0], costs[first, 1], costs[first, 2]
    for g in range(first + 1, NUM_GROUPS):
        a, b, c = costs[g, 0], costs[g, 1], costs[g, 2]
        none, one, two = none + a, min(none + b, one + a), min(none + c, one + b, two + a)
    if kou <= 0:
        return none
    return one if kou == 1 else two


# --- the measure of a position ------------------------------------------------------------------


@njit
def value(t, seat, chance, costs, w):
    """How good the position of ``seat`` is, which owes no discard."""
    n = np.int64(t.num_players)
    kou = MOUTHS - np.int64(t.kou[seat])
    score = huxi_score(t, seat, chance, w) - least_cost(costs, kou, 0)
    num_hun = su_hun(t, seat)
    if num_hun <= MOST_HUN:
        score = max(score, w.su - w.su_hun * num_hun - least_cost(costs, kou, NUM_HUN_GROUPS))
    uncut, last_uncut, free, free_groups, last_free = 0, 0, 0, 0, 0
    for g in range(NUM_GROUPS):
        k = GROUP_SIZE * g
        held = t.hand[seat, k], t.hand[seat, k + 1], t.hand[seat, k + 2]
        if CUTS_OF_HAND[held] == 0:
            uncut += 1
            last_uncut = g
        if SURPLUS[held] > 0:
            free += SURPLUS[held]
            free_groups += 1
            last_free = g
    if t.credit[seat] == 0:
        score -= w.few * max(0, FEW_FREE - free)
    else:
        free_groups = NUM_GROUPS
    bad = pig_cards(t, seat, free_groups, last_free)
    score -= w.pig * (t.pig_points + 1) * bad // n * chance // CERTAIN
    if uncut <= 1:
        good = winning_cards(t, seat, uncut, last_uncut)
        if good > 0:
            score += w.ready + w.win * good // n * chance // CERTAIN
    return score


@njit
def huxi_score(t, seat, chance, w):
    """How good the huxi are, with what pairs and threes may become on the own flip or on another's."""
    n = np.int64(t.num_players)
    more = np.int64(0)
    for kind in range(NUM_KINDS):
        shao = triple_huxi(t, kind, SHAO)
        gain = np.int64(0)
        if t.hand[seat, kind] == 2:
            gain = w.pair_huxi * (shao + (n - 1) * triple_huxi(t, kind, PENG) - n * 2 * HUN[kind])
        elif may_take_four(t, seat, kind):
            four = four_huxi(t, kind, OWN) + (n - 1) * four_huxi(t, kind, OTHER)
            gain = w.four_huxi * (four - n * shao)
        more += gain * unseen_of(t, seat, kind)
    huxi = HUXI * (t.worth[seat] + hand_huxi(t, seat)) + more // n * chance // CERTAIN
    over = huxi - HUXI * least_huxi(n)
    if over < 0:
        return w.short * over // HUXI
    if t.scoring == FENG_SHENG:
        return w.over * over // HUXI
    return w.over * HUXI_TO_A_POINT * (ladder(huxi // HUXI, n, np.int64(t.scoring)) - 1)


@njit
def su_hun(t, seat):
    """The hun cards of the hand; too many for su hu if some are on the table or may not be discarded."""
    found = np.int64(0)
    for g in range(NUM_HUN_GROUPS):
        k = GROUP_SIZE * g
        locked = t.sentences[seat, g] + t.hand[seat, k] * t.hand[seat, k + 1] * t.hand[seat, k + 2]
        for kind in range(k, k + GROUP_SIZE):
            locked += t.mouths[seat, kind] + t.triples[seat, kind] + t.fours[seat, kind]
            locked += t.hand[seat, kind] == KAN
            found += t.hand[seat, kind]
        if locked:
            return np.int64(NUM_CARDS)
    return found


@njit
def winning_cards(t, seat, uncut, last_uncut):
    """Unseen cards that win, times their points, summed over whose flip it may be.

    A card changes its own group only: if one of the others cannot be cut there are none.
    """
    n = np.int64(t.num_players)
    first = GROUP_SIZE * last_uncut if uncut else 0
    end = first + GROUP_SIZE if uncut else NUM_KINDS
    good = np.int64(0)
    for kind in range(first, end):
        unseen = unseen_of(t, seat, kind)
        if unseen > 0:
            own = best_win(t, seat, np.int64(kind), True)
            if own != NO_WIN:
                other = best_win(t, seat, np.int64(kind), False)
                good += unseen * (read_win(own)[0] + (n - 1) * read_win(other)[0])
    return good


@njit
def pig_cards(t, seat, free_groups, last_free):
    """Unseen cards that make a pig of ``seat``, summed over whose flip it may be.

    After what a card forces, a discard of its own group must be there, or of another: ``free_groups`` have
    one now, ``last_free`` is the last of them.
    """
    n = np.int64(t.num_players)
    bad = np.int64(0)
    for kind in range(NUM_KINDS):
        unseen = unseen_of(t, seat, kind)
        is_free = free_groups > 1 or (free_groups == 1 and last_free != kind // GROUP_SIZE)
        is_four = may_take_four(t, seat, kind)
        if unseen == 0 or (is_free and not is_four):
            continue
        y, z = loose_of(t, seat, OTHERS[kind, 0]), loose_of(t, seat, OTHERS[kind, 1])
        own, flips, is_pig = np.int64(0), n, False
        if is_four:
            if not fills_half(t, seat, kind) and t.mouths[seat, kind] == 0:
                company = np.int64(y > 0) + np.int64(z > 0)
                is_pig = company < 2 and t.broken[seat, kind] > 0
                is_pig |= company == 1 and t.kou[seat] >= MOUTHS
                is_free |= company == 0  # a lone zou owes no discard
                y -= y > 0
                z -= z > 0
        elif t.hand[seat, kind] < 2:
            own, flips = np.int64(t.hand[seat, kind]), NEAR
            is_barred = t.thrown[seat, kind] > 0 or t.passed_chi[seat, kind] > 0
            if not (fills_half(t, seat, kind) or (t.mouths[seat, kind] > 0 and not is_barred)):
                if is_barred or own > 0 or y == 0 or z == 0:
                    continue
                y -= 1
                z -= 1
        is_pig |= not is_free and own == y and own == z
        if is_pig and best_win(t, seat, np.int64(kind), False) == NO_WIN:
            bad += unseen * flips
    return bad
