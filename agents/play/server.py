"""The page and its WebSocket: who may connect, and what is said to whom."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from envs.core.drawing.shapes import CARDS_FILE

from . import catalogue, guard
from .compiling import Compiling
from .folders import Folders
from .orders import ORDERS, QUESTIONS
from .room import Client, Room
from .words import RefusedError, say

STATIC = Path(__file__).parent / "static"
SEND_WITHIN = 10.0  # seconds; a page that takes longer is given up
POLICY_VIOLATION, TOO_BIG, TRY_LATER = 1008, 1009, 1013  # codes of closing


class Guarded:
    """Around the application: the Host header has to be ours, and every answer carries the headers."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self.app, self.port = app, port
        self.headers = [(k.encode(), v.encode()) for k, v in guard.headers(port)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                ours = {name for name, _ in self.headers}
                kept = [pair for pair in message.get("headers", []) if pair[0].lower() not in ours]
                message = {**message, "headers": [*kept, *self.headers]}
            await send(message)

        if scope["type"] == "http":
            host = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
            if not guard.is_own_host(host, self.port):
                refusal = PlainTextResponse("This server is for its own machine alone.", 403)
                await refusal(scope, receive, send_with_headers)
                return
        await self.app(scope, receive, send_with_headers)


def parse(text: str | None) -> Mapping[str, Any]:
    """A message of a page; refused if it is none."""
    try:
        message = json.loads(text or "")
    except (ValueError, RecursionError):
        raise RefusedError("This message is not JSON.", "这条消息不是 JSON。") from None
    if not isinstance(message, dict) or message.get("do") not in ORDERS:
        raise RefusedError(
            f"A message is an object whose 'do' is one of {', '.join(ORDERS)}.",
            f"消息是一个对象，do 是 {'、'.join(ORDERS)} 之一。",
        )
    return message


def make_app(token: str, port: int, folders: Folders) -> ASGIApp:
    """The application.

    Parameters
    ----------
    token : str
        What the address of the page has to hold.
    port : int
        Where it is served: the only origin that is let in.
    folders : Folders
        What runs and records may be looked at.
    """
    room = Room(folders)
    compiling = Compiling(lambda is_on: room.tell_all({"is": "compiling", "on": is_on}))

    async def page(request: Request) -> Response:
        if not guard.is_same(request.query_params.get("token"), token):
            return PlainTextResponse("Open the address that the program printed: it holds a token.", 403)
        return FileResponse(STATIC / "index.html")

    async def talk(socket: WebSocket) -> None:
        origin, host = socket.headers.get("origin"), socket.headers.get("host")
        if not guard.is_own_origin(origin, host, port) or not guard.is_same(
            socket.query_params.get("token"), token
        ):
            await socket.close(POLICY_VIOLATION)
            return
        await socket.accept()
        if len(room.clients) >= guard.MOST_CLIENTS:
            await socket.close(TRY_LATER, "too many pages are open")
            return
        client = Client()
        room.clients.add(client)
        writer = asyncio.create_task(_write(socket, client))
        try:
            compiling.begin()
            client.send({"is": "games", "games": catalogue.games()})
            client.send({"is": "compiling", "on": compiling.is_on})
            await _read(socket, client, room)
        except (WebSocketDisconnect, RuntimeError):
            pass  # it has gone
        finally:
            room.leave(client)
            writer.cancel()

    async def shapes(request: Request) -> Response:
        return Response(f"export default {CARDS_FILE.read_text('utf-8')}", media_type="text/javascript")

    drawn = Route("/static/shapes.js", shapes)  # cards have the shapes that they have in pictures of tables
    files = Mount("/static", StaticFiles(directory=STATIC))
    app = Starlette(routes=[Route("/", page), WebSocketRoute("/ws", talk), drawn, files])
    app.state.room = room
    return Guarded(app, port)


async def _write(socket: WebSocket, client: Client) -> None:
    """Send what is to be sent, until the page is given up."""
    while (text := await client.outbox.get()) is not None:
        try:
            await asyncio.wait_for(socket.send_text(text), SEND_WITHIN)
        except (TimeoutError, RuntimeError, WebSocketDisconnect):
            break
    await socket.close(POLICY_VIOLATION)


async def _read(socket: WebSocket, client: Client, room: Room) -> None:
    """Do what a page asks for, one after another, until it goes or says too much.

    Nothing waits for the answer to a question; some questions at once, and then the next one has to.
    """
    allowance = guard.Allowance()
    questions = set[asyncio.Task[None]]()
    while True:
        received = await socket.receive()
        if received["type"] == "websocket.disconnect":
            return
        if not allowance.take():
            await socket.close(POLICY_VIOLATION, "too many messages")
            return
        try:
            message = parse(received.get("text"))
        except RefusedError as refused:
            client.refuse(refused.text)
            continue
        if message["do"] in QUESTIONS and len(questions) < guard.MOST_QUESTIONS:
            question = asyncio.create_task(_do(client, room, message))
            questions.add(question)
            question.add_done_callback(questions.discard)
            await asyncio.sleep(0)  # it looks at the position before the next message can change that
        else:
            await _do(client, room, message)


async def _do(client: Client, room: Room, message: Mapping[str, Any]) -> None:
    """Do what a message asks for, or tell the page why not."""
    try:
        await ORDERS[message["do"]](client, room, message)
    except RefusedError as refused:
        client.refuse(refused.text)
    except Exception as error:  # a defect here must not end the page's connection
        print(f"agents.play: {type(error).__name__}: {error}", file=sys.stderr)
        client.refuse(say("That could not be done; the program's output says why.", "出错了，请看程序输出。"))
