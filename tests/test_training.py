"""Self-play training: its kernels against plain versions, its files, its command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save

import agents
import envs
from agents.network import NetworkAgent, mlp, network_bytes
from envs.core.game import get
from training import checkpoint, learners, learning, selfplay
from training.gradients import advantages_of, policy_gradient
from training.ppo import PPO, PPOConfig
from training.rollout import Rollout, sample_softmax
from training.stopping import Stopping

from .games import in_turn, pytest_generate_tests  # noqa: F401 (the hook of in_turn)

GAME = "guan_pai"
SMALL = PPOConfig(num_envs=16, batch=400, minibatch=200, epochs=2, hidden=(16,), critic_hidden=(8,))
SMALL_RUN = [
    "--ppo.num-envs", "16", "--ppo.batch", "400", "--ppo.minibatch", "200", "--ppo.hidden", "16",
    "--evaluations", "1", "--eval-deals", "4", "--final-deals", "4",
]  # fmt: skip


def random_rows(rng: np.random.Generator, rows: int, actions: int = 9):
    logits = rng.normal(size=(rows, actions)).astype(np.float32) * 2
    masks = (rng.random((rows, actions)) < 0.5).astype(np.int8)
    masks[np.arange(rows), rng.integers(actions, size=rows)] = 1
    chosen = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
    return logits, masks, chosen


def plain_log_probs(logits: torch.Tensor, masks: np.ndarray) -> torch.Tensor:
    illegal = torch.from_numpy(masks == 0)
    return torch.log_softmax(logits.masked_fill(illegal, -torch.inf), dim=1)


# --- kernels --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_policy_gradient_is_what_autograd_says(seed):
    rng = np.random.default_rng(seed)
    logits, masks, chosen = random_rows(rng, 200)
    old = plain_log_probs(torch.from_numpy(logits), masks).numpy()[np.arange(200), chosen]
    old += rng.normal(scale=0.3, size=200).astype(np.float32)  # ratios on both sides of the clip
    advantages = rng.normal(size=200).astype(np.float32)
    gradient, sums = np.empty_like(logits), np.zeros(4)
    policy_gradient(logits, masks, chosen, old, advantages, np.float32(0.2), np.float32(0.01), gradient, sums)

    x = torch.from_numpy(logits).double().requires_grad_()
    log_probs = plain_log_probs(x, masks)
    log_ratio = log_probs[torch.arange(200), torch.from_numpy(chosen)] - torch.from_numpy(old)
    ratio, a = log_ratio.exp(), torch.from_numpy(advantages)
    policy_loss = -torch.minimum(ratio * a, ratio.clamp(0.8, 1.2) * a)
    entropy = -(log_probs.exp() * log_probs.masked_fill(log_probs.isinf(), 0)).sum(dim=1)
    (policy_loss.mean() - 0.01 * entropy.mean()).backward()
    np.testing.assert_allclose(gradient, x.grad.numpy(), atol=2e-6)
    assert (gradient[masks == 0] == 0).all()
    clipped = ((ratio > 1.2) & (a > 0)) | ((ratio < 0.8) & (a < 0))
    expected = [policy_loss.sum(), entropy.sum(), (ratio - 1 - log_ratio).sum(), clipped.sum()]
    np.testing.assert_allclose(sums, [float(e.detach()) for e in expected], rtol=1e-4)
    assert 10 < sums[3] < 190


def test_advantages_are_the_sums_of_the_paper():
    rng = np.random.default_rng(0)
    lengths, gae_lambda = [1, 4, 2, 7], 0.9
    values = rng.normal(size=sum(lengths)).astype(np.float32)
    rewards = np.repeat(rng.normal(size=4), lengths).astype(np.float32)
    last = np.zeros(len(values), np.bool_)
    last[np.cumsum(lengths) - 1] = True
    advantages = np.empty_like(values)
    advantages_of(values, rewards, last, np.float32(gae_lambda), advantages)
    start = 0
    for length in lengths:
        v = [*values[start : start + length], 0.0]
        deltas = [(rewards[start] if t == length - 1 else 0) + v[t + 1] - v[t] for t in range(length)]
        for t in range(length):
            expected = sum(gae_lambda**k * deltas[t + k] for k in range(length - t))
            assert advantages[start + t] == pytest.approx(expected, abs=1e-5)
        start += length


def test_softmax_sampler_draws_what_it_says():
    rng = np.random.default_rng(1)
    logits, masks, _ = random_rows(rng, 1, actions=6)
    n = 40_000
    many_logits, many_masks = np.repeat(logits, n, 0), np.repeat(masks, n, 0)
    keys, actions, log_probs = np.arange(n, dtype=np.uint64), np.zeros(n, np.int64), np.zeros(n, np.float32)
    sample_softmax(many_logits, many_masks, keys, actions, log_probs)
    expected = plain_log_probs(torch.from_numpy(logits), masks).exp().numpy()[0]
    observed = np.bincount(actions, minlength=6)
    assert (observed[masks[0] == 0] == 0).all()
    legal = masks[0] == 1
    chi_square = ((observed - n * expected)[legal] ** 2 / (n * expected[legal])).sum()
    assert chi_square < 25  # 5 degrees of freedom at most: p < 0.0002
    np.testing.assert_allclose(np.exp(log_probs), expected[actions], rtol=1e-4)
    assert (keys == np.arange(n, dtype=np.uint64) + np.uint64(1)).all()


def test_a_batch_holds_whole_games_seat_by_seat():
    """Replays the same games with plain bookkeeping: every decision once, with its seat's points."""
    vec = envs.make_vec(GAME, 8, skip_forced=True)
    rollout = Rollout(vec, size=300, seed=3)
    zeros = np.zeros((8, vec.game.num_actions), np.float32)
    other = Rollout(envs.make_vec(GAME, 8, skip_forced=True), size=300, seed=3)
    twin, keys, seen, infos = other.vec, other._keys, other._seen, other._infos
    running: list[list[tuple]] = [[] for _ in range(8)]
    for _ in range(3):
        batch, played = rollout.collect(lambda observations: zeros)
        expected, games = [], 0
        while len(expected) < 300:
            actions, logs = np.zeros(8, np.int64), np.zeros(8, np.float32)
            sample_softmax(zeros, seen["action_mask"], keys, actions, logs)
            for i in range(8):
                running[i].append((int(infos["seat"][i]), seen["observation"][i].copy(), int(actions[i])))
            seen, _, ended, _, infos = twin.step(actions)
            for i in np.flatnonzero(ended):
                games += 1
                for seat in range(3):
                    mine = [d for d in running[i] if d[0] == seat]
                    for k, (_, observation, action) in enumerate(mine):
                        score = int(infos["final_scores"][i, seat])
                        expected.append((observation, action, score, k == len(mine) - 1))
                running[i] = []
        assert len(batch) == len(expected) and played == games
        for k, (observation, action, score, last) in enumerate(expected):
            assert (batch["observation"][k] == observation).all()
            assert tuple(batch[["action", "points", "last"]][k]) == (action, score, last)
        assert (batch["action_mask"].sum(axis=1) > 1).all()  # no forced decision


def test_same_seed_same_weights_and_it_learns_something():
    torch.set_num_threads(1)
    weights = []
    for _ in range(2):
        learner = PPO(envs.make_vec(GAME, 16, skip_forced=True), SMALL, seed=5)
        start = [p.detach().clone() for p in learner.policy.parameters()]
        figures = [learner.iterate(k / 3) for k in range(3)]
        weights.append(torch.cat([p.detach().flatten() for p in learner.policy.parameters()]))
        end = [p.detach() for p in learner.policy.parameters()]
        assert all(not torch.equal(a, b) for a, b in zip(start, end, strict=True))
        assert all(np.isfinite(list(f.values())).all() for f in figures)
    assert torch.equal(*weights)


@pytest.mark.parametrize("greedy", [True, False])
def test_a_network_that_is_no_number_says_so(greedy):
    info = get(GAME).info(get(GAME).rules())
    net = mlp([info.observation_size, info.num_actions])
    with torch.no_grad():
        net[0].bias[3] = torch.nan
    vec = envs.make_vec(GAME, 4)
    seen, infos = vec.reset(seed=0)
    asked = agents.Decisions(
        seen["observation"], seen["action_mask"], infos["seat"], np.arange(4, dtype=np.uint64)
    )
    with pytest.raises(ValueError, match="not finite"):
        NetworkAgent(net, greedy=greedy).act(asked)


# --- files ----------------------------------------------------------------------------------------


def saved_policy(folder: Path, **options) -> Path:
    game = get(GAME)
    rules = game.rules.make(options)
    info = game.info(rules)
    sizes = [info.observation_size, 8, info.num_actions]
    torch.manual_seed(0)
    checkpoint.save_folder(folder, {"policy.safetensors": network_bytes(mlp(sizes), game, rules, sizes)})
    return folder


def test_a_saved_policy_answers_as_before(tmp_path):
    agent = agents.load(str(saved_policy(tmp_path / "checkpoints" / "1").parent.parent), GAME)
    again = agents.load(str(tmp_path / "checkpoints" / "1"), GAME)
    vec = envs.make_vec(GAME, 50)
    seen, infos = vec.reset(seed=0)
    decisions = agents.Decisions(
        seen["observation"], seen["action_mask"], infos["seat"], np.arange(50, dtype=np.uint64)
    )
    assert (agent.act(decisions) == again.act(decisions)).all()
    softmax = NetworkAgent(agent.net, greedy=False)
    for player in (agent, softmax):
        policy = player.policy(decisions)
        np.testing.assert_allclose(policy.sum(axis=1), 1, rtol=1e-5)
        assert (policy[seen["action_mask"] == 0] == 0).all()
        assert (policy.argmax(axis=1) == agent.act(decisions)).all()
    assert (agent.policy(decisions).max(axis=1) == 1).all()
    assert seen["action_mask"][np.arange(50), softmax.act(decisions)].all()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [({"must_beat": "all"}, "must_beat='off'"), ({"loss_cap": None}, "loss_cap=100"), ({"base": 5}, None)],
)
def test_a_policy_of_other_options_is_refused(tmp_path, options, complaint):
    folder, rules = saved_policy(tmp_path / "x"), get(GAME).rules.make(options)
    if complaint is None:
        assert isinstance(agents.load(str(folder), GAME, rules), NetworkAgent)
        return
    with pytest.raises(ValueError, match=complaint):
        agents.load(str(folder), GAME, rules)


@pytest.mark.parametrize(
    "change",
    [
        {"game": None},
        {"version": None},
        {"sizes": "3"},
        {"sizes": "[10, 8, 266]"},
        {"rules": "[]"},
        {"game": "chess"},
        {"version": "7"},
        {"rules": json.dumps({**get(GAME).rules().as_dict(), "gone": True})},
    ],
)
def test_a_policy_with_odd_metadata_is_refused(tmp_path, change):
    path = saved_policy(tmp_path / "x") / "policy.safetensors"
    with safe_open(path, "pt") as file:
        metadata = {**file.metadata(), **change}
        weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    path.write_bytes(save(weights, {k: v for k, v in metadata.items() if v is not None}))
    with pytest.raises(ValueError, match=r"policy\.safetensors"):
        agents.load(str(tmp_path / "x"), GAME)


@pytest.mark.parametrize("content", [b"", b"no weights at all", None])
def test_a_foreign_folder_is_refused(tmp_path, content):
    if content is not None:
        (tmp_path / "policy.safetensors").write_bytes(content)
    with pytest.raises(ValueError, match=r"policy\.safetensors"):
        agents.load(str(tmp_path), GAME)
    with pytest.raises(ValueError, match="no agent"):
        agents.load(str(tmp_path / "missing"), GAME)


@pytest.mark.parametrize("failing_write", [0, 1, 2])
def test_a_full_disk_leaves_the_last_checkpoint_whole(tmp_path, monkeypatch, failing_write):
    """The write that fails may be the first, second or third file: nothing half-written stays."""
    old = checkpoint.save_folder
    old(tmp_path / "1", {"a": "old", "b": "old", "c": "old"})
    count = 0
    write = checkpoint._write_through

    def failing(path, content):
        nonlocal count
        count += 1
        if count > failing_write:
            path.write_bytes(b"half")
            raise OSError(28, "No space left on device")
        write(path, content)

    monkeypatch.setattr(checkpoint, "_write_through", failing)
    with pytest.raises(OSError, match="No space"):
        checkpoint.save_folder(tmp_path / "2", {"a": "new", "b": "new", "c": "new"})
    assert [f.name for f in tmp_path.iterdir()] == ["1"]
    assert {f.name: f.read_text() for f in (tmp_path / "1").iterdir()} == dict.fromkeys("abc", "old")
    (tmp_path / "file").write_text("old")
    with pytest.raises(OSError, match="No space"):
        checkpoint.write_file(tmp_path / "file", "new")
    assert (tmp_path / "file").read_text() == "old"


def test_the_newest_three_checkpoints_stay(tmp_path):
    for k in range(5):
        checkpoint.save_folder(tmp_path / str(k), {"a": str(k)})
    assert sorted(f.name for f in tmp_path.iterdir()) == ["2", "3", "4"]


# --- the command line -----------------------------------------------------------------------------


def test_selfplay_trains_saves_and_reports(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert selfplay.main(["--samples", "1k", "--env.must-beat", "all", *SMALL_RUN]) == 0
    out = capsys.readouterr().out
    assert "it beats 2 rule_v0 players on" in out and "0 samples:" in out
    folder = tmp_path / "runs" / "guan_pai-1"
    assert json.loads((folder / "config.json").read_text())["rules"]["must_beat"] == "all"
    assert (folder / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert "| 0 | 0 |" in (folder / "report.md").read_text()
    assert len((folder / "progress.csv").read_text().splitlines()) > 2
    assert any((folder / "tensorboard").iterdir())
    rules = get(GAME).rules(must_beat="all")
    assert agents.load("runs/guan_pai-1", GAME, rules).name == "guan_pai-1"
    assert selfplay.new_folder(None, GAME) == Path("runs/guan_pai-2")
    with pytest.raises(SystemExit):
        selfplay.main(["--out", "runs/guan_pai-1", *SMALL_RUN])
    assert "exists already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["chess"], "no game 'chess'"),
        (["--samples", "many"], "--samples takes a number"),
        (["--minutes", "0"], "--minutes must be above 0"),
        (["--env.must-beat", "sometimes"], "must-beat"),
        (["--env.no-such-option", "1"], "no-such-option"),
        (["--env.base", "0"], "base must be an integer of 1..1000"),
        (["--seed", "-1"], "--seed is at least 0"),
        (["--minutes", "nan"], "--minutes must be above 0"),
        (["--samples", "inf"], "--samples takes a number"),
        (["--threads", "0"], "--threads is at least 1"),
        (["--evaluations", "0"], "--evaluations is at least 1"),
        (["--final-deals", "1"], "--final-deals is at least 2"),
        (["--ppo.num-envs", "0"], "--ppo.num-envs is at least 1"),
        (["--ppo.epochs", "0"], "--ppo.epochs is at least 1"),
    ],
)
def test_bad_usage_is_one_clear_line_and_leaves_nothing(arguments, complaint, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        selfplay.main(arguments)
    error = capsys.readouterr().err.strip()
    assert end.value.code == 2
    assert complaint in error and len(error.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_ctrl_c_while_it_compiles_is_one_line(tmp_path, monkeypatch, capsys):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(learners, "PPO", interrupted)
    assert selfplay.main(SMALL_RUN) == 130
    assert capsys.readouterr().err.strip() == "stopped before learning began: there is nothing to save"


def test_runs_with_other_seeds_learn_from_other_deals():
    decks = [
        {tuple(deck) for deck in Rollout(envs.make_vec(GAME, 64), 100, seed).vec.tables(blank=False)["deck"]}
        for seed in (0, 1)
    ]
    assert len(decks[0]) == 64 and not decks[0] & decks[1]


def test_a_failing_save_in_mid_run_is_said_and_survived(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(learning, "SECONDS_BETWEEN_SAVES", 0)
    save = learning.save_folder
    tries = []

    def sometimes_full(folder, files):
        tries.append(folder.name)
        if len(tries) == 2:
            raise OSError(28, "No space left on device")
        save(folder, files)

    monkeypatch.setattr(learning, "save_folder", sometimes_full)
    assert selfplay.main(["--samples", "1500", "--out", str(tmp_path / "run"), *SMALL_RUN]) == 0
    assert "could not save" in capsys.readouterr().out
    kept = [f.name for f in (tmp_path / "run" / "checkpoints").iterdir()]
    assert tries[1] not in kept and tries[-1] in kept


def test_a_disk_that_stays_full_ends_with_one_line(tmp_path, monkeypatch, capsys):
    def full(folder, files):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(learning, "save_folder", full)
    assert selfplay.main(["--samples", "500", "--out", str(tmp_path / "run"), *SMALL_RUN]) == 1
    assert capsys.readouterr().err.strip().splitlines() == ["error: [Errno 28] No space left on device"]


@pytest.mark.skipif(os.name != "posix", reason="sends a signal as a terminal does")
@in_turn("number", [signal.SIGINT, signal.SIGTERM], parts=2)
def test_a_stopped_run_saves_an_agent(tmp_path, number):
    process = subprocess.Popen(
        [sys.executable, "-m", "training.selfplay", "--minutes", "5", "--out", "run", *SMALL_RUN],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    for line in process.stdout:
        if "0 samples:" in line:
            break
    process.send_signal(number)  # it may well be compiling
    out, err = process.communicate(timeout=100)
    assert process.returncode == 130 and err == ""
    assert "saved in run/checkpoints" in out and "python -m training.evaluate guan_pai run rule_v0" in out
    assert agents.load(str(tmp_path / "run"), GAME).name == "run"


def test_the_second_signal_interrupts_at_once(request):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # which a background job has not
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    with Stopping() as stopping:
        signal.raise_signal(signal.SIGINT)
        assert stopping.requested
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        stopping.heed()
