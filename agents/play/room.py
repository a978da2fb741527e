"""The tables that are open, the pages that sit at them, and the agents' turns."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from .folders import Folders
from .guard import MOST_TABLES
from .players import GUEST, YOU
from .table import Table
from .view import picture
from .words import RefusedError, Text

R = TypeVar("R")
WAITING_MESSAGES = 256  # for a page that does not read them
PACE = 0.7  # seconds between the plays of agents, where nobody plays against them


def as_json(message: Any) -> str:
    """A message as text; NumPy's integers are integers."""

    def plain(value: Any) -> Any:
        if isinstance(value, np.integer):
            return int(value)
        raise TypeError(f"{type(value).__name__} is nothing to send")

    return json.dumps(message, default=plain, ensure_ascii=False, separators=(",", ":"))


class Client:
    """A page: what is to be sent to it, where it sits, what it looks at."""

    def __init__(self) -> None:
        self.outbox: asyncio.Queue[str | None] = asyncio.Queue(WAITING_MESSAGES)
        self.sitting: Sitting | None = None
        self.role: str | None = None  # YOU, GUEST, or None for one who watches
        self.is_revealed = False
        self.stop: int | None = None

    def send(self, message: Any) -> None:
        """Have a message sent; a page that has stopped reading is given up."""
        try:
            self.outbox.put_nowait(as_json(message))
        except asyncio.QueueFull:
            self.give_up()

    def give_up(self) -> None:
        """Have the connection closed."""
        while not self.outbox.empty():
            self.outbox.get_nowait()
        self.outbox.put_nowait(None)

    def refuse(self, text: Text) -> None:
        """Tell the person why something cannot be."""
        self.send({"is": "refused", "text": text})

    @property
    def own(self) -> frozenset[int]:
        """The seats that this page plays."""
        if self.sitting is None or self.role is None:
            return frozenset()
        return frozenset(i for i, name in enumerate(self.sitting.table.seats) if name == self.role)


class Sitting:
    """An open table: who is there, and a task that lets the agents play while somebody is."""

    def __init__(self, table: Table) -> None:
        self.table, self.name = table, secrets.token_urlsafe(6)
        self.keys = {YOU: secrets.token_urlsafe(12), GUEST: secrets.token_urlsafe(12)}
        self.is_guest_there = False
        self.clients: set[Client] = set()
        self.lock = asyncio.Lock()
        self.thinking = asyncio.Lock()  # of advisers
        self.changed = asyncio.Event()
        self.pace, self.is_paused, self.steps = PACE, False, 0
        self.trouble: Text | None = None
        self._task: asyncio.Task[None] | None = None

    async def run(self, what: Callable[..., R], *arguments: Any) -> R:
        """Change or look at the table in a thread, one at a time."""
        async with self.lock:
            return await asyncio.to_thread(what, *arguments)

    async def show(self, client: Client) -> None:
        """Send a page its picture."""
        seen = await self.run(picture, self.table, client.own, client.is_revealed, client.stop)
        seen |= {"table": self.name, "pace": self.pace, "paused": self.is_paused, "trouble": self.trouble}
        seen["guests"] = GUEST in self.table.seats
        client.send(seen)

    async def show_all(self) -> None:
        """Send everybody their pictures, and let the agents go on."""
        for client in list(self.clients):
            await self.show(client)
        self.changed.set()

    def enter(self, client: Client, key: Any = None) -> None:
        """A page comes: to the seats of its key, to the guest's seats if they are free, or to watch."""
        client.sitting, client.stop, client.is_revealed, client.role = self, None, False, None
        for role, secret in self.keys.items():
            if isinstance(key, str) and secrets.compare_digest(key.encode(), secret.encode()):
                client.role = role
        if client.role is None and GUEST in self.table.seats and not self.is_guest_there:
            client.role = GUEST
        self.is_guest_there |= client.role == GUEST
        self.clients.add(client)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._let_agents_play())
        key_of_it = self.keys[client.role] if client.role else None
        client.send({"is": "seated", "table": self.name, "key": key_of_it, "role": client.role})

    def leave(self, client: Client) -> None:
        """A page goes; with the last one the agents stop."""
        self.clients.discard(client)
        client.sitting = None
        if not self.clients and self._task is not None:
            self._task.cancel()
            self._task = None

    @property
    def is_running(self) -> bool:
        """Whether agents may play."""
        return self._task is not None and not self._task.done()

    def _may_go_on(self) -> bool:
        now = self.table.now
        if self.table.is_record or now.is_over or self.trouble is not None:
            return False
        if self.table.seats[now.turn] in (YOU, GUEST):
            return False
        return not self.is_paused or self.steps > 0

    async def _let_agents_play(self) -> None:
        while True:
            if not self._may_go_on():
                self.changed.clear()
                if not self._may_go_on():
                    await self.changed.wait()
                continue
            position = self.table.now
            try:
                actions = await asyncio.to_thread(self.table.decide, position)
            except RefusedError as refused:
                self.trouble = refused.text
                await self.show_all()
                continue
            async with self.lock:
                if self.table.now is not position:
                    continue  # taken back meanwhile
                await asyncio.to_thread(self.table.play, actions)
            self.steps = max(0, self.steps - 1)
            await self.show_all()
            if not self.table.has_people and not self.is_paused:
                await asyncio.sleep(self.pace)


class Room:
    """All open tables.

    Parameters
    ----------
    folders : Folders
        What runs and records may be looked at.
    """

    def __init__(self, folders: Folders) -> None:
        self.folders, self.clients = folders, set[Client]()
        self.sittings: dict[str, Sitting] = {}

    def open(self, table: Table) -> Sitting:
        """A new table; the oldest ones that nobody is at are cleared away; refused where all are taken."""
        for name, sitting in list(self.sittings.items()):
            if len(self.sittings) >= MOST_TABLES and not sitting.clients:
                del self.sittings[name]
        if len(self.sittings) >= MOST_TABLES:
            raise RefusedError(
                f"There are {MOST_TABLES} tables already; close a page that is at one.",
                f"已经有 {MOST_TABLES} 张牌桌；请先关掉一个页面。",
            )
        sitting = Sitting(table)
        self.sittings[sitting.name] = sitting
        return sitting

    def find(self, name: Any) -> Sitting:
        """The open table of this name; refused if there is none."""
        sitting = self.sittings.get(name) if isinstance(name, str) else None
        if sitting is None:
            raise RefusedError(
                "This table has been cleared away; start a new game.", "这张牌桌已经收了，请开新局。"
            )
        return sitting

    def seat(self, client: Client, sitting: Sitting, key: Any = None) -> None:
        """Take a page to a table, away from where it was."""
        if client.sitting is not None:
            client.sitting.leave(client)
        sitting.enter(client, key)

    def tell_all(self, message: Any) -> None:
        """Send a message to every page."""
        for client in list(self.clients):
            client.send(message)

    def leave(self, client: Client) -> None:
        """A page has gone."""
        self.clients.discard(client)
        if client.sitting is not None:
            client.sitting.leave(client)
