"""The table of how strong all players are: measured once, in any number of goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from training import benchmark, standings
from training.checkpoint import read_json
from training.standings import FIELDS, Field


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "DEALS", 4)
    monkeypatch.setattr(benchmark, "QUICK_DEALS", 2)
    for game in ("guan_pai", "diao_xie"):
        monkeypatch.setitem(standings.YARDSTICKS, game, ("random", "rule_v0"))
    monkeypatch.setattr(standings, "PLAYERS", ("random", "rule_v0", "rule", "search"))
    fields = (Field("guan_pai"), Field("diao_xie", {"num_players": 3}, quick=("search", "rule_v0")))
    monkeypatch.setattr(standings, "FIELDS", fields)


@pytest.mark.usefixtures("small")
def test_one_table_a_game_from_results_that_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert standings.main(["--out", str(tmp_path)]) == 0
    text = (tmp_path / standings.TABLE_FILE).read_text()
    assert text in capsys.readouterr().out
    assert text.count("| `random` |") == 2 and "**diao_xie --env.num-players 3**" in text
    found = read_json(tmp_path / "guan_pai/rule/results.json")
    points = found["against"][1]["points"]["mean"]
    assert f"| {points:+.2f} (" in text and found["deals"] == 4
    assert read_json(tmp_path / "diao_xie-num-players3/search/results.json")["deals"] == 2
    assert standings.main(["--out", str(tmp_path)]) == 0  # nothing is played again
    said = capsys.readouterr().out
    assert text in said and "==" not in said


@pytest.mark.usefixtures("small")
def test_what_was_measured_otherwise_is_measured_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["guan_pai", "--out", str(tmp_path)]
    standings.main(arguments)
    capsys.readouterr()
    (tmp_path / "guan_pai/rule" / standings.OWN_FILE).unlink()  # as if it had been stopped there
    standings.main(arguments)
    assert [ln for ln in capsys.readouterr().out.splitlines() if "==" in ln] == ["== guan_pai rule"]
    for player, content in (("rule", "{}"), ("random", "[]"), ("search", "no JSON")):
        (tmp_path / "guan_pai" / player / standings.RESULTS_FILE).write_text(content)
    standings.main(arguments)
    assert capsys.readouterr().out.count("==") == 3
    monkeypatch.setattr(standings, "BENCHMARK_VERSION", 0)
    standings.main(arguments)
    assert capsys.readouterr().out.count("==") == 4


@pytest.mark.usefixtures("small")
def test_results_of_other_games_stay_in_the_table(tmp_path: Path) -> None:
    standings.main(["--out", str(tmp_path)])
    whole = (tmp_path / standings.TABLE_FILE).read_text()
    standings.main(["guan_pai", "--out", str(tmp_path)])
    assert (tmp_path / standings.TABLE_FILE).read_text() == whole


def test_every_player_that_is_there_is_in_the_field() -> None:
    for own in FIELDS:
        rules = ["rule_v0", "rule"] if own.game == "guan_pai" else ["rule_v0"]
        assert own.players[: 2 + len(rules)] == ["random", *rules, "search"]
        assert set(own.quick) <= set(standings.PLAYERS)


@pytest.mark.parametrize(
    ("words", "complaint"), [(["chess"], "no game 'chess'"), (["--workers", "0"], "at least 1")]
)
def test_bad_arguments(words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        standings.main(words)
    assert complaint in capsys.readouterr().err
