"""The web table's server: who is let in, what is refused, and what lies outside the folders given."""

from __future__ import annotations

import json
import re
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from agents.play import guard
from agents.play.folders import Folders
from agents.play.players import resolve
from agents.play.words import RefusedError
from envs.core.drawing.shapes import CARDS_FILE

from ..play_server import Page, Server
from .choosing import GAMES, seats


def get(server: Server, path: str, host: str | None = None) -> tuple[int, str, Any]:
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}")
    if host:
        request.add_header("Host", host)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read().decode(), answer.headers
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode(), error.headers


def test_the_page_needs_its_token_and_loads_nothing_from_elsewhere(server: Server) -> None:
    status, text, headers = get(server, f"/?token={server.token}")
    assert status == 200 and "main.js" in text
    policy = headers["content-security-policy"]
    assert (
        policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        and "unsafe" not in policy
    )
    for path in ("/", "/?token=", "/?token=" + server.token[:-1], "/?token=" + "é" * 10, "/?other=1"):
        assert get(server, urllib.request.quote(path, safe="/?=&"))[0] == 403
    assert server.token not in text


def test_cards_have_the_shapes_that_they_have_in_pictures(server: Server) -> None:
    status, text, headers = get(server, "/static/shapes.js")
    assert status == 200 and headers["content-type"].startswith("text/javascript")
    assert json.loads(text.removeprefix("export default ")) == json.loads(CARDS_FILE.read_text("utf-8"))


@pytest.mark.parametrize("host", ["example.org", "127.0.0.1:1", "localhost.example.org", "127.0.0.1.nip.io"])
def test_a_name_of_somebody_else_s_is_refused(server: Server, host: str) -> None:
    assert get(server, f"/?token={server.token}", host)[0] == 403


@pytest.mark.parametrize(
    "path",
    ["/static/../server.py", "/static/%2e%2e/server.py", "/static/..%2fserver.py", "/server.py", "/static/",
     "/static//etc/passwd", "/ws", "/static/%00", "/static/..%5cserver.py"],
)  # fmt: skip
def test_nothing_but_the_page_s_own_files_is_served(server: Server, path: str) -> None:
    status, text, _ = get(server, path)
    assert status in (400, 403, 404) and "import" not in text


@pytest.mark.parametrize(
    ("token", "origin"),
    [("wrong", ""), ("", ""), (None, "http://example.org"), (None, "null"), (None, None),
     (None, "http://127.0.0.1:1"), (None, "https://127.0.0.1")],
)  # fmt: skip
def test_a_socket_needs_the_token_and_the_page_s_origin(
    server: Server, token: str | None, origin: str | None
) -> None:
    with pytest.raises(InvalidStatus) as refused, server.page(token, origin):
        pass
    assert refused.value.response.status_code == 403


def test_what_is_said_too_much_at_once_ends_that_page_alone(server: Server, page: Page) -> None:
    with server.page() as flood:
        with pytest.raises(ConnectionClosed):
            for number in range(10_000):
                flood.send("files", number=number)
            while True:
                flood.next()
        with pytest.raises(ConnectionClosed):
            flood.send("files")
            flood.next()
    start = time.monotonic()
    page.ask("files", "files")
    assert time.monotonic() - start < 2


def test_a_huge_message_ends_that_page_alone(server: Server, page: Page) -> None:
    with server.page() as other, pytest.raises(ConnectionClosed):
        other.line.send("x" * (guard.LARGEST_MESSAGE + 1))
        while True:
            other.next()
    assert page.ask("files", "files")


BAD = [
    "", "nonsense", "[]", "{}", "null", '{"do": 1}', '{"do": "__class__"}', "[" * 100_000, '{"do": "play"',
    '{"do": "new"}', '{"do": "new", "game": "poker", "seats": []}', '{"do": "new", "game": ["guan_pai"]}',
    '{"do": "new", "game": "guan_pai", "seats": ["you"]}',
    '{"do": "new", "game": "guan_pai", "seats": ["you", 3, {}]}',
    '{"do": "new", "game": "guan_pai", "seats": ["you", "rule", "rule"], "deal": -1}',
    '{"do": "new", "game": "guan_pai", "seats": ["you", "rule", "rule"], "deal": 1e99}',
    '{"do": "new", "game": "guan_pai", "seats": ["you", "rule", "rule"], "deal": true}',
    '{"do": "new", "game": "guan_pai", "seats": ["you", "rule", "rule"], "options": {"must_beat": "x"}}',
    '{"do": "new", "game": "guan_pai", "seats": ["you", "rule", "rule"], "options": {"nothing": 1}}',
    '{"do": "new", "game": "guan_pai", "seats": ["you", "rule", "rule"], "options": [1]}',
    '{"do": "join", "table": "x"}', '{"do": "join", "table": ["x"]}', '{"do": "play"}', '{"do": "undo"}',
    '{"do": "look", "to": "x"}', '{"do": "reveal", "on": true}', '{"do": "hint"}', '{"do": "thoughts"}',
    '{"do": "pace", "seconds": 0}', '{"do": "save"}', '{"do": "choose"}', '{"do": "agents"}',
    '{"do": "record", "record": {}}', '{"do": "record", "record": "x"}', '{"do": "record"}',
    '{"do": "file", "name": "0/records.jsonl"}', '{"do": "file", "name": "0/records.jsonl", "number": -1}',
    '{"do": "file", "name": "0/records.jsonl", "number": 99}', '{"do": "replay", "actions": ["x"]}',
    '{"do": "replay", "game": "guan_pai", "seats": ["rule", "rule", "rule"], "deal": 1, "actions": [9999]}',
]  # fmt: skip


@pytest.mark.parametrize("text", BAD, ids=range(len(BAD)))
def test_what_makes_no_sense_is_refused_in_words(page: Page, text: str, capfd: Any) -> None:
    page.line.send(text)
    refusal = page.wait("refused")["text"]
    assert len(refusal["en"]) > 10 and re.search("[一-鿿]{2}", refusal["zh"])
    page.line.send(b"\x00\xff")
    assert "not JSON" in page.wait("refused")["text"]["en"]
    assert capfd.readouterr().err == ""  # no defect of ours


PLAY_BAD: list[dict[str, Any]] = [
    {"places": [99]}, {"places": [-1]}, {"places": [0, 0]}, {"places": ["0"]}, {"places": [None]},
    {"places": "0"}, {"places": [0.5]}, {"places": list(range(200))}, {"places": [[0]]},
    {"places": [], "name": "nothing"}, {"places": [], "name": {"a": 1}}, {"places": [0], "name": ["x"]},
]  # fmt: skip


@pytest.mark.parametrize("game", GAMES)
def test_a_play_that_makes_no_sense_changes_nothing(page: Page, game: str, capfd: Any) -> None:
    start = page.ready(page.new(game, seats(game), deal=3))
    for what in PLAY_BAD:
        assert page.refused("play", stop=start["stop"], **what)
    assert "moved on" in page.refused("play", stop=start["stop"] + 1, places=[0])
    assert page.ask("look", "table", to=None) == start
    assert capfd.readouterr().err == ""


# --- files and agents -----------------------------------------------------------------------------

ESCAPES = ["0/../secret-records.jsonl", "0//etc/passwd", "/etc/passwd", "0/link-records.jsonl",
           "1/records.jsonl", "-1/records.jsonl", "0/./../reports/../secret-records.jsonl", "0/\x00",
           "٠/records.jsonl", "",
           "0/" + "a" * 5000, "0/records.jsonl/../../secret-records.jsonl"]  # fmt: skip


@pytest.mark.parametrize("name", ESCAPES)
def test_no_file_outside_the_folders_can_be_had(page: Page, given: Path, name: str) -> None:
    assert "nothing called" in page.refused("file", name=name, number=0)
    with pytest.raises(RefusedError):
        resolve(f"run:{name}", "diao_xie", Folders([given]))


@pytest.mark.parametrize(
    "name",
    ["/etc", "../x", ".", "", "run:", "run:0/..", "run:0/nothing", "pretrained:../x", "pretrained:nothing",
     "search:99999999", "search:99999ms", "search:0", "search:0ms", "search-net:/etc",
     "search-net:run:0/../..",
     "search-net:99999ms:pretrained", "rule_v9", "you ", 7, None, "x" * 1000],
)  # fmt: skip
def test_agents_are_known_names_or_runs_in_the_folders(page: Page, name: Any) -> None:
    assert page.refused("new", game="diao_xie", seats=["you", name])


def test_agents_and_records_of_the_folders_are_offered(page: Page) -> None:
    offered = page.ask("agents", "agents", game="diao_xie")["agents"]
    assert {"random", "rule", "search", "pretrained:diao_xie", "run:0/run", "search-net:run:0/run"} <= set(
        offered
    )
    assert "run:0/run" not in page.ask("agents", "agents", game="guan_pai")["agents"]
    files = page.ask("files", "files")["files"]
    assert [file["name"] for file in files] == ["0/records.jsonl"]  # the link leads out
    shown = page.ask("file", "table", name="0/records.jsonl", number=1)
    assert shown["record"] and shown["over"] and all(seat["cards"] is not None for seat in shown["seats"])
    first = page.ask("look", "table", to=0)
    assert first["stop"] == 0 and [seat["count"] for seat in first["seats"]] == [16, 16, 16]
