"""Diao Xie: how a hand was settled, step by step, for people (rules, sections 6 and 7)."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from envs.diao_xie.actions import COUNTER_CARRY, FOLD
from envs.diao_xie.hands import (
    CATEGORIES,
    CATEGORY,
    CHINESE,
    HAND_POINTS,
    PLAIN,
    STRENGTH,
    SUPREME,
)
from envs.diao_xie.rules import LIMIT
from envs.diao_xie.text import amount_of

from .position import Position
from .words import Text, say


def hand_name(first: int, second: int) -> Text:
    """What two cards are."""
    category = int(CATEGORY[first, second])
    if category == PLAIN:
        points = int(HAND_POINTS[first, second])
        return say(f"{points} point{'s' * (points != 1)}", f"杂牌 {points} 点")
    return say(CATEGORIES[category].replace("_", " "), CHINESE[category])


@dataclass
class Settled:
    """What a hand brought each seat, in b: ``columns`` by name, each with an amount a seat."""

    winner: int
    lines: list[Text]
    columns: dict[str, list[int]] = field(default_factory=dict)
    pot: int = 0  # what is left in it
    owed: list[int] = field(default_factory=list)


def settle(before: Position, after: Position) -> Settled:
    """How the hand was settled that the step from ``before`` to ``after`` ended."""
    t, n = before.t, before.info.num_players
    assert after.step is not None
    action, seat = after.step.play.actions[0], after.step.seat
    stakes, folded = [int(s) for s in t["stakes"][:n]], [bool(f) for f in t["folded"][:n]]
    stakes[seat] += amount_of(t, action)
    folded[seat] = folded[seat] or action == FOLD
    winner = next(who for who, event, _ in after.events if event == "wins")
    name = hand_name(*t["cards"][winner].tolist())
    line = say(f"{{p{winner}}} wins the hand: {name['en']}.", f"{{p{winner}}}以{name['zh']}获胜。")
    if t["betting"] == LIMIT:
        taken = [sum(stakes) * (who == winner) for who in range(n)]
        pot = say(f"The pot of {sum(stakes)} b is taken whole.", f"底池 {sum(stakes)} 全归赢家。")
        return Settled(winner, [line, pot], {"paid": [-s for s in stakes], "won": taken}, 0, [0] * n)
    return _settle_pot(t, n, winner, stakes, folded, action, line)


def _settle_pot(
    t: Any, n: int, winner: int, stakes: list[int], folded: list[bool], action: int, line: Text
) -> Settled:
    pot = int(t["pot"])
    lines = [line]
    strength = [int(STRENGTH[tuple(t["cards"][who].tolist())]) for who in range(n)]
    worth, extra = stakes[winner] or pot, 0  # W and e of the rules
    if not stakes[winner]:
        lines.append(say("All others folded, so it wins the pot unseen.", "其他人都弃牌，不看牌赢得底池。"))
    is_tie = any(w != winner and not folded[w] and strength[w] == strength[winner] for w in range(n))
    if action == COUNTER_CARRY and winner == t["turn"] and is_tie:
        worth, extra = int(t["first_stake"]), stakes[winner] - int(t["first_stake"])
        lines.append(
            say(
                f"Equal hands: only the head's first stake counts, the {extra} b added are lost.",
                f"牌同大：只算头家第一次的注，反带的 {extra} 输掉。",
            )
        )
    lost = sum(stakes) - stakes[winner]
    received = worth if lost >= worth else min(worth, pot + lost)
    lines.append(
        say(
            f"Its stake counts {worth} b, the others' stakes are {lost} b: it takes {received} b.",
            f"赢家的注算 {worth}，其他人的注共 {lost}：赢得 {received}。",
        )
    )
    settled = Settled(winner, lines, {}, pot + lost - received + extra, [0] * n)
    settled.columns["stake"] = [
        received - extra if who == winner else -stakes[who] * (not folded[who]) for who in range(n)
    ]
    if t["supreme_bonus"]:
        for holder in range(n):
            if CATEGORY[tuple(t["cards"][holder].tolist())] == SUPREME:
                settled.columns["bonus"] = [n * (n - 1) if who == holder else -n for who in range(n)]
                lines.append(
                    say(
                        f"{{p{holder}}} holds X 3♥ and gets {n} b from everybody.",
                        f"{{p{holder}}}有至尊宝，每家付 {n}。",
                    )
                )
    if t["fold_penalty"] and worth >= pot:
        for who in range(n):
            if folded[who] and _was_better(t, n, who, winner):
                settled.owed[who] = worth
                lines.append(
                    say(
                        f"{{p{who}}} folded the better hand and owes the pot {worth} b (赔底).",
                        f"{{p{who}}}弃了更大的牌，赔底 {worth}。",
                    )
                )
    lines.append(say(f"{settled.pot} b are left in the pot.", f"底池还剩 {settled.pot}。"))
    return settled


def _was_better(t: Any, n: int, who: int, winner: int) -> bool:
    """Whether a folded hand was stronger than the winner's, or equal and spoke earlier (step 6)."""
    own, best = (tuple(t["cards"][seat].tolist()) for seat in (who, winner))
    if STRENGTH[own] != STRENGTH[best]:
        return bool(STRENGTH[own] > STRENGTH[best])
    if CATEGORY[best] == PLAIN and HAND_POINTS[best] == 0:
        return False
    head = int(t["head"])
    return (who - head) % n < (winner - head) % n


def shares(pot: int, n: int) -> Fraction:
    """What each seat gets of a pot that is split at the end."""
    return Fraction(pot, n)
