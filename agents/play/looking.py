"""Orders that change nothing of a game: to look back, to see hands, to ask an agent, to set the pace."""

from __future__ import annotations

import asyncio

from .asked import Message, looked_at, sitting_of, whole
from .centre import told
from .choosing import places_of
from .players import YOU
from .position import Position, is_climbing
from .room import Client, Room
from .thoughts import Thought, think
from .view import eyes_of
from .words import RefusedError

FASTEST, SLOWEST = 0.01, 10.0  # seconds between the plays of agents


async def look(client: Client, room: Room, message: Message) -> None:
    """Look at an earlier position: ``to`` is its number, null for the newest."""
    client.stop = None if message.get("to") is None else whole(message, "to", 0, 10**6)
    await sitting_of(client).show(client)


async def reveal(client: Client, room: Room, message: Message) -> None:
    """See all hands, or no more (``on``), in training."""
    sitting = sitting_of(client)
    if message.get("on") and (not sitting.table.is_training or client.role != YOU):
        raise RefusedError("Hands can be revealed in training games only.", "只有练习模式可以亮牌。")
    client.is_revealed = bool(message.get("on"))
    client.stop = None  # with other eyes there are other positions to stop at
    await sitting.show(client)


async def _think(client: Client, message: Message) -> tuple[Position, int, list[Thought], float | None]:
    """What an agent thinks of the position that a page looks at, and that position's number."""
    sitting = sitting_of(client)
    table = sitting.table
    position, stop = looked_at(client)
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
    if not any(position is known for known in table.positions):  # taken back meanwhile
        raise RefusedError("The game has moved on; look again.", "牌局已经变化，请再看一下。")
    return position, stop, found, value


async def hint(client: Client, room: Room, message: Message) -> None:
    """What an ``agent`` would play for the seat to act."""
    name = sitting_of(client).name
    position, stop, found, _ = await _think(client, message)
    best = found[0].play
    where = places_of(position, best.cards) if best.name == "discard" or is_climbing(position.game) else []
    about = {"agent": message.get("agent"), "table": name, "stop": stop}
    client.send({"is": "hint", **about, **told(best), "places": where})


async def thoughts(client: Client, room: Room, message: Message) -> None:
    """How probable each play is to an ``agent``, or the points that search expects of it."""
    name = sitting_of(client).name
    _, stop, found, value = await _think(client, message)
    bars = [
        {**told(thought.play), "chance": thought.probability, "points": thought.points}
        | {"worlds": thought.worlds, "begun": thought.is_begun}
        for thought in found
    ]
    about = {"agent": message.get("agent"), "table": name, "stop": stop}
    client.send({"is": "thoughts", **about, "bars": bars, "value": value})


async def pace(client: Client, room: Room, message: Message) -> None:
    """How agents play among themselves: ``paused``, ``seconds`` between plays, ``step`` for a single one."""
    sitting = sitting_of(client)
    if client.role != YOU:
        raise RefusedError("Only who opened the table sets the pace.", "只有开桌的人可以控制速度。")
    seconds = message.get("seconds", sitting.pace)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not FASTEST <= seconds <= SLOWEST:
        raise RefusedError(
            f"The pace is {FASTEST}..{SLOWEST} seconds.", f"速度是 {FASTEST} 到 {SLOWEST} 秒。"
        )
    sitting.pace, sitting.is_paused = float(seconds), bool(message.get("paused", sitting.is_paused))
    sitting.steps = 1 if message.get("step") else 0
    await sitting.show_all()
