"""What a page may ask for, one function an order."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from . import catalogue
from .choosing import choose, find, places_of
from .players import YOU, offered
from .room import Client, Room, Sitting
from .table import Position, Table
from .thoughts import Thought, think
from .view import eyes_of, stops
from .words import RefusedError

Message = Mapping[str, Any]
FASTEST, SLOWEST = 0.01, 10.0  # seconds between the plays of agents
MOST_CARDS = 100


def _whole(message: Message, name: str, least: int, most: int) -> int:
    value = message.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise RefusedError(f"{name} must be a whole number of {least}..{most}.")
    return value


def _places(message: Message) -> list[int]:
    places = message.get("places", [])
    if not isinstance(places, list) or len(places) > MOST_CARDS:
        raise RefusedError("places must be a list of where cards stand in the hand.")
    return places


def _sitting(client: Client) -> Sitting:
    if client.sitting is None:
        raise RefusedError("Sit down at a table first.", "请先开一局。")
    return client.sitting


def _own_turn(client: Client, message: Message) -> tuple[Sitting, Position]:
    """The table and the position in which this page is to act, and of which it knows."""
    sitting = _sitting(client)
    table = sitting.table
    shown = stops(table, eyes_of(table, client.own, client.is_revealed))
    if table.is_record or table.now.is_over or table.now.turn not in client.own:
        raise RefusedError("It is not your turn.", "还没轮到你。")
    if message.get("stop") != len(shown) - 1:
        raise RefusedError("The game has moved on; look again.", "牌局已经变化，请再看一下。")
    return sitting, table.now


def _looked_at(client: Client) -> tuple[Position, int]:
    """The position that a page looks at, and its number."""
    table = _sitting(client).table
    shown = stops(table, eyes_of(table, client.own, client.is_revealed))
    newest = len(shown) - 1
    if client.stop is None or client.stop >= newest:
        return table.now, newest
    return table.positions[shown[client.stop]], client.stop


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
        raise RefusedError("actions must be a list of whole numbers.")
    settings = message.get("game"), message.get("options", {}), message.get("seats"), message.get("deal")

    def make() -> Table:
        table = Table(*settings, room.folders)  # type: ignore[arg-type]
        try:
            record = {**table.record(), "decisions": [[None, a] for a in actions]}
            for number, action in enumerate(actions):
                record["decisions"][number] = [int(table.raw.agent_selection[7:]), action]
                table.raw.step(action)
        except (ValueError, RuntimeError) as error:
            raise RefusedError(f"This link does not fit its deal: {error}.") from None
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
    number = _whole(message, "number", 0, 10**6)

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
    sitting = _sitting(client)
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
    sitting, position = _own_turn(client, message)
    places = _places(message)
    chosen = await sitting.run(choose, position, places)
    client.send({"is": "chosen", "stop": message.get("stop"), "places": places, **chosen})


async def play(client: Client, room: Room, message: Message) -> None:
    """Play the cards at ``places``, or what has a ``name``; ``name`` and ``key`` choose a reading."""
    sitting, position = _own_turn(client, message)

    def make() -> None:
        if sitting.table.now is not position:
            raise RefusedError("The game has moved on; look again.", "牌局已经变化，请再看一下。")
        found = find(position, _places(message), message.get("name"), message.get("key"))
        sitting.table.play(found.actions)

    await sitting.run(make)
    client.stop = None
    await sitting.show_all()


async def undo(client: Client, room: Room, message: Message) -> None:
    """Take back to the last own decision."""
    sitting = _sitting(client)
    if client.role != YOU:
        raise RefusedError("Only who opened the table may take back.", "只有开桌的人可以悔棋。")
    await sitting.run(sitting.table.undo, client.own)
    sitting.trouble = None
    for other in sitting.clients:
        other.stop = None
    await sitting.show_all()


# --- looking --------------------------------------------------------------------------------------


async def look(client: Client, room: Room, message: Message) -> None:
    """Look at an earlier position: ``to`` is its number, null for the newest."""
    client.stop = None if message.get("to") is None else _whole(message, "to", 0, 10**6)
    await _sitting(client).show(client)


async def reveal(client: Client, room: Room, message: Message) -> None:
    """See all hands, or no more (``on``), in training."""
    sitting = _sitting(client)
    if message.get("on") and (not sitting.table.is_training or client.role != YOU):
        raise RefusedError("Hands can be revealed in training games only.", "只有练习模式可以亮牌。")
    client.is_revealed = bool(message.get("on"))
    await sitting.show(client)


async def _think(client: Client, message: Message) -> tuple[Position, int, list[Thought], float | None]:
    sitting = _sitting(client)
    table = sitting.table
    position, stop = _looked_at(client)
    if position.is_over:
        raise RefusedError("The game is over.", "牌局已经结束。")
    eyes = eyes_of(table, client.own, client.is_revealed)
    if position.turn not in eyes or (table.has_people and not table.is_training and not table.now.is_over):
        raise RefusedError(
            "An agent can be asked in training games, about hands that you see.",
            "练习模式里，能看到的牌才可以请教。",
        )
    async with sitting.thinking:
        found, value = await asyncio.to_thread(think, table, position, str(message.get("agent")))
    return position, stop, found, value


async def hint(client: Client, room: Room, message: Message) -> None:
    """What an ``agent`` would play for the seat to act."""
    position, stop, found, _ = await _think(client, message)
    best = max(found, key=lambda thought: thought.probability).play
    where = places_of(position, best.cards) if best.name == "discard" or _is_climbing(position) else []
    told = {"name": best.name, "key": best.key, "cards": list(best.cards), "places": where}
    client.send({"is": "hint", "agent": message.get("agent"), "stop": stop, **told})


def _is_climbing(position: Position) -> bool:
    return position.game.name in ("guan_pai", "zheng_shang_you")


async def thoughts(client: Client, room: Room, message: Message) -> None:
    """How probable each play is to an ``agent``."""
    _, stop, found, value = await _think(client, message)
    bars = [
        {"name": t.play.name, "key": t.play.key, "cards": list(t.play.cards), "chance": t.probability}
        for t in found
    ]
    client.send(
        {"is": "thoughts", "agent": message.get("agent"), "stop": stop, "bars": bars} | {"value": value}
    )


async def pace(client: Client, room: Room, message: Message) -> None:
    """How agents play among themselves: ``paused``, ``seconds`` between plays, ``step`` for a single one."""
    sitting = _sitting(client)
    if client.role != YOU:
        raise RefusedError("Only who opened the table sets the pace.", "只有开桌的人可以控制速度。")
    seconds = message.get("seconds", sitting.pace)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not FASTEST <= seconds <= SLOWEST:
        raise RefusedError(f"The pace is {FASTEST}..{SLOWEST} seconds.")
    sitting.pace, sitting.is_paused = float(seconds), bool(message.get("paused", sitting.is_paused))
    sitting.steps = 1 if message.get("step") else 0
    await sitting.show_all()


ORDERS: Mapping[str, Callable[[Client, Room, Message], Awaitable[None]]] = {
    "new": new, "replay": replay, "join": join, "record": record, "file": file, "files": files,
    "agents": agents, "save": save, "choose": choose_cards, "play": play, "undo": undo, "look": look,
    "reveal": reveal, "hint": hint, "thoughts": thoughts, "pace": pace,
}  # fmt: skip
