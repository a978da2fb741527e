"""The web table's server: who is let in, what is hidden, and games played through it to their end."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

import envs
from agents.base import Agent
from agents.play import catalogue, guard, table
from agents.play.folders import Folders
from agents.play.players import resolve
from agents.play.words import RefusedError
from envs import record as records
from envs.core import jit
from envs.core.drawing.shapes import CARDS_FILE

from .play_server import Page, Server, wait_for

ROOT = Path(envs.__file__).parents[1]
PLAYERS = {"guan_pai": 3, "zheng_shang_you": 4, "diao_xie": 2, "xiangxi96": 3}
GAMES = tuple(PLAYERS)


def seats(game: str, first: str = "you", others: str = "random") -> list[str]:
    return [first, *[others] * (PLAYERS[game] - 1)]


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of records and a run, with a link that leads out of it, beside a secret."""
    home = tmp_path_factory.mktemp("home")
    folder = home / "reports"
    folder.mkdir()
    raw = envs.make("guan_pai").unwrapped
    raw.reset(seed=7)
    while raw.agents:
        raw.step(None if raw.terminations[raw.agent_selection] else raw.legal_plays()[0].actions[0])
    records.write([raw.record(), raw.record()], folder / "records.jsonl")
    records.write([raw.record()], home / "secret-records.jsonl")
    (folder / "link-records.jsonl").symlink_to(home / "secret-records.jsonl")
    shutil.copytree(ROOT / "agents" / "pretrained" / "diao_xie", folder / "run")
    return folder


@pytest.fixture(scope="module")
def server(given: Path) -> Iterator[Server]:
    with Server([given]) as running:
        yield running


@pytest.fixture
def page(server: Server) -> Iterator[Page]:
    with server.page() as opened:
        yield opened


# --- who is let in ------------------------------------------------------------------------------


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
    assert len(refusal["en"]) > 10 and refusal["zh"]
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


# --- files and agents ---------------------------------------------------------------------------

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
     "search:99999999", "search:99999ms", "search-net:/etc", "search-net:run:0/../..",
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


# --- games to their end -------------------------------------------------------------------------


def choose_something(page: Page, picture: dict[str, Any], chance: random.Random) -> None:
    """Play at random as a person does: a choice by name, or cards one by one as they light up."""
    mine = picture["mine"]
    choices = [choice["name"] for choice in mine["choices"] if "why" not in choice]
    if choices and (not mine["lit"] or chance.random() < 0.2):
        page.send("play", places=[], name=chance.choice(choices), stop=picture["stop"])
        return
    chosen: list[int] = []
    lit, ready = mine["lit"], []
    while not ready or (lit and chance.random() < 0.5):
        chosen.append(chance.choice(lit))
        answer = page.ask("choose", "chosen", places=chosen, stop=picture["stop"])
        lit, ready = answer["lit"], answer["ready"]
        assert ready or lit, f"{chosen} leads nowhere"
    reading = chance.choice(ready)
    page.send("play", places=chosen, name=reading["name"], key=reading["key"], stop=picture["stop"])


def check_hidden(picture: dict[str, Any]) -> None:
    """While the game goes on, nothing of hidden hands is in a picture."""
    own = set(picture["own"])
    assert all((seat["cards"] is not None) == (i in own) for i, seat in enumerate(picture["seats"]))
    assert picture["deal"] is None and picture["result"] is None and not picture["open"]
    if picture["game"] in ("guan_pai", "zheng_shang_you"):  # each card is there once
        public = [card for line in picture["log"] for card in line["cards"]]
        held = [card for i in own for card in picture["seats"][i]["cards"]]
        assert set(re.findall(r'"([3-9TJQKA2][SHDC])"', json.dumps(picture))) <= {*public, *held}
    if picture["game"] == "diao_xie":
        assert [named is not None for named in picture["centre"]["named"]] == [i in own for i in range(2)]


@pytest.mark.parametrize("game", GAMES)
def test_each_game_is_played_to_its_end_and_hides_what_it_must(page: Page, game: str, rotate: int) -> None:
    chance = random.Random(f"{game} {rotate}")
    picture = page.ready(page.new(game, seats(game), deal=chance.randrange(1000)))
    while not picture["over"]:
        choose_something(page, picture, chance)
        picture = page.ready()
    for seen in page.got:
        if seen["is"] == "table" and not seen["over"]:
            check_hidden(seen)
    assert all(seat["cards"] is not None for seat in picture["seats"])
    result = picture["result"]
    assert len(result["rows"]) == PLAYERS[game] and all(line["en"] and line["zh"] for line in result["lines"])
    saved = page.ask("save", "saved")["record"]
    records.verify(saved)
    assert saved["agents"] == seats(game) and saved["scores"] == result["scores"]
    again = page.ask("record", "table", record=saved)
    assert (
        again["record"]
        and again["stops"] >= picture["stops"]
        and again["result"]["scores"] == result["scores"]
    )


@pytest.mark.parametrize("game", GAMES)
def test_watching_shows_all_hands_and_steps_one_by_one(page: Page, game: str) -> None:
    picture = page.new(game, seats(game, "random"), deal=5)
    assert all(seat["cards"] is not None for seat in picture["seats"]) and picture["deal"] == 5
    page.send("pace", paused=True)
    stop = page.wait("table", lambda p: p["paused"])["stops"]
    time.sleep(0.2)
    page.send("pace", paused=True, step=True)
    assert page.wait("table", lambda p: p["stops"] > stop)["stops"] <= stop + 2
    page.send("pace", paused=False, seconds=0.01)
    assert page.wait("table", lambda p: p["over"])["result"]


def test_a_link_to_a_position_of_a_deal(page: Page) -> None:
    page.new("zheng_shang_you", seats("zheng_shang_you", "rule"), deal=9)
    page.send("pace", paused=False, seconds=0.01)
    page.wait("table", lambda p: p["stops"] >= 4)
    saved = page.ask("save", "saved")["record"]
    actions = [action for _, action in saved["decisions"]][:6]
    where = {"game": saved["game"], "options": saved["rules"], "seats": saved["agents"], "deal": 9}
    page.send("replay", **where, actions=actions)
    shown = page.wait("table", lambda p: p["record"])
    assert shown["seats"][0]["cards"] is not None and shown["stops"] >= 3


# --- undo, hints, hidden hands ------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_undo_goes_back_to_the_last_own_decision(page: Page, game: str) -> None:
    picture = page.ready(page.new(game, seats(game), deal=3))
    places = picture["mine"]["lit"][:1] if not picture["mine"]["choices"] else []
    if picture["mine"]["lit"] and not places:
        hint = page.ask("hint", "hint", agent="rule", stop=picture["stop"])
        page.send("play", places=hint["places"], name=hint["name"], stop=picture["stop"])
    else:
        name = None if places else picture["mine"]["choices"][0]["name"]
        page.send("play", places=places, name=name, stop=picture["stop"])
    later = page.ready()
    assert later["stops"] > picture["stops"] or later["over"]
    page.send("undo")
    assert page.ready() == picture
    assert "nothing to take back" in page.refused("undo") or picture["stops"] > 0


def test_hands_are_revealed_in_training_alone(page: Page) -> None:
    picture = page.ready(page.new("guan_pai", seats("guan_pai"), deal=3, training=True))
    check_hidden(picture)
    assert all(seat["cards"] for seat in page.ask("reveal", "table", on=True)["seats"])
    check_hidden(page.ask("reveal", "table", on=False))
    page.ready(page.new("guan_pai", seats("guan_pai"), deal=3, training=False))
    for order in ({"do": "reveal", "on": True}, {"do": "undo"}, {"do": "save"}):
        page.line.send(json.dumps(order))
        assert "training" in page.wait("refused")["text"]["en"] or order["do"] == "save"
    assert "training" in page.refused("hint", agent="rule", stop=0)
    assert "training" in page.refused("thoughts", agent="rule", stop=0)


def test_an_agent_is_asked_and_its_chances_are_those_of_the_network(page: Page) -> None:
    picture = page.ready(page.new("diao_xie", seats("diao_xie"), deal=3))
    bars = page.ask("thoughts", "thoughts", agent="pretrained:diao_xie", stop=picture["stop"])["bars"]
    chances = [bar["chance"] for bar in bars]
    assert sum(chances) == pytest.approx(1, abs=1e-3) and chances == sorted(chances, reverse=True)
    assert {bar["name"] for bar in bars} == {choice["name"] for choice in picture["mine"]["choices"]}
    hint = page.ask("hint", "hint", agent="pretrained:diao_xie", stop=picture["stop"])
    assert hint["name"] == bars[0]["name"]
    rule = page.ask("thoughts", "thoughts", agent="rule", stop=picture["stop"])["bars"]
    assert [bar["chance"] for bar in rule] == [1]


def test_an_agent_is_not_asked_about_a_hand_that_is_hidden(page: Page) -> None:
    picture = page.new("guan_pai", ["you", "guest", "guest"], deal=1)
    assert picture["turn"] != 0
    for order in ("thoughts", "hint"):
        assert "hands that you see" in page.refused(order, agent="rule", stop=0)


# --- several pages ------------------------------------------------------------------------------


def test_two_pages_at_one_table_see_their_own_hands_alone(server: Server, page: Page) -> None:
    page.send("new", game="diao_xie", seats=["you", "guest"], deal=3)
    seated = page.wait("seated")
    mine = page.wait("table")
    with server.page() as guest, server.page() as watcher:
        guest.send("join", table=seated["table"])
        key = guest.wait("seated")
        theirs = guest.wait("table")
        watcher.send("join", table=seated["table"], key="wrong")
        assert watcher.wait("seated")["role"] is None
        seen = watcher.wait("table")
        for picture in (mine, theirs, seen):
            check_hidden(picture)
        assert (mine["own"], theirs["own"], seen["own"]) == ([0], [1], [])
        for other in (guest, watcher):
            assert "your turn" in other.refused("play", places=[], name="fold", stop=0)
            assert (
                other.refused("reveal", on=True)
                and other.refused("undo")
                and other.refused("pace", paused=True)
            )
            assert other.refused("thoughts", agent="rule", stop=0)
        page.send("play", places=[], name="eat", stop=0)
        assert guest.ready()["log"][-1]["name"] == "eat"
        assert "moved on" in guest.refused("play", places=[], name="eat", stop=0)
        guest.send("play", places=[], name="fold", stop=1)
        assert [one.wait("table", lambda p: p["over"])["over"] for one in (page, guest, watcher)] == [
            True
        ] * 3
    with server.page() as back:  # the same seat again, by its key
        back.send("join", table=seated["table"], key=key["key"])
        assert back.wait("seated")["role"] == "guest"


def test_who_passed_in_xiangxi_is_not_shown(page: Page) -> None:
    """Positions and history are without the claims that others passed."""
    chance = random.Random(4)
    picture = page.ready(page.new("xiangxi96", seats("xiangxi96"), deal=12))
    while not picture["over"]:
        choose_something(page, picture, chance)
        picture = page.ready()
    for seen in page.got:
        if seen["is"] == "table" and not seen["over"]:
            assert all(line["seat"] == 0 for line in seen["log"] if line.get("name") == "pass")
            assert seen["stops"] == len({line["stop"] for line in seen["log"] if "name" in line})
            if seen["asking"]:
                assert seen["turn"] is None


class Slow(Agent):
    """Takes its time."""

    name = "slow"

    def __init__(self) -> None:
        self.asked, self.may_go_on = 0, threading.Event()

    def act(self, decisions: Any) -> Any:
        self.asked += 1
        self.may_go_on.wait(20)
        return decisions.action_masks.argmax(axis=1).astype(np.int64)


def test_a_slow_agent_holds_nobody_else_up_and_stops_when_all_have_gone(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Slow()
    monkeypatch.setattr(table, "find_agent", lambda *_: slow)
    with server.page() as other:
        with server.page() as page:
            page.new("diao_xie", ["random", "random"], deal=1, options={"hands": 8})
            wait_for(lambda: slow.asked == 1)
            start = time.monotonic()
            other.ask("files", "files")
            page.ask("look", "table", to=0)  # at its own table too
            assert time.monotonic() - start < 1
            name = next(name for name, sitting in server.room.sittings.items() if sitting.clients)
            sitting = server.room.sittings[name]
            page.line.socket.close()  # it vanishes in the middle of a move
        wait_for(lambda: not sitting.clients and not sitting.is_running)
        slow.may_go_on.set()
        time.sleep(0.3)
        assert slow.asked == 1 and len(sitting.table.positions) == 1  # nothing goes on


def test_an_agent_that_fails_is_named_and_the_page_goes_on(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing(Agent):
        def act(self, decisions: Any) -> Any:
            raise RuntimeError("no memory")

    monkeypatch.setattr(table, "find_agent", lambda *_: Failing())
    page.new("diao_xie", ["random", "you"], deal=1)
    trouble = page.wait("table", lambda p: p["trouble"])["trouble"]["en"]
    assert trouble == "random could not play: no memory."


def test_tables_that_nobody_is_at_are_cleared_away(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.play.room.MOST_TABLES", 3)
    with server.page() as page:
        for _ in range(5):
            page.new("diao_xie", ["you", "rule"])
    assert len(server.room.sittings) <= 3


# --- the program --------------------------------------------------------------------------------


def test_it_starts_on_this_machine_alone_and_says_where(given: Path) -> None:
    command = [sys.executable, "-m", "agents.play", "--port", "0", str(given)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        line = running.stdout.readline()
        with urllib.request.urlopen(line.split()[4], timeout=30) as answer:  # at once
            assert answer.status == 200
        running.terminate()
    assert re.fullmatch(r"The table is ready: http://127\.0\.0\.1:\d+/\?token=[\w-]{20,}\n", line)


def test_a_folder_that_is_not_there_is_said(capsys: Any) -> None:
    from agents.play.__main__ import main

    assert main(["nowhere"]) == 2
    assert "nowhere is no folder" in capsys.readouterr().err


def test_the_table_is_no_part_of_what_kernels_are_made_of(tmp_path: Path) -> None:
    for package in ("envs", "agents"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    before = jit.source_hash(tmp_path)
    (tmp_path / "agents" / "play" / "words.py").write_text("# another\n")
    (tmp_path / "agents" / "play" / "more.py").write_text("")
    assert jit.source_hash(tmp_path) == before == jit.source_hash()
    (tmp_path / "agents" / "player.py").write_text("")
    assert jit.source_hash(tmp_path) != before


def test_options_are_the_rules_own() -> None:
    for game in catalogue.games():
        rules = catalogue.make_rules(game["name"], {})
        assert {option["name"]: option["default"] for option in game["options"]} == rules.as_dict()
        assert all(option["kind"] in ("choice", "switch", "number") for option in game["options"])
