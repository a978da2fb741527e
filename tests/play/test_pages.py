"""Several pages at one table, agents that are slow or fail, and the program itself."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from agents.base import Agent
from agents.play import catalogue, table
from envs.core import jit

from ..play_server import Page, Server, wait_for
from .choosing import ROOT, check_hidden, choose_something, seats


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


def test_pages_are_told_while_the_compiler_is_at_work(page: Page) -> None:
    assert not page.wait("compiling")["on"]
    numba.njit(lambda x: x + 1)(1)
    assert page.wait("compiling")["on"]
    assert not page.wait("compiling")["on"]


# --- the program ----------------------------------------------------------------------------------


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
