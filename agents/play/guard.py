"""Who may connect, how much may be said at once and how often."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from time import monotonic

LARGEST_MESSAGE = 512 * 1024  # bytes, a record among them
MOST_CLIENTS, MOST_TABLES = 32, 64
BURST, PER_SECOND = 200, 50  # messages of one page
MOST_QUESTIONS = 4  # of one page, while it goes on
HOSTS = ("127.0.0.1", "localhost")


def new_token() -> str:
    """A token for the address of the page, made anew with every start."""
    return secrets.token_urlsafe(18)


def is_same(given: str | None, token: str) -> bool:
    """Whether a token is the right one, in a time that does not tell how much of it is."""
    return secrets.compare_digest((given or "").encode(), token.encode())


def is_own_host(host: str | None, port: int) -> bool:
    """Whether a Host header names this server: a page elsewhere cannot make its own name mean it."""
    return host in [f"{name}:{port}" for name in HOSTS]


def is_own_origin(origin: str | None, host: str | None, port: int) -> bool:
    """Whether a page may open the WebSocket: only one that came from here."""
    return is_own_host(host, port) and origin == f"http://{host}"


def headers(port: int) -> list[tuple[str, str]]:
    """What every answer says: nothing from elsewhere, no frames, nothing kept."""
    sockets = " ".join(f"ws://{name}:{port}" for name in HOSTS)
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        f"connect-src 'self' {sockets}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return [
        ("content-security-policy", policy),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "no-store"),
    ]


class Allowance:
    """How many messages a page may still send: ``burst`` at once, ``rate`` a second for long.

    >>> clock = iter([0.0, 0.0, 0.0, 0.0, 1.0])
    >>> allowance = Allowance(2, 1, clock=lambda: next(clock))
    >>> [allowance.take() for _ in range(4)]
    [True, True, False, True]
    """

    def __init__(
        self, burst: float = BURST, rate: float = PER_SECOND, clock: Callable[[], float] = monotonic
    ) -> None:
        self._left, self._burst, self._rate, self._clock = float(burst), burst, rate, clock
        self._last = clock()

    def take(self) -> bool:
        """Whether one more may come."""
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._last) * self._rate)
        self._last = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
