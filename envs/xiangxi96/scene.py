"""Xiangxi 96: what a picture of a table shows. No kernels here."""

from __future__ import annotations

from typing import Any

from ..core.drawing.scene import Chair, Group, Row, Scene, Strip, score
from ..core.drawing.scene import hand as hand_strip
from .claims import PIG, WON
from .kinds import COPIES, KINDS, NO_KIND, NUM_CARDS, NUM_KINDS
from .shapes import KAN
from .text import compact, hand, lately, outcome
from .units import Unit, huxi_of, melds_of

OPEN_AT_THE_END = True  # whether hands are shown then
HAND_SHARE, MELDS_SHARE = 0.88, 0.56
HAND_HEIGHT, MELDS_HEIGHT, WIDTH = 66, 42, 1100
NUM_NOTES = 2


def scene(t: Any, seat: int | None) -> Scene:
    """The table ``t`` as ``seat`` sees it (``t`` holds nothing else any more), or with all hands.

    Where a seat may not know who is asked about the card on offer, nobody is marked.
    """
    n, is_over = int(t["num_players"]), bool(t["over"])
    told = [f"player_{who} {event} {compact(cards)}".rstrip() for who, event, cards in lately(t)]
    notes = [f"lately: {', '.join(told)}"] if told else []
    if is_over:
        notes.append(_end(t))
    chairs = [_chair(t, who, is_over or seat in (None, who)) for who in range(n)]
    return Scene(chairs, [f"stock {NUM_CARDS - int(t['dealt'])}"], notes, NUM_NOTES, WIDTH)


def _chair(t: Any, who: int, is_seen: bool) -> Chair:
    is_over = bool(t["over"])
    is_offering = t["card"] != NO_KIND and who == t["owner"]
    melds = [Group(_cards(unit), 0, f"{unit['type']} {huxi_of(t, unit)}") for unit in melds_of(t, who)]
    pile = [KINDS[kind] for kind in range(NUM_KINDS) for _ in range(int(t["piles"][who, kind]))]
    top = [
        hand_strip(hand(t, who) if is_seen else (), int(t["held"][who]), HAND_SHARE),
        Strip(
            ("flips" if t["is_flip"] else "discards") if is_offering else "",
            1 - HAND_SHARE,
            [Group([KINDS[t["card"]]])] if is_offering else [],
        ),
    ]
    bottom = [
        Strip(f"melds · {int(t['worth'][who])} huxi", MELDS_SHARE, melds),
        Strip(f"unclaimed · {len(pile)}", 1 - MELDS_SHARE, [Group(pile)] if pile else []),
    ]
    credits, is_won = int(t["credit"][who]), is_over and t["outcome"] == WON
    return Chair(
        [Row(top, HAND_HEIGHT), Row(bottom, MELDS_HEIGHT, has_labels=True)],
        tags=[*["dealer"] * (who == int(t["dealer"])), *[f"{credits} credits"] * (credits > 0)],
        is_turn=not is_over and who == int(t["turn"]),
        score=score(t["score"][who]) if is_over else None,
        is_winner=bool(is_won and who == t["winner"]),
    )


def _cards(unit: Unit) -> list[str]:
    """The cards of a meld."""
    copies = COPIES if "own" in unit else KAN if "card" in unit else 1
    kinds = unit["cards"] if "cards" in unit else [unit["card"]]
    return [kind for kind in kinds for _ in range(copies)] + unit.get("with", [])


def _end(t: Any) -> str:
    how = outcome(t)
    if t["outcome"] == WON:
        ending = f"player_{how['winner']} wins with {KINDS[t['won_with']]}, {how['huxi']} huxi"
    elif t["outcome"] == PIG:
        ending = f"player_{how['pig']} is the pig ({how['reason']})"
    else:
        ending = "the stock is exhausted"
    return f"{ending}; player_{how['next_dealer']} deals next"
