"""What people do that they should not, and what odd but good calls give: one clear answer each."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest

import agents
import envs
from agents import Agent, Decisions
from envs.core.aec import TableEnv
from envs.core.game import get

GAME = "guan_pai"


def raw(**options: Any) -> TableEnv:
    env = TableEnv(get(GAME), **options)
    env.reset(seed=7)
    return env


# --- vectors ----------------------------------------------------------------------------------------


def test_every_draw_of_the_sampler_has_a_key_of_its_own() -> None:
    vec = envs.make_vec(GAME, 256)
    vec.reset(seed=0)
    seen: set[int] = set()
    for step in range(50):
        seen.update(vec._keys.tolist())
        assert len(seen) == 256 * (step + 1)
        vec.step(vec.sample())


def test_a_snapshot_carries_whether_there_was_a_game() -> None:
    vec, other = envs.make_vec(GAME, 2), envs.make_vec(GAME, 2)
    other.reset(seed=0)
    other.restore(vec.snapshot())
    with pytest.raises(ValueError, match="reset"):
        other.step([0, 0])
    other.reset()
    assert (other.tables(blank=False)["left"] == 16).all()


def test_a_snapshot_of_other_options_is_refused() -> None:
    vec, other = envs.make_vec(GAME, 2), envs.make_vec(GAME, 2, must_beat="all")
    vec.reset(seed=0)
    other.reset(seed=0)
    before = vec.snapshot()
    with pytest.raises(ValueError, match="other options"):
        vec.restore(other.snapshot())
    assert all(np.array_equal(a, b) for a, b in zip(before, vec.snapshot(), strict=True))


def test_masks_cannot_be_changed_by_who_reads_them() -> None:
    vec = envs.make_vec(GAME, 2)
    seen, _ = vec.reset(seed=0)
    for shown in (seen["action_mask"], pickle.loads(pickle.dumps(vec))._seen()["action_mask"]):
        with pytest.raises(ValueError, match="read-only"):
            shown[:] = 1


def test_the_first_reset_deals_every_table() -> None:
    vec = envs.make_vec(GAME, 3)
    with pytest.raises(ValueError, match="first reset"):
        vec.reset(seed=0, options={"reset_mask": np.array([True, False, True])})


def test_a_vector_with_threads_can_be_copied_and_closed_twice() -> None:
    vec = envs.make_vec(GAME, 4, num_threads=2)
    vec.reset(seed=0)
    vec.step(vec.sample())
    twin = copy.deepcopy(vec)
    for _ in range(100):
        actions = vec.sample().copy()
        one, two = vec.step(actions), twin.step(actions)
        assert np.array_equal(one[0]["observation"], two[0]["observation"])
    for env in (vec, vec, twin):
        env.close()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"num_envs": 0}, "num_envs"),
        ({"num_envs": 2.0}, "num_envs"),
        ({"num_threads": 2.5}, "num_threads"),
        ({"skip_forced": "no"}, "skip_forced"),
        ({"autoreset": None}, "autoreset"),
    ],
)
def test_bad_constructor_arguments_of_a_vector(arguments: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        envs.make_vec(GAME, **{"num_envs": 2, **arguments})


# --- one table --------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", [265, 266, -1, 1.5, "x", None])
def test_terminate_takes_anything_for_an_illegal_action(action: Any) -> None:
    env = envs.make(GAME, on_illegal="terminate")
    env.reset(seed=7)
    agent = env.agent_selection
    env.step(action)
    assert all(env.terminations.values()) and env.rewards[agent] == -1


@pytest.mark.parametrize("call", ["text", "record", "deck", "legal_plays", "history", "snapshot"])
def test_before_the_first_reset_there_is_no_game(call: str) -> None:
    with pytest.raises((RuntimeError, AttributeError), match=r"reset|agent_selection"):
        getattr(TableEnv(get(GAME)), call)()


def test_stepping_without_a_game_says_so() -> None:
    with pytest.raises(RuntimeError, match="reset"):
        TableEnv(get(GAME)).step(0)


@pytest.mark.parametrize(
    ("cards", "complaint"),
    [
        (["3S"], "no 3S"),
        (["3H", "3H"], "no 3H"),
        ("4445", "holds 1 of rank 4"),
        ("3D 4H", "no combination"),
        ("9X", "no card"),
        ("pass", "must play"),
        ("", "must play"),
    ],
)
def test_actions_for_says_why_not(cards: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        raw().actions_for(cards)


def test_another_three_is_not_the_diamond_three() -> None:
    env = raw(lead_diamond_three=True)
    hand = env.hand(env.possible_agents.index(env.agent_selection))
    assert "3H" in hand and "3D" in hand
    assert env.actions_for("3") == env.actions_for(["3D"]) == (1,)
    assert env.actions_for(["3H", "3D"]) == env.actions_for("33")
    with pytest.raises(ValueError, match="must contain 3D"):
        env.actions_for(["3H"])


def test_actions_for_takes_cards_in_several_forms() -> None:
    env = raw()
    ways = ["77", "7H7D", "7H 7C", ["7H", "7D"], ("7", "7"), np.array(["7C", "7D"])]
    assert len({env.actions_for(cards) for cards in ways}) == 1
    env.step(env.actions_for("3")[0])
    assert env.actions_for("pass") == env.actions_for([]) == (0,)


def test_after_the_end_actions_for_says_so() -> None:
    env = raw(cards_each=1)
    env.step(int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])[0]))
    with pytest.raises(ValueError, match="the game is over"):
        env.actions_for("3")


@pytest.mark.parametrize(
    ("call", "argument"),
    [("text", 9), ("text", -1), ("hand", "player_0"), ("hand", 3), ("describe", 266), ("describe", 1.5)],
)
def test_a_seat_or_action_that_is_not_there(call: str, argument: Any) -> None:
    with pytest.raises(ValueError, match="integer of 0"):
        getattr(raw(), call)(argument)


def test_numpy_numbers_are_good_options_and_good_json() -> None:
    env = raw(loss_cap=np.int64(50), base=np.uint8(3))
    assert json.loads(json.dumps(env.record()))["rules"]["loss_cap"] == 50
    assert env.game.typical_score == 3 * raw().game.typical_score


# --- agents -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["random", "rule", "rule_v0", "nobody"])
def test_an_agent_for_no_game_is_a_value_error(name: str) -> None:
    with pytest.raises(ValueError, match="no game 'chess'"):
        agents.load(name, "chess")


def decisions(n: int, with_tables: bool = True) -> Decisions:
    vec = envs.make_vec(GAME, max(n, 1))
    seen, infos = vec.reset(seed=0)
    keys = np.arange(n, dtype=np.uint64)
    tables = vec.tables()[:n] if with_tables else None
    return Decisions(seen["observation"][:n], seen["action_mask"][:n], infos["seat"][:n], keys, tables)


@pytest.mark.parametrize("name", agents.names(GAME))
def test_an_empty_batch_gets_an_empty_answer(name: str) -> None:
    agent = agents.load(name, GAME)
    assert agent.act(decisions(0)).shape == (0,)
    assert agent.policy(decisions(0)).shape == (0, 266)


QUICK = [name for name in agents.names(GAME) if "search" not in name]  # also where nothing is compiled


@pytest.mark.parametrize("name", [*QUICK, "search:1"])
def test_a_policy_is_a_distribution_over_legal_actions(name: str) -> None:
    asked = decisions(2 if name == "search:1" else 20)
    policy = agents.load(name, GAME).policy(asked)
    np.testing.assert_allclose(policy.sum(axis=1), 1, rtol=1e-5)
    assert (policy[asked.action_masks == 0] == 0).all() and (policy >= 0).all()


def test_agents_that_cannot_answer_say_why() -> None:
    with pytest.raises(ValueError, match=r"needs Decisions\.tables"):
        agents.load("rule", GAME).act(decisions(2, with_tables=False))
    with pytest.raises(NotImplementedError, match="neither act nor policy"):
        Agent().act(decisions(2))
