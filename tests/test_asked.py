"""What agents are asked at an environment that somebody steps himself."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import agents
import envs
from agents import decision

from .test_promises import Options, every_game


def begun(game: str, options: Options, seed: int) -> Any:
    env = envs.make(game, **options)
    env.reset(seed=seed)
    return env


@every_game
def test_agents_play_whole_games(game: str, options: Options, rotate: int) -> None:
    """What is asked is what the environment shows, and a table that hides what the seat may not know."""
    env, rule = begun(game, options, rotate), agents.load("rule", game)
    raw, hidden = env.unwrapped, False
    for agent in env.agent_iter():
        if env.terminations[agent]:
            env.step(None)
            continue
        asked, seen = decision(env, seed=3), env.observe(agent)
        np.testing.assert_array_equal(asked.observations[0], seen["observation"])
        np.testing.assert_array_equal(asked.action_masks[0], seen["action_mask"])
        assert len(asked) == 1 and f"player_{asked.seats[0]}" == agent and asked.tables is not None
        assert asked.tables[0]["turn"] == asked.seats[0]
        hidden |= asked.tables.tobytes() != raw.snapshot().table
        env.step(int(rule.act(asked)[0]))
    assert hidden and not env.agents and sum(map(float, raw.scores())) == pytest.approx(0)
    with pytest.raises(ValueError, match="the game is over"):
        decision(raw)


def test_what_is_drawn_depends_on_the_seed_and_the_moment() -> None:
    env, random = begun("xiangxi96", {}, 0), agents.load("random", "xiangxi96")
    same = [int(random.act(decision(env))[0]) for _ in range(3)]
    assert len(set(same)) == 1
    assert len({int(random.act(decision(env, seed))[0]) for seed in range(40)}) > 3
    keys = set()
    for _ in range(20):
        keys.add(int(decision(env).keys[0]))
        env.step(int(random.act(decision(env))[0]))
    assert len(keys) == 20


def test_what_is_no_environment_of_ours_or_has_no_game() -> None:
    env = envs.make("guan_pai")
    with pytest.raises(RuntimeError, match="call reset"):
        decision(env)
    env.reset(seed=0)
    for wrong in (gymnasium.make("CartPole-v1"), "guan_pai", None):
        with pytest.raises(TypeError, match=r"such as envs\.make"):
            decision(wrong)
    with pytest.raises(ValueError, match="at least 0"):
        decision(env, seed=-1)
