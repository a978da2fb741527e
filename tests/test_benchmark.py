"""The benchmark that papers cite stays what it is, and says what it found."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from agents import Agent, frozen_rules, load, names
from agents.uniform import UniformAgent
from envs.core.game import NAMES, get
from training import benchmark
from training.benchmark import (
    BASELINE,
    BENCHMARK_VERSION,
    DEALS,
    SEED,
    YARDSTICKS,
    disagreements,
    fingerprint,
    headline_of,
    main,
    measure,
    readme_line,
)
from training.intervals import intervals
from training.report import interval, percent
from training.tournament import play_pair

GAME = "diao_xie"  # its games are short
RULES = get(GAME).rules()
CHEAP = (BASELINE, "rule_v0")

FINGERPRINTS = {
    1: {
        "guan_pai": "0dbb318a8012",
        "zheng_shang_you": "564bf37df718",
        "diao_xie": "323b3c484dfb",
        "xiangxi96": "7be63f81fd55",
    },
}
"""Of the deals, by version of the benchmark: never changed, only added to."""


@pytest.fixture
def cheap(monkeypatch):
    """No search, few deals."""
    monkeypatch.setattr(benchmark, "YARDSTICKS", dict.fromkeys(NAMES, CHEAP))
    monkeypatch.setattr(benchmark, "QUICK_DEALS", 20)
    monkeypatch.setattr(benchmark, "DEALS", 40)


@pytest.mark.parametrize("game", NAMES)
def test_the_deals_of_a_version_never_change(game):
    """Another shuffle, seed or number of deals is another benchmark: raise BENCHMARK_VERSION."""
    assert (BENCHMARK_VERSION, DEALS, SEED) == (1, 1000, 20_000)
    assert fingerprint(game, get(game).rules(), DEALS) == FINGERPRINTS[BENCHMARK_VERSION][game]


@pytest.mark.parametrize("game", NAMES)
def test_the_yardsticks_are_the_frozen_players(game):
    """A new frozen player joins with the next BENCHMARK_VERSION, and this test then."""
    assert YARDSTICKS[game] == (BASELINE, *frozen_rules(game), "search_v0")
    assert set(YARDSTICKS[game]) <= set(names(game))


def test_the_quick_deals_are_the_first_ones():
    few, many = (benchmark.measure(GAME, RULES, "rule", CHEAP, deals).scores for deals in (5, 9))
    assert (few == many[:, :5]).all()


def test_every_yardstick_plays_the_deals_of_a_pair():
    found = measure("guan_pai", get("guan_pai").rules(), "rule_v0", ("random", "rule_v1"), 6)
    alone = play_pair("guan_pai", get("guan_pai").rules(), "rule_v0", "random", 6, SEED, both=False)
    assert (found.scores[0] == alone.scores[:, 0]).all()
    assert found.directions[1].games == 18


def test_the_headline_is_over_shared_deals():
    """As drawing the deals jointly for all yardsticks: its interval is that of the deals' means."""
    scores = np.random.default_rng(0).integers(-3, 4, (3, 400, 2))
    scores[1] = scores[0]  # yardsticks that play alike are no more deals
    shares = ((np.sign(scores.sum(axis=2)) + 1) / 2).mean(axis=0)
    found = headline_of(scores)
    joint = intervals(np.rint(shares * 6).astype(np.int64)[:, None], [6])[0]
    assert found.mean == pytest.approx(shares.mean())
    assert (found.low, found.high) == pytest.approx((joint.low, joint.high), abs=0.004)
    alone = headline_of(scores[:1])
    assert headline_of(scores[[0, 0, 0]]).half_width == pytest.approx(alone.half_width)


def test_crushing_one_yardstick_does_not_make_up_for_losing_to_another():
    little, much = ([np.full((50, 2), points), np.full((50, 2), -1)] for points in (1, 1000))
    assert headline_of(np.array(little)) == headline_of(np.array(much))


def test_the_same_bytes_whatever_the_workers(tmp_path, cheap):
    for workers in ("1", "2"):
        assert main([GAME, "rule", "--quick", "--workers", workers, "--out", str(tmp_path / workers)]) == 0
    for name in ("report.md", "results.json"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


def test_what_it_prints_and_writes(tmp_path, cheap, capsys):
    assert main([GAME, "rule_v0", "--env.num-players", "3", "--out", str(tmp_path)]) == 0
    out, report = capsys.readouterr().out, (tmp_path / "report.md").read_text()
    found = json.loads((tmp_path / "results.json").read_text())
    low, mean, high = (100 * found["headline"][name] for name in ("low", "mean", "high"))
    headline = f"rule_v0 wins {mean:.1f} [{low:.1f}, {high:.1f}] % of duplicate deals"
    line = next(line for line in out.splitlines() if line.startswith("| diao_xie"))
    assert headline in report and headline in out and line in report
    assert line.startswith(
        f"| diao_xie --env.num-players 3 | `rule_v0` | {mean:.1f} [{low:.1f}, {high:.1f}] |"
    )
    assert found["citable"] and "ot citable" not in report and "Not to be cited" not in report
    for said in (
        "Benchmark version: 1",
        "Fingerprint of the deals: ",
        "Seed: 20000",
        "rules 0",
        "num_players=3",
    ):
        assert said in report
    assert (found["benchmark"], found["seed"], found["deals"]) == (1, SEED, 40)
    assert found["versions"]["rules"] == "0" and found["rules"]["num_players"] == 3
    assert found["deals_fingerprint"] in report
    scores = np.array(found["scores"])
    shares = (np.sign(scores.sum(axis=2)) + 1).mean(axis=1) / 2
    assert [own["duplicate_share"]["mean"] for own in found["against"]] == pytest.approx(shares)
    assert found["headline"]["mean"] == pytest.approx(shares[1:].mean())  # without random


def test_quick_is_not_to_be_cited(tmp_path, cheap, capsys):
    assert main([GAME, "rule_v0", "--quick", "--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "Not to be cited: --quick." in out
    assert re.search(r"\| v1, rules 0, 20 deals \(not citable: --quick\) \|", out)
    assert json.loads((tmp_path / "results.json").read_text())["citable"] is False
    assert "**Not to be cited**: --quick." in (tmp_path / "report.md").read_text()


def test_an_agent_that_fails_is_not_to_be_cited(cheap, capsys, monkeypatch):
    class Fails(Agent):
        name = "fails"

        def act(self, decisions):
            raise RuntimeError("no idea")

    monkeypatch.setattr(benchmark, "load", lambda name, *_: Fails() if name == "mine" else load(name, GAME))
    assert main([GAME, "mine", "--quick"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "Not to be cited: --quick, failed decisions." in out
    assert "mine failed in" in out and "wholly random" in out


def test_points_and_share_that_disagree_are_told():
    """An agent that wins little and often and loses much and rarely."""
    result = measure(GAME, RULES, UniformAgent(), CHEAP, 40)
    assert disagreements(result) == []
    scores = np.ones((40, 2), np.int64)
    scores[::5] = -100
    crooked = benchmark.summarise_direction(scores, scores > 0)
    told = disagreements(benchmark.Result(("rule_v0",), (crooked,), result.headline, (), result.scores[1:]))
    assert told == [
        "Against rule_v0 it wins more deals than not and yet loses points: "
        "the headline does not say how good it is."
    ]


def test_the_row_of_the_readme():
    result = measure(GAME, RULES, "rule_v0", CHEAP, 40)
    share = percent(result.directions[0].duplicate_share.mean)
    assert readme_line(result, "rule_v0", GAME, RULES, 40) == (
        f"| diao_xie | `rule_v0` | {interval(result.headline, percent)} | random {share}, rule_v0 50.0 | "
        "v1, rules 0, 40 deals |"
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("chess rule", "no game 'chess'"),
        ("guan_pai nobody", "no agent 'nobody'"),
        ("guan_pai rule --workers 0", "--workers is at least 1"),
        ("guan_pai rule --deals 5", "--deals"),
        ("guan_pai rule --quick --out {tmp}/file/x", "cannot write to the folder"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(words, said, tmp_path, capsys):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(SystemExit) as end:
        main(words.format(tmp=tmp_path).split())
    printed = capsys.readouterr()
    assert end.value.code == 2
    assert said in printed.err
    assert len(printed.err.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("game", NAMES)
def test_the_frozen_search_beats_random(game):
    result = measure(game, get(game).rules(), "search_v0", YARDSTICKS[game][:2], 100)
    assert result.directions[0].points.low > 0
