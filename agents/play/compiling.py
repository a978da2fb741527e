"""Whether kernels are being compiled just now, as on a first start: a page that waits says so."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from numba.core.event import Listener, register

QUIET = 1.0  # seconds; kernels that are compiled one after another count as one


class Compiling(Listener):  # type: ignore[misc]
    """Says when the compiler begins, and when it has been idle for a moment.

    Numba compiles in whatever thread calls a kernel; what is said is said in the server's loop.

    Parameters
    ----------
    tell : callable
        Called with True or False.
    """

    def __init__(self, tell: Callable[[bool], None]) -> None:
        self.is_on, self._tell = False, tell
        self._depth, self._lock = 0, threading.Lock()  # a kernel is compiled within another
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: asyncio.TimerHandle | None = None
        register("numba:compile", self)

    def begin(self) -> None:
        """The server's loop runs, it is this one."""
        self._loop = asyncio.get_running_loop()
        self._look()  # it may have begun before

    def on_start(self, event: Any) -> None:
        self._count(1)

    def on_end(self, event: Any) -> None:
        self._count(-1)

    def _count(self, change: int) -> None:
        with self._lock:
            self._depth += change
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._look)

    def _look(self) -> None:
        if self._end is not None:
            self._end.cancel()
            self._end = None
        if self._depth == 0:
            self._end = asyncio.get_running_loop().call_later(QUIET, self._say, False)
        elif not self.is_on:
            self._say(True)

    def _say(self, is_on: bool) -> None:
        self.is_on = is_on
        self._tell(is_on)
