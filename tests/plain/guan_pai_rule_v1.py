"""Guan Pai's rule player ``rule_v1``, written slowly over rank strings: it must agree with the kernel.

Nothing here is shared with ``agents/rule/guan_pai_v1.py``, the weights included: whoever changes one of the
two has to say so in both. Hands are strings of ranks, such as ``"3445579TA2"``, lowest first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from envs.guan_pai.actions import ACTIONS, RANKS, Action

RUN_RANKS = "3456789TJQKA"
PACK = Counter({**dict.fromkeys(RANKS, 4), "A": 3, "2": 1})

CREDIT = {"single": 120, "pair": 144, "triple": 0, "bomb": 360}
BEATABLE = {"single": 100, "pair": 100, "triple": 100, "bomb": 200}


def hand_of(counts: Iterable[int]) -> str:
    return "".join(rank * int(n) for rank, n in zip(RANKS, counts, strict=True))


def minus(hand: str, cards: str) -> str:
    """The hand without these cards, each of which it holds."""
    left = list(hand)
    for card in cards:
        left.remove(card)
    return "".join(left)


def runs(ranks: list[str]) -> list[list[str]]:
    """Ranks, ascending, cut into runs of neighbours."""
    pieces: list[list[str]] = []
    for rank in ranks:
        if pieces and RANKS.index(rank) == RANKS.index(pieces[-1][-1]) + 1:
            pieces[-1].append(rank)
        else:
            pieces.append([rank])
    return pieces


def straights(hand: str) -> list[str]:
    """Every straight within 3..A that the hand holds."""
    windows = [RUN_RANKS[i:j] for i in range(len(RUN_RANKS)) for j in range(i + 5, len(RUN_RANKS) + 1)]
    return [window for window in windows if set(window) <= set(hand)]


def sets_left(hand: str, kickers: int, tops: tuple[str, str, str], credit: dict[str, int]) -> int:
    """The cost of a hand taken as bombs, triples, pairs, singles and chains of them."""
    count = Counter(hand)
    bombs = [r for r in RANKS if count[r] == 4 or (r == "A" and count[r] == 3)]
    triples = [r for r in RANKS if count[r] == 3 and r not in bombs]
    singles = [r for r in RANKS if count[r] == 1]
    pieces = runs([r for r in RANKS if count[r] == 2])
    pairs = [piece[0] for piece in pieces if len(piece) == 1]
    chains = [piece for piece in pieces if len(piece) > 1]

    cost = 100 * len(bombs) + 100 * len(runs(triples)) + 100 * len(chains)
    cost -= credit["bomb"] * len(bombs)
    cost -= credit["triple"] * sum(r in tops[2] for r in triples)
    room = kickers + 2 * len(triples) + len(bombs)  # cards that other plays take along
    for rank in singles:
        if rank in tops[0]:
            cost += 100 - credit["single"]
        elif room >= 1:
            room -= 1
        else:
            cost += 100
    for rank in pairs:
        if rank in tops[1]:
            cost += 88 - credit["pair"]
        elif room >= 2:
            room -= 2
        else:
            cost += 88
    return cost


@lru_cache(maxsize=100_000)
def plays_left(hand: str, kickers: int, tops: tuple[str, str, str], beatable_only: bool = False) -> int:
    """The least cost of a hand over all ways of taking out straights."""
    costs = [sets_left(hand, kickers, tops, BEATABLE if beatable_only else CREDIT)]
    for straight in straights(hand):
        costs.append(100 + plays_left(minus(hand, straight), kickers, tops, beatable_only))
    return min(costs)


def can_be_beaten(action: Action, unseen: Counter[str], most: int) -> bool:
    """Whether unseen cards in a hand of at most ``most`` can beat a play, bombs apart."""
    if sum(action.body) > most:
        return False
    copies = max(action.body)
    order = RANKS if action.length == 1 else RUN_RANKS
    higher = [
        order[top - action.length + 1 : top + 1]
        for top in range(action.length - 1, len(order))
        if top > action.key
    ]
    return any(all(unseen[rank] >= copies for rank in body) for body in higher)


def choose(t: Any, mask: Iterable[int]) -> int:
    """The action of the rule player at table ``t`` (a record)."""
    legal = [i for i, is_legal in enumerate(mask) if is_legal]
    seat = int(t["turn"])
    left = [int(n) for n in t["left"]]
    hand = hand_of(t["hand"][seat])
    most = max(left[(seat + 1) % 3], left[(seat + 2) % 3])
    unseen = PACK - Counter(hand) - Counter(hand_of(t["gone"]))
    unseen = Counter({rank: min(n, most) for rank, n in unseen.items()})
    tops = (tops_of(unseen, 1), tops_of(unseen, 2), tops_of(unseen, 3))
    if t["pending"]:
        return choose_kicker(t, legal, hand, tops)

    for i in legal:
        if goes_out(ACTIONS[i], left[seat]):
            return i
    next_has_one = left[(seat + 1) % 3] == 1
    to_beat = ACTIONS[int(t["last"])]
    is_owner_near_out = to_beat.kind != "pass" and left[int(t["owner"])] <= 6

    def score(i: int) -> int:
        action = ACTIONS[i]
        body = hand_of(action.body)
        points = -10_000 if next_has_one and is_breach(action, hand, to_beat) else 0
        if action.kind == "pass":
            return points - plays_left(hand, 0, tops)
        rest = minus(hand, body)
        size = len(body) + action.kickers
        after = plays_left(rest, action.kickers, tops)
        points -= after
        if to_beat.kind == "pass":
            points += 14 * size - 2 * action.key
        else:
            points += 88 + 34 * size + (89 if is_owner_near_out else 0)
        if action.kind in ("bomb", "bomb_with_one"):
            points += 87 - 25 * after // 100
        is_sure = not can_be_beaten(action, unseen, most)
        if is_sure and plays_left(rest, action.kickers, tops, beatable_only=True) <= 100:
            points += 670
        return points

    return max(legal, key=score)  # the first of equals


def tops_of(unseen: Counter[str], copies: int) -> str:
    """The ranks that none is above of which so many copies are unseen."""
    there = [RANKS.index(rank) for rank in unseen if unseen[rank] >= copies]
    return RANKS[max(there) :] if there else RANKS


def goes_out(action: Action, left: int) -> bool:
    if action.kind == "pass":
        return False
    is_last_hand = action.kind == "triple_chain_with_wings" and action.kickers == 0
    return is_last_hand or sum(action.body) + action.kickers >= left


def is_breach(action: Action, hand: str, to_beat: Action) -> bool:
    """Section 6 of the rules, for an action that does not empty the hand."""
    highest = RANKS.index(hand[-1])
    if action.kind == "pass":
        return to_beat.kind == "single" and highest > to_beat.key
    return action.kind == "single" and action.key != highest


def choose_kicker(t: Any, legal: list[int], hand: str, tops: tuple[str, str, str]) -> int:
    """The lowest of the kickers that leave the best hand, picked one after the other."""
    pending = ACTIONS[int(t["pending"])]
    rest = minus(hand, hand_of(t["chosen"]))
    usable = RANKS[int(t["lowest"]) :]
    if pending.kind != "triple_chain_with_wings":
        usable = usable.replace(RANKS[pending.key], "")
    picked = []
    for still_wanted in reversed(range(int(t["wanted"]))):
        candidates = [rank for rank in usable if rank in rest]
        costs = [plays_left(minus(rest, rank), still_wanted, tops) for rank in candidates]
        picked.append(candidates[costs.index(min(costs))])
        rest = minus(rest, picked[-1])
    kicker_ids = {ACTIONS[i].key: i for i in legal}
    lowest = min(RANKS.index(rank) for rank in picked)
    return kicker_ids.get(lowest, legal[0])
