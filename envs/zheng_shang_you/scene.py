"""Zheng Shang You: what a picture of a table shows. No kernels here."""

from __future__ import annotations

from typing import Any

from ..core.drawing.scene import Scene
from ..core.drawing.trick import trick
from .actions import ACTIONS, LEAD
from .rules import SEATS
from .text import ACTION_NAMES, cards_in, hand

OPEN_AT_THE_END = False  # whether hands are shown then


def scene(t: Any, seat: int | None) -> Scene:
    """The table ``t`` as ``seat`` sees it (``t`` holds nothing else any more), or with all hands."""
    last, note = int(t["last"]), ""
    if t["pending"]:
        what = f"{int(t['wanted'])} more pair(s)" if t["wanted"] else "a suit"
        note = f"player_{int(t['turn'])} is choosing {what} for {ACTION_NAMES[int(t['pending'])]}"
    is_locked_out = [t["pass_lockout"] and t["out"][who] and not t["over"] for who in range(SEATS)]
    return trick(
        t,
        hands=[hand(t, who) if seat in (None, who) else [] for who in range(SEATS)],
        latest=[cards_in(t["latest"][who]) for who in range(SEATS)],
        to_beat=None if last == LEAD else (ACTION_NAMES[last], ACTIONS[last].kind),
        note=note,
        tags=[["out of the trick"] if is_out else [] for is_out in is_locked_out],
    )
