"""Stopping at a good moment: Ctrl-C and SIGTERM are noted, and heeded between two steps of a run."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stopping:
    """While this is entered the first signal sets ``requested``; another one interrupts at once.

    A KeyboardInterrupt out of nowhere would leave a step half done, and compiled code and C libraries
    may swallow it. Outside the main thread, where signals do not arrive, nothing is set up.
    """

    def __init__(self) -> None:
        self.requested = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Stopping:
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._note) for number in SIGNALS}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._restore()

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.requested = True
        self._restore()

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}

    def heed(self) -> None:
        """Raise KeyboardInterrupt if a stop has been requested."""
        if self.requested:
            raise KeyboardInterrupt
