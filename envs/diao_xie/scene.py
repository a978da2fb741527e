"""Diao Xie: what a picture of a table shows. No kernels here."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..core.drawing.scene import Chair, Group, Row, Scene, Strip, score
from .actions import NAMES
from .text import done, english_name, hand

OPEN_AT_THE_END = True  # all hands are shown then (section 4)
SHARES = (0.42, 0.36, 0.22)  # of a row's width: hand, actions, stake
CARD_HEIGHT, WIDTH = 74, 640


def scene(t: Any, seat: int | None) -> Scene:
    """The table ``t`` as ``seat`` sees it (``t`` holds nothing else any more), or with all hands."""
    n, is_over = int(t["num_players"]), bool(t["over"])
    facts = [f"hand {int(t['hand']) + (not is_over)} of {int(t['hands'])}", f"pot {int(t['pot'])} b"]
    notes = [f"player_{int(t['winner'])} wins the last hand"] if is_over else []
    chairs = [_chair(t, who, is_over or seat in (None, who)) for who in range(n)]
    return Scene(chairs, facts, notes, width=WIDTH)


def _chair(t: Any, who: int, is_seen: bool) -> Chair:
    n, is_over = int(t["num_players"]), bool(t["over"])
    first, second = t["cards"][who].tolist()
    group = Group(hand(t, who), 0, english_name(first, second)) if is_seen else Group(hidden=2)
    strips = [
        Strip("hand", SHARES[0], [group]),
        Strip("actions", SHARES[1], words=", ".join(NAMES[action] for action in done(t, who))),
        Strip("stake", SHARES[2], words=f"{int(t['stakes'][who])} b"),
    ]
    return Chair(
        [Row(strips, CARD_HEIGHT, has_labels=True)],
        tags=["head"] if who == int(t["head"]) else [],
        is_turn=not is_over and who == int(t["turn"]),
        is_out=bool(t["folded"][who]) and not is_over,
        score=score(Fraction(int(t["score"][who]), n)) if is_over else None,
        is_winner=is_over and who == int(t["winner"]),
    )
