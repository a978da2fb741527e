"""Choosing plays at random as a person does, and what a picture may not show."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import envs

from ..play_server import Page

ROOT = Path(envs.__file__).parents[1]
PLAYERS = {"guan_pai": 3, "zheng_shang_you": 4, "diao_xie": 2, "xiangxi96": 3}
GAMES = tuple(PLAYERS)


def seats(game: str, first: str = "you", others: str = "random") -> list[str]:
    return [first, *[others] * (PLAYERS[game] - 1)]


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
