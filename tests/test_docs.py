"""What the documentation says is what the code does."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import agents
import envs
from agents.asked import decisions_at
from envs import record
from envs.core import docs
from envs.core.game import get

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("game", envs.games())
def test_the_tables_of_the_docs_page_come_from_the_game(game):
    page = import_module(f"envs.{game}_v0").__doc__
    for heading, table in docs.tables(get(game)).items():
        assert f"## {heading}\n" in page
        assert table in page, f"{heading} is out of date: python -m envs.core.docs {game}"


@pytest.mark.parametrize("game", envs.games())
def test_fields_fill_the_observation_and_every_option_has_a_note(game):
    found = get(game)
    info = found.info(found.rules())
    ends = [0, *(f.start + f.size for f in info.fields)]
    assert [f.start for f in info.fields] == ends[:-1] and ends[-1] == info.observation_size
    assert docs.option_notes(found.rules).keys() == found.rules().as_dict().keys()
    assert len(info.action_names) == len(set(info.action_names)) == len(info.action_features)


def test_the_positions_of_the_docs_are_those_of_their_records():
    """Each position is shown as its seat saw it, and the first line of its table is what was played."""
    page = (ROOT / "docs/pages/positions.md").read_text(encoding="utf-8")
    games = list(record.read(ROOT / "docs/records/records-guan_pai.jsonl"))
    found = re.findall(
        r"## (\d+)\. Game (\d+), decision (\d+), seat (\d)\n\n```text\n(.*?)\n```\n"
        r".*?plays \| points \|\n.*?\n\| [^|]* \| ([^|]*) \| played \|",
        page,
        flags=re.DOTALL,
    )
    assert len(found) == len(games) == 10
    game = get("guan_pai")
    names = game.info(game.rules()).action_names
    for number, line, decision, seat, text, played in found:
        own = games[int(line) - 1]
        assert number == line and own["decisions"][int(decision)][0] == int(seat)
        record.verify(own)
        table = list(record.replay(own))[int(decision)][0]
        assert str(game.text.view(table, int(seat))).rstrip() == text
        assert names[own["decisions"][int(decision)][1]] == played


def test_the_shipped_network_plays_what_the_positions_page_says():
    page = (ROOT / "docs/pages/positions.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| (\d+) \| ([^|]+) \| ", page, flags=re.MULTILINE)
    places = re.findall(r"^## (\d+)\. Game (\d+), decision (\d+), seat", page, flags=re.MULTILINE)
    games = [list(record.replay(own)) for own in record.read(ROOT / "docs/records/records-guan_pai.jsonl")]
    tables = np.concatenate([games[int(line) - 1][int(decision)] for _, line, decision in places])
    game = get("guan_pai")
    info = game.info(game.rules())
    played = agents.load("pretrained", "guan_pai").act(decisions_at(game, info, tables, deal=0))
    assert told == [(str(k), info.action_names[action]) for k, action in enumerate(played, 1)]
