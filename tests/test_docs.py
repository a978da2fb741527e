"""What the documentation says is what the code does."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import envs
from envs.core import docs
from envs.core.game import get

README = Path(__file__).parents[1] / "README.md"


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


def test_the_readme_s_python_runs(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(blocks) >= 2
    for block in blocks:
        exec(compile(block, str(README), "exec"), {})
    assert "player_0" in capsys.readouterr().out
