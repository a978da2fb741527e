"""Games played through the server to their end; undo, hints, hidden hands."""

from __future__ import annotations

import json
import random
import threading
import time
from typing import Any

import pytest

from agents.play import guard, looking
from agents.play.thoughts import think
from envs import record as records

from ..play_server import PATIENCE, Page
from .choosing import GAMES, PLAYERS, check_hidden, choose_something, seats


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


# --- undo, hints, hidden hands --------------------------------------------------------------------


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


@pytest.mark.parametrize("game", GAMES)
def test_search_tells_the_points_of_the_plays_that_it_tried(page: Page, game: str) -> None:
    picture = page.ready(page.new(game, seats(game), deal=4))
    told = page.ask("thoughts", "thoughts", agent="search:8", stop=picture["stop"])["bars"]
    points = [bar["points"] for bar in told]
    assert len(told) > 1 and points[1:] == sorted(points[1:], reverse=True)
    assert [bar["chance"] for bar in told] == [1] + [None] * (len(told) - 1)
    assert all(bar["worlds"] >= 1 for bar in told)
    hint = page.ask("hint", "hint", agent="search:8", stop=picture["stop"])
    assert (hint["name"], hint["cards"]) == (told[0]["name"], told[0]["cards"])
    held = picture["seats"][0]["cards"]
    assert game == "diao_xie" or all(set(bar["cards"]) <= set(held) for bar in told if not bar["begun"])


def test_an_agent_is_not_asked_about_a_hand_that_is_hidden(page: Page) -> None:
    picture = page.new("guan_pai", ["you", "guest", "guest"], deal=1)
    assert picture["turn"] != 0
    for order in ("thoughts", "hint"):
        assert "hands that you see" in page.refused(order, agent="rule", stop=0)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Advisers think until this is set."""
    done = threading.Event()

    def think_slowly(*asked: Any) -> Any:
        assert done.wait(PATIENCE)
        return think(*asked)

    monkeypatch.setattr(looking, "think", think_slowly)
    return done


def test_the_page_goes_on_while_an_adviser_thinks(page: Page, slow: threading.Event) -> None:
    first = page.ready(page.new("guan_pai", seats("guan_pai"), deal=3))
    page.send("hint", agent="rule", stop=first["stop"])
    later = page.ask("look", "table", to=0)  # answered before the hint
    assert later["stop"] == 0
    slow.set()
    assert page.wait("hint")["stop"] == first["stop"]


def test_many_questions_at_once_have_to_wait(page: Page, slow: threading.Event) -> None:
    first = page.ready(page.new("guan_pai", seats("guan_pai"), deal=3))
    for _ in range(guard.MOST_QUESTIONS + 1):
        page.send("thoughts", agent="rule", stop=first["stop"])
    page.send("look", to=0)
    slow.set()
    page.wait("table")  # after the first answer, for which the last question waited
    assert any(message["is"] == "thoughts" for message in page.got[-guard.MOST_QUESTIONS - 2 :])


def test_a_hint_for_a_play_that_was_taken_back_is_not_given(page: Page, slow: threading.Event) -> None:
    first = page.ready(page.new("guan_pai", seats("guan_pai"), deal=3))
    choose_something(page, first, random.Random(3))
    second = page.ready()
    page.send("hint", agent="rule", stop=second["stop"])
    page.ask("undo", "table")
    slow.set()
    assert "moved on" in page.wait("refused")["text"]["en"]


def test_an_adviser_that_fails_says_so(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    first = page.ready(page.new("guan_pai", seats("guan_pai"), deal=3))

    def fail(*_: Any) -> None:
        raise ArithmeticError("too few numbers")

    monkeypatch.setattr("agents.uniform.UniformAgent.policy", fail)
    said = page.refused("thoughts", agent="random", stop=first["stop"])
    assert said == "random could not play: too few numbers."
