"""A play put together from cards: which cards may be added, what the cards are, why they are nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from envs.core.game import Play
from envs.core.plays import PASS
from envs.zheng_shang_you.text import cards_in

from .centre import told
from .position import Position
from .reasons import why_not
from .words import RefusedError, Text, say

DISCARD = "discard"


def hand_of(position: Position, seat: int) -> list[str]:
    """The cards of a seat in the order in which the page shows them and plays spend them."""
    hand: list[str] = position.game.text.hand(position.t, seat)
    if position.game.name == "guan_pai" and position.t["lead_diamond_three"] and position.t["plays"] == 0:
        hand.sort(key=lambda card: (card[0] != "3", card != "3D" and card[0] == "3"))  # 3D is to go first
    return hand


def alike(position: Position, seat: int) -> list[str]:
    """A mark for each card of the hand: cards of one mark are as good as each other.

    Suits mean nothing in Guan Pai. In Zheng Shang You cards that are in no flush straight are as good as
    others of their rank; those are spent first.
    """
    hand = hand_of(position, seat)
    if position.game.name == "guan_pai":
        return [card[0] for card in hand]
    if position.game.name == "zheng_shang_you":
        live = Counter(cards_in(position.t["live"][seat].tolist()))
        idle = Counter(hand) - live
        return [_mark(card, idle) for card in hand]
    return hand


def _mark(card: str, idle: Counter[str]) -> str:
    """Of equal cards the idle ones come first."""
    if idle[card]:
        idle[card] -= 1
        return card[0]
    return card


def _marks_of(position: Position, cards: Sequence[str]) -> Counter[str]:
    """The marks of the cards of a play, equal cards in the order in which they are spent."""
    seat = position.turn
    places: dict[str, list[str]] = {}
    for card, mark in zip(hand_of(position, seat), alike(position, seat), strict=True):
        places.setdefault(card, []).append(mark)
    taken: Counter[str] = Counter()
    marks: Counter[str] = Counter()
    for card in cards:
        marks[places[card][taken[card]]] += 1
        taken[card] += 1
    return marks


def places_of(position: Position, cards: Sequence[str]) -> list[int]:
    """Where the cards of a play stand in the hand of the seat to act."""
    hand, free = hand_of(position, position.turn), Counter(cards)
    places = []
    for place, card in enumerate(hand):
        if free[card]:
            free[card] -= 1
            places.append(place)
    return places


def readings(position: Position, cards: Sequence[str]) -> list[Play]:
    """The legal plays that these cards are, one for each way to read them, the rules' default first."""
    game, t = position.game, position.t
    same = [p for p in position.plays if p.cards and game.text.same_cards(t, p, cards)]
    exact = [p for p in same if sorted(p.cards) == sorted(cards)]
    best: dict[tuple[str, str, int], Play] = {}
    for play in sorted(exact or same, key=game.text.prefer):
        best.setdefault(play[:3], play)
    return list(best.values())


def choose(position: Position, places: Sequence[int]) -> dict[str, Any]:
    """What the chosen cards of the seat to act are.

    Parameters
    ----------
    position : Position
    places : sequence of int
        Where they stand in its hand.

    Returns
    -------
    dict
        ``lit``: places that may be added; ``ready``: plays (name, key, cards) that they are;
        ``becomes``: names of plays that they are a part of; ``why``: why they are nothing, if so;
        ``marks``: as of :func:`alike`.
    """
    hand = hand_of(position, position.turn)
    are_there = all(type(place) is int and 0 <= place < len(hand) for place in places)
    if not are_there or len(set(places)) != len(places):
        raise RefusedError("These cards are not in the hand any more.", "手里已经没有这些牌。")
    marks = alike(position, position.turn)
    chosen, cards = Counter(marks[place] for place in places), [hand[place] for place in places]
    lit_marks: set[str] = set()
    becomes: dict[str, None] = {}
    fits = _chained(position)
    for play, needs in fits:
        if chosen <= needs:
            more = needs - chosen
            lit_marks |= more.keys()
            if more:
                becomes[play.name] = None
    ready = readings(position, cards) if cards else []
    why: Text | None = None
    if cards and not ready and not becomes:
        why = why_not(position, cards)
    elif cards and not ready:
        why = say("Choose more cards.", "请继续选牌。")
    return {
        "lit": [i for i, mark in enumerate(marks) if mark in lit_marks and i not in places],
        "ready": [told(play) for play in ready],
        "becomes": list(becomes),
        "why": why,
        "marks": marks,
    }


def _chained(position: Position) -> list[tuple[Play, Counter[str]]]:
    """The legal plays with cards, and the marks that they need; made once for a position."""
    known = position.marked
    if known is None:
        known = [(play, _marks_of(position, play.cards)) for play in position.plays if play.cards]
        if position.game.name == "xiangxi96":
            known = [one for one in known if one[0].name == DISCARD]  # a claim is no choice of cards
        position.marked = known
    return known


def find(position: Position, places: Sequence[int], name: Any = None, key: Any = None) -> Play:
    """The play that is meant by places in the hand, or by a name alone; refused, with the reason, else."""
    if not places:
        named = [play for play in position.plays if play.name == name and name != DISCARD]
        if named:
            return named[0]
        if name == PASS:
            raise _refusal(why_not(position, []))
        raise RefusedError(f"{str(name)[:40]!r} may not be chosen now.", "现在不能这样选。")
    choose(position, places)  # checks the places
    hand = hand_of(position, position.turn)
    cards = [hand[place] for place in places]
    found = [p for p in readings(position, cards) if name in (None, p.name) and key in (None, p.key)]
    if position.game.name == "xiangxi96":
        found = [play for play in found if play.name == DISCARD]
    if not found:
        raise _refusal(why_not(position, cards))
    return found[0]


def _refusal(text: Text) -> RefusedError:
    return RefusedError(text["en"], text["zh"])
