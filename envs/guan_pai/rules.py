"""Guan Pai: the options, and the scoring in plain Python (rules, sections 7 and 8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..core.game import Rules, whole_number

SEATS = 3
HAND_SIZE = 16
MOST_BOMBS = 12  # eleven fours and the aces


@dataclass(frozen=True)
class GuanPaiRules(Rules):
    """Options of Guan Pai."""

    must_beat: Literal["off", "non_bomb", "all"] = "off"
    """Whether who can beat the table must: never, unless only with a bomb, always."""
    lead_diamond_three: bool = False
    """The first play of the deal must contain the card 3D."""
    short_plane_follow: bool = False
    """A last hand of triples with too few wings may beat a full one."""
    dingda: Literal["liability", "forced", "off"] = "liability"
    """Top-card duty before a seat with one card: who breaks it may pay, may not break it, or no duty."""
    bomb_doubling: Literal["every_bomb", "once", "winner_only", "off"] = "every_bomb"
    """Which bombs double the losses."""
    loss_cap: int | None = whole_number(100, 0, 10**9)
    """Most units that one loser pays, or None."""
    base: int = whole_number(1, 1, 1000)
    """Points a unit."""
    cards_each: int = whole_number(HAND_SIZE, 1, HAND_SIZE)
    """Deal only this many cards to each seat: small games for tests and exact solving."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.lead_diamond_three and self.cards_each != HAND_SIZE:
            raise ValueError(
                "lead_diamond_three needs the whole pack dealt: nobody may hold 3D with "
                f"cards_each={self.cards_each}; leave one of the two out"
            )


# The values of options as a table's record holds them: their places in the Literals above.
MUST_BEAT_OFF, MUST_BEAT_NON_BOMB, MUST_BEAT_ALL = range(3)
DINGDA_LIABILITY, DINGDA_FORCED, DINGDA_OFF = range(3)
EVERY_BOMB, ONE_BOMB, WINNERS_BOMBS, NO_BOMBS = range(4)


def most_decisions(hand_size: int = HAND_SIZE) -> int:
    """A bound on the decisions of a game.

    Every play takes a card, both losers keep one, and at most two passes follow each but the last.
    """
    plays = 3 * hand_size - 2
    return 3 * plays - 2


def units(left: int, hand_size: int = HAND_SIZE) -> int:
    """Units that a loser with ``left`` cards pays before doubling (section 7, step 1)."""
    if left == hand_size:
        return 3 * left
    if left >= 10:
        return 2 * left
    if left >= 6:
        return left
    return 5


def doublings(rules: GuanPaiRules, bombs: list[int], winner: int) -> int:
    """How often the losses double, from the bombs each seat played (section 7, step 2)."""
    counted = {
        "every_bomb": sum(bombs),
        "once": min(1, sum(bombs)),
        "winner_only": bombs[winner],
        "off": 0,
    }
    return counted[rules.bomb_doubling]


def scores(
    rules: GuanPaiRules, winner: int, left: list[int], bombs: list[int], liable: int | None = None
) -> list[int]:
    """Points of the three seats at the end of a deal (section 7).

    Parameters
    ----------
    rules : GuanPaiRules
    winner : int
        The seat whose hand is empty.
    left : list of int
        Cards left by seat.
    bombs : list of int
        Number of bombs played by seat.
    liable : int or None
        The seat that broke the top-card duty just before the winner's last play.

    Returns
    -------
    list of int
        Zero-sum points by seat.
    """
    cap = float("inf") if rules.loss_cap is None else rules.loss_cap
    multiplier = 2 ** doublings(rules, bombs, winner)
    losers = [seat for seat in range(SEATS) if seat != winner]
    full = {i: min(units(left[i], rules.cards_each) * multiplier, cap) for i in losers}
    plain = {i: min(units(left[i], rules.cards_each), cap) for i in losers}
    pay = dict(full)
    if liable is not None:
        other = next(i for i in losers if i != liable)
        pay[liable] = full[liable] + plain[other]
        pay[other] = full[other] - plain[other]
    points = [0] * SEATS
    for i in losers:
        points[i] = -rules.base * int(min(pay[i], cap))
    points[winner] = -sum(points)
    return points
