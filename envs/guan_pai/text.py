"""Guan Pai: names of actions, how a play reads, why cards are no legal play, the text view."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ..core.cards import SUITS, counts_of
from ..core.climbing import written
from ..core.game import Play
from .actions import ACTIONS, BODY_SIZE, LEAD, NUM_RANKS, PASS, RANKS
from .rules import DINGDA_FORCED, MUST_BEAT_OFF, SEATS


def _name(action: int) -> str:
    a = ACTIONS[action]
    if a.kind == "pass":
        return "pass"
    text = f"{a.kind} {a.written}"
    if a.kind == "triple_chain_with_wings" and not a.kickers:
        return text + " + the rest"
    return text + (f" + {a.kickers} kicker{'s' * (a.kickers > 1)}" if a.kickers else "")


ACTION_NAMES = tuple(_name(action) for action in range(len(ACTIONS)))


# What a hand may hold of a rank, by the bits of its suits.
_HELD = [
    [[rank + suit for s, suit in enumerate(SUITS) if bits >> s & 1] for bits in range(1 << len(SUITS))]
    for rank in RANKS
]


def hand(t: Any, seat: int) -> list[str]:
    """The cards ``seat`` holds, lowest first."""
    return [card for held, bits in zip(_HELD, t["suits"][seat].tolist(), strict=True) for card in held[bits]]


def spent(before: Any, after: Any, actions: Sequence[int]) -> tuple[str, ...]:
    """The cards that the seat to act at ``before`` has no more at ``after``."""
    seat = int(before["turn"])
    gone = (before["suits"][seat] & ~after["suits"][seat]).tolist()
    return tuple(card for held, bits in zip(_HELD, gone, strict=True) if bits for card in held[bits])


def ranks_of(cards: Sequence[str]) -> str:
    """The ranks of cards, ascending, as the rules write a play."""
    return "".join(sorted((card[0] for card in cards), key=RANKS.index))


def _lacks_diamond_three(t: Any, cards: Sequence[str]) -> bool:
    """Whether these cards are to contain 3D and do not; a bare rank 3 may be it."""
    is_due = bool(t["lead_diamond_three"]) and t["plays"] == 0
    return is_due and "3D" not in cards and "3" not in cards


def same_cards(t: Any, play: Play, cards: Sequence[str]) -> bool:
    """Whether ``cards`` are this play at table ``t``: suits do not matter, but for 3D in a first play."""
    return ranks_of(play.cards) == ranks_of(cards) and not _lacks_diamond_three(t, cards)


def reading(t: Any, actions: Sequence[int]) -> tuple[str, str, int]:
    """(name, key, length) of the play that ``actions`` make at table ``t``, by the rules' names."""
    main = int(t["pending"]) or actions[0]
    a = ACTIONS[main]
    if main == PASS:
        return "pass", "", 0
    name = "bomb" if a.kind == "bomb_with_one" else a.kind
    if name == "triple_with_two" and int(t["left"][t["turn"]]) - BODY_SIZE[main] == 1:
        name = "triple_with_one"  # a last hand
    return name, RANKS[a.key], a.length


def prefer(play: Play) -> tuple[Any, ...]:
    """Sorts the readings of the same cards: the rules' default first."""
    return play.name != "triple_chain", -RANKS.index(play.key) if play.key else 0, play.length


def why_not(t: Any, cards: Sequence[str], plays: Sequence[Play]) -> str:
    """Why the seat to act may not play ``cards``."""
    seat = int(t["turn"])
    held, wanted = Counter(ranks_of(hand(t, seat))), Counter(ranks_of(cards))
    short = [rank for rank in wanted if wanted[rank] > held[rank]]
    if short:
        return f"seat {seat} holds {held[short[0]]} of rank {short[0]}: its hand is {' '.join(hand(t, seat))}"
    if not cards and t["last"] == LEAD:
        return "the seat that leads must play"
    if not cards and t["must_beat"] != MUST_BEAT_OFF:
        return "whoever can beat the table must (must_beat)"
    if not cards:
        return "the next seat has one card, so a single must be beaten with the highest rank (dingda)"
    if _lacks_diamond_three(t, cards):
        return "the first play of the deal must contain 3D (lead_diamond_three)"
    if t["dingda"] == DINGDA_FORCED and len(cards) == 1 and t["left"][(seat + 1) % SEATS] == 1:
        top = max(held, key=RANKS.index)
        if top != cards[0][0]:
            return f"the next seat has one card, so a single must be the highest rank, {top} (dingda)"
    if t["last"] == LEAD:
        return "these cards are no combination"
    return f"these cards do not beat {ACTION_NAMES[int(t['last'])]}"


def outcome(t: Any) -> dict[str, Any]:
    """How a finished deal ended: who won, and who is liable (the top-card duty), if anybody."""
    liable = int(t["liable"])
    return {
        "winner": int(t["winner"]),
        "outcome": "out" if liable < 0 else "liable",
        "liable": None if liable < 0 else liable,
    }


def view(t: Any, seat: int | None) -> str:
    """The table as text; from ``seat``'s chair only its own hand is shown."""
    turn, left = int(t["turn"]), t["left"]
    lines = []
    if t["last"] == LEAD:
        lines.append("To beat: nothing (lead)")
    else:
        owner = int(t["owner"])
        cards = written(counts_of(t["latest"][owner], NUM_RANKS), RANKS)
        lines.append(f"To beat: {cards} ({ACTIONS[int(t['last'])].kind}) by player_{owner}")
    for who in range(SEATS):
        done = "pass" if t["passed"][who] else written(counts_of(t["latest"][who], NUM_RANKS), RANKS) or "-"
        cards = " ".join(hand(t, who)) if seat is None or seat == who else "(hidden)"
        mark = ">" if who == turn and not t["over"] else " "
        lines.append(f"{mark} player_{who} {int(left[who]):2d} cards  last: {done:12s} {cards}")
    if t["pending"] and seat in (None, turn):
        play = ACTION_NAMES[int(t["pending"])]
        lines.append(f"player_{turn} is choosing {int(t['wanted'])} more kicker(s) for {play}")
    if t["over"]:
        lines.append(
            f"player_{int(t['winner'])} wins; scores {', '.join(f'{int(s):+d}' for s in t['score'])}"
        )
    return "\n".join(lines)
