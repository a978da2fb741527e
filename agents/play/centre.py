"""What lies on the table, by game: public facts of a record, and what the seat to act may choose by name."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from envs.core.game import Play
from envs.core.plays import PASS
from envs.diao_xie.text import amount_of
from envs.guan_pai.rules import DINGDA_OFF
from envs.xiangxi96.claims import DISCARDING
from envs.xiangxi96.kinds import KINDS, NO_KIND, NUM_CARDS, NUM_KINDS, OTHERS
from envs.xiangxi96.units import huxi_of, melds_of

from .position import Position, is_climbing
from .reasons import why_not
from .settlement import hand_name, settle
from .table import Table
from .words import Text, say


def hides_turn(position: Position, eyes: Set[int]) -> bool:
    """Whether who is asked is hidden: in Xiangxi 96 others do not see who may take a card."""
    if position.game.name != "xiangxi96" or position.is_over or position.turn in eyes:
        return False
    return bool(position.t["phase"] != DISCARDING)


def hides_step(position: Position, eyes: Set[int]) -> bool:
    """Whether the play that led to a position is hidden: a claim that was passed."""
    step = position.step
    return (
        position.game.name == "xiangxi96"
        and step is not None
        and step.play.name == PASS
        and step.seat not in eyes
    )


def told(play: Play) -> dict[str, Any]:
    """A play for the page."""
    return {"name": play.name, "key": play.key, "cards": list(play.cards)}


# --- the climbing games ---------------------------------------------------------------------------


def _climbing(table: Table, index: int) -> dict[str, Any]:
    """The trick: the last play, and each seat's latest one."""
    position = table.positions[index]
    latest: list[dict[str, Any] | None] = [None] * table.info.num_players
    for earlier in table.positions[1 : index + 1]:
        step = earlier.step
        assert step is not None
        if step.led:
            latest = [None] * table.info.num_players
        latest[step.seat] = told(step.play)
    last = position.last
    return {
        "kind": "trick",
        "latest": latest,
        "beat": None if last is None else {"seat": last.seat, **told(last.play)},
        "notes": [] if position.is_over else _duties(position),
    }


def _duties(position: Position) -> list[Text]:
    """Rules that bind the seat to act just now."""
    t, notes = position.t, []
    if position.game.name == "guan_pai":
        follower = (position.turn + 1) % position.info.num_players
        if t["dingda"] != DINGDA_OFF and t["left"][follower] == 1:
            notes.append(
                say(
                    "Dingda 頂大: the next seat has one card, so a single has to be the highest.",
                    "顶大：下家只剩一张，出单张要出最大的。",
                )
            )
        if t["lead_diamond_three"] and t["plays"] == 0:
            notes.append(say("The first play must contain 3♦.", "首轮出牌必须含方块三。"))
    elif t["lead_spade_three"] and t["plays"] == 0:
        notes.append(say("The first play must contain 3♠.", "首轮出牌必须含黑桃三。"))
    return notes


# --- Diao Xie -------------------------------------------------------------------------------------


def _diao_xie(table: Table, index: int, eyes: Set[int]) -> dict[str, Any]:
    t, n = table.positions[index].t, table.info.num_players
    did: list[list[str]] = [[] for _ in range(n)]
    for earlier in table.positions[1 : index + 1]:
        step = earlier.step
        assert step is not None
        did[step.seat].append(step.play.name)
        if any(event == "wins" for _, event, _ in earlier.events) and not earlier.is_over:
            did = [[] for _ in range(n)]
    ended = [
        (before, after)
        for before, after in zip(table.positions[:index], table.positions[1 : index + 1], strict=True)
        if any(event == "wins" for _, event, _ in after.events)
    ]
    is_limit = table.rules.as_dict()["betting"] == "limit"
    return {
        "kind": "pot",
        "pot": int(t["pot"]),
        "stakes": [int(stake) for stake in t["stakes"][:n]],
        "folded": [bool(gone) for gone in t["folded"][:n]],
        "did": did,
        "head": int(t["head"]) if not is_limit else 0,
        "hand": int(t["hand"]) + (not table.positions[index].is_over),
        "hands": int(t["hands"]),
        "is_limit": is_limit,
        "named": [hand_name(*t["cards"][s].tolist()) if s in eyes else None for s in range(n)],
        "settled": settle(*ended[-1]).lines if ended and not table.positions[index].is_over else [],
        "notes": [],
    }


# --- Xiangxi 96 -----------------------------------------------------------------------------------


def _xiangxi96(position: Position, n: int) -> dict[str, Any]:
    t = position.t
    offered = None
    if t["card"] != NO_KIND and t["phase"] != DISCARDING and not position.is_over:
        offered = {"card": KINDS[t["card"]], "seat": int(t["owner"]), "is_flip": bool(t["is_flip"])}
    melds = [[{**unit, "huxi": huxi_of(t, unit)} for unit in melds_of(t, seat)] for seat in range(n)]
    piles = [
        [KINDS[kind] for kind in range(NUM_KINDS) for _ in range(int(t["piles"][seat, kind]))]
        for seat in range(n)
    ]
    return {
        "kind": "melds",
        "stock": NUM_CARDS - int(t["dealt"]),
        "dealer": int(t["dealer"]),
        "offered": offered,
        "melds": melds,
        "piles": piles,
        "huxi": [int(worth) for worth in t["worth"][:n]],
        "credits": [int(credit) for credit in t["credit"][:n]],
        "notes": [],
    }


def centre(table: Table, index: int, eyes: Set[int]) -> dict[str, Any]:
    """What lies on the table at position ``index``, for who sees the hands of the seats ``eyes``."""
    if table.game.name == "diao_xie":
        return _diao_xie(table, index, eyes)
    if table.game.name == "xiangxi96":
        return _xiangxi96(table.positions[index], table.info.num_players)
    return _climbing(table, index)


def choices(position: Position) -> list[dict[str, Any]]:
    """What the seat to act may choose by name: passes, claims, bets; what a bet stakes, what a claim lays.

    A pass that is not allowed is there with the reason ``why``.
    """
    made = []
    for play in position.plays:
        if play.name == "discard" or (play.cards and position.game.name != "xiangxi96"):
            continue
        choice: dict[str, Any] = {"name": play.name}
        if position.game.name == "diao_xie":
            choice["amount"] = amount_of(position.t, play.actions[0])
        elif position.game.name == "xiangxi96" and play.name not in (PASS, "hu"):
            card = int(position.t["card"])
            others = list(play.cards) or [KINDS[kind] for kind in OTHERS[card]]
            choice["cards"] = [KINDS[card], *others]
        made.append(choice)
    if is_climbing(position.game) and not any(choice["name"] == PASS for choice in made):
        made.append({"name": PASS, "why": why_not(position, [])})
    return made
