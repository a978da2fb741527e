"""Agents that come with the package: found by name, refused under other rules; the script that makes them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

import agents
import envs
from agents import Decisions, pretrained
from agents.network import POLICY_FILE, NetworkAgent
from envs.core.game import get
from training import pretrain
from training.checkpoint import newest
from training.learning import EVALUATED
from training.pretrain import RECIPES, Recipe

TINY = ("--ppo.num-envs", "64", "--ppo.batch", "1024", "--ppo.minibatch", "256", "--ppo.hidden", "16")
QUICK = ("--evaluations", "4", "--eval-deals", "2", "--final-deals", "2")
NETWORK = Recipe("diao_xie", ("--samples", "8k", *TINY, *QUICK), greedy=False)
TABLE = Recipe("diao_xie", ("--algo", "cfr", "--iterations", "9"), greedy=False)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two agents of Diao Xie as the script makes them, from small recipes."""
    folder, patch = tmp_path_factory.mktemp("pretrain"), pytest.MonkeyPatch()
    patch.setattr(pretrain, "RECIPES", {"diao_xie": NETWORK, "diao_xie-cfr": TABLE})
    patch.setattr(pretrain, "DEALS", 4)
    patch.setitem(pretrain.YARDSTICKS, "diao_xie", ("random", "rule_v0"))
    try:
        assert pretrain.main(["--out", str(folder / "out"), "--runs", str(folder / "runs")]) == 0
    finally:
        patch.undo()
    return folder


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
    assert told["command"].startswith("python -m training.selfplay diao_xie --samples 8k")
    assert set(told["benchmark"]["against"]) == {"random", "rule_v0"}


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


def test_what_is_done_is_not_trained_again(made: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pretrain.train(NETWORK, made / "runs/diao_xie")
    assert capfd.readouterr().out == ""


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
    assert told["command"].split()[3:] == pretrain.words_of(recipe)
    assert agents.load(f"pretrained:{name}", recipe.game, rules).name == name
    assert sum(file.stat().st_size for file in folder.iterdir()) < 2_000_000
    assert told["benchmark"]["against"]["rule_v0"]["points"]["low"] > 0
