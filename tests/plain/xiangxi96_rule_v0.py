"""Xiangxi 96's rule player ``rule_v0``, written slowly over cards and melds: it must agree with the kernel.

Nothing here is shared with ``agents/rule/xiangxi96_v0.py``, the weights included: whoever changes one of the
two has to say so in both. Cards and melds are written as in the rules' cases file, and what the rules say of
them is the plain referee's (``tests/brute/xiangxi96.py``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from envs.xiangxi96.units import melds_of

from ..brute import xiangxi96 as brute
from ..brute.xiangxi96 import GROUP_OF, GROUPS, HUN, KAN, KINDS, Hand, Meld

WEIGHTS: dict[int, dict[str, int]] = {
    2: {
        "left": 1000, "left_hun": 44, "pair": 970, "sentence": 2968, "short": 25961,
        "over": 465, "pair_huxi": 36, "four_huxi": 151, "pig": 2562, "few": 203,
        "ready": 283, "win": 1388, "su": 9043, "su_hun": 2719,
    },
    3: {
        "left": 1000, "left_hun": 173, "pair": 2206, "sentence": 1339, "short": 7151,
        "over": 366, "pair_huxi": 346, "four_huxi": 198, "pig": 3723, "few": 107,
        "ready": 172, "win": 4766, "su": 8060, "su_hun": 3033,
    },
    4: {
        "left": 1000, "left_hun": 90, "pair": 4275, "sentence": 1464, "short": 2148,
        "over": 142, "pair_huxi": 2029, "four_huxi": 1035, "pig": 3841, "few": 229,
        "ready": 342, "win": 2355, "su": 4814, "su_hun": 3298,
    },
}  # fmt: skip
CERTAIN = HUXI = 1000
FEW_FREE, MOST_HUN, HUXI_TO_A_POINT = 4, 6, 5
IMPOSSIBLE = float("-inf")


@dataclass(frozen=True)
class Position:
    """What the own seat sees and the measure looks at."""

    hand: Hand
    melds: Sequence[Meld]
    barred: frozenset[str]
    broken: frozenset[str]
    credit: int
    unseen: Hand
    chance: int  # that an unseen card is flipped, in thousandths
    options: Mapping[str, Any]

    @property
    def num_players(self) -> int:
        return int(self.options["num_players"])

    @property
    def weights(self) -> Mapping[str, int]:
        return WEIGHTS[self.num_players]


def kinds_in(row: Any) -> frozenset[str]:
    return frozenset(kind for kind, is_in in zip(KINDS, row, strict=True) if is_in)


def position_of(t: Any) -> Position:
    """The position of the seat to act at a record."""
    seat, n = int(t["turn"]), int(t["num_players"])
    hand = Counter({kind: int(count) for kind, count in zip(KINDS, t["hand"][seat], strict=True)})
    shown = dict(zip(KINDS, t["shown"].tolist(), strict=True))
    stock = len(brute.PACK) - int(t["dealt"])
    others = sum(int(t["held"][other]) for other in range(n) if other != seat)
    options = {
        "num_players": n,
        "scoring": ("feng_sheng", "big_small")[t["scoring"]],
        "zhao_extra": ("hun", "all")[t["zhao_extra"]],
        "red_face_is_red": bool(t["red_face_is_red"]),
        "split_table_sentence": bool(t["split_table_sentence"]),
        "pig_points": int(t["pig_points"]),
    }
    return Position(
        hand=hand,
        melds=melds_of(t, seat),
        barred=kinds_in(t["thrown"][seat]) | kinds_in(t["passed_chi"][seat]),
        broken=kinds_in(t["broken"][seat]),
        credit=int(t["credit"][seat]),
        unseen=Counter({kind: brute.COPIES - shown[kind] - hand[kind] for kind in KINDS}),
        chance=CERTAIN * stock // max(stock + others, 1),
        options=options,
    )


def choose(t: Any, legal: Sequence[str]) -> str:
    """The best of the ``legal`` actions, by name."""
    if "hu" in legal:
        return "hu"
    now = position_of(t)
    if "pass" not in legal and legal[0] in KINDS:
        return best_discard(now, legal)[0]
    card = KINDS[int(t["card"])]
    return max(legal, key=lambda action: claim_score(now, action, card, "tie" not in legal))


def best_discard(now: Position, kinds: Sequence[str]) -> tuple[str, float]:
    best, best_score = "", IMPOSSIBLE
    for kind in kinds:
        then = replace(
            now,
            hand=minus(now.hand, kind),
            barred=now.barred | {kind},
            broken=now.broken | set(brute.broken_by(now.hand, kind)),
        )
        if value(then) > best_score:
            best, best_score = kind, value(then)
    return best, best_score


def minus(hand: Hand, *cards: str) -> Counter[str]:
    return Counter(hand) - Counter(cards)


def claim_score(now: Position, action: str, card: str, is_chi: bool) -> float:
    """What a claim or a pass scores, with the best discard after it."""
    if action == "pass":
        return value(replace(now, barred=now.barred | {card}) if is_chi else now)
    y, z = brute.others(card)
    hand, melds, banned = now.hand, list(now.melds), []
    chi: Meld = {"type": "chi", "cards": list(GROUP_OF[card])}
    if action == "chi_hand":
        hand, melds = minus(hand, y, z), [*melds, chi]
    elif action == "chi_table":
        melds = [*brute.without(melds, brute.table_kou(melds, (y, z))), chi]
    elif action == "chi_half":
        ban = brute.ban_missing(melds, card)
        assert ban is not None
        melds = [*brute.without(melds, ban), brute.filled(ban)]
    else:
        partner = y if brute.loose(hand)[y] else z
        hand, banned = minus(hand, partner), [card]
        melds.append({"type": "tie", "cards": brute.in_order([card, partner])})
    then = replace(now, hand=hand, melds=melds)
    if now.credit:
        return value(then)
    return best_discard(then, brute.legal_discards(hand, banned))[1]


# --- what is left over ------------------------------------------------------------------------------


def ways(counts: tuple[int, ...]) -> set[tuple[int, tuple[int, ...]]]:
    """Every way to cut some loose cards of a group into ju and at most two kou: (kou, what is left over)."""
    found, new = set(), {(0, counts)}
    while new:
        found |= new
        steps = [
            (number, units) for number, units in ((0, [(0, 1, 2)]), (1, list(combinations(range(3), 2))))
        ]
        new = {
            (kou + number, tuple(n - (i in unit) for i, n in enumerate(left)))
            for kou, left in new
            for number, units in steps
            for unit in units
            if kou + number <= brute.KOU_TO_WIN and all(left[i] for i in unit)
        } - found
    return found


def needed_ways(counts: tuple[int, ...]) -> list[tuple[int, tuple[int, ...]]]:
    """Those ways beside which no other makes no more kou and leaves no more of any kind."""
    all_ways = ways(counts)

    def is_needless(way: tuple[int, tuple[int, ...]]) -> bool:
        return any(
            other != way and other[0] <= way[0] and all(a <= b for a, b in zip(other[1], way[1], strict=True))
            for other in all_ways
        )

    return [way for way in all_ways if not is_needless(way)]


def left_cost(now: Position, left: Counter[str]) -> int:
    """What cards of one group cost that are left over."""
    w, gain = now.weights, 0
    for kind in GROUP_OF[next(iter(left.elements()))] if left.total() else ():
        if left[kind] == 2:
            gain += w["pair"] * now.unseen[kind]
        if kind not in now.barred and all(left[other] for other in brute.others(kind)):
            gain += w["sentence"] * now.unseen[kind]
    price = sum(w["left"] + w["left_hun"] * (kind in HUN) for kind in left.elements())
    return price - gain * now.chance // CERTAIN


def least_cost(now: Position, kou: int, groups: Sequence[tuple[str, ...]]) -> int:
    """The least that the groups cost when they share so many kou."""
    free, totals = brute.loose(now.hand), [0] * (kou + 1)  # by the kou that they may make
    for group in groups:
        cut = needed_ways(tuple(free[kind] for kind in group))
        costs = [
            (number, left_cost(now, Counter(dict(zip(group, left, strict=True))))) for number, left in cut
        ]
        totals = [
            min(totals[most - number] + cost for number, cost in costs if number <= most)
            for most in range(kou + 1)
        ]
    return totals[kou]


# --- the measure of a position ----------------------------------------------------------------------


def value(now: Position) -> float:
    """How good a position is in which nothing is owed."""
    w, n = now.weights, now.num_players
    kou = max(0, brute.KOU_TO_WIN - brute.kou_of(now.melds))
    score = huxi_score(now) - least_cost(now, kou, GROUPS)
    hun = [kind for kind in HUN for _ in range(now.hand[kind])]
    if may_be_su(now) and len(hun) <= MOST_HUN:
        su_groups = [group for group in GROUPS if not set(group) & set(HUN)]
        score = max(score, w["su"] - w["su_hun"] * len(hun) - least_cost(now, kou, su_groups))
    if now.credit == 0:
        score -= w["few"] * max(0, FEW_FREE - num_free(now.hand))
    score -= w["pig"] * (now.options["pig_points"] + 1) * pig_cards(now) // n * now.chance // CERTAIN
    good = winning_cards(now)
    if good:
        score += w["ready"] + w["win"] * good // n * now.chance // CERTAIN
    return score


def num_free(hand: Hand) -> int:
    """How many cards may be discarded, one after the other."""
    free = brute.loose(hand)
    return sum(free.values()) - sum(3 * min(free[kind] for kind in group) for group in GROUPS)


def three_huxi(now: Position, what: str, kind: str) -> int:
    return brute.meld_huxi({"type": what, "card": kind}, now.options)


def huxi_score(now: Position) -> int:
    w, n = now.weights, now.num_players
    huxi, more = sum(brute.meld_huxi(meld, now.options) for meld in now.melds), 0
    for kind in KINDS:
        shao, peng = three_huxi(now, "shao", kind), three_huxi(now, "peng", kind)
        held, hun = now.hand[kind], int(kind in HUN)
        huxi += shao if held == KAN else held * hun
        if held == 2:
            more += w["pair_huxi"] * (shao + (n - 1) * peng - n * 2 * hun) * now.unseen[kind]
        elif waits_for_four(now, kind):
            own, other = (brute.meld_huxi(brute.four(kind, mark, []), now.options) for mark in (True, False))
            more += w["four_huxi"] * (own + (n - 1) * other - n * shao) * now.unseen[kind]
    estimate = HUXI * huxi + more // n * now.chance // CERTAIN
    over = estimate - HUXI * brute.least_huxi(now.options)
    if over < 0:
        return w["short"] * over // HUXI
    if now.options["scoring"] == "feng_sheng":
        return w["over"] * over // HUXI
    return w["over"] * HUXI_TO_A_POINT * (brute.ladder(estimate // HUXI, now.options) - 1)


def waits_for_four(now: Position, kind: str) -> bool:
    return now.hand[kind] == KAN or brute.table_shao(now.melds, kind) is not None


def may_be_su(now: Position) -> bool:
    """Whether no hun card is on the table, and none in the hand stays there for good."""
    laid = {card for meld in now.melds for card in brute.cards_of(meld)}
    locked = [kind for kind in HUN if now.hand[kind] == KAN or all(now.hand[k] for k in GROUP_OF[kind])]
    return not laid & set(HUN) and not locked


def winning_cards(now: Position) -> int:
    """Unseen cards that win, times their points, summed over whose flip it may be."""
    good = 0
    for kind in KINDS:
        if now.unseen[kind] and others_can_be_cut(now, kind):
            own, other = (points_with(now, kind, own) for own in (True, False))
            good += now.unseen[kind] * (own + (now.num_players - 1) * other)
    return good


def others_can_be_cut(now: Position, kind: str) -> bool:
    """Whether the groups can be cut that a card of this kind does not touch."""
    free = brute.loose(now.hand)
    rest = [group for group in GROUPS if kind not in group]
    return all(brute.cuts(group, tuple(free[k] for k in group)) for group in rest)


def points_with(now: Position, kind: str, own: bool) -> int:
    win = brute.best_win(now.hand, list(now.melds), kind, own, now.options)
    return int(win["points"]) if win else 0


def pig_cards(now: Position) -> int:
    """Unseen cards that make a pig, summed over the flips that concern the seat."""
    bad = 0
    for kind in KINDS:
        if now.unseen[kind] and makes_a_pig(now, kind) and not points_with(now, kind, False):
            bad += now.unseen[kind] * (now.num_players if waits_or_pair(now, kind) else 2)
    return bad


def waits_or_pair(now: Position, kind: str) -> bool:
    """Whether anybody's card of this kind must be taken."""
    return now.hand[kind] == 2 or waits_for_four(now, kind)


def makes_a_pig(now: Position, kind: str) -> bool:
    """Whether what a card of this kind forces ends in a pig."""
    melds, free = list(now.melds), brute.loose(now.hand)
    hand = Counter(now.hand)
    y, z = brute.others(kind)
    kou = None if kind in now.barred and not waits_for_four(now, kind) else brute.table_kou(melds, (y, z))
    if waits_for_four(now, kind):
        hand = minus(hand, *[kind] * KAN)
        if not brute.bans_beside(melds, kind) and kou is None:
            company = brute.companions_in(now.hand, kind)
            if len(company) < 2 and kind in now.broken:
                return True
            if len(company) == 1 and brute.kou_of(melds) >= brute.MOST_KOU:
                return True
            if not company:
                return False
            hand = minus(hand, *company)
    elif now.hand[kind] == 2:
        hand = minus(hand, kind, kind)
    elif brute.ban_missing(melds, kind) is None and kou is None:
        if kind in now.barred or free[kind] or not free[y] or not free[z]:
            return False
        hand = minus(hand, y, z)
    return now.credit == 0 and not brute.legal_discards(hand)
