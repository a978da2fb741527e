"""What orders have in common: the table of a page, its turn, and numbers and cards in a message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .position import Position
from .room import Client, Sitting
from .view import eyes_of, stops
from .words import RefusedError

Message = Mapping[str, Any]
MOST_CARDS = 100


def whole(message: Message, name: str, least: int, most: int) -> int:
    value = message.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise RefusedError(
            f"{name} must be a whole number of {least}..{most}.", f"{name} 必须是 {least} 到 {most} 的整数。"
        )
    return value


def places_of_message(message: Message) -> list[int]:
    places = message.get("places", [])
    if not isinstance(places, list) or len(places) > MOST_CARDS:
        raise RefusedError(
            "places must be a list of where cards stand in the hand.", "places 是手牌位置的列表。"
        )
    return places


def sitting_of(client: Client) -> Sitting:
    if client.sitting is None:
        raise RefusedError("Sit down at a table first.", "请先开一局。")
    return client.sitting


def own_turn(client: Client, message: Message) -> tuple[Sitting, Position]:
    """The table and the position in which this page is to act, and of which it knows."""
    sitting = sitting_of(client)
    table = sitting.table
    shown = stops(table, eyes_of(table, client.own, client.is_revealed))
    if table.is_record or table.now.is_over or table.now.turn not in client.own:
        raise RefusedError("It is not your turn.", "还没轮到你。")
    if message.get("stop") != len(shown) - 1:
        raise RefusedError("The game has moved on; look again.", "牌局已经变化，请再看一下。")
    return sitting, table.now


def looked_at(client: Client) -> tuple[Position, int]:
    """The position that a page looks at, and its number."""
    table = sitting_of(client).table
    shown = stops(table, eyes_of(table, client.own, client.is_revealed))
    newest = len(shown) - 1
    if client.stop is None or client.stop >= newest:
        return table.now, newest
    return table.positions[shown[client.stop]], client.stop
