"""Deep Monte Carlo: kernels against plain versions, ring and targets, exact resume, and that it learns."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

import envs
from agents.network import NetworkAgent, mlp
from envs.core.game import get
from training.checkpoint import arrays_bytes, read_arrays
from training.dmc import DMC, DMCConfig, Ring, sample_epsilon_greedy, taken_gradients
from training.evaluate import evaluate_against
from training.rollout import targets_of

GAME, SHORT = "guan_pai", {"cards_each": 5}
SMALL = DMCConfig(num_envs=16, batch=400, ring=500, minibatch=64, hidden=(16,), bfloat16=False)


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def learner(config: DMCConfig = SMALL, seed: int = 5, **rules) -> DMC:
    return DMC(envs.make_vec(GAME, config.num_envs, skip_forced=True, **rules), config, seed)


def weights(dmc: DMC) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in dmc.policy.parameters()])


# --- kernels --------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0])
def test_sampler_takes_the_best_legal_action_or_any(epsilon):
    n = 40_000
    values = np.tile(np.array([9, 1, 3, 2, 3, -1], np.float32), (n, 1))  # the best are illegal, or equal
    masks = np.tile(np.array([0, 1, 1, 0, 1, 1], np.int8), (n, 1))
    keys, actions, log_probs = np.arange(n, dtype=np.uint64), np.zeros(n, np.int64), np.zeros(n, np.float32)
    sample_epsilon_greedy(values, masks, keys, epsilon, actions, log_probs)
    expected = masks[0] * epsilon / 4
    expected[2] += 1 - epsilon  # the first of equals, as argmax
    observed = np.bincount(actions, minlength=6)
    assert (observed[expected == 0] == 0).all()
    drawn = expected > 0
    chi_square = ((observed - n * expected)[drawn] ** 2 / (n * expected[drawn])).sum()
    assert chi_square < 20  # 3 degrees of freedom: p < 0.0002
    np.testing.assert_allclose(np.exp(log_probs), expected[actions], rtol=1e-5)
    assert (keys == np.arange(n, dtype=np.uint64) + np.uint64(1)).all()


def test_sampler_is_legal_whatever_the_values():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(3000, 9)).astype(np.float32)
    masks = (rng.random((3000, 9)) < 0.3).astype(np.int8)
    masks[np.arange(3000), rng.integers(9, size=3000)] = 1
    actions, log_probs = np.zeros(3000, np.int64), np.zeros(3000, np.float32)
    for epsilon, best in ((0.0, True), (0.9, False)):
        sample_epsilon_greedy(values, masks, rng.integers(2**63, size=3000).astype(np.uint64), epsilon,
                              actions, log_probs)  # fmt: skip
        assert masks[np.arange(3000), actions].all()
        assert (actions == np.where(masks, values, -np.inf).argmax(axis=1)).all() == best


@pytest.mark.parametrize("seed", range(3))
def test_gradients_are_what_autograd_says(seed):
    rng = np.random.default_rng(seed)
    hidden, weight = rng.normal(size=(200, 12)), rng.normal(size=(9, 12))
    bias, targets, actions = rng.normal(size=9), rng.normal(size=200), rng.integers(8, size=200)
    h, w, b = (torch.tensor(a, requires_grad=True) for a in (hidden, weight, bias))
    q = (h @ w.T + b)[torch.arange(200), torch.from_numpy(actions)]
    torch.nn.functional.mse_loss(q, torch.from_numpy(targets)).backward()

    single = [a.astype(np.float32) for a in (hidden, weight, bias, targets)]
    values, to_hidden = np.empty(200, np.float32), np.empty((200, 12), np.float32)
    to_weight, to_bias = np.zeros((9, 12), np.float32), np.zeros(9, np.float32)
    taken_gradients(*single[:3], actions, single[3], values, to_hidden, to_weight, to_bias)
    np.testing.assert_allclose(values, q.detach().numpy(), atol=1e-5)
    for ours, theirs in ((to_hidden, h.grad), (to_weight, w.grad), (to_bias, b.grad)):
        np.testing.assert_allclose(ours, theirs.numpy(), atol=1e-5)
    assert (to_weight[8] == 0).all() and to_bias[8] == 0  # an action that nobody took


@pytest.mark.parametrize("longest", [1e9, 1e-3])
def test_a_step_is_what_autograd_and_adam_make(longest):
    """The gradient kernel and the way back through the layers before it, against one loss.backward()."""
    dmc = learner(DMCConfig(num_envs=16, batch=400, ring=500, minibatch=64, hidden=(16, 8), bfloat16=False,
                            max_gradient=longest))  # fmt: skip
    batch, _ = dmc.rollout.collect(dmc.act)
    targets = targets_of(batch["points"], dmc.game, "score", clip=3.0)
    dmc.ring.add(batch["observation"], batch["action"], targets)
    twin = mlp(dmc.sizes)
    twin.load_state_dict(dmc.policy.state_dict())
    adam = torch.optim.Adam(twin.parameters(), dmc.config.learning_rate)
    for rows in np.arange(120).reshape(3, 40):
        values, length = dmc._learn(rows)
        q = twin(torch.from_numpy(dmc.ring.observations[rows]).float())
        q = q[torch.arange(40), torch.from_numpy(dmc.ring.actions[rows])]
        adam.zero_grad()
        torch.nn.functional.mse_loss(q, torch.from_numpy(dmc.ring.targets[rows])).backward()
        assert length == pytest.approx(
            float(torch.nn.utils.clip_grad_norm_(twin.parameters(), longest)), rel=1e-3
        )
        adam.step()
        np.testing.assert_allclose(values, q.detach().numpy(), atol=1e-4)
    for ours, theirs in zip(dmc.policy.parameters(), twin.parameters(), strict=True):
        np.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy(), atol=2e-4)


# --- the ring and the targets ---------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [[3], [10], [4, 4, 4], [7, 6, 9], [25], [3, 31, 2], [10, 10]])
def test_the_ring_keeps_the_newest(sizes):
    ring, everything = Ring(10, 6), np.arange(sum(sizes))
    observations = everything[:, None] >> np.arange(6) & 1
    start = 0
    for size in sizes:
        part = slice(start, start + size)
        ring.add(observations[part].astype(np.uint8), everything[part], everything[part].astype(np.float32))
        start += size
    newest = everything[-10:]
    assert len(ring) == len(newest) and ring.added == len(everything)
    held = ring.actions[: len(ring)]
    assert sorted(held) == newest.tolist()
    assert (held == newest[np.argsort(newest % 10)]).all()  # each in the place of the one 10 before
    assert (ring.targets[: len(ring)] == held).all()
    assert (ring.observations[: len(ring)] == observations[held]).all()
    other = Ring(10, 6)
    other.load_state(ring.state(), ring.added)
    for name in ("observations", "actions", "targets"):
        assert (getattr(other, name) == getattr(ring, name)).all()


@pytest.mark.parametrize(
    ("target", "expected"), [("score", [-2, -1, 0, 0.4, 1, 2]), ("win", [0, 0, 0, 1, 1, 1])]
)
def test_targets(target, expected):
    info = get(GAME).info(get(GAME).rules())
    assert info.typical_score == 25
    targets = targets_of(np.array([-100, -25, 0, 10, 25, 51], np.float32), info, target, clip=2.0)
    assert targets.dtype == np.float32
    np.testing.assert_allclose(targets, expected, rtol=1e-6)


def test_winners_are_those_with_points():
    """So the win target needs nothing but points; in Guan Pai at least one seat pays the winner something."""
    vec = envs.make_vec(GAME, 64, skip_forced=True)
    vec.reset(seed=0)
    winner, games = vec.game.stats.index("winner"), 0
    while games < 100:
        _, _, ended, _, infos = vec.step(vec.sample())
        for scores, stats in zip(infos["final_scores"][ended], infos["final_stats"][ended], strict=True):
            assert np.flatnonzero(scores > 0).tolist() == [stats[winner]]
            games += 1


# --- the learner ----------------------------------------------------------------------------------


def test_same_seed_same_weights():
    runs = [learner(seed=seed) for seed in (5, 5, 6)]
    start = weights(runs[0])
    figures = [[run.iterate(k / 3) for k in range(3)] for run in runs]
    assert figures[0] == figures[1]
    assert all(np.isfinite(list(f.values())).all() for f in figures[0])
    assert (weights(runs[0]) != start).any()
    assert torch.equal(weights(runs[0]), weights(runs[1]))
    assert not torch.equal(weights(runs[0]), weights(runs[2]))


def test_schedules_and_how_often_samples_are_used(monkeypatch):
    dmc, steps = learner(), []
    learn = dmc._learn
    monkeypatch.setattr(dmc, "_learn", lambda rows: steps.append(len(rows)) or learn(rows))
    figures = [dmc.iterate(progress) for progress in (0, 0.5, 1, 1.5)]
    assert [f["epsilon"] for f in figures] == pytest.approx([0.05, 0.03, 0.01, 0.01])
    assert [f["learning_rate"] for f in figures] == pytest.approx([2e-3, 1.1e-3, 2e-4, 2e-4])
    samples = sum(f["samples"] for f in figures)
    assert set(steps) == {64} and samples - 64 < sum(steps) <= samples


def test_a_resumed_run_is_the_same_bit_for_bit(tmp_path):
    whole = learner()
    for k in range(4):
        whole.iterate(k / 8)
    arrays, plain = whole.state()
    (tmp_path / "arrays.npz").write_bytes(arrays_bytes(arrays))
    plain, policy = (
        json.loads(json.dumps(plain)),
        {k: v.clone() for k, v in whole.policy.state_dict().items()},
    )
    expected = [whole.iterate(k / 8) for k in range(4, 8)]

    resumed = learner(seed=99)  # everything that the seed makes comes from the state
    resumed.iterate(0)
    resumed.policy.load_state_dict(policy)
    resumed.load_state(read_arrays(tmp_path / "arrays.npz"), plain)
    assert [resumed.iterate(k / 8) for k in range(4, 8)] == expected
    assert torch.equal(weights(resumed), weights(whole))


@pytest.mark.parametrize("target", ["score", "win"])
def test_it_learns_to_beat_random_players(target):
    config = DMCConfig(num_envs=128, batch=2048, ring=8192, minibatch=256, hidden=(64,), target=target)
    dmc = learner(config, seed=1, **SHORT)
    figures = [dmc.iterate(k / 30) for k in range(30)]
    rules = get(GAME).rules.make(SHORT)
    result = evaluate_against(NetworkAgent(dmc.policy), "random", GAME, rules, 200, seed=2)
    assert result.win_rate.low > 0.4 and result.points.low > 2  # random players: 1/3 and 0
    assert figures[-1]["explained_variance"] > 0.15


@pytest.mark.parametrize(
    ("option", "value", "complaint"),
    [
        ("num_envs", 0, "--dmc.num-envs is at least 1"),
        ("batch", 0, "--dmc.batch is at least 1"),
        ("ring", -1, "--dmc.ring is at least 1"),
        ("minibatch", 0, "--dmc.minibatch is at least 1"),
        ("learning_rate", 0.0, "--dmc.learning-rate is above 0"),
        ("final_learning_rate", float("nan"), "--dmc.final-learning-rate is above 0"),
        ("max_gradient", 0.0, "--dmc.max-gradient is above 0"),
        ("target_clip", float("inf"), "--dmc.target-clip is above 0"),
        ("epsilon", 1.1, "--dmc.epsilon is a share of 0..1"),
        ("final_epsilon", -0.1, "--dmc.final-epsilon is a share of 0..1"),
        ("hidden", (0,), "--dmc.hidden is one or more layers"),
        ("hidden", (), "--dmc.hidden is one or more layers"),
        ("target", "money", "--dmc.target is one of score, win"),
    ],
)
def test_bad_options_are_refused(option, value, complaint):
    with pytest.raises(ValueError, match=complaint):
        DMCConfig(**{option: value})
