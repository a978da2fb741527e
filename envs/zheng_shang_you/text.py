"""Zheng Shang You: names of actions, how a play reads, why cards are no legal play, the text view."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from ..core.cards import SUITS
from ..core.game import Play
from .actions import ACTIONS, CARD_BIT, DECK, LEAD, PASS, RANKS, SUIT
from .rules import SEATS


def _name(action: int) -> str:
    a = ACTIONS[action]
    if a.kind == "pass":
        return "pass"
    if a.kind == "suit":
        return f"suit {SUITS[action - SUIT]}"
    text = f"{a.kind} {a.written}" + "*" * (a.kind == "flush_straight")
    return text + (f" + {a.kickers} pair{'s' * (a.kickers > 1)}" if a.kickers else "")


ACTION_NAMES = tuple(_name(action) for action in range(len(ACTIONS)))

SUFFIXES = {"*": "flush_straight"}  # of the rules' notation: 34567*

_BIT_OF = {card: int(bit) for card, bit in zip(DECK, CARD_BIT, strict=False)}
_INDEX_AT = {bit: index for index, bit in enumerate(_BIT_OF.values())}


def cards_in(cards: Sequence[int]) -> list[str]:
    """Cards from the two words in which a record holds them, by rank and then by suit."""
    found = []
    for word in cards:
        bits = int(word)
        while bits:
            found.append(_INDEX_AT[(bits & -bits).bit_length() - 1])
            bits &= bits - 1
    return [DECK[index] for index in sorted(found)]


def spent(before: Any, after: Any, actions: Sequence[int]) -> tuple[str, ...]:
    """The cards that the seat to act at ``before`` has no more at ``after``."""
    (had, had_twice), (has, has_twice) = (t["cards"][int(before["turn"])].tolist() for t in (before, after))
    return tuple(cards_in((had & ~has | had_twice & ~has_twice, had_twice & ~has)))


def words_of(cards: Sequence[str]) -> tuple[int, int]:
    """The two words of cards with suits: those there once or twice, those there twice."""
    counts = Counter(cards)
    first, second = (sum(1 << _BIT_OF[card] for card in counts if counts[card] > k) for k in range(2))
    return first, second


def hand(t: Any, seat: int) -> list[str]:
    """The cards ``seat`` holds, lowest first."""
    return cards_in(t["cards"][seat].tolist())


def ranks_of(cards: Iterable[str]) -> str:
    """The ranks of cards, ascending."""
    return "".join(sorted((card[0] for card in cards), key=RANKS.index))


def is_exact(card: str) -> bool:
    """Whether a card is named exactly: not by its rank alone."""
    return card in _BIT_OF


def same_cards(t: Any, play: Play, cards: Sequence[str]) -> bool:
    """Whether ``cards`` are this play at table ``t``; ranks alone are any suits.

    Cards that are in no flush straight of the hand are as good as each other.
    """
    if ranks_of(play.cards) != ranks_of(cards):
        return False
    named = [card for card in cards if is_exact(card)]
    if not Counter(named) - Counter(play.cards):
        return True
    is_flush = len(named) == len(cards) and len({card[1:] for card in named}) == 1
    if (
        play.name == "flush_straight"
        or (play.name == "straight" and is_flush)
        or _lacks_spade_three(t, cards)
    ):
        return False
    live, idle = _split(t, named)
    live_there, idle_there = _split(t, play.cards)
    return not live - live_there and not Counter(ranks_of(idle.elements())) - Counter(
        ranks_of(idle_there.elements())
    )


def _split(t: Any, cards: Sequence[str]) -> tuple[Counter[str], Counter[str]]:
    """Flush-live cards among ``cards`` of the hand, and idle ones: the idle one of equal cards goes first."""
    seat = int(t["turn"])
    held, live = Counter(hand(t, seat)), Counter(cards_in(t["live"][seat].tolist()))
    chosen = Counter(cards)
    of_live = chosen - (held - live)
    return of_live, chosen - of_live


def _lacks_spade_three(t: Any, cards: Sequence[str]) -> bool:
    """Whether these cards are to contain 3S and do not; a bare rank 3 may be it."""
    is_due = bool(t["lead_spade_three"]) and t["plays"] == 0
    return is_due and "3S" not in cards and "3" not in cards


def reading(t: Any, actions: Sequence[int]) -> tuple[str, str, int]:
    """(name, key, length) of the play that ``actions`` make at table ``t``; the length is in cards."""
    main = int(t["pending"]) or actions[0]
    a = ACTIONS[main]
    return a.kind, RANKS[a.key] if main != PASS else "", a.length


def prefer(play: Play) -> tuple[Any, ...]:
    """Sorts plays of the same ranks: ``34567`` means the plain straight unless it is said."""
    return play.name == "flush_straight", play.actions


def why_not(t: Any, cards: Sequence[str], plays: Sequence[Play]) -> str:
    """Why the seat to act may not play ``cards``; ``plays`` are those that it may."""
    seat = int(t["turn"])
    own = hand(t, seat)
    held, wanted = Counter(ranks_of(own)), Counter(ranks_of(cards))
    short = [rank for rank in wanted if wanted[rank] > held[rank]]
    if short:
        return f"seat {seat} holds {held[short[0]]} of rank {short[0]}: its hand is {' '.join(own)}"
    if not cards:
        return "the seat that leads must play"
    if _lacks_spade_three(t, cards):
        return "the first play of the deal must contain 3S (lead_spade_three)"
    as_good = [play.cards for play in plays if ranks_of(play.cards) == ranks_of(cards)]
    if as_good:
        return f"they would break up a flush straight; {' '.join(as_good[0])} is the same play and would not"
    if t["last"] == LEAD:
        return "these cards are no combination"
    return f"these cards do not beat {ACTION_NAMES[int(t['last'])]}"


def outcome(t: Any) -> dict[str, Any]:
    """How a finished deal ended: who won."""
    return {"winner": int(t["winner"]), "outcome": "out"}


def view(t: Any, seat: int | None) -> str:
    """The table as text; from ``seat``'s chair only its own hand is shown."""
    turn, last = int(t["turn"]), int(t["last"])
    lines = ["To beat: nothing (lead)"]
    if last != LEAD:
        owner = int(t["owner"])
        cards = " ".join(cards_in(t["latest"][owner]))
        lines = [f"To beat: {cards} ({ACTIONS[last].kind}) by player_{owner}"]
    for who in range(SEATS):
        done = "pass" if t["passed"][who] else " ".join(cards_in(t["latest"][who])) or "-"
        own = " ".join(hand(t, who)) if seat is None or seat == who else "(hidden)"
        mark = ">" if who == turn and not t["over"] else " "
        lines.append(f"{mark} player_{who} {int(t['left'][who]):2d} cards  last: {done:14s}  {own}")
    if t["pending"] and seat in (None, turn):
        what = f"{int(t['wanted'])} more pair(s)" if t["wanted"] else "a suit"
        lines.append(f"player_{turn} is choosing {what} for {ACTION_NAMES[int(t['pending'])]}")
    if t["over"]:
        scores = ", ".join(f"{int(s):+d}" for s in t["score"])
        lines.append(f"player_{int(t['winner'])} wins; scores {scores}")
    return "\n".join(lines)
