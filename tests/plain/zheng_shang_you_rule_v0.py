"""Zheng Shang You's rule player ``rule_v0``, written slowly over ranks: it must agree with the kernel.

Nothing here is shared with ``agents/rule/zheng_shang_you_v0.py``, the weights included: whoever changes one
of the two has to say so in both. Hands are counters of ranks, cards are written as in ``"5S"``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from envs.core.climbing import windows
from envs.zheng_shang_you.actions import ACTIONS, PACKS, PLACES, RANKS, Action
from envs.zheng_shang_you.rules import multiplier
from envs.zheng_shang_you.text import cards_in, hand

SUITED, SUITS = RANKS[:-2], "SHDC"
FLUSH_WINDOWS = windows(PLACES, 5)
STRAIGHTS = [action for action in ACTIONS if action.kind == "straight"]

Hand = Counter[str]
Weights = Mapping[str, int]

WEIGHTS: tuple[Weights, Weights] = (
    {
        "single_top": -17, "single_near": 57, "single": 80, "single_low": 117, "pair_near": 46,
        "pair": 111, "chain": 88, "triple_top": 46, "triple": 116, "bomb": -119, "straight_top": 33,
        "straight": 100, "short": 72, "stuck": 16, "near": 5, "near_pairs": 1, "low": 8, "lead_card": 23,
        "lead_rank": -4, "follow": 186, "follow_card": 22, "block": 116, "regain": 39, "hurry": 18,
        "band": 33, "bomb_play": 133, "bomb_early": -25, "won": 609, "all_but_won": 376, "danger": -45,
        "danger_rank": 7,
    },
    {
        "single_top": 16, "single_near": 53, "single": 66, "single_low": 83, "pair_near": 53, "pair": 85,
        "chain": 97, "triple_top": 35, "triple": 83, "bomb": -139, "straight_top": 27, "straight": 101,
        "short": 56, "stuck": 18, "near": 2, "near_pairs": 2, "low": 29, "lead_card": 15,
        "lead_rank": -3, "follow": 83, "follow_card": -3, "block": 127, "regain": 22, "hurry": 4,
        "band": 34, "bomb_play": 129, "bomb_early": -26, "won": 743, "all_but_won": 271, "danger": -73,
        "danger_rank": 6,
    },
)  # fmt: skip
COUNTED = {"single_near", "single", "single_low", "pair_near", "pair", "chain", "triple", "straight"}
BEATABLE: Weights = {name: 100 * (name in COUNTED) for name in WEIGHTS[0]} | {"bomb": -100}


def counter(counts: Iterable[int]) -> Hand:
    """Cards by rank; of more than seven of a rank seven count."""
    return Counter({rank: min(int(n), 7) for rank, n in zip(RANKS, counts, strict=True)})


def minus(cards: Hand, others: Hand) -> Hand:
    return Counter({rank: cards[rank] - others[rank] for rank in RANKS})


def num_runs(ranks: Iterable[str]) -> int:
    """Into how many runs of neighbours ranks fall, A and 2 high."""
    places = {RANKS.index(rank) for rank in ranks}
    return sum(place - 1 not in places for place in places)


class Plan(NamedTuple):
    """Straights to take out of a hand: their cards, how many cannot be beaten, how many can."""

    cards: Hand
    top: int
    other: int


class Seat:
    """The seat to act and what it knows."""

    def __init__(self, t: Any) -> None:
        self.t, self.seat = t, int(t["turn"])
        self.w = WEIGHTS[int(t["decks"])]
        self.left = [int(n) for n in t["left"]]
        self.others = [self.left[(self.seat + i) % 4] for i in range(1, 4)]
        self.hand = counter(t["hand"][self.seat] - t["chosen"])
        self.cards = hand(t, self.seat)
        gone, own = (dict(zip(RANKS, counts, strict=True)) for counts in (t["gone"], t["hand"][self.seat]))
        pack = Counter(card[0] for card in PACKS[int(t["decks"])])
        self.unseen = counter(min(pack[r] - int(gone[r]) - int(own[r]), max(self.others)) for r in RANKS)
        self.plans: list[Plan] = []

    # --- what is strong -------------------------------------------------------------------------

    def above(self, rank: str, copies: int) -> int:
        """Higher ranks of which so many are unseen."""
        return sum(self.unseen[r] >= copies for r in RANKS[RANKS.index(rank) + 1 :])

    def grade(self, rank: str) -> str:
        """How strong a single is: the name of its weight."""
        above = sum(self.unseen[r] for r in RANKS[RANKS.index(rank) + 1 :])
        if above == 0:
            return "single_top"
        if above <= self.w["near"]:
            return "single_near"
        is_low = sum(self.others) - above - self.unseen[rank] <= self.w["low"]
        return "single_low" if is_low else "single"

    def is_beatable(self, action: Action) -> bool:
        """Whether others may beat a play: bombs on other plays apart, and flush straights are safe."""
        most = max(self.others)
        if action.kind in ("joker_bomb", "flush_straight") or most < action.length:
            return False
        if action.kind == "bomb":
            return self.joker_bomb_is_out() or any(
                (self.unseen[rank], RANKS.index(rank)) > (action.length, action.key) for rank in SUITED
            )
        copies = min(max(action.body), 3)
        groups = sum(n > 0 for n in action.body)
        if groups == 1:
            return self.above(RANKS[action.key], copies) > 0
        higher = PLACES[action.key + 2 - groups + 2 :]  # A and 2 are two places below 3
        runs = [higher[i : i + groups] for i in range(len(higher) - groups + 1)]
        return any(all(self.unseen[rank] >= copies for rank in run) for run in runs)

    def joker_bomb_is_out(self) -> bool:
        return self.unseen["x"] == self.unseen["X"] == 2

    def bomb_is_out(self) -> bool:
        return self.joker_bomb_is_out() or any(self.unseen[rank] >= 4 for rank in RANKS)

    def is_flush(self, action: Action) -> bool:
        return any({rank + suit for rank in action.written} <= set(self.cards) for suit in SUITS)

    # --- what a hand costs ----------------------------------------------------------------------

    def sets_cost(self, cards: Hand, kickers: int, straights: int, w: Weights) -> int:
        """Of the sets by rank; ``straights`` are the beatable ones less the others beside them."""
        singles = [r for r in RANKS if cards[r] == 1]
        pairs = [r for r in RANKS if cards[r] == 2]
        triples = [r for r in RANKS if cards[r] == 3]
        bombs = [r for r in RANKS if cards[r] >= 4]
        chained = [r for r in pairs if any(a + r in SUITED or r + a in SUITED for a in pairs)]
        loose = [r for r in pairs if r not in chained]
        top_pairs = [r for r in loose if self.above(r, 2) == 0]
        near_pairs = [r for r in loose if 0 < self.above(r, 2) <= self.w["near_pairs"]]
        weak = len(loose) - len(top_pairs)
        pairs_left = max(weak - kickers - len(triples), 0)
        near_left = min(pairs_left, len(near_pairs))
        top_triples = [r for r in triples if self.above(r, 3) == 0]
        grades = Counter(self.grade(r) for r in singles)

        cost = sum(w[grade] * n for grade, n in grades.items())
        cost += w["pair_near"] * near_left + w["pair"] * max(pairs_left - len(near_pairs), 0)
        cost += w["chain"] * num_runs(chained) + w["bomb"] * len(bombs)
        cost += w["triple"] * num_runs(triples) + (w["triple_top"] - w["triple"]) * len(top_triples)
        cost += w["short"] * max(kickers - weak - len(chained), 0)
        winning = grades["single_top"] + len(top_pairs) + len(top_triples) + len(bombs)
        losing = len(singles) - grades["single_top"] + pairs_left + num_runs(chained)
        losing += max(num_runs(triples) - len(top_triples), 0)
        return cost + w["stuck"] * max(losing + straights - winning - 1, 0)

    def plan_cost(self, cards: Hand, kickers: int, plan: Plan, w: Weights) -> int:
        sets = self.sets_cost(minus(cards, plan.cards), kickers, plan.other - plan.top, w)
        return sets + w["straight_top"] * plan.top + w["straight"] * plan.other

    def cost(self, cards: Hand, kickers: int, w: Weights) -> int:
        """Of a hand, by the best plan that it still holds."""
        return min(self.plan_cost(cards, kickers, plan, w) for plan in self.plans if plan.cards <= cards)

    def make_plans(self, cards: Hand) -> None:
        base = Plan(Counter(), 0, 0)
        self.plans = [base]
        best = self.plan_cost(cards, 0, base, self.w)
        while True:
            rest, limit, next_base = minus(cards, base.cards), best + 100, None
            for action in STRAIGHTS:
                straight = counter(action.body)
                ends = {action.written[0], action.written[-1]}
                is_long = action.length > 5
                if len(self.plans) == 32 or not straight <= rest:
                    continue
                if is_long and any(rest[rank] > 1 for rank in ends):
                    continue
                is_top = self.is_flush(action) or not self.is_beatable(action)
                plan = Plan(base.cards + straight, base.top + is_top, base.other + (not is_top))
                cost = self.plan_cost(cards, 0, plan, self.w)
                if cost < best:
                    best, next_base = cost, plan
                if cost <= limit:
                    self.plans.append(plan)
            if next_base is None:
                return
            base = next_base

    # --- what a play is worth -------------------------------------------------------------------

    def score(self, action: Action) -> int:
        w, t, fewest = self.w, self.t, min(self.others)
        rest = minus(self.hand, counter(action.body))
        after = self.cost(rest, action.kickers, w)
        if action.kind == "pass":
            return -after
        to_beat = ACTIONS[int(t["last"])]
        points = -after
        if to_beat.kind == "pass":
            points += w["lead_card"] * action.length + w["lead_rank"] * action.key
        else:
            points += w["follow"] + w["follow_card"] * action.length
            points += w["block"] * (self.left[int(t["owner"])] <= 6)
        if fewest <= 3:
            points += w["hurry"] * action.length
        if fewest <= 6:
            left, dealt = self.left[self.seat], int(t["cards_each"])
            points += w["band"] * (multiplier(left, dealt) - multiplier(left - action.length, dealt))
        if action.kind in ("bomb", "joker_bomb"):
            points += w["bomb_play"] + w["bomb_early"] * after // 100
        if self.is_beatable(action):
            followers = sum(n == action.length for n in self.others)
            return points + followers * (w["danger"] + w["danger_rank"] * action.key)
        if to_beat.kind != "pass":
            points += w["regain"]
        if self.cost(rest, action.kickers, BEATABLE) <= 100:
            points += w["all_but_won" if self.bomb_is_out() else "won"]
        return points


def choose(t: Any, mask: Iterable[int]) -> int:
    """The action of the rule player at table ``t`` (a record)."""
    legal = [i for i, is_legal in enumerate(mask) if is_legal]
    seat = Seat(t)
    if ACTIONS[legal[0]].kind == "suit":
        return max(legal, key=lambda i: flush_straights_left(t, SUITS[i - len(ACTIONS)]))
    if t["pending"]:
        seat.make_plans(seat.hand)
        wanted = int(t["wanted"]) - 1
        return min(legal, key=lambda i: seat.cost(minus(seat.hand, counter(ACTIONS[i].body)), wanted, seat.w))
    last_cards = [i for i in legal if ACTIONS[i].kind != "pass" and ACTIONS[i].length == seat.left[seat.seat]]
    if last_cards:
        return last_cards[0]
    seat.make_plans(seat.hand)
    return max(legal, key=lambda i: seat.score(ACTIONS[i]))  # the first of equals


def flush_straights_left(t: Any, suit: str) -> int:
    """Flush straights of five that stay if the next card is of ``suit``, those of second copies once more."""
    pending = ACTIONS[int(t["pending"])]
    spent = cards_in(t["spent"])
    if pending.kind == "flush_straight":
        spent = [rank + suit for rank in pending.written]
    else:
        spent.append(RANKS[int(t["asked"])] + suit)
    rest = Counter(hand(t, int(t["turn"]))) - Counter(spent)
    return sum(
        all(rest[rank + s] >= copies for rank in window)
        for window in FLUSH_WINDOWS
        for s in SUITS
        for copies in (1, 2)
    )
