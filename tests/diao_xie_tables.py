"""Diao Xie tables made to measure: decks that give wanted hands, the hidden cards dealt anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from envs.diao_xie.hands import NUM_CARDS, PACK


def deck_of(hands: Sequence[str]) -> list[str]:
    """A deck that deals these hands (``"QH QD"``), seat by seat."""
    dealt = [card for hand in hands for card in hand.split()]
    return [*dealt, *(card for card in PACK if card not in dealt)]


def redeal_hidden(t: Any, deck: Sequence[str], seat: int, rng: np.random.Generator) -> None:
    """Deal anew what ``seat`` does not see: the cards of others and everything still to come."""
    own = t["cards"][seat].tolist()
    rest = rng.permutation([card for card in range(NUM_CARDS) if card not in own])
    for other in range(int(t["num_players"])):
        if other != seat:
            t["cards"][other] = sorted(rest[2 * other : 2 * other + 2])
    t["deck"] = rng.permutation(t["deck"])
    t["chance"] = rng.integers(2**63, size=4)
