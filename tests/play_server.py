"""The web table's server in a thread of the test run, and pages that talk to it as a browser does."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from websockets.sync.client import ClientConnection, connect

from agents.play import guard
from agents.play.__main__ import listen
from agents.play.folders import Folders
from agents.play.server import make_app

PATIENCE = 120.0  # seconds, where kernels may have to be compiled


class Server:
    """Where it is, and the room inside, for tests that look at what is left running."""

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self.socket = listen(0)
        self.port: int = self.socket.getsockname()[1]
        self.token = guard.new_token()
        app: Any = make_app(self.token, self.port, Folders(folders))
        self.room = app.app.state.room
        config = uvicorn.Config(
            app,
            ws_max_size=guard.LARGEST_MESSAGE,
            log_level="error",
            lifespan="off",
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self.socket]})

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    def __enter__(self) -> Server:
        self._thread.start()
        wait_for(lambda: self._server.started)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(PATIENCE)
        self.socket.close()

    @contextmanager
    def page(self, token: str | None = None, origin: str | None = "") -> Iterator[Page]:
        """An open WebSocket; with another ``token`` or ``origin`` if wanted."""
        own = f"http://127.0.0.1:{self.port}"
        address = f"ws://127.0.0.1:{self.port}/ws?token={self.token if token is None else token}"
        with connect(address, origin=own if origin == "" else origin, max_size=None) as line:  # type: ignore[arg-type]
            yield Page(line)


class Page:
    """What a page sends and gets; all that it got is in ``got``."""

    def __init__(self, line: ClientConnection) -> None:
        self.line, self.got = line, list[dict[str, Any]]()
        self.wait("games")

    def send(self, do: str, **what: Any) -> None:
        self.line.send(json.dumps({"do": do, **what}))

    def next(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.line.recv(PATIENCE))
        self.got.append(message)
        return message

    def wait(self, kind: str, so: Callable[[dict[str, Any]], bool] = lambda _: True) -> dict[str, Any]:
        """The next message of a kind for which ``so`` holds."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            message = self.next()
            if message["is"] == kind and so(message):
                return message
        raise AssertionError(f"no {kind} came")

    def ask(self, do: str, kind: str, **what: Any) -> dict[str, Any]:
        self.send(do, **what)
        return self.wait(kind)

    def refused(self, do: str, **what: Any) -> str:
        """Why something is refused, in English."""
        text: str = self.ask(do, "refused", **what)["text"]["en"]
        return text

    def new(self, game: str, seats: Sequence[str], **what: Any) -> dict[str, Any]:
        """A new table's first picture."""
        return self.ask("new", "table", game=game, seats=list(seats), **what)

    def ready(self, picture: dict[str, Any] | None = None) -> dict[str, Any]:
        """The next picture in which this page is to act, or the game is over."""
        if picture is not None and (picture["mine"] or picture["over"]):
            return picture
        return self.wait("table", lambda p: bool(p["mine"] or p["over"]))


def wait_for(what: Callable[[], bool], patience: float = PATIENCE) -> None:
    """Until it is so; AssertionError if it takes too long."""
    end = time.monotonic() + patience
    while not what():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.01)
