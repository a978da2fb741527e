"""Guan Pai's greedy rule player (``rule_v0``) once more, the plain way: to compare its kernel with."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from envs.guan_pai.actions import ACTIONS, PASS, RANKS, Action

from .guan_pai_rule_v1 import goes_out, hand_of, is_breach

NEVER, LAST_RESORT = -1000.0, -500.0


def choose(t: Any, mask: Any) -> int:
    """The action of the seat to act at ``t`` with these legal actions."""
    turn = int(t["turn"])
    cards = hand_of(t["hand"][turn])
    hand = Counter(cards)
    legal = [int(action) for action in np.flatnonzero(mask)]
    if t["pending"]:
        left = hand - Counter(hand_of(t["chosen"]))
        return min(legal, key=lambda action: kicker_cost(RANKS[ACTIONS[action].key], left))
    others = [int(t["left"][(turn + k) % 3]) for k in (1, 2)]
    last = ACTIONS[int(t["last"])]
    best, best_worth = None, NEVER
    for number in legal:
        action = ACTIONS[number]
        if number != PASS and goes_out(action, int(t["left"][turn])):
            return number
        breach = others[0] == 1 and is_breach(action, cards, last)
        worth = worth_of(action, hand, last, breach, others)
        if best is None or worth > best_worth:
            best, best_worth = number, worth
    assert best is not None
    return best


def worth_of(action: Action, hand: Counter[str], last: Action, breach: bool, others: list[int]) -> float:
    """What a pass or a play is worth that does not empty the hand."""
    duty = others[0] == 1 and action.kind == "single"
    if action.kind == "pass":
        if breach:
            return NEVER
        return LAST_RESORT if min(others) <= 4 else -14.0
    body = {rank: n for rank, n in zip(RANKS, action.body, strict=True) if n}
    cost = sum(9.0 if hand[r] == 4 else 2.0 * (hand[r] - 1) for r, n in body.items() if n < hand[r])
    bomb = 20.0 if action.kind in ("bomb", "bomb_with_one") else 0.0
    if last.kind == "pass":  # leading
        if duty:
            return LAST_RESORT + action.key
        size = sum(body.values())
        mean = sum(RANKS.index(r) * n for r, n in body.items()) / size
        return 3.0 * (size + action.kickers) - mean - cost - bomb
    if breach:
        return LAST_RESORT
    return 0.0 if duty else -action.key - cost - bomb


def kicker_cost(rank: str, left: Counter[str]) -> float:
    """Its rank, and more where it breaks a set."""
    return RANKS.index(rank) + (2.5 * left[rank] if left[rank] > 1 else 0.0)
