"""What every game promises under every option (docs: architecture, "Promises")."""

from __future__ import annotations

import copy
import json
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.test.state_test import test_state as check_state
from pettingzoo.test.state_test import test_state_space as check_state_space

import envs
from envs.core.aec import TableEnv

from .games import (
    GAMES,
    IN_STEPS,
    REDEAL_HIDDEN,
    in_turn,
    is_over,
    legal,
    new_table,
    options_of,
    play,
    pytest_generate_tests,  # noqa: F401 (the hook of in_turn)
)

every_game = pytest.mark.parametrize(("game", "options"), GAMES)
every_game_in_turn = in_turn(("game", "options"), GAMES)
each_game = pytest.mark.parametrize("game", envs.games())
games_in_steps = pytest.mark.parametrize(
    ("game", "options"), [param for param in GAMES if param.values[0] in IN_STEPS]
)

Options = dict[str, Any]


def views(env: TableEnv) -> list[np.ndarray]:
    """Observation and mask of every seat."""
    seen = [env.observe(agent) for agent in env.possible_agents]
    return [view[part] for view in seen for part in ("observation", "action_mask")]


def equal(a: list[np.ndarray], b: list[np.ndarray]) -> bool:
    return len(a) == len(b) and all(map(np.array_equal, a, b))


# --- PettingZoo's own tests: any warning but the two about Dict observations is an error ------------


@every_game
def test_pettingzoo_api(game: str, options: Options) -> None:
    api_test(envs.make(game, **options), num_cycles=300)


@every_game
def test_pettingzoo_seed(game: str, options: Options) -> None:
    seed_test(lambda: envs.make(game, **options), num_cycles=50)


@every_game_in_turn
def test_pettingzoo_render(game: str, options: Options) -> None:
    render_test(lambda render_mode: envs.make(game, render_mode=render_mode, **options))


@every_game
def test_pettingzoo_state(game: str, options: Options) -> None:
    env = envs.make(game, on_illegal="terminate", **options)
    check_state_space(env)
    check_state(env, num_cycles=20)


# --- the rules' frame -------------------------------------------------------------------------------


@games_in_steps
def test_cards_are_conserved(game: str, options: Options, rotate: int) -> None:
    rng = np.random.default_rng([rotate, 1])
    env = new_table(game, options, seed=rotate)
    num_dealt = sum(len(env.hand(seat)) for seat in range(env.game.num_players))
    out_of_play = env.deck()[num_dealt:]
    while not is_over(env):
        play(env, rng, most=7)
        played = [card for _, made in env.history() for card in made.cards]
        held = [card for seat in range(env.game.num_players) for card in env.hand(seat)]
        assert sorted(played + held + out_of_play) == sorted(env.game.cards)


@every_game
def test_games_end_in_time_with_points_in_bounds_that_sum_to_zero(
    game: str, options: Options, rotate: int
) -> None:
    vec = envs.make_vec(game, num_envs=64, **options)
    vec.reset(seed=1000 * rotate)
    lengths = np.zeros(64, int)
    num_ended = 0
    for _ in range(3 * vec.game.max_decisions // 2):
        actions = vec.sample()
        assert (actions >= 0).all(), "a live table has a legal action"
        _, rewards, ended, truncated, infos = vec.step(actions)
        lengths += 1
        assert (lengths <= vec.game.max_decisions).all() and not truncated.any()
        scores = infos["final_scores"][ended]
        points = scores / vec.game.denominator
        assert (scores.sum(axis=1) == 0).all() and (scores.any(axis=1).all() or game not in IN_STEPS)
        assert (vec.game.min_utility <= points).all() and (points <= vec.game.max_utility).all()
        assert np.array_equal(rewards[ended], points.astype(np.float32)) and not rewards[~ended].any()
        assert np.array_equal(infos["final_stats"][ended, vec.game.stats.index("decisions")], lengths[ended])
        lengths[ended] = 0
        num_ended += ended.sum()
    assert num_ended >= 64


@every_game
def test_all_seats_are_paid_once_when_the_game_ends(game: str, options: Options, rotate: int) -> None:
    env = new_table(game, options, seed=rotate)
    earned = dict.fromkeys(env.possible_agents, 0.0)
    rng = np.random.default_rng([rotate, 2])
    for agent in env.agent_iter():
        _, reward, terminated, truncated, _ = env.last()
        earned[agent] += reward
        assert reward == 0 or terminated
        assert len(set(env.terminations.values())) == 1 and not truncated
        env.step(None if terminated else int(rng.choice(legal(env))))
    assert list(earned.values()) == list(map(float, env.scores()))
    assert any(env.scores()) or game not in IN_STEPS


@every_game
def test_options_survive_reset(game: str, options: Options) -> None:
    env, rng = new_table(game, options, seed=3), np.random.default_rng(3)
    wanted, names = env.rules, [name for name, _ in env.rules.dtype()]
    written = [env._tables[0][name] for name in names]
    for seed in (None, 4):
        play(env, rng)
        env.reset(seed=seed)
        assert env.rules == wanted and [env._tables[0][name] for name in names] == written
    assert all(getattr(env.rules, name) == value for name, value in options.items())


# --- hidden information -----------------------------------------------------------------------------


@every_game
def test_nothing_hidden_is_seen(game: str, options: Options, rotate: int) -> None:
    rng = np.random.default_rng([rotate, 4])
    env = new_table(game, options, seed=rotate)
    num_changed = 0
    while not is_over(env):
        actor, deck, there = env.agent_selection, env.deck(), env.snapshot()
        for seat, agent in enumerate(env.possible_agents):
            before, blanked = env.observe(agent), env._tables.copy()
            REDEAL_HIDDEN[game](env._tables[0], deck, seat, rng)
            num_changed += env._tables.tobytes() != there.table
            again = env._tables.copy()
            env._look_again()
            after = env.observe(agent)
            env.restore(there)
            assert np.array_equal(before["observation"], after["observation"])
            if agent == actor:
                assert np.array_equal(before["action_mask"], after["action_mask"])
            seats = np.array([seat])
            env._game.loops.blank_all(blanked, seats)
            env._game.loops.blank_all(again, seats)
            assert blanked.tobytes() == again.tobytes(), "what agents get tells of hidden cards"
            seen = np.zeros((1, env.game.observation_size), np.uint8)
            env._game.loops.look(blanked, seats, seen)
            if agent == actor:
                mask = np.zeros((1, env.game.num_actions), np.int8)
                env._game.loops.legal_all(blanked, mask)
                assert np.array_equal(mask[0], before["action_mask"]), "a blanked table has the same mask"
        play(env, rng, most=3)
    assert num_changed


@games_in_steps
def test_others_see_nothing_of_a_half_made_play(game: str, options: Options, rotate: int) -> None:
    rng = np.random.default_rng([rotate, 5])
    env = new_table(game, options, seed=rotate)
    num_steps = 0
    for _ in range(400):
        actor = env.agent_selection
        others = [agent for agent in env.possible_agents if agent != actor]
        before = [env.observe(agent)["observation"] for agent in others]
        assert not any(env.observe(agent)["action_mask"].any() for agent in others)
        assert not any(env.infos[agent]["action_mask"].any() for agent in others)
        num_kickers = env.game.action_features[:, env.game.action_feature_names.index("kickers")]
        in_steps = [action for action in legal(env) if num_kickers[action] > 0]
        if in_steps:
            env.step(int(rng.choice(in_steps)))
        else:
            play(env, rng, most=1)
        if env._tables[0]["pending"]:
            assert env.agent_selection == actor
            assert equal(before, [env.observe(agent)["observation"] for agent in others])
            num_steps += 1
        if is_over(env):
            env.reset()
    assert num_steps or options.get("cards_each")


# --- copies -----------------------------------------------------------------------------------------


def restored(env: TableEnv) -> TableEnv:
    """A new environment brought to the same moment by a snapshot."""
    other: TableEnv = envs.make(env.game.name, **env.rules.as_dict()).unwrapped
    other.restore(pickle.loads(pickle.dumps(env.snapshot())))
    return other


def everything(env: TableEnv) -> tuple[Any, ...]:
    """All that a user can ask an environment."""
    dicts = (env.rewards, env._cumulative_rewards, env.terminations, env.truncations)
    masks = {agent: info["action_mask"].tolist() for agent, info in env.infos.items()}
    rest = {agent: {**info, "action_mask": None} for agent, info in env.infos.items()}
    seen = [view.tolist() for view in views(env)]
    texts = (env.agent_selection, env.record(), env.text())
    return copy.deepcopy((env.snapshot(), env.agents, dicts, masks, rest, seen, texts))


def go_to(moment: str, env: TableEnv, rng: np.random.Generator) -> None:
    """Play until a moment that is hard to copy."""
    if moment == "mid-game":
        play(env, rng, most=9)
    elif moment == "mid-play":
        assert env.game.name in IN_STEPS
        while not env._tables[0]["pending"]:
            if is_over(env):
                env.reset()
            play(env, rng, most=1)
    elif moment != "start":
        play(env, rng)
        for _ in range({"end": 0, "one gone": 1, "two gone": 2, "all gone": env.game.num_players}[moment]):
            env.step(None)


@pytest.mark.parametrize("way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env)), restored],
                         ids=["deepcopy", "pickle", "snapshot"])  # fmt: skip
@pytest.mark.parametrize(
    "moment", ["start", "mid-game", "mid-play", "end", "one gone", "two gone", "all gone"]
)
@each_game
def test_copies_are_equal_and_independent(game: str, moment: str, way: Any, rotate: int) -> None:
    if moment == "mid-play" and game not in IN_STEPS:
        moment = "mid-game"  # every action is a play
    for options in options_of(game)[:4]:
        env, rng = new_table(game, options, seed=rotate), np.random.default_rng([rotate, 6])
        go_to(moment, env, rng)
        twin = way(env)
        then = everything(env)
        assert everything(twin) == then
        for one, other in ((env, twin), (twin, env)):  # the twin plays the same game later
            rng = np.random.default_rng(7)
            play(one, rng)
            while one.agents:
                one.step(None)
            one.reset()
            play(one, rng, most=5)
            if one is env:
                assert everything(other) == then
        assert everything(twin) == everything(env)


@each_game
def test_wrapped_environments_can_be_copied(game: str) -> None:
    env = envs.make(game)
    env.reset(seed=1)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert everything(twin.unwrapped) == everything(env.unwrapped)
        waiting = next(agent for agent in twin.agents if agent != twin.agent_selection)
        assert not twin.unwrapped.infos[waiting]["action_mask"].flags.writeable, "shared by all who wait"
        twin.step(int(legal(twin.unwrapped)[0]))
        assert len(env.unwrapped.record()["decisions"]) == 0


@each_game
def test_a_snapshot_of_other_options_is_refused(game: str) -> None:
    options = options_of(game)
    snapshot = new_table(game, options[1], seed=1).snapshot()
    env = new_table(game, options[2], seed=1)
    before = everything(env)
    with pytest.raises(ValueError, match="other options"):
        env.restore(snapshot)
    assert everything(env) == before


@every_game
def test_vector_snapshots(game: str, options: Options) -> None:
    vec = envs.make_vec(game, num_envs=5, **options)
    vec.reset(seed=2)
    for _ in range(11):
        vec.step(vec.sample())
    there, runs = vec.snapshot(), []
    for _ in range(2):
        vec.restore(there)
        runs.append([vec.step(vec.sample())[0]["observation"].copy() for _ in range(60)])
    assert equal(*runs)


@every_game
def test_kept_masks_and_observations_never_change(game: str, options: Options, rotate: int) -> None:
    env, rng = new_table(game, options, seed=rotate), np.random.default_rng([rotate, 8])
    kept = []
    for _ in range(60):
        arrays = [*views(env), env.state(), *(info["action_mask"] for info in env.infos.values())]
        kept.append((arrays, [array.copy() for array in arrays]))
        play(env, rng, most=1)
        if is_over(env):
            env.reset()
    assert all(equal(arrays, copies) for arrays, copies in kept)


@every_game
def test_the_state_is_what_all_seats_see(game: str, options: Options, rotate: int) -> None:
    env, rng = new_table(game, options, seed=rotate), np.random.default_rng([rotate, 11])
    while env.agents:  # also while finished agents leave one by one
        seen = [env.observe(agent)["observation"] for agent in env.possible_agents]
        assert np.array_equal(env.state(), np.concatenate(seen))
        play(env, rng, most=1) or env.step(None)


@every_game
def test_a_record_replays_to_itself(game: str, options: Options, rotate: int) -> None:
    env = new_table(game, options, seed=rotate)
    play(env, np.random.default_rng([rotate, 9]))
    record = json.loads(json.dumps(env.record()))
    again = new_table(game, record["rules"], deck=record["decks"], dealer=record["dealer"])
    for seat, action in record["decisions"]:
        assert again.agent_selection == f"player_{seat}"
        again.step(action)
    assert json.loads(json.dumps(again.record())) == record
    assert list(map(Fraction, record["scores"])) == env.scores()
    starts = [first for *_, first in record["plays"]]
    assert starts == sorted(set(starts)) and starts[0] == 0


# --- what is not allowed ----------------------------------------------------------------------------


@every_game_in_turn
def test_bad_actions_change_nothing(game: str, options: Options, rotate: int) -> None:
    env, rng = new_table(game, options, seed=rotate), np.random.default_rng([rotate, 10])
    size = env.game.num_actions
    for _ in range(20):
        allowed = set(legal(env).tolist())
        illegal = next(action for action in rng.permutation(size).tolist() if action not in allowed)
        before = everything(env)
        bad = [illegal, np.int64(illegal), size, 10**30, -1, -size, 1.0, np.float32(1), None, "1", [1]]
        for action in bad:
            with pytest.raises(ValueError, match="may not play action") as error:
                env.step(action)
            assert f"{env.agent_selection} may not play action" in str(error.value)
            assert env.game.action_names[min(allowed)] in str(error.value)
            if action is bad[0]:
                assert env.game.action_names[illegal] in str(error.value)
            assert everything(env) == before
        play(env, rng, most=2)
        if is_over(env):
            env.reset()


@each_game
def test_a_finished_game_takes_only_none(game: str) -> None:
    env = new_table(game, {}, seed=1)
    play(env, np.random.default_rng(1))
    before = everything(env)
    with pytest.raises(ValueError, match="None"):
        env.step(0)
    assert everything(env) == before


@each_game
def test_on_illegal_terminate_ends_the_game(game: str) -> None:
    env = envs.make(game, on_illegal="terminate")
    env.reset(seed=1)
    agent = env.agent_selection
    illegal = int(np.flatnonzero(env.observe(agent)["action_mask"] == 0)[0])
    env.step(illegal)
    assert env.terminations[agent] and env.rewards[agent] == -1
    with pytest.raises(ValueError, match="on_illegal"):
        envs.make(game, on_illegal="ignore")


BAD_DECKS = {
    "too short": (lambda deck: deck[:-1], "missing"),
    "too long": (lambda deck: [*deck, deck[0]], "too often"),
    "one twice": (lambda deck: [deck[1], *deck[1:]], "missing"),
    "no card": (lambda deck: ["XX", *deck[1:]], "XX"),
    "no text": (lambda deck: [7, *deck[1:]], "7"),
    "one string": (" ".join, "no card"),
}


@pytest.mark.parametrize("why", BAD_DECKS)
@each_game
def test_bad_decks_change_nothing(game: str, why: str) -> None:
    env = new_table(game, {}, seed=1)
    play(env, np.random.default_rng(1), most=5)
    before, (spoil, message) = everything(env), BAD_DECKS[why]
    with pytest.raises(ValueError, match=message):
        env.reset(seed=2, options={"deck": spoil(env.deck())})
    assert everything(env) == before


@pytest.mark.parametrize("seed", [-1, 1.5, "1", [1]])
@each_game
def test_bad_seeds_change_nothing(game: str, seed: Any) -> None:
    env = new_table(game, {}, seed=1)
    before = everything(env)
    with pytest.raises(ValueError, match="seed"):
        env.reset(seed=seed)
    assert everything(env) == before


@every_game
def test_one_bad_action_moves_no_table(game: str, options: Options, rotate: int) -> None:
    vec = envs.make_vec(game, num_envs=8, **options)
    vec.reset(seed=rotate)
    for number in range(25):
        vec.step(vec.sample())
        before, actions, table = vec.snapshot(), vec.sample().copy(), number % 8
        before[1][:] = vec._keys  # the sampler moved on
        not_legal = np.flatnonzero(vec._masks[table] == 0)
        illegal = int(not_legal[number % len(not_legal)])
        for bad in (illegal, -1, vec.game.num_actions):
            actions[table] = bad
            who = f"table {table}: player_{vec._seats[table]} may not play action {bad} "
            with pytest.raises(ValueError, match=who) as error:
                vec.step(actions)
            first = int(np.flatnonzero(vec._masks[table])[0])
            assert vec.game.action_names[first] in str(error.value)
            assert equal(list(before), list(vec.snapshot()))
    for wrong in (actions[:-1], actions[:, None], actions.astype(float), ["0"] * 8, None):
        with pytest.raises(ValueError, match=r"actions are \(8,\) integers"):
            vec.step(wrong)
    assert equal(list(before), list(vec.snapshot()))


@each_game
def test_a_vector_wants_reset_first(game: str) -> None:
    with pytest.raises(ValueError, match="reset"):
        envs.make_vec(game).step([0])
    for wrong in ({"num_envs": 0}, {"num_threads": 0}):
        with pytest.raises(ValueError, match="at least 1"):
            envs.make_vec(game, **wrong)


@each_game
def test_unknown_names(game: str) -> None:
    for make in (envs.make, envs.make_vec):
        with pytest.raises(TypeError, match="unknown option 'must_bet'") as error:
            make(game, must_bet="all")
        assert all(name in str(error.value) for name in options_of(game)[1])
    with pytest.raises(ValueError, match="render_mode"):
        envs.make(game, render_mode="rgb")
    with pytest.raises(ValueError, match=game):
        envs.make("poker")


@each_game
def test_registered_with_pettingzoo(game: str) -> None:
    pettingzoo = pytest.importorskip("pettingzoo", minversion="1.27", reason="an older one has no registry")
    env = pettingzoo.make("aec", f"paizhuo/{game}-v0")
    env.reset(seed=7)
    assert everything(env.unwrapped) == everything(new_table(game, {}, seed=7))
