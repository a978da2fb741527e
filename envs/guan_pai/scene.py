"""Guan Pai: what a picture of a table shows. No kernels here."""

from __future__ import annotations

from typing import Any

from ..core.cards import counts_of
from ..core.drawing.scene import Scene
from ..core.drawing.trick import trick
from .actions import ACTIONS, LEAD, NUM_RANKS, RANKS
from .rules import SEATS
from .text import ACTION_NAMES, hand

OPEN_AT_THE_END = False  # whether hands are shown then


def scene(t: Any, seat: int | None) -> Scene:
    """The table ``t`` as ``seat`` sees it (``t`` holds nothing else any more), or with all hands.

    A record keeps of a play its ranks alone: so its cards are drawn without suits, which do not matter here.
    """
    last, note = int(t["last"]), ""
    if t["over"]:
        note = "" if t["liable"] < 0 else f"; player_{int(t['liable'])} is liable and pays for all"
    elif t["pending"]:
        play = ACTION_NAMES[int(t["pending"])]
        note = f"player_{int(t['turn'])} is choosing {int(t['wanted'])} more kicker(s) for {play}"
    return trick(
        t,
        hands=[hand(t, who) if seat in (None, who) else [] for who in range(SEATS)],
        latest=[_ranks(t["latest"][who]) for who in range(SEATS)],
        to_beat=None if last == LEAD else (ACTION_NAMES[last], ACTIONS[last].kind),
        note=note,
    )


def _ranks(lanes: int) -> list[str]:
    counts = counts_of(lanes, NUM_RANKS)
    return [rank for rank, count in zip(RANKS, counts, strict=True) for _ in range(count)]
