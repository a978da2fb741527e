"""Xiangxi 96: names, notation, what happened by itself, why cards may not go, the text view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.game import Play
from .actions import CHI_HAND, CLAIMS, NAMES, NUM_ACTIONS, TIE
from .claims import DISCARDING, PIG, WON, tie_card
from .kinds import COPIES, GROUP_SIZE, GROUPS, KINDS, NO_KIND, NUM_CARDS, NUM_KINDS, OTHERS
from .legal import legal
from .melds import (
    CHI_HALF_EVENT,
    CHI_HAND_EVENT,
    CHI_TABLE_EVENT,
    DRAGON,
    EVENT_UNIT,
    FLIP,
    KIND_UNIT,
    PENG_EVENT,
    SEAT_UNIT,
    SHAO_EVENT,
    SHUANG_DRAGON,
    SHUANG_EVENT,
    ZOU_EVENT,
)
from .shapes import KAN
from .units import Unit, companions, huxi_of, melds_of, won_cut
from .win import read_win

CHINESE_NAMES = {"hu": "胡", "pass": "过", "chi_hand": "吃", "chi_table": "吃", "chi_half": "吃", "tie": "贴"}
ACTION_NAMES = (*KINDS, *(f"{name} {CHINESE_NAMES[name]}" for name in CLAIMS))
BARE_NAMES = CLAIMS
DISCARD = "discard"

OUTCOMES = ("hu", "pig", "exhausted")  # in the order of claims.py
REASONS = (None, "broken_company", "third_kou", "no_discard")
LATELY = 6  # events that are shown
EVENT_NAMES = (
    "flip", "dragon", "zou", "zou", "shao", "peng", "chi_hand", "chi_table", "chi_half", "credit", "pig",
    "exhausted", "dragon",
)  # fmt: skip


def hand(t: Any, seat: int) -> list[str]:
    """The cards that ``seat`` holds, in the order of kinds."""
    return [KINDS[kind] for kind in range(NUM_KINDS) for _ in range(int(t["hand"][seat, kind]))]


def reading(t: Any, actions: Sequence[int]) -> tuple[str, str, int]:
    """(name, key, length): each action is a play; the key of a discard is its kind."""
    name = NAMES[actions[0]]
    return (DISCARD, name, 1) if actions[0] < NUM_KINDS else (name, "", 0)


def spent(before: Any, after: Any, actions: Sequence[int]) -> tuple[str, ...]:
    """The cards that the seat to act plays from its hand; what then happens by itself is in ``events``."""
    action = actions[0]
    if action < NUM_KINDS:
        return (KINDS[action],)
    card = int(before["card"])
    if action == CHI_HAND:
        return tuple(KINDS[kind] for kind in OTHERS[card])
    if action == TIE:
        return (KINDS[int(tie_card(before, before["turn"], card))],)
    return ()


def prefer(play: Play) -> tuple[Any, ...]:
    return play.actions


def same_cards(t: Any, play: Play, cards: Sequence[str]) -> bool:
    return sorted(play.cards) == sorted(cards) or (not cards and play.name in CLAIMS)


def why_not(t: Any, cards: Sequence[str], plays: Sequence[Play]) -> str:
    """Why these cards, which the seat to act holds, may not be played."""
    if t["phase"] != DISCARDING:
        return f"{KINDS[t['card']]} is on offer: {_list_of(play.name for play in plays)}"
    if len(cards) != 1:
        return "a card has to be discarded, one, as in actions_for('r7')"
    kind, seat = KINDS.index(cards[0]), int(t["turn"])
    if kind == t["ban"][seat]:
        return "the kind of the last tie may not be discarded right after it"
    if t["hand"][seat, kind] == KAN:
        return "three of a kind (坎) stay together"
    return f"the cards of a sentence (句) stay together: {' '.join(GROUPS[kind // GROUP_SIZE])}"


def events(before: Any, after: Any) -> list[tuple[int, str, tuple[str, ...]]]:
    """What happened by itself between two states, as (seat, event, cards)."""
    new = after["events"][int(before["num_events"]) : int(after["num_events"])]
    return [_event(after, int(code)) for code in new]


def lately(t: Any) -> list[tuple[int, str, tuple[str, ...]]]:
    """The last events, as (seat, event, cards)."""
    last = t["events"][max(0, int(t["num_events"]) - LATELY) : int(t["num_events"])]
    return [_event(t, int(code)) for code in last]


def _event(t: Any, code: int) -> tuple[int, str, tuple[str, ...]]:
    what, rest = divmod(code, EVENT_UNIT)
    seat, rest = divmod(rest, SEAT_UNIT)
    kind, company = divmod(rest, KIND_UNIT)
    group = range(kind - kind % GROUP_SIZE, kind - kind % GROUP_SIZE + GROUP_SIZE)
    name = EVENT_NAMES[what]
    if what == FLIP:
        return seat, name, (KINDS[kind],)
    if what in (SHAO_EVENT, PENG_EVENT):
        return seat, name, (KINDS[kind],) * KAN
    if what in (CHI_HAND_EVENT, CHI_TABLE_EVENT):
        return seat, name, tuple(KINDS[one] for one in group)
    if what in (DRAGON, ZOU_EVENT):
        return seat, name, (*(KINDS[kind],) * COPIES, *companions(kind, company))
    if what in (SHUANG_DRAGON, SHUANG_EVENT, CHI_HALF_EVENT):  # fours and companions: all their group has
        fours = [one for one in group if t["fours"][seat, one]]
        others = [one for one in group if one not in fours]
        return (
            seat,
            name,
            tuple(KINDS[one] for four in fours for one in (four,) * COPIES)
            + tuple(KINDS[one] for one in others),
        )
    return seat, name, ()


def outcome(t: Any) -> dict[str, Any]:
    """How a game ended: the winner or the pig, huxi, points and the best cut, and who deals next."""
    how: dict[str, Any] = {"winner": None, "outcome": OUTCOMES[t["outcome"]]}
    next_dealer = int(t["dealer"])
    if t["outcome"] == WON:
        units = won_cut(t)
        next_dealer = how["winner"] = int(t["winner"])
        points, huxi, _ = read_win(int(t["win"]))
        how |= {"huxi": huxi, "points": points}
        how |= {"units": units, "unit_huxi": [huxi_of(t, unit) for unit in units]}
    elif t["outcome"] == PIG:
        next_dealer = how["pig"] = int(t["pig"])
        how["reason"] = REASONS[t["reason"]]
    return how | {"next_dealer": next_dealer}


def view(t: Any, seat: int | None) -> str:
    """The table as text; from ``seat``'s chair without other hands and without who is asked."""
    n, is_over, turn = int(t["num_players"]), bool(t["over"]), int(t["turn"])
    sees_turn = not is_over and (seat in (None, turn) or t["phase"] == DISCARDING)
    lines = [f"stock {NUM_CARDS - int(t['dealt'])}, dealer player_{int(t['dealer'])}"]
    if t["card"] != NO_KIND:
        how = "flips" if t["is_flip"] else "discards"
        lines[0] += f"; player_{int(t['owner'])} {how} {KINDS[t['card']]}"
    happened = [f"player_{who} {event} {compact(cards)}".rstrip() for who, event, cards in lately(t)]
    if happened:
        lines.append(f"lately: {_list_of(happened)}")
    for who in range(n):
        is_seen = seat is None or seat == who or is_over
        cards = " ".join(hand(t, who)) if is_seen else f"({int(t['held'][who])} cards)"
        melds = ", ".join(_unit_text(unit) for unit in melds_of(t, who)) or "-"
        credits = f", {int(t['credit'][who])} credits 忍" if t["credit"][who] else ""
        pile = " ".join(KINDS[kind] for kind in range(NUM_KINDS) for _ in range(int(t["piles"][who, kind])))
        mark = ">" if sees_turn and who == turn else " "
        lines.append(f"{mark} player_{who}  {cards}")
        lines.append(f"            table {melds} ({int(t['worth'][who])} huxi{credits}); pile {pile or '-'}")
    if is_over:
        lines += _end_text(t)
    elif sees_turn:
        mask = np.zeros(NUM_ACTIONS, np.int8)
        legal(t, mask)
        may = _list_of(ACTION_NAMES[action] for action in np.flatnonzero(mask))
        lines.append(f"player_{turn} may {'discard ' if t['phase'] == DISCARDING else ''}{may}")
    return "\n".join(lines)


def _end_text(t: Any) -> list[str]:
    how = outcome(t)
    scores = ", ".join(str(score) for score in t["score"][: t["num_players"]].tolist())
    if t["outcome"] == WON:
        told = zip(how["units"], how["unit_huxi"], strict=True)
        cut = " + ".join(f"{_unit_text(unit)} {huxi}" for unit, huxi in told)
        card = KINDS[t["won_with"]]
        first = f"player_{how['winner']} wins 胡 with {card}: {cut} = {how['huxi']} huxi"
    elif t["outcome"] == PIG:
        first = f"player_{how['pig']} is the pig 猪 ({how['reason']})"
    else:
        first = "the stock is exhausted 荒庄"
    return [f"{first}; scores {scores}; player_{how['next_dealer']} deals next"]


def _unit_text(unit: Unit) -> str:
    """A unit in the compact notation of the rules (section 13): ``ban rA(own)+r2``."""
    own = unit.get("own")
    if own is None:
        cards = unit["cards"] if "cards" in unit else [unit["card"]]
        return f"{unit['type']} {compact(cards)}"
    fours, marks = (unit["cards"], own) if unit["type"] == "shuang" else ([unit["card"]], [own])
    told = ",".join("own" if is_own else "other" for is_own in marks)
    company = f"+{compact(unit['with'])}" if unit["with"] else ""
    return f"{unit['type']} {compact(fours)}({told}){company}"


def compact(cards: Sequence[str]) -> str:
    """Cards of one colour: the colour once."""
    return "".join(card[:1] * (i == 0) + card[1] for i, card in enumerate(cards))


def _list_of(names: Any) -> str:
    return ", ".join(names)
