"""Threads that wait for work in compiled code: handing them a job costs a microsecond, not fifty.

An executor's thread sleeps between jobs, and to wake it takes about as long as a step of a thousand
tables. A thread of a :class:`Crew` stays awake for a while: in compiled code, which other Python threads
do not hold up, it looks at a number in memory, its **ticket**, until that changes; does what the ticket
says; and writes the ticket's number to ``done``. After many looks in vain it sleeps like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from platform import machine
from threading import Semaphore, Thread
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from .jit import njit

STOP = -1  # a ticket that ends the thread
PATIENCE = 20_000  # looks before a thread sleeps: about half a millisecond
_CACHE_LINES = 16  # numbers between two that different threads write
_BYTES = 8

# serve(ticket, done, patience): what a thread runs; returns after `patience` looks in vain, or at STOP.
Serve = Callable[[NDArray[np.int64], NDArray[np.int64], int], None]


@intrinsic
def load(typing_context: Any, array: Any) -> Any:
    """The first number of ``array`` (int64), read anew from memory, with all that was written before it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        numbers = context.make_array(signature.args[0])(context, builder, arguments[0])
        return builder.load_atomic(numbers.data, "acquire", _BYTES)

    return types.int64(array), generate


@intrinsic
def store(typing_context: Any, array: Any, number: Any) -> Any:
    """Write ``number`` to the start of ``array`` (int64), after all that was written before."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        numbers = context.make_array(signature.args[0])(context, builder, arguments[0])
        builder.store_atomic(arguments[1], numbers.data, "release", _BYTES)
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


@intrinsic
def pause(typing_context: Any) -> Any:
    """Leave the core to its other hardware thread for a moment, where the processor knows how."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if machine() in ("x86_64", "AMD64"):
            kind = ir.FunctionType(ir.VoidType(), [])
            builder.call(builder.module.declare_intrinsic("llvm.x86.sse2.pause", (), kind), [])
        return context.get_dummy_value()

    return types.void(), generate


@njit
def post(ticket, number):
    """Let the thread that looks at ``ticket`` see ``number``."""
    store(ticket, number)


@njit
def see(done, number, patience):
    """Look at ``done`` until it is ``number``; False after ``patience`` looks."""
    for _ in range(patience):
        if load(done) == number:
            return True
        pause()
    return False


class _Helper:
    """One thread with its ticket. The thread itself knows only what it needs, so that this can be deleted."""

    def __init__(self, serve: Serve) -> None:
        self.ticket, self.done = np.zeros(_CACHE_LINES, np.int64), np.zeros(_CACHE_LINES, np.int64)
        self.is_asleep, self.wake = [False], Semaphore(0)
        what = (serve, self.ticket, self.done, self.is_asleep, self.wake)
        self.thread = Thread(target=_serve_and_sleep, args=what, daemon=True)
        self.thread.start()

    def post(self, number: int) -> None:
        post(self.ticket, number)
        if self.is_asleep[0]:
            self.wake.release()


def _serve_and_sleep(
    serve: Serve, ticket: NDArray[np.int64], done: NDArray[np.int64], is_asleep: list[bool], wake: Semaphore
) -> None:
    while ticket[0] != STOP:
        serve(ticket, done, PATIENCE)
        is_asleep[0] = True  # first this, then a last look: a ticket posted in between is not overlooked
        if ticket[0] == done[0]:
            wake.acquire()
        is_asleep[0] = False


class Crew:
    """Threads besides the caller's, one for each of ``serves``; they end with this object.

    A ticket is a whole number of at least 1, never the same twice in a row.
    """

    def __init__(self, serves: Sequence[Serve]) -> None:
        self._helpers = [_Helper(serve) for serve in serves]

    def is_alive(self) -> bool:
        """Whether all threads run: not after an error, nor in a forked process."""
        return all(helper.thread.is_alive() for helper in self._helpers)

    def post(self, number: int) -> None:
        """Give every thread this ticket."""
        for helper in self._helpers:
            helper.post(number)

    def wait(self, number: int) -> None:
        """Return when every thread is done with this ticket; RuntimeError if one failed."""
        for helper in self._helpers:
            while not see(helper.done, number, PATIENCE):
                if not helper.thread.is_alive():
                    raise RuntimeError("a thread of this vector failed; what it says is above")

    def close(self) -> None:
        """Let the threads end."""
        for helper in self._helpers:
            helper.post(STOP)
        self._helpers = []

    def __del__(self) -> None:
        self.close()
