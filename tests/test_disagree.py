"""Where players differ: the positions are those of the games, the worth is that of the actions in worlds."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import agents
from envs import record
from envs.core.game import get
from training import disagree
from training.disagree import Judge, greatest, play
from training.intervals import Interval

from .moments import info_of, variants


def played(game, options, names, deals, seed):
    """Disagreements and records of games that the first agent plays."""
    players = [agents.load(name, game) for name in names]
    return play(game, get(game).rules.make(options), players, names, deals, seed)


@variants
def test_disagreements_are_those_of_the_games(game, options, rotate):
    """The games are replayed: who was to act, what was played, what was on the table."""
    found, lines = played(game, options, ["rule", "random"], 3, rotate)
    games, loops, info = [json.loads(line) for line in lines], get(game).loops, info_of(game, options)
    places = [(one.game, one.decision) for one in found]
    assert places == sorted(set(places)) and found
    assert len({json.dumps(own["decks"]) for own in games}) == 3
    for one in found:
        own = games[one.game]
        seat, action = own["decisions"][one.decision]
        assert (one.seat, one.actions[0]) == (seat, action) and action != one.actions[1]
        table, mask = list(record.replay(own))[one.decision], np.zeros((1, info.num_actions), np.int8)
        loops.legal_all(table, mask)
        assert mask[0, list(one.actions)].all()
        seen, then = (np.zeros((1, info.observation_size), np.uint8) for _ in range(2))
        loops.look(table, np.array([seat]), then)
        loops.look(one.table, np.array([seat]), seen)
        assert np.array_equal(seen, then), "a seat sees the same on a table without what is hidden"
        loops.blank_all(table, np.array([seat]))
        assert one.table.tobytes() == table.tobytes()


@pytest.mark.parametrize("game", ["guan_pai", "zheng_shang_you"])
def test_no_disagreement_is_left_out(game):
    """The rule players of the climbing games draw nothing, so they can be asked again."""
    found, lines = played(game, {}, ["lowest", "rule"], 2, 7)
    rule, loops, info = agents.load("rule", game), get(game).loops, info_of(game, {})
    places = []
    for number, line in enumerate(lines):
        own = json.loads(line)
        for k, (table, (seat, action)) in enumerate(zip(record.replay(own), own["decisions"], strict=False)):
            mask, seen = np.zeros((1, info.num_actions), np.int8), np.zeros((1, 0), np.uint8)
            loops.legal_all(table, mask)
            loops.blank_all(table, np.array([seat]))
            asked = agents.Decisions(seen, mask, np.array([seat]), np.zeros(1, np.uint64), table)
            if rule.act(asked)[0] != action:
                places.append((number, k))
    assert [(one.game, one.decision) for one in found] == places and len(places) > 5


def test_the_worth_is_the_same_the_other_way_round():
    found, _ = played("guan_pai", {}, ["rule", "random"], 4, 1)
    judge = Judge("guan_pai", get("guan_pai").rules(), 0)
    for one in found[:5]:
        here = judge.gains(one, 50, 1)
        there = judge.gains(replace(one, actions=one.actions[::-1]), 50, 1)
        assert here[0] == there[0] == Interval(0, 0, 0)
        assert (here[1].mean, here[1].low, here[1].high) == (-there[1].mean, -there[1].high, -there[1].low)
        assert here[1].low <= here[1].mean <= here[1].high
        assert judge.gains(one, 50, 2)[1] != here[1], "other worlds"


def test_the_greatest_come_first_one_of_a_game():
    found, _ = played("guan_pai", {}, ["random", "rule"], 6, 2)
    judge = Judge("guan_pai", get("guan_pai").rules(), 0)
    shown = greatest(found, judge, 4)
    assert len(shown) == len({one.game for one in shown}) == 4

    def doubtless(one):
        gains = judge.gains(one, disagree.FINDING_WORLDS, 2)
        return max(max(gain.low, -gain.high) for gain in gains)

    worth = [doubtless(one) for one in shown]
    assert worth == sorted(worth, reverse=True) and worth[-1] > 0
    assert worth[0] == max(map(doubtless, found))


def test_the_page(tmp_path: Path, capsys):
    arguments = ["guan_pai", "rule", "random", "lowest", "--deals", "5", "--positions", "3", "--worlds", "20"]
    arguments += ["--env.cards-each", "8"]
    assert disagree.main([*arguments, "--out", str(tmp_path)]) == 0
    text = (tmp_path / "positions.md").read_text(encoding="utf-8")
    games = list(record.read(tmp_path / "records.jsonl"))
    assert text.count("\n## ") == text.count("```text") == text.count("| played |") == len(games) == 3
    assert "rule, random and lowest differ" in text and "(hidden)" in text
    assert "python -m training.disagree guan_pai rule random lowest --deals 5" in text
    assert disagree.main([*arguments, "--out", str(tmp_path / "again")]) == 0
    assert (tmp_path / "again" / "positions.md").read_text(encoding="utf-8") == text
    assert "3 of them in" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["guan_pai", "rule"], "at least 2 agents, not 1"),
        (["guan_pai", "rule", "nobody"], "no agent 'nobody'"),
        (["guan_pai", "rule", "random", "--worlds", "1"], "--worlds is at least 2"),
        (["guan_pai", "rule", "random", "--deals", "0"], "--deals is at least 1"),
    ],
)
def test_bad_usage_is_one_clear_line(arguments, complaint, capsys, tmp_path):
    with pytest.raises(SystemExit):
        disagree.main([*arguments, "--out", str(tmp_path / "x")])
    assert complaint in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
