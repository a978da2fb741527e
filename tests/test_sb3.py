"""Training by sb3-contrib's MaskablePPO: its environment against ``make_gym``, its networks against ours."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import VecEnv

import agents
import envs
from agents.network import NetworkAgent, mlp, network_bytes
from envs.core.game import get
from training.checkpoint import readable_json
from training.evaluate import evaluate_against
from training.sb3 import SB3, LearnerSeats, SB3Config

TINY = {"cards_each": 5}
games = pytest.mark.parametrize(
    ("game", "options"),
    [(game, {}) for game in envs.games()]
    + [("guan_pai", TINY), ("zheng_shang_you", {"decks": 2}), ("diao_xie", {"num_players": 5, "hands": 3})],
)
SMALL: dict[str, Any] = {
    "num_envs": 8, "steps": 16, "minibatch": 64, "epochs": 2, "hidden": (16, 12), "critic_hidden": (8,),
    "bfloat16": False,
}  # fmt: skip


def seats(game: str, num_envs: int, opponents: str = "random", **options: Any) -> LearnerSeats:
    rules = get(game).rules.make(options)
    others = get(game).info(rules).num_players - 1
    return LearnerSeats(get(game), rules, num_envs, [agents.load(opponents, game, rules)] * others)


def learner(seed: int = 0, game: str = "guan_pai", options: Any = TINY, **changes: Any) -> SB3:
    return SB3(get(game), get(game).rules.make(options), SB3Config(**{**SMALL, **changes}), seed)


def observations(model: SB3, count: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    return (rng.random((count, model.sizes[0])) < 0.2).astype(np.uint8)


def weights(model: SB3) -> list[np.ndarray]:
    return [parameter.detach().numpy().copy() for parameter in model.model.policy.parameters()]


# --- the environment --------------------------------------------------------------------------------


def plain_episode(env: Any, seen: np.ndarray, info: dict[str, Any]) -> list[Any]:
    """What the learner sees of an episode in which it plays its first legal actions, forced ones left out."""
    steps: list[Any] = []
    ended, reward = False, 0.0
    while not ended:
        legal = np.flatnonzero(info["action_mask"])
        if len(legal) > 1:
            steps.append((seen, info["action_mask"] != 0))
        seen, reward, ended, _, info = env.step(legal[0])
    return [*steps, (seen, reward)]


@games
def test_its_episodes_are_those_of_a_plain_loop(game: str, options: dict[str, Any]) -> None:
    tables, steps = 4, 60
    vec = seats(game, tables, **options)
    vec.seed(11)
    seen, episodes = vec.reset(), [[[]] for _ in range(tables)]
    for _ in range(steps):
        masks = get_action_masks(vec)
        for row in range(tables):
            episodes[row][-1].append((seen[row], masks[row]))
        seen, rewards, dones, infos = vec.step(masks.argmax(axis=1))
        assert (rewards[~dones] == 0).all() and rewards.dtype == np.float32
        assert [("terminal_observation" in info) for info in infos] == dones.tolist()
        for row in np.flatnonzero(dones):
            episodes[row][-1].append((infos[row]["terminal_observation"], rewards[row]))
            episodes[row].append([])
    assert vec.games == sum(len(played) - 1 for played in episodes)

    compared = 0
    for row in range(tables):
        env = envs.make_gym(game, "random", **options)
        seen, info = env.reset(seed=11 + row)
        for played in episodes[row][:-1]:
            plain = plain_episode(env, seen, info)
            if len(plain) == 1:  # all was forced: not dealt to a learner, and the next seat is another
                break
            assert len(plain) == len(played)
            for (a, b), (c, d) in zip(plain, played, strict=True):
                assert np.array_equal(a, c) and np.array_equal(b, d)
            compared += 1
            seen, info = env.reset()
    assert compared >= 3


def test_masks_and_attributes_are_as_sb3_asks_for_them() -> None:
    vec = seats("guan_pai", 3)
    vec.reset()
    assert isinstance(vec, VecEnv) and is_masking_supported(vec) and not vec.has_attr("something")
    masks = vec.action_masks()
    assert masks.shape == (3, vec.action_space.n) and masks.dtype == np.bool_
    assert (masks.sum(axis=1) > 1).all()  # forced decisions are no steps
    assert np.array_equal(vec.env_method("action_masks", indices=[2, 0]), masks[[2, 0]])
    with pytest.raises(AttributeError, match="only 'action_masks'"):
        vec.env_method("render")


def test_an_illegal_action_is_refused_and_nothing_moves() -> None:
    vec = seats("guan_pai", 3)
    vec.seed(0)
    before, masks = vec.reset(), vec.action_masks()
    actions = masks.argmax(axis=1)
    actions[1] = masks[1].argmin()
    with pytest.raises(ValueError, match=f"table 1: action {actions[1]} is not legal"):
        vec.step(actions)
    assert np.array_equal(vec.tables.observed(), before) and np.array_equal(vec.action_masks(), masks)


@games
def test_learners_take_legal_actions_only(game: str, options: dict[str, Any]) -> None:
    one = learner(game=game, options=options, num_envs=4, steps=16)
    figures = one.iterate(0.0)  # an illegal action, a learner's or another seat's, is an error
    buffer = one.model.rollout_buffer
    taken = np.take_along_axis(buffer.action_masks, buffer.actions, axis=1)
    assert figures["samples"] == len(taken) == 64 and (taken == 1).all()


# --- the learner ------------------------------------------------------------------------------------


def test_the_exported_network_has_sb3s_logits() -> None:
    one = learner()
    one.iterate(0.0)
    game, seen = get("guan_pai"), observations(one, 50)
    ours = mlp(one.sizes)
    ours.load_state_dict(load(network_bytes(one.policy, game, game.rules.make(TINY), one.sizes)))
    critic = mlp(one.critic_sizes)
    critic.load_state_dict(one.critic.state_dict())
    with torch.inference_mode():
        tensor, _ = one.model.policy.obs_to_tensor(seen)  # uint8, as SB3 gives it to its policy
        theirs = one.model.policy.get_distribution(tensor).distribution.logits
        logits = ours(torch.from_numpy(seen).float())
        torch.testing.assert_close(torch.log_softmax(logits, dim=1), theirs)
        torch.testing.assert_close(
            critic(torch.from_numpy(seen).float()), one.model.policy.predict_values(tensor)
        )
    assert (logits.std(dim=0) > 0).all()


def test_other_seats_play_the_policy_as_it_is_now() -> None:
    one = learner()
    other = one.vec.tables._agents
    assert len(other) == 1 and isinstance(other[0], NetworkAgent) and not other[0].greedy
    before = other[0].net(torch.ones(1, one.sizes[0])).detach()
    one.iterate(0.0)
    seen = torch.ones(1, one.sizes[0])
    with torch.inference_mode():
        assert torch.equal(other[0].net(seen), one.policy(seen))
        assert not torch.equal(other[0].net(seen), before)


def test_named_opponents_sit_in_the_order_of_play() -> None:
    names = ("rule", "random")
    tables = learner(opponents=names).vec.tables
    assert [tables._agents[number].name for number in tables._agent_at[1:]] == [
        agents.load(name, "guan_pai").name for name in names
    ]
    with pytest.raises(ValueError, match="has 3 for 2 other seats"):
        learner(opponents=("self", "rule", "random"))
    with pytest.raises(ValueError, match="no agent 'nobody'"):
        learner(opponents=("nobody",))


@pytest.mark.parametrize("bfloat16", [False, True])
def test_the_same_seed_gives_the_same_weights(bfloat16: bool, capfd: pytest.CaptureFixture[str]) -> None:
    runs = []
    for seed in (0, 0, 1):
        one = learner(seed, bfloat16=bfloat16)
        for progress in (0.0, 0.5):
            np.random.random(), torch.rand(1)  # what others draw makes no difference
            one.iterate(progress)
        runs.append(weights(one))
    assert all(np.array_equal(a, b) for a, b in zip(runs[0], runs[1], strict=True))
    assert not any(np.array_equal(a, c) for a, c in zip(runs[0], runs[2], strict=True))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("iterations", [0, 2])
def test_a_resumed_learner_goes_on_as_if_nothing_had_been(iterations: int) -> None:
    whole = learner()
    for _ in range(iterations):
        whole.iterate(0.1)
    arrays, plain = whole.state()
    arrays = {name: array.copy() for name, array in arrays.items()}
    resumed = learner(5)
    resumed.iterate(0.0)
    resumed.policy.load_state_dict(whole.policy.state_dict())
    resumed.critic.load_state_dict(whole.critic.state_dict())
    resumed.load_state(arrays, json.loads(readable_json(plain)))
    for _ in range(2):
        assert whole.iterate(0.6) == resumed.iterate(0.6)
    assert all(np.array_equal(a, b) for a, b in zip(weights(whole), weights(resumed), strict=True))


def test_figures_and_the_learning_rate() -> None:
    one = learner(learning_rate=0.01, final_learning_rate=0.002)
    figures = one.iterate(0.25)
    assert set(figures) == {
        "samples", "games", "loss", "value_loss", "entropy", "kl", "clipped", "explained_variance",
        "learning_rate",
    }  # fmt: skip
    assert all(np.isfinite(figure) and type(figure) in (int, float) for figure in figures.values())
    assert figures["samples"] == 128 and 0 < figures["games"] == one.vec.games
    assert figures["learning_rate"] == pytest.approx(0.008)
    assert [group["lr"] for group in one.model.policy.optimizer.param_groups] == [figures["learning_rate"]]
    assert one.iterate(1.5)["learning_rate"] == pytest.approx(0.002)  # the last iteration may overshoot


def test_it_learns_to_beat_random_players() -> None:
    rules = get("guan_pai").rules.make(TINY)
    one = learner(
        num_envs=128, steps=16, minibatch=512, epochs=4, hidden=(64,), critic_hidden=(64,), learning_rate=3e-3
    )
    for iteration in range(10):
        one.iterate(iteration / 10)
    after = evaluate_against(NetworkAgent(one.policy), "random", "guan_pai", rules, 400, seed=1)
    assert after.duplicate_share.low > 0.7 and after.points.low > 3  # 0.84 and 4.8 with four seeds


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_envs": 0}, "--sb3.num-envs is at least 1, not 0"),
        ({"steps": 0}, "--sb3.steps is at least 1"),
        ({"epochs": -1}, "--sb3.epochs is at least 1"),
        ({"minibatch": 1}, "--sb3.minibatch is at least 2"),
        ({"minibatch": 1000}, "must divide .* which are 32768"),
        ({"minibatch": 65_536}, "must divide"),
        ({"learning_rate": 0.0}, "--sb3.learning-rate is above 0"),
        ({"final_learning_rate": float("nan")}, "--sb3.final-learning-rate is above 0"),
        ({"clip": -0.1}, "--sb3.clip is above 0"),
        ({"max_gradient": float("inf")}, "--sb3.max-gradient is above 0"),
        ({"entropy": -0.01}, "--sb3.entropy is at least 0"),
        ({"gae_lambda": 1.5}, "--sb3.gae-lambda is a share of 0..1"),
        ({"hidden": (256, 0)}, "layers of at least 1 unit"),
        ({"critic_hidden": (0,)}, "layers of at least 1 unit"),
        ({"opponents": ()}, "--sb3.opponents is at least one"),
    ],
)
def test_values_that_cannot_be_meant_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SB3Config(**changes)
