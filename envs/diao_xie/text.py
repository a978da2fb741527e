"""Diao Xie: names, notation, why an action is not legal, the text view."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ..core.game import Play
from .actions import NAMES, NUM_ACTIONS, NUM_TOUCHES, TOUCH
from .hands import CATEGORIES, CATEGORY, CHINESE, HAND_POINTS, PACK, PLAIN
from .legal import legal
from .rules import LIMIT, RAISE_BY
from .settle import all_stakes
from .table import NONE, most_paid, touch_stake

CHINESE_NAMES = {
    "fold": "弃", "eat": "吃", **{f"touch{k}": "碰" for k in range(1, NUM_TOUCHES + 1)}, "carry": "带",
    "counter_carry": "头家反带", "no_carry": "不反带", "call": "跟", "raise": "加注",
}  # fmt: skip
ACTION_NAMES = tuple(f"{name} {CHINESE_NAMES[name]}" for name in NAMES)
BARE_NAMES = NAMES  # of plays without cards


def hand(t: Any, seat: int) -> list[str]:
    """The two cards of ``seat``, in the order of the pack."""
    return [PACK[card] for card in t["cards"][seat].tolist()]


def english_name(first: int, second: int) -> str:
    """What two cards are, such as ``"heaven_nine"`` or ``"7 points"``."""
    category = int(CATEGORY[first, second])
    return f"{HAND_POINTS[first, second]} points" if category == PLAIN else CATEGORIES[category]


def hand_name(first: int, second: int) -> str:
    """What two cards are, such as ``"heaven_nine 天九"`` or ``"7 points 杂牌"``."""
    return f"{english_name(first, second)} {CHINESE[int(CATEGORY[first, second])]}"


def reading(t: Any, actions: Sequence[int]) -> tuple[str, str, int]:
    """(name, key, length): an action here is a play without cards."""
    return NAMES[actions[0]], "", 0


def spent(before: Any, after: Any, actions: Sequence[int]) -> tuple[str, ...]:
    """No cards are played in this game."""
    return ()


def prefer(play: Play) -> tuple[Any, ...]:
    return play.actions


def same_cards(t: Any, play: Play, cards: Sequence[str]) -> bool:
    """An action takes no cards."""
    return not cards


def why_not(t: Any, cards: Sequence[str], plays: Sequence[Play]) -> str:
    return "no cards are played here: name an action, as in actions_for('eat')"


def events(before: Any, after: Any) -> list[tuple[int, str, tuple[str, ...]]]:
    """What happened by itself between two states: at the end of a hand all hands are shown (section 4)."""
    if after["hand"] == before["hand"]:
        return []
    shown = [(seat, "shows", tuple(hand(before, seat))) for seat in range(int(before["num_players"]))]
    return [*shown, (int(after["winner"]), "wins", ())]


def outcome(t: Any) -> dict[str, Any]:
    """How an episode ended: who won its last hand, and how many hands it had."""
    return {"winner": int(t["winner"]), "outcome": "settled", "hands": int(t["hand"])}


def amount_of(t: Any, action: int) -> int:
    """What an action stakes or pays, in b, for the seat to act."""
    name, pot = NAMES[action], int(t["pot"])
    if name.startswith("touch"):
        return int(touch_stake(pot, action - TOUCH + 1))
    if name in ("call", "raise"):
        owed = int(most_paid(t)) - int(t["stakes"][int(t["turn"])])
        return owed + RAISE_BY * (name == "raise")
    if name in ("carry", "counter_carry"):
        return pot + int(all_stakes(t))
    return pot if name == "eat" else 0


def view(t: Any, seat: int | None) -> str:
    """The table as text; from ``seat``'s chair only its own cards are shown before the end."""
    n, is_over = int(t["num_players"]), bool(t["over"])
    number, turn = int(t["hand"]) + (not is_over), int(t["turn"])
    lines = [f"Hand {number} of {int(t['hands'])}, pot {int(t['pot'])} b, head player_{int(t['head'])}"]
    for who in range(n):
        first, second = t["cards"][who].tolist()
        is_seen = seat is None or seat == who or is_over
        cards = f"{PACK[first]} {PACK[second]} ({hand_name(first, second)})" if is_seen else "(hidden)"
        mark = ">" if who == turn and not is_over else " "
        did = ", ".join(ACTION_NAMES[action] for action in done(t, who)) or "-"
        lines.append(f"{mark} player_{who}  {did:24s} stake {int(t['stakes'][who]):3d} b  {cards}")
    if is_over:
        scores = ", ".join(str(Fraction(int(s), n)) for s in t["score"][:n])
        lines.append(f"player_{int(t['winner'])} wins the last hand; scores {scores}")
    else:
        mask = np.zeros(NUM_ACTIONS, np.int8)
        legal(t, mask)
        may = (f"{ACTION_NAMES[a]} {amount_of(t, a) or ''}".rstrip() for a in np.flatnonzero(mask).tolist())
        lines.append(f"player_{turn} may {', '.join(may)} (stakes in b)")
    return "\n".join(lines)


def done(t: Any, who: int) -> list[int]:
    """The first and the last action of a seat in this hand; with limit betting the last one alone."""
    first, last = (int(action) for action in t["did"][who])
    actions = [last] if first == last or t["betting"] == LIMIT else [first, last]
    return [action for action in actions if action != NONE]
