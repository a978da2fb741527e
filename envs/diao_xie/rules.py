"""Diao Xie: the options, and how much can be won and lost (rules, sections 5 to 8)."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Literal

from ..core.game import Rules, whole_number

MOST_SEATS = 5
MOST_HANDS = 8


@dataclass(frozen=True)
class DiaoXieRules(Rules):
    """Options of Diao Xie."""

    num_players: int = whole_number(2, 2, MOST_SEATS)
    """Players."""
    betting: Literal["pot", "limit"] = "pot"
    """One action each against the pot (section 5), or a hand of fixed-limit betting (section 6)."""
    hands: int = whole_number(1, 1, MOST_HANDS)
    """Hands in an episode; pot, penalties and head carry over."""
    counter_carry: bool = False
    """The head may add to his stake after the last seat has acted (头家反带)."""
    fold_penalty: bool = True
    """Who folded a better hand than the winner's owes the winner's stake to the pot (赔底)."""
    supreme_bonus: bool = True
    """The holder of X 3H gets one ante of the table, n times the base, from everybody else."""
    base: int = whole_number(1, 1, 1000)
    """Points of the base unit b."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.betting == "limit":
            of_pot = ("hands", "counter_carry", "fold_penalty", "supreme_bonus")
            changed = [f.name for f in dataclasses.fields(self) if f.name in of_pot and self._is_changed(f)]
            if changed:
                raise ValueError(f"option {changed[0]} is one of betting='pot': leave it out with 'limit'")

    def _is_changed(self, field: dataclasses.Field[object]) -> bool:
        return getattr(self, field.name) != field.default


POT, LIMIT = range(2)  # the values of `betting` as a table's record holds them

# Limit betting, in b.
RAISE_BY = 2
MOST_RAISES = 3
MOST_PAID = 1 + MOST_RAISES * RAISE_BY


def longest_line(num_players: int) -> int:
    """Actions of the longest hand of limit betting: all check, then the raises, each answered by all."""
    return num_players + MOST_RAISES * (num_players - 1)


def most_decisions(rules: DiaoXieRules) -> int:
    """The longest episode, in decisions."""
    n = rules.num_players
    if rules.betting == "limit":
        return longest_line(n)
    return rules.hands * (n + rules.counter_carry)


def score_bounds(rules: DiaoXieRules) -> tuple[int, int]:
    """No seat's score, in points, is below the first number or above the second (not the least such bounds).

    In a hand with the pot P stakes double from seat to seat: the last may stake P times 2**(n-1), the
    head with his second turn P times (1 + 2**n). What is in the pot afterwards, with the penalties owed
    to it, is at most what all seats but one may stake: less than 2**n times P, or 2**(n+1).
    """
    n = rules.num_players
    if rules.betting == "limit":
        return -MOST_PAID * rules.base, MOST_PAID * (n - 1) * rules.base
    most_stake = 2**n + 1 if rules.counter_carry else 2 ** (n - 1)
    growth = 2 ** (n + rules.counter_carry) - 2
    bonus = n if rules.supreme_bonus else 0
    pots = [n * growth**hand for hand in range(rules.hands)]
    lost = sum(1 + most_stake * pot + bonus for pot in pots)
    won = sum(most_stake * pot + bonus * (n - 1) for pot in pots) + growth * pots[-1] // n + 1
    return -lost * rules.base, won * rules.base
