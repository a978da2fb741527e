"""A batch in shards: the same samples and weights whoever plays them, in any order, and however often."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import envs
from envs.core.game import get
from training import evaluate, selfplay
from training.dmc import DMCConfig
from training.learners import Plan, learner_of
from training.ppo import PPOConfig
from training.rpi import RPIConfig
from training.sb3 import SB3Config
from training.shards import Player, ShardedRollout, acting_of, part_of, seed_of

GAMES = 6  # of a shard
PPO = PPOConfig(
    num_envs=24, batch=400, minibatch=100, epochs=1, hidden=(16,), critic_hidden=(8,), bfloat16=False
)
DMC = DMCConfig(num_envs=24, batch=400, minibatch=100, ring=800, hidden=(16,), bfloat16=False, epsilon=0.3)
RPI = RPIConfig(num_envs=24, batch=400, minibatch=100, hidden=(16,), bfloat16=False, epsilon=0.3)
PLANS = {
    "ppo": Plan("guan_pai", get("guan_pai").rules(cards_each=6), PPO, 3),
    "dmc": Plan("guan_pai", get("guan_pai").rules(cards_each=6), replace(DMC, fixed=0.5), 3),
    "rpi": Plan("zheng_shang_you", get("zheng_shang_you").rules(cards_each=6), RPI, 3),
    "own": Plan("guan_pai", get("guan_pai").rules(cards_each=6), replace(RPI, playouts="own"), 3),
    "taught": Plan(
        "xiangxi96", get("xiangxi96").rules(num_players=2), replace(PPO, all_hands=True, warm_samples=500),
        3, teacher="rule_v0",
    ),
    "advised": Plan(
        "zheng_shang_you", get("zheng_shang_you").rules(cards_each=6), replace(PPO, fixed=0.3), 3,
        adviser="rule_v0",
    ),
}  # fmt: skip
each_plan = pytest.mark.parametrize("name", PLANS)


class Here:
    """A team of one; the jobs are done in another order, and some of them twice."""

    def __init__(self, player: Player, is_odd: bool = False) -> None:
        self.player, self.is_odd, self.shards = player, is_odd, 0

    def share(self, content: Any) -> Any:
        return content

    def do(self, jobs: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        jobs = list(jobs)
        self.shards += len(jobs)
        order = [*reversed(range(len(jobs))), 0, len(jobs) // 2] if self.is_odd else range(len(jobs))
        found = {}
        for number in order:
            samples, games = self.player(*jobs[number])
            found[number] = samples.copy(), games
        return iter([found[number] for number in range(len(jobs))])

    def close(self) -> None:
        pass


def sharded(name: str, games: int = GAMES, is_odd: bool = False) -> Any:
    torch.set_num_threads(1)
    learner: Any = learner_of(PLANS[name])
    team = Here(Player(part_of(PLANS[name], games)), is_odd)
    learner.rollout = ShardedRollout(learner, games, team)
    return learner


def content(samples: Any) -> bytes:
    """Of all fields; what lies between them is not copied."""
    return b"".join(samples[name].tobytes() for name in samples.dtype.names)


def seen(samples: Any) -> bytes:
    """What was seen at all decisions, and so what was done; not how probable that was to a policy."""
    return bytes(samples["observation"].tobytes())


def weights(learner: Any) -> list[float]:
    return torch.cat([p.detach().flatten() for p in learner.policy.parameters()]).tolist()


@each_plan
def test_a_shard_depends_on_nothing_but_what_it_is_given(name: str) -> None:
    plan = part_of(PLANS[name], GAMES)
    acting = acting_of(learner_of(PLANS[name]))
    one, other = Player(plan), Player(plan)
    samples, games = one(acting, 4, 7)
    expected = content(samples)
    others = {content(one(acting, *where)[0]) for where in ((4, 8), (5, 7), (7, 4))}
    others.add(content(Player(replace(plan, seed=4))(acting, 4, 7)[0]))
    assert len(others) == 4 and expected not in others
    again, games_again = other(acting, 4, 7)
    assert content(again) == expected and games == games_again == GAMES
    assert content(one(acting, 4, 7)[0]) == expected
    changed = {key: value + 0.1 for key, value in acting["weights"].items()}
    last = max(changed)  # the last layer's weights: another policy
    changed[last] = np.random.default_rng(0).normal(size=changed[last].shape).astype(np.float32)
    first = seen(one(acting, 4, 7)[0])
    is_same = seen(one({**acting, "weights": changed}, 4, 7)[0]) == first
    assert is_same == (name == "taught")  # who has all seats until it is learned


def test_shards_have_seeds_of_their_own() -> None:
    seeds = [
        seed_of(seed, iteration, number)
        for seed in range(4)
        for iteration in range(8)
        for number in range(32)
    ]
    assert len(set(seeds)) == len(seeds)


@pytest.mark.parametrize("name", ["ppo", "rpi"])
def test_a_shard_is_whole_games_and_asks_nobody_at_a_table_that_is_done(name: str) -> None:
    player = Player(part_of(PLANS[name], 40))
    learner, asked = player._learner, []
    act = learner.act
    learner.act = lambda seen: (asked.append(len(seen)), act(seen))[1]  # type: ignore[method-assign]
    samples, games = player(acting_of(learner_of(PLANS[name])), 0, 0)
    assert games == 40 and asked[0] == 40 and asked[-1] < 20 and asked == sorted(asked, reverse=True)
    if name == "ppo":  # every decision is a sample
        assert sum(asked) == len(samples)
        players = learner.game.num_players
        assert 0.8 * 40 * players < samples["last"].sum() <= 40 * players  # of each seat that had a choice
    else:
        assert 0.35 < len(samples) / sum(asked) < 0.65  # RPIConfig.share


def test_the_games_of_shards_are_those_that_such_a_policy_plays() -> None:
    """Neither short nor long ones are favoured: as many decisions a game as where each is played out."""
    plan = part_of(PLANS["ppo"], 250)
    player, acting = Player(plan), acting_of(learner_of(PLANS["ppo"]))
    sizes = [len(player(acting, 0, number)[0]) / 250 for number in range(4)]
    vec = envs.make_vec("guan_pai", 1000, skip_forced=True, autoreset=False, cards_each=6)
    seen, _ = vec.reset(seed=1)
    decisions = 0
    while seen["action_mask"].any():
        decisions += int(seen["action_mask"].any(axis=1).sum())
        seen, *_ = vec.step(vec.sample())  # the policy is nearly uniform before it learns
    assert np.mean(sizes) == pytest.approx(decisions / 1000, rel=0.05)


@each_plan
def test_weights_do_not_depend_on_order_and_repetition(name: str) -> None:
    straight, odd = sharded(name), sharded(name, is_odd=True)
    for progress in (0.0, 0.3, 0.6):
        figures = straight.iterate(progress)
        assert odd.iterate(progress) == figures and figures["samples"] >= 400
    assert weights(odd) == weights(straight)
    assert weights(sharded(name)) != weights(straight)  # it has learned


def test_a_batch_is_enough_and_hardly_more() -> None:
    learner = sharded("ppo")
    learner.iterate(0.0)  # where it is not known yet how many samples a shard has
    for _ in range(5):
        before = learner.rollout._team.shards
        samples = learner.iterate(0.0)["samples"]
        shards = learner.rollout._team.shards - before
        assert 400 <= samples < 400 + 3 * samples / shards
    assert learner.rollout.sent > 6 * 400 * 600  # bytes


@each_plan
def test_it_goes_on_where_it_stopped(name: str) -> None:
    whole, parts, later = sharded(name), sharded(name), sharded(name)
    for progress in (0.0, 0.25, 0.5, 0.75):
        whole.iterate(progress)
    for progress in (0.0, 0.25):
        parts.iterate(progress)
    arrays, plain = parts.state()
    for file, (net, _) in later.networks.items():
        net.load_state_dict(parts.networks[file][0].state_dict())
    later.load_state(arrays, plain)
    for progress in (0.5, 0.75):
        later.iterate(progress)
    assert weights(later) == weights(whole)
    assert (
        sum(array.nbytes for key, array in arrays.items() if key == "shards") == 24
    )  # all it has of the games


def test_fixed_opponents_and_exploration_are_those_of_the_learner() -> None:
    """DMC with half of the tables against the rule player: the other half's samples have all seats."""
    learner = learner_of(PLANS["dmc"])
    player = Player(part_of(PLANS["dmc"], 100))
    acting = acting_of(learner)
    half = len(player(acting, 0, 0)[0])
    alone = replace(PLANS["dmc"], options=replace(DMC, fixed=0.0))
    whole = len(Player(part_of(alone, 100))(acting, 0, 0)[0])
    assert 0.55 < half / whole < 0.8  # 50 + 50 / 3 of 100
    learner.epsilon = 1.0
    odds = np.exp(Player(part_of(alone, 100))(acting_of(learner), 0, 0)[0]["log_prob"])
    assert odds.max() <= 0.5 + 1e-6  # all drawn at random, among two actions or more


def test_a_teacher_plays_until_it_is_learned() -> None:
    learner = sharded("taught")
    player, shards = learner.rollout._team.player, []
    for _ in range(2):  # of 400 samples: all 500 are learned
        acting = acting_of(learner)
        shards.append([seen(player({**acting, "is_taught": by}, 0, 0)[0]) for by in (True, False)])
        learner.iterate(0.0)
        assert acting["is_taught"]
    assert not acting_of(learner)["is_taught"]
    (taught, own), (taught_later, own_later) = shards
    assert taught == taught_later and taught not in (own, own_later)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (replace(PPO, past=0.2), r"leave --ppo.past out"),
        (replace(DMC, past=0.2), r"leave --dmc.past out"),
        (SB3Config(), "--backend ray is for ppo, dmc and rpi"),
    ],
)
def test_what_cannot_be_played_in_shards_is_refused(options: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        part_of(replace(PLANS["ppo"], options=options), GAMES)


def test_players_multiply_as_the_learner_says() -> None:
    """All in the same numbers, whatever their own processors are fast at."""
    plan = part_of(replace(PLANS["ppo"], device="cuda", options=replace(PPO, bfloat16=None)), GAMES)
    assert plan.options.bfloat16 in (True, False) and plan.device == "cpu" and plan.options.num_envs == GAMES


# --- the command lines ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("guan_pai --num-workers 2", "--num-workers is an option of --backend ray"),
        ("guan_pai --address auto", "--address is an option of --backend ray"),
        ("guan_pai --shard-games 9", "--shard-games is an option of --backend ray"),
        ("guan_pai --backend ray --num-workers 0", "--num-workers is at least 1, not 0"),
        ("guan_pai --backend ray --shard-games 0", "--shard-games is at least 1, not 0"),
        ("guan_pai --backend ray --processes 2", "give one of them"),
        ("guan_pai --backend ray --algo sb3", "--backend is an option of --algo ppo or dmc or rpi, not sb3"),
        ("diao_xie --backend ray --algo cfr", "--backend is an option of --algo ppo or dmc or rpi, not cfr"),
        ("guan_pai --backend ray", "pip install 'paizhuo[cluster]'"),
    ],
)
def test_what_does_not_go_together_is_one_clear_line(
    words: str,
    complaint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # as where it is not installed
    with pytest.raises(SystemExit) as end:
        selfplay.main([*words.split(), "--out", str(tmp_path / "run")])
    error = capsys.readouterr().err.strip()
    assert end.value.code == 2 and complaint in error and len(error.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "complaint"),
    [("--address auto", "--address is an option of --backend ray"), ("--backend ray", "'paizhuo[cluster]'")],
)
def test_evaluate_says_so_too(
    words: str, complaint: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SystemExit) as end:
        evaluate.main(["guan_pai", "rule", "random", "--deals", "2", *words.split()])
    error = capsys.readouterr().err.strip()
    assert end.value.code == 2 and complaint in error and len(error.splitlines()) == 1
