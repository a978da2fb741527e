"""Agents that come with the package: found by name, refused under other rules; the script that makes them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import agents
import envs
from agents import Decisions, pretrained
from agents.network import POLICY_FILE, NetworkAgent, in_eight_bits, in_full
from envs.core.game import get
from training import pretrain
from training.checkpoint import newest
from training.evaluate import evaluate_against
from training.learning import EVALUATED
from training.pretrain import RECIPES, Recipe
from training.report import plain

from .moments import at_moment, decisions_of

TINY = ("--ppo.num-envs", "64", "--ppo.batch", "1024", "--ppo.minibatch", "256", "--ppo.hidden", "16")
QUICK = ("--evaluations", "4", "--eval-deals", "2", "--final-deals", "2")
NETWORK = Recipe("diao_xie", (*TINY, *QUICK), ("--samples", "8k"), greedy=False, deals=4)
RPI = ("--algo", "rpi", "--rpi.num-envs", "64", "--rpi.batch", "1024", "--rpi.minibatch", "256")
START = Recipe(
    "guan_pai", (*RPI, "--rpi.hidden", "8", *QUICK), ("--samples", "3k"), {"cards_each": 4}, deals=2
)
STARTED = replace(
    START, arguments=(*RPI, "--rpi.playouts", "own", *QUICK), budget=("--samples", "4k"), start=START
)
THIRD = replace(STARTED, budget=("--samples", "5k"), start=STARTED)
FEW = 100  # deals that a network is chosen by
TABLE = Recipe("diao_xie", ("--algo", "cfr"), ("--iterations", "9"), greedy=False, deals=3)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two agents of Diao Xie as the script makes them, from small recipes."""
    folder = tmp_path_factory.mktemp("pretrain")
    with pytest.MonkeyPatch.context() as patch:
        make_small(patch)
        assert pretrain.main(["--out", str(folder / "out"), "--runs", str(folder / "runs")]) == 0
    return folder


def make_small(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(pretrain, "RECIPES", {"diao_xie": NETWORK, "diao_xie-cfr": TABLE})
    patch.setattr(pretrain, "DEALS", 4)
    patch.setattr(pretrain, "CHOOSING_DEALS", FEW)
    patch.setitem(pretrain.YARDSTICKS, "diao_xie", ("random", "rule_v0"))


@pytest.fixture
def shipped(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same where the package looks."""
    monkeypatch.setattr(pretrained, "FOLDER", made / "out")
    return made / "out"


def test_the_best_of_the_second_half_is_taken(made: Path) -> None:
    told = json.loads((made / "out/diao_xie/about.json").read_text())
    kept = sorted(int(folder.name) for folder in (made / "runs/diao_xie" / EVALUATED).iterdir())
    looked_at = [look["samples"] for look in told["choice"]]
    assert kept[0] == 0 and looked_at == kept[1:][(len(kept) - 1) // 2 :]
    best = min(told["choice"], key=lambda look: look["exploitability"])
    assert told["samples"] == best["samples"]
    assert told["exploitability"] == pytest.approx(best["exploitability"], abs=1e-3)  # by half the digits
    assert told["command"] == NETWORK.command and told["options"]["samples"] == "8k"
    assert set(told["benchmark"]["against"]) == {"random", "rule_v0"} and "against" not in told


def test_where_the_benchmark_is_short_rule_players_are_met_on_more_deals(made: Path) -> None:
    told = json.loads((made / "out/diao_xie-cfr/about.json").read_text())
    assert told["benchmark"]["deals"] == 3 and set(told["against"]) == {"rule_v0"}
    rules = get("diao_xie").rules()
    again = evaluate_against(
        str(made / "out/diao_xie-cfr"), "rule_v0", "diao_xie", rules, FEW, pretrain.MEASURING_SEED
    )
    assert told["against"]["rule_v0"] == json.loads(json.dumps(plain(again)))


def test_networks_are_stored_in_half_the_size(made: Path) -> None:
    run, out = made / "runs/diao_xie", made / "out/diao_xie"
    told = json.loads((out / "about.json").read_text())
    game = get("diao_xie")
    full = NetworkAgent.load(run / EVALUATED / f"{told['samples']:012d}", game, None)
    half = NetworkAgent.load(out, game, None)
    for a, b in zip(full.net.parameters(), half.net.parameters(), strict=True):
        assert b.dtype == torch.float32 and torch.allclose(a, b, rtol=1e-3, atol=1e-6)
    sizes = [(f / POLICY_FILE).stat().st_size for f in (newest(run / "checkpoints"), out)]
    assert sizes[1] < 0.6 * sizes[0]


def test_large_networks_are_stored_in_eight_bits(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of Diao Xie, for which less room is left: a quarter of the size, and nearly the same policy."""
    run, game = made / "runs/diao_xie", get("diao_xie")
    path = newest(run / "checkpoints") / POLICY_FILE
    monkeypatch.setattr(pretrain, "MOST_BYTES", 1000)
    pretrain.store_short(path, tmp_path / POLICY_FILE)
    assert (tmp_path / POLICY_FILE).stat().st_size < 0.35 * path.stat().st_size
    full, short = (NetworkAgent.load(folder, game, None) for folder in (path.parent, tmp_path))
    for a, b in zip(full.net.parameters(), short.net.parameters(), strict=True):
        assert b.dtype == torch.float32
        most = a.abs().amax(0) if a.dim() > 1 else a.abs()
        assert ((a - b).abs() <= most / 254 * 1.02 + 1e-6).all()  # half a step, and half precision's rounding
    asked = decisions_of(at_moment("diao_xie", {}, 3, [1, 120]), np.random.default_rng(0))
    np.testing.assert_allclose(short.chances(asked), full.chances(asked), atol=0.02)


def test_an_input_without_weights_is_stored_too() -> None:
    weights = {"0.weight": torch.tensor([[0.0, 1.0], [0.0, -0.25]]), "0.bias": torch.tensor([0.5, 0.0])}
    found = in_full(in_eight_bits(weights))
    assert found.keys() == weights.keys()
    for name, tensor in weights.items():
        torch.testing.assert_close(found[name], tensor, rtol=0, atol=1 / 254)


def files_in(folder: Path) -> dict[str, tuple[float, bytes]]:
    return {str(f): (f.stat().st_mtime, f.read_bytes()) for f in folder.rglob("*") if f.is_file()}


def test_what_is_done_is_neither_trained_nor_measured_again(
    made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_small(monkeypatch)
    before, arguments = files_in(made), ["--out", str(made / "out"), "--runs", str(made / "runs")]
    assert pretrain.main(arguments) == 0
    assert files_in(made) == before and capsys.readouterr().out.count("is done; remove it") == 2


def test_without_its_agent_a_finished_run_is_measured_again(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_small(monkeypatch)
    before = files_in(made / "runs")
    assert pretrain.main(["diao_xie", "--out", str(tmp_path), "--runs", str(made / "runs")]) == 0
    assert files_in(made / "runs") == before
    assert pretrained.about(tmp_path / "diao_xie") == pretrained.about(made / "out/diao_xie")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["diao_xie"]


@pytest.mark.parametrize(
    ("out", "runs", "complaint"),
    [
        ("same", "same", "would be both run and agent"),
        ("foreign", "runs", "holds something else than an agent"),
        ("new", "foreign", "is no folder of a run"),
        ("file", "runs", "cannot write to the folder"),
    ],
)
def test_nothing_of_others_is_touched(
    out: str, runs: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    make_small(monkeypatch)
    (tmp_path / "foreign/diao_xie").mkdir(parents=True)
    (tmp_path / "foreign/diao_xie/thesis.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    before = files_in(tmp_path)
    with pytest.raises(SystemExit):
        pretrain.main(["diao_xie", "--out", str(tmp_path / out), "--runs", str(tmp_path / runs)])
    assert complaint in capsys.readouterr().err and files_in(tmp_path) == before


def test_a_run_of_another_recipe_is_refused(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_small(monkeypatch)
    pretrain.RECIPES["diao_xie"] = replace(NETWORK, budget=("--samples", "9k"))
    with pytest.raises(SystemExit):
        pretrain.main(["diao_xie", "--out", str(tmp_path), "--runs", str(made / "runs")])
    assert "was trained otherwise" in capsys.readouterr().err


def test_an_agent_that_starts_from_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it starts from is made first, beside the runs, and once, and so is what that starts from."""
    make_small(monkeypatch)
    monkeypatch.setattr(pretrain, "RECIPES", {"three": THIRD})
    runs, out = tmp_path / "runs", tmp_path / "out/three"
    arguments = ["--out", str(out.parent), "--runs", str(runs)]
    assert pretrain.main(arguments) == 0
    made = ["three", "three-before", "three-before-before", "three-before-start", "three-start"]
    assert sorted(f.name for f in runs.iterdir() if f.is_dir()) == made
    told = pretrained.about(out)
    assert pretrain.commands_of(told) == THIRD.commands == (THIRD.command, *STARTED.commands)
    assert THIRD.command.endswith("--samples 5k --start-from START") and "start_from" not in told["options"]
    assert str(tmp_path) not in (out / "about.json").read_text()
    assert {look["against"] for look in told["choice"]} == {"START"}
    assert {look["against"] for look in told["start"]["start"]["choice"]} == {"rule_v0"}
    game, rules = get("guan_pai"), get("guan_pai").rules(cards_each=4)
    for begun, on in (("three-before-start", "three-before"), ("three-start", "three")):
        first = NetworkAgent.load(runs / begun, game, rules)
        second = NetworkAgent.load(runs / on / EVALUATED / f"{0:012d}", game, rules)
        for a, b in zip(first.net.parameters(), second.net.parameters(), strict=True):
            assert torch.equal(a, b)

    before = files_in(tmp_path)
    assert pretrain.main(arguments) == 0 and files_in(tmp_path) == before
    other = replace(STARTED, start=replace(START, budget=("--samples", "2k")))
    assert pretrain.is_done(THIRD, out)
    assert not pretrain.is_done(replace(THIRD, start=other), out)
    assert not pretrain.is_done(STARTED, out)


@pytest.mark.parametrize("content", ["{}", "[]", "no JSON", '{"game": "guan_pai", "greedy": "no"}'])
def test_what_is_no_about_file_is_told(content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pretrained, "FOLDER", tmp_path)
    (tmp_path / "junk").mkdir()
    (tmp_path / "junk/about.json").write_text(content)
    with pytest.raises(ValueError, match=r"junk.about\.json cannot be used"):
        pretrained.about(tmp_path / "junk")
    with pytest.raises(ValueError, match="cannot be used"):
        agents.load("pretrained", "guan_pai")


def test_names_that_have_no_recipe(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        pretrain.main(["chess"])
    assert "no recipe 'chess'; there are guan_pai, zheng_shang_you" in capsys.readouterr().err


def test_names(shipped: Path) -> None:
    assert pretrained.shipped("diao_xie") == ("diao_xie", "diao_xie-cfr") and not pretrained.shipped(
        "guan_pai"
    )
    assert "pretrained" in agents.names("diao_xie") and "pretrained" not in agents.names("guan_pai")
    assert isinstance(agents.load("pretrained", "diao_xie"), NetworkAgent)
    assert isinstance(agents.load("pretrained:diao_xie", "diao_xie"), NetworkAgent)
    assert agents.load("pretrained:diao_xie-cfr", "diao_xie").name == "diao_xie-cfr"
    assert agents.load("search-net:9:pretrained", "diao_xie").name == "search-net:9:diao_xie"


def test_a_network_of_a_game_of_bluffing_draws(shipped: Path) -> None:
    vec = envs.make_vec("diao_xie", 256)
    seen, infos = vec.reset(seed=np.zeros(256, np.int64).tolist())  # the same table again and again
    keys = np.arange(256, dtype=np.uint64)
    asked = Decisions(seen["observation"], seen["action_mask"], infos["seat"], keys)
    assert len(set(agents.load("pretrained", "diao_xie").act(asked).tolist())) > 1
    assert NetworkAgent.load(shipped / "diao_xie", get("diao_xie"), None).greedy, "as any other folder"


@pytest.mark.parametrize(
    ("name", "game", "options", "complaint"),
    [
        ("pretrained", "diao_xie", {"num_players": 3}, "diao_xie was made with num_players=2 .here 3."),
        ("pretrained:diao_xie-cfr", "diao_xie", {"betting": "limit"}, "diao_xie-cfr was made with betting="),
        ("pretrained:chess", "diao_xie", {}, "there is pretrained:diao_xie, pretrained:diao_xie-cfr"),
        ("pretrained", "guan_pai", {}, "for guan_pai under these options; there is none"),
        ("search-net:pretrained", "guan_pai", {}, "there is none"),
    ],
)  # fmt: skip
def test_what_there_is_not(
    shipped: Path, name: str, game: str, options: dict[str, str], complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        agents.load(name, game, get(game).rules.make(options))


def test_base_may_be_another(shipped: Path) -> None:
    assert agents.load("pretrained", "diao_xie", get("diao_xie").rules(base=5)).name == "diao_xie"


# --- those that are there -----------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(f.parent.name for f in pretrained.FOLDER.glob("*/about.json")))
def test_what_is_shipped_is_what_its_recipe_says(name: str) -> None:
    folder, recipe = pretrained.FOLDER / name, RECIPES[name]
    told, rules = pretrained.about(folder), get(recipe.game).rules.make(recipe.options)
    assert told["rules"] == rules.as_dict() and told["greedy"] == recipe.greedy
    assert pretrain.commands_of(told) == recipe.commands
    assert told["options"]["samples" if "samples" in recipe.budget[0] else "iterations"]
    assert agents.load(f"pretrained:{name}", recipe.game, rules).name == name
    assert sum(file.stat().st_size for file in folder.iterdir()) < 2_000_000
    if recipe.game == "diao_xie":  # an equilibrium only takes what others give away
        assert told["exploitability"] < 0.05
    else:  # in Xiangxi 96 nothing was found that surely gains on its rule player
        points = told["against"]["rule_v0"]["points"]
        assert points["high" if recipe.game == "xiangxi96" else "low"] > 0
