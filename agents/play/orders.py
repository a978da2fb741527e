"""What a page may ask for, one function an order."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from . import catalogue
from .asked import Message, own_turn, places_of_message, sitting_of, whole
from .choosing import choose, find
from .looking import hint, look, pace, reveal, thoughts
from .players import YOU, offered
from .room import Client, Room
from .table import Table
from .view import eyes_of
from .words import RefusedError


async def _start(client: Client, room: Room, table: Table) -> None:
    sitting = room.open(table)
    room.seat(client, sitting, sitting.keys[YOU])
    await sitting.show_all()


# --- tables ---------------------------------------------------------------------------------------


async def new(client: Client, room: Room, message: Message) -> None:
    """A new game: ``game``, ``options``, ``seats``, ``deal`` or null for any, ``training``."""
    deal = message.get("deal")
    given = secrets.randbits(32) if deal is None else deal
    settings: tuple[Any, Any, Any] = (message.get("game"), message.get("options", {}), message.get("seats"))
    table = await asyncio.to_thread(
        Table, *settings, given, room.folders, bool(message.get("training", True))
    )
    await _start(client, room, table)


async def replay(client: Client, room: Room, message: Message) -> None:
    """A ``deal`` that was played, by its ``actions``: what a link to a position holds."""
    actions = message.get("actions")
    if not isinstance(actions, list) or len(actions) > 5000 or not all(type(a) is int for a in actions):
        raise RefusedError("actions must be a list of whole numbers.", "actions 是整数的列表。")
    settings = message.get("game"), message.get("options", {}), message.get("seats"), message.get("deal")

    def make() -> Table:
        table = Table(*settings, room.folders)  # type: ignore[arg-type]
        try:
            record = {**table.record(), "decisions": [[None, a] for a in actions]}
            for number, action in enumerate(actions):
                record["decisions"][number] = [int(table.raw.agent_selection[7:]), action]
                table.raw.step(action)
        except (ValueError, RuntimeError) as error:
            raise RefusedError(
                f"This link does not fit its deal: {error}.", f"这个链接与牌局不符：{error}。"
            ) from None
        again = Table.from_record(record, room.folders)
        again.seats = table.seats
        return again

    await _start(client, room, await asyncio.to_thread(make))


async def join(client: Client, room: Room, message: Message) -> None:
    """Come to an open ``table``, with its ``key`` if the page has sat there."""
    sitting = room.find(message.get("table"))
    room.seat(client, sitting, message.get("key"))
    await sitting.show_all()


async def record(client: Client, room: Room, message: Message) -> None:
    """Look at a ``record`` that the page holds."""
    given = message.get("record")
    await _start(client, room, await asyncio.to_thread(Table.from_record, given, room.folders))


async def file(client: Client, room: Room, message: Message) -> None:
    """Look at game ``number`` of the records ``name`` in the folders given."""
    number = whole(message, "number", 0, 10**6)

    def make() -> Table:
        return Table.from_record(room.folders.record(str(message.get("name")), number), room.folders)

    table = await asyncio.to_thread(make)
    await _start(client, room, table)
    client.send({"is": "file", "name": message.get("name"), "number": number})


async def files(client: Client, room: Room, message: Message) -> None:
    """Which records there are in the folders given."""
    client.send({"is": "files", "files": await asyncio.to_thread(room.folders.records)})


async def agents(client: Client, room: Room, message: Message) -> None:
    """The names of agents for a ``game``."""
    game = str(message.get("game"))
    catalogue.make_rules(game, {})
    client.send(
        {"is": "agents", "game": game, "agents": await asyncio.to_thread(offered, game, room.folders)}
    )


async def save(client: Client, room: Room, message: Message) -> None:
    """The game as a record, once all may be seen."""
    sitting = sitting_of(client)
    table = sitting.table
    if len(eyes_of(table, client.own, client.is_revealed)) < table.info.num_players:
        raise RefusedError(
            "A record holds all hands: finish the game, or reveal them first.",
            "记录里有所有人的牌：请先打完，或先亮牌。",
        )
    client.send({"is": "saved", "record": await sitting.run(table.record)})


# --- playing --------------------------------------------------------------------------------------


async def choose_cards(client: Client, room: Room, message: Message) -> None:
    """What the cards at ``places`` are, and which may be added."""
    sitting, position = own_turn(client, message)
    places = places_of_message(message)
    chosen = await sitting.run(choose, position, places)
    client.send({"is": "chosen", "stop": message.get("stop"), "places": places, **chosen})


async def play(client: Client, room: Room, message: Message) -> None:
    """Play the cards at ``places``, or what has a ``name``; ``name`` and ``key`` choose a reading."""
    sitting, position = own_turn(client, message)

    def make() -> None:
        if sitting.table.now is not position:
            raise RefusedError("The game has moved on; look again.", "牌局已经变化，请再看一下。")
        found = find(position, places_of_message(message), message.get("name"), message.get("key"))
        sitting.table.play(found.actions)

    await sitting.run(make)
    client.stop = None
    await sitting.show_all()


async def undo(client: Client, room: Room, message: Message) -> None:
    """Take back to the last own decision."""
    sitting = sitting_of(client)
    if client.role != YOU:
        raise RefusedError("Only who opened the table may take back.", "只有开桌的人可以悔棋。")
    await sitting.run(sitting.table.undo, client.own)
    sitting.trouble = None
    for other in sitting.clients:
        other.stop = None
    await sitting.show_all()


ORDERS: Mapping[str, Callable[[Client, Room, Message], Awaitable[None]]] = {
    "new": new, "replay": replay, "join": join, "record": record, "file": file, "files": files,
    "agents": agents, "save": save, "choose": choose_cards, "play": play, "undo": undo, "look": look,
    "reveal": reveal, "hint": hint, "thoughts": thoughts, "pace": pace,
}  # fmt: skip
QUESTIONS = frozenset({"hint", "thoughts"})  # an agent may think about them for long, and they change nothing
