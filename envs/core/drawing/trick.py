"""The scene of a shedding game: hands, and each seat's last play or pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .scene import Chair, Group, Row, Scene, Strip, hand, score

HAND_SHARE, CARD_HEIGHT = 0.66, 74


def trick(
    t: Any,
    hands: Sequence[Sequence[str]],
    latest: Sequence[Sequence[str]],
    to_beat: tuple[str, str] | None,
    note: str,
    tags: Sequence[Sequence[str]] = (),
) -> Scene:
    """The scene of a table ``t`` of such a game.

    Parameters
    ----------
    t : record
        With ``turn``, ``owner``, ``left``, ``passed``, ``plays``, ``over``, ``winner`` and ``score``.
    hands : by seat, the cards; none where they are hidden
    latest : by seat, the cards of the last play
    to_beat : (the play on the table, its kind), or None where the seat to act leads
    note : what else happens just now; at the end it is put behind who has won
    tags : by seat, if there are any
    """
    is_over, turn, owner = bool(t["over"]), int(t["turn"]), int(t["owner"])
    facts = [f"plays so far: {int(t['plays'])}"]
    if is_over:
        note = f"player_{int(t['winner'])} has played its last card and wins{note}"
    elif to_beat is None:
        facts.append(f"player_{turn} leads")
    else:
        facts.append(f"to beat: {to_beat[0]} by player_{owner}")
    chairs = []
    for who, (own, played) in enumerate(zip(hands, latest, strict=True)):
        caption, own_tags = "last play", list(tags[who]) if tags else []
        if to_beat is not None and who == owner:
            caption = f"last play · {to_beat[1]}"
            own_tags += [] if is_over else ["to beat"]
        groups, words = ([Group(played)] if played else []), "pass" if t["passed"][who] else ""
        strips = [
            hand(own, int(t["left"][who]), HAND_SHARE),
            Strip(caption, 1 - HAND_SHARE, groups, words),
        ]
        chair = Chair(
            [Row(strips, CARD_HEIGHT)],
            tags=own_tags,
            is_turn=not is_over and who == turn,
            score=score(t["score"][who]) if is_over else None,
            is_winner=is_over and who == int(t["winner"]),
        )
        chairs.append(chair)
    return Scene(chairs, facts, [note])
