"""Agents that fail in a tournament: nothing ends, nobody is punished, and the report says who it was."""

from __future__ import annotations

import json

import numpy as np
import pytest

from agents import Agent, Decisions, load
from agents.uniform import UniformAgent
from envs.core.game import get
from training import evaluate, tournament
from training.asking import Failures, failing
from training.evaluate import evaluate_against, main
from training.tournament import PAIRS, Block, play_block, play_pair

GAME = "guan_pai"
RULES = get(GAME).rules()
MANY = Block(0, PAIRS, 0, np.array([[[0, 1, 1], [1, 0, 1]]] * 6))


class Fails(Agent):
    """Plays at random; where a decision's key is divisible by ``every`` it does what it is told to."""

    name = "fails"

    def __init__(self, how: str, every: int = 3) -> None:
        self.how, self.every = how, every

    def act(self, decisions: Decisions) -> np.ndarray:
        actions = UniformAgent().act(decisions)
        bad = decisions.keys % np.uint64(self.every) == 0
        if not bad.any():
            return actions
        if self.how == "raises":
            decisions.action_masks[:] = 1  # what it got is its own to spoil
            raise RuntimeError(f"no idea\nof {object()}")
        if self.how == "shape":
            return actions[:0]
        if self.how == "NaN":
            return np.where(bad, np.nan, actions)
        if self.how == "float":
            return actions.astype(float)
        return np.where(bad, 10_000 if self.how == "beyond" else -1, actions)


KINDS = {
    "raises": (
        "raised RuntimeError",
        "agent 'fails' failed: RuntimeError: no idea of <object object at 0x...>",
    ),
    "shape": ("wrong shape", r"agent 'fails' must answer with (1,) integers, not (0,) int64"),
    "NaN": ("NaN", "agent 'fails' must answer with (1,) integers, not (1,) float64, NaN among them"),
    "float": ("not integers", "agent 'fails' must answer with (1,) integers, not (1,) float64"),
    "beyond": ("illegal action", "agent 'fails' answered with the illegal action 10000; legal at that"),
    "negative": ("illegal action", "agent 'fails' answered with the illegal action -1; legal at that"),
}


@pytest.mark.parametrize("how", KINDS)
def test_only_the_decisions_that_fail_are_made_at_random(how):
    """Whatever is wrong the games are the same, as the same decisions fail; a third of all."""
    played = play_block(GAME, RULES, [Fails(how), load("rule", GAME)], MANY, "ab", goes_on=True)
    reference = play_block(GAME, RULES, [Fails("negative"), load("rule", GAME)], MANY, "ab", goes_on=True)
    assert played.records == reference.records
    bad, good = played.failures
    kind, reason = KINDS[how]
    assert bad.kinds == {kind: bad.failed}
    assert bad.first.startswith(reason)
    assert 0.15 < bad.failed / bad.asked < 0.5
    assert good.asked > 50 and good.failed == 0 and good.first == ""


@pytest.mark.parametrize("how", ["raises", "NaN", "negative"])
def test_the_same_whatever_the_batches(how):
    whole = play_block(GAME, RULES, [Fails(how), Fails("beyond", 5)], MANY, "ab", goes_on=True)
    parts = [
        play_block(GAME, RULES, [Fails(how), Fails("beyond", 5)], block, "ab", goes_on=True)
        for block in (Block(0, PAIRS, first, MANY.seatings[first : first + 2]) for first in range(0, 6, 2))
    ]
    assert whole.records == tuple(record for part in parts for record in part.records)
    assert list(whole.failures) == tournament.failures_of(2, parts)


def test_failing_always_is_playing_at_random():
    """All of its decisions are made at random, which is no worse and no better than a random player."""
    result = play_pair(GAME, RULES, Fails("raises", 1), "random", 30, 1, goes_on=True)
    found, good = result.failures
    assert found.failed == found.asked > 500 and good.failed == 0
    totals = result.scores.sum(axis=2)
    difference = (totals[:, 0] - totals[:, 1]) / 3
    assert abs(difference.mean()) < 3 * difference.std() / np.sqrt(len(difference))


def test_random_actions_do_not_repeat_the_agent_s_own_draw():
    """An agent that draws by its key and then fails is replaced by another draw."""
    own = play_block(GAME, RULES, [UniformAgent(), UniformAgent()], MANY, "ab")
    failing_always = play_block(
        GAME, RULES, [Fails("raises", 1), Fails("raises", 1)], MANY, "ab", goes_on=True
    )
    assert own.records != failing_always.records


def test_training_hears_of_it():
    with pytest.raises(ValueError, match="agent 'fails' failed: RuntimeError: no idea"):
        play_pair(GAME, RULES, Fails("raises"), "random", 5, 0)
    with pytest.raises(ValueError, match="agent 'fails' answered with the illegal action -1"):
        evaluate_against(Fails("negative"), "random", GAME, RULES, 5, 0)


def test_one_failure_among_many_takes_few_calls():
    """256 decisions are halved 8 times until one is alone."""

    class Once(UniformAgent):
        def __init__(self, fails: bool) -> None:
            self.fails, self.calls, self.key = fails, 0, None

        def act(self, decisions: Decisions) -> np.ndarray:
            self.calls += 1
            self.key = decisions.keys.min() if self.key is None else self.key
            if self.fails and (decisions.keys == self.key).any():
                raise RuntimeError("once")
            return super().act(decisions)

    block = Block(0, PAIRS, 0, np.zeros((256, 1, 3), np.int64))
    one, never = Once(True), Once(False)
    failures = [play_block(GAME, RULES, [agent], block, goes_on=True).failures[0] for agent in (one, never)]
    assert [found.failed for found in failures] == [1, 0]
    assert one.calls - never.calls <= 20


def test_the_sentence():
    found = failing(["a", "b"], [Failures(9, {}), Failures(1200, {"NaN": 1000, "wrong shape": 200}, "oh")])
    assert found == [
        'b failed in 1,200 of the 1,200 decisions it was asked for (NaN: 1,000, wrong shape: 200). The first '
        'reason: "oh". It was not punished: a legal action at random was played in their place. So its '
        "figures, and those of others against it, are those of a player that is wholly random."
    ]  # fmt: skip


def test_the_report_names_it(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(
        evaluate, "load", lambda name, *_: Fails("raises") if name == "mine" else load(name, GAME)
    )
    words = f"{GAME} mine rule --deals 6 --pool 6 --out {tmp_path}"
    assert main(words.split()) == 0
    results = json.loads((tmp_path / "results.json").read_text())
    bad, good = results["failures"]["mine"], results["failures"]["rule"]
    failed = bad["kinds"]["raised RuntimeError"]
    told = f"mine failed in {failed:,} of the {bad['asked']:,} decisions it was asked for"
    report, printed = (tmp_path / "report.md").read_text(), capsys.readouterr().out
    assert told in report and told in " ".join(printed.split())
    assert "partly random" in report and "no idea of <object object at 0x...>" in report
    assert good["kinds"] == {} and "rule failed" not in report
