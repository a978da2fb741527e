"""Rollout policy iteration: gradient and trials against plain versions, and that it learns."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from scipy.special import softmax

import agents
import envs
from agents import Decisions
from agents.adviser import Adviser
from agents.network import NetworkAgent
from envs.core.game import get
from envs.core.vector import VectorTables
from training import selfplay
from training.evaluate import evaluate_against
from training.gradients import boltzmann_gradient
from training.rpi import RPI, RPIConfig
from training.trials import Trials

from .games import Options
from .moments import variants
from .test_resume import small

GAME, SHORT = "guan_pai", {"cards_each": 5}
SMALL = RPIConfig(num_envs=32, batch=1024, minibatch=256, hidden=(32,), bfloat16=False)


def learner(config: RPIConfig = SMALL, seed: int = 5) -> RPI:
    vec = envs.make_vec(GAME, config.num_envs, skip_forced=True, **SHORT)
    return RPI(vec, config, seed, Adviser.of("rule_v1", GAME, config.advice_weight, config.graded))


@pytest.mark.parametrize("seed", range(3))
def test_the_gradient_is_what_autograd_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    logits, gains = (rng.normal(size=(200, 9)).astype(np.float32) for _ in range(2))
    masks = (rng.random((200, 9)) < 0.5).astype(np.int8)
    masks[np.arange(200), rng.integers(9, size=200)] = 1
    gradient, sums = np.full_like(logits, np.nan), np.ones(3)
    boltzmann_gradient(logits, masks, gains, gradient, sums)

    x = torch.from_numpy(logits).double().requires_grad_()
    illegal = torch.from_numpy(masks == 0)
    log_p = torch.log_softmax(x.masked_fill(illegal, -torch.inf), dim=1).masked_fill(illegal, 0)
    p = log_p.exp().masked_fill(illegal, 0)
    entropy, gain = -(p * log_p).sum(), (p * torch.from_numpy(gains)).sum()
    ((-entropy - gain) / 200).backward()
    assert x.grad is not None
    np.testing.assert_allclose(gradient, x.grad.numpy(), atol=2e-6)
    assert (gradient[masks == 0] == 0).all()
    np.testing.assert_allclose(
        sums - 1, [float(v.detach()) for v in (-entropy - gain, entropy, gain)], rtol=1e-4
    )


# --- trials ---------------------------------------------------------------------------------------


Player = Callable[[Decisions], NDArray[np.int64]]


def played_out(
    vec: VectorTables, actions: NDArray[np.int64], keys: NDArray[np.uint64], player: Player
) -> NDArray[np.int64]:
    """What the seats to act (N,) get after their ``actions`` (N,), where ``player`` plays all seats on."""
    seats = vec.snapshot()[4]
    seen, _, ended, _, infos = vec.step(actions)
    while not ended.all():
        live = np.flatnonzero(~ended)
        asked = Decisions(
            seen["observation"][live], seen["action_mask"][live], infos["seat"][live], keys[live],
            vec.tables(rows=live),
        )  # fmt: skip
        actions = np.full(len(ended), -1)
        actions[live] = player(asked)
        seen, _, ended, _, infos = vec.step(actions)
    return infos["final_scores"][np.arange(len(seats)), seats].copy()


@variants
def test_all_actions_are_tried_in_the_game_as_it_stands(game: str, options: Options, rotate: int) -> None:
    """Against tables that are stepped to their end, with the rule player asked as every agent is."""
    n, info = 6, get(game).info(get(game).rules.make(options))
    vec = envs.make_vec(game, n, skip_forced=True, **options)
    twin = envs.make_vec(game, n, skip_forced=True, autoreset=False, **options)
    twin.reset(seed=0)
    trials = Trials(vec, n, rotate, Adviser.of("rule_v0", game), share=1.0)
    rule, differ = agents.load("rule_v0", game).act, 0
    for _ in range(8):
        before, keys = vec.snapshot(), trials.state()["keys"].copy()
        batch, _ = trials.collect(lambda seen: np.zeros((n, info.num_actions), np.float32), epsilon=1.0)
        samples = batch.copy()
        assert len(samples) == n and (samples["action_mask"] == before[3]).all()
        assert (samples["observation"][:, : info.observation_size] == before[2]).all()
        advice = samples["observation"][:, info.observation_size :]
        assert (advice.sum(axis=1) == 1).all()
        points = points_after(twin, before, samples["action_mask"], keys, rule)
        own = points[np.arange(n), advice.argmax(axis=1)]
        expected = np.where(before[3], points - own[:, None], 0)
        assert (samples["gains"] == expected).all()
        differ += np.count_nonzero(expected)
    assert differ > 20


def points_after(
    twin: VectorTables, before: Any, tried: NDArray[np.int8], keys: NDArray[np.uint64], player: Player
) -> NDArray[np.int64]:
    """What the seats to act get (N, A) after each of the actions that were ``tried``, from ``before`` on."""
    points, at = np.zeros(tried.shape, np.int64), np.arange(len(tried))
    actions = [np.flatnonzero(row) for row in tried]
    for k in range(max(map(len, actions))):
        chosen = np.array([own[min(k, len(own) - 1)] for own in actions])
        twin.restore(before)
        points[at, chosen] = played_out(twin, chosen, keys, player)
    return points


@variants
def test_the_policy_plays_on_itself_after_what_it_finds_probable(
    game: str, options: Options, rotate: int
) -> None:
    """Against tables that are stepped to their end; a policy by chance that listens to its adviser."""
    n, least, info = 24, 0.1, get(game).info(get(game).rules.make(options))
    vec = envs.make_vec(game, n, skip_forced=True, **options)
    twin = envs.make_vec(game, n, skip_forced=True, autoreset=False, **options)
    twin.reset(seed=0)
    adviser = Adviser.of("rule_v0", game, weight=1.0)
    width = info.observation_size + adviser.width(info.num_actions)
    weights = np.random.default_rng(rotate).normal(size=(width, info.num_actions)).astype(np.float32) / 10

    def policy(seen: NDArray[np.uint8]) -> NDArray[np.float32]:
        # One by one: digits depend on batches.
        return adviser.raised(np.stack([row.astype(np.float32) @ weights for row in seen]), seen)

    def player(asked: Decisions) -> NDArray[np.int64]:
        return np.where(asked.action_masks, policy(adviser.advise(asked)), -np.inf).argmax(axis=1)

    trials = Trials(vec, n, rotate, adviser, 1.0, least)
    differ = left_out = 0
    for _ in range(6):
        before, keys = vec.snapshot(), trials.state()["keys"].copy()
        asked = Decisions(before[2], before[3], before[4], keys, vec.tables())
        advised = adviser.advise(asked)
        chances = softmax(np.where(before[3], policy(advised), -np.inf), axis=1)
        trials.size = 1  # one step of all tables
        samples = trials.collect(policy, epsilon=0.5)[0].copy()
        worth = (chances >= least) & (before[3] == 1)
        rows = np.flatnonzero(worth.sum(axis=1) > 1)
        assert (samples["observation"] == advised[rows]).all()
        assert (samples["action_mask"] == worth[rows]).all()
        points = points_after(twin, before, np.where(worth.any(1)[:, None], worth, before[3]), keys, player)
        own = points[np.arange(n), chances.argmax(axis=1)]
        expected = np.where(worth, points - own[:, None], 0)[rows]
        assert (samples["gains"] == expected).all()
        differ += np.count_nonzero(expected)
        left_out += int(before[3].sum() - samples["action_mask"].sum())
    assert differ and left_out


def test_a_share_of_the_decisions_is_tried() -> None:
    info = get(GAME).info(get(GAME).rules())
    trials = Trials(
        envs.make_vec(GAME, 64, skip_forced=True), 600, 3, Adviser.of("rule_v0", GAME), share=0.25
    )
    asked: list[int] = []

    def policy(seen: NDArray[np.uint8]) -> NDArray[np.float32]:
        asked.append(len(seen))
        return np.zeros((64, info.num_actions), np.float32)

    batch, _ = trials.collect(policy, 0.1)
    assert 600 <= len(batch) < 664
    assert len(batch) / sum(asked) == pytest.approx(0.25, abs=0.04)


# --- learning -------------------------------------------------------------------------------------


def test_before_it_learns_it_plays_as_its_adviser_and_then_better() -> None:
    torch.set_num_threads(1)
    rpi = learner()
    own = NetworkAgent(rpi.policy, adviser=rpi.adviser)
    rules = get(GAME).rules(**SHORT)
    before = evaluate_against(own, "rule_v1", GAME, rules, 200, 1)
    assert before.points.mean == before.points.low == before.points.high == 0
    figures = [rpi.iterate(k / 40) for k in range(40)]
    assert all(np.isfinite(list(each.values())).all() for each in figures)
    assert figures[-1]["gain"] > figures[0]["gain"] + 0.5
    after = evaluate_against(own, "rule_v1", GAME, rules, 1000, 1)
    assert after.points.mean > 0 and after.points.low < after.points.high


def test_same_seed_same_weights_and_another_seed_others() -> None:
    torch.set_num_threads(1)
    weights = []
    for seed in (5, 5, 6):
        rpi = learner(seed=seed)
        for k in range(2):
            rpi.iterate(k / 2)
        weights.append(torch.cat([p.detach().flatten() for p in rpi.policy.parameters()]))
    assert torch.equal(weights[0], weights[1]) and not torch.equal(weights[0], weights[2])


def test_the_file_names_the_adviser_who_was_not_asked_for(tmp_path: Path) -> None:
    """The newest frozen rule player of today, so that the agent stays what it is when a newer one comes."""
    arguments = small("rpi", GAME, "--env.cards-each", "5", "--rpi.advice-weight", "2")
    assert selfplay.main([*arguments, "--out", str(tmp_path / "run")]) == 0
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert config["options"]["adviser"] == "rule_v1" and config["rpi"]["advice_weight"] == 2
    found = agents.load(str(tmp_path / "run"), GAME, get(GAME).rules(**SHORT))
    assert isinstance(found, NetworkAgent) and found.adviser is not None
    assert (found.adviser.rule.name, found.adviser.weight) == ("rule_v1", 2)
    assert found.adviser.grades == found.adviser.rule.grades


def test_a_run_without_grades_goes_on_without(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As runs do from before there were any: their networks have no room for them."""
    folder = tmp_path / "run"
    arguments = small("rpi", GAME, "--env.cards-each", "5", "--rpi.no-graded")
    assert selfplay.main([*arguments, "--out", str(folder)]) == 0
    found = agents.load(str(folder), GAME, get(GAME).rules(**SHORT))
    assert isinstance(found, NetworkAgent) and found.adviser is not None and found.adviser.grades == ()
    path = folder / "config.json"
    config = json.loads(path.read_text())
    config["rpi"]["graded"] = True
    path.write_text(json.dumps(config))
    with pytest.raises(SystemExit):
        selfplay.main(["--resume", str(folder), "--samples", "2000"])
    assert "is not of this version of the program (RuntimeError: " in capsys.readouterr().err
    del config["rpi"]["graded"]
    path.write_text(json.dumps(config))
    assert selfplay.main(["--resume", str(folder), "--samples", "2000"]) == 0


def test_a_run_may_start_from_the_network_of_another(tmp_path: Path) -> None:
    """It has its layers, its adviser and its weights, and learns on from there."""
    first, second = tmp_path / "first", tmp_path / "second"
    arguments = [GAME, "--env.cards-each", "5", "--seed", "1"]
    own = ["--adviser", "rule_v0", "--rpi.no-graded", "--rpi.hidden", "24", "8"]
    assert selfplay.main([*small("rpi", *arguments), *own, "--out", str(first)]) == 0
    still = ["--rpi.learning-rate", "1e-30", "--rpi.final-learning-rate", "1e-30", "--rpi.playouts", "own"]
    started = [*small("rpi", *arguments), "--start-from", str(first), *still, "--out", str(second)]
    assert selfplay.main(started) == 0
    config = json.loads((second / "config.json").read_text())
    assert config["rpi"]["hidden"] == [24, 8] and config["rpi"]["graded"] is False
    assert config["options"]["adviser"] == "rule_v0"
    assert Path(config["options"]["start_from"]).parts[-3:-1] == ("first", "checkpoints")  # the one of now
    a, b = (NetworkAgent.load(run, get(GAME), get(GAME).rules(**SHORT)).net for run in (first, second))
    for one, other in zip(a.parameters(), b.parameters(), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--start-from", "rule"], "rule has no network with an adviser to learn on from"),
        (["--start-from", "nowhere"], "nowhere"),
        (
            ["--start-from", "pretrained", "--adviser", "rule_v0"],
            "listens to rule_v1, so leave --adviser rule_v0",
        ),
        (["--start-from", "pretrained", "--env.cards-each", "5"], "made with cards_each=16 (here 5)"),
        (["--algo", "ppo", "--start-from", "pretrained"], "--start-from is an option of --algo rpi, not ppo"),
        (["--rpi.least-tried", "0.5"], "--rpi.least-tried is below 0.5, not 0.5"),
        (["--rpi.batch", "1000"], "--rpi.batch is a multiple of --rpi.minibatch (2048), not 1000"),
        (["--rpi.share", "0"], "--rpi.share is above 0"),
        (["--rpi.share", "1.5"], "--rpi.share is a share of 0..1"),
        (["--rpi.temperature", "nan"], "--rpi.temperature is above 0"),
        (["--adviser", "rule"], "no frozen rule player 'rule' of guan_pai"),
        (["--warm-start", "rule"], "--warm-start is an option of --algo ppo, not rpi"),
    ],
)
def test_bad_options_are_one_clear_line(
    arguments: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        selfplay.main([GAME, "--algo", "rpi", *arguments, "--out", str(tmp_path / "none")])
    said = capsys.readouterr().err
    assert stop.value.code == 2 and complaint in said and said.count("\n") == 1
    assert not (tmp_path / "none").exists()
