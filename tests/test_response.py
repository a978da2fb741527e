"""A trained response gains much of what a best response would, and never more."""

from __future__ import annotations

from pathlib import Path

import pytest

import agents
from envs.core.game import get
from training import exploit, response
from training.evaluate import evaluate_against
from training.exploit import _what_it_says
from training.exploitability import exploitability
from training.intervals import Interval
from training.ppo import PPOConfig
from training.response import MEASURING_SEED, train_response

GAME = "diao_xie"
SMALL = PPOConfig(
    fixed=1.0, num_envs=256, batch=4096, minibatch=512, hidden=(64,), critic_hidden=(32,), warm_samples=8192
)


def test_a_trained_response_is_a_lower_bound(tmp_path: Path) -> None:
    """Against random play, whose exploitability is known: 0.565 b a hand."""
    rules = get(GAME).rules()
    exact, said = exploitability(agents.load("random", GAME), rules).mean, []
    found = train_response(
        "random", GAME, rules, minutes=0.05, deals=3000, seed=0, folder=tmp_path / "it", ppo=SMALL,
        say=said.append,
    )  # fmt: skip
    points = found.result.points
    assert 0.6 * exact < points.mean and points.low < exact
    assert 1 <= len(said) <= response.CHOICES and found.samples <= found.all_samples
    saved = agents.load(str(tmp_path / "it"), GAME, rules)
    again = evaluate_against(saved, "random", GAME, rules, 3000, MEASURING_SEED)
    assert again.points == points


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["guan_pai", "nobody"], "no agent 'nobody'"),
        (["guan_pai", "random", "--minutes", "0"], "--minutes is above 0"),
        (["guan_pai", "random", "--deals", "1"], "--deals is at least 2"),
        (["guan_pai", "random", "--seed", "-1"], "--seed is at least 0"),
        (["guan_pai", "random", "--out", "taken"], "taken exists already"),
    ],
)
def test_bad_usage(
    words: list[str], complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").touch()
    with pytest.raises(SystemExit) as end:
        exploit.main(words)
    error = capsys.readouterr().err.strip()
    assert end.value.code == 2 and complaint in error and len(error.splitlines()) == 1


def test_the_command_tells_what_is_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(response, "DEALS_OF_A_CHOICE", 20)
    monkeypatch.setattr(exploit, "train_response", lambda *a, **k: train_response(*a, **k, ppo=SMALL))
    words = ["guan_pai", "rule", "--minutes", "0.01", "--deals", "20", "--out", str(tmp_path / "it")]
    assert exploit.main(words) == 0
    told = capsys.readouterr().out
    assert "points a game" in told and "20 duplicate deals" in told and f"The response: {tmp_path}" in told


@pytest.mark.parametrize(
    ("gain", "says"),
    [(Interval(0.5, 0.1, 0.9), "a lower bound"), (Interval(0.5, -0.1, 0.9), "no weakness"),
     (Interval(-0.9, -1.2, -0.6), "no weakness")],
)  # fmt: skip
def test_only_a_gain_above_nothing_shows_a_weakness(gain: Interval, says: str) -> None:
    assert says in _what_it_says(gain)
