"""One seat as a Gymnasium environment, alone and many at once (``envs.make_gym``)."""

from __future__ import annotations

import copy
import subprocess
import sys
from fractions import Fraction
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import DummyVecEnv

import envs
from agents import Agent, Decisions, load
from envs.core.cards import deck_indices
from envs.core.game import get

from .games import (
    GAMES,
    IN_STEPS,
    in_turn,
    is_over,
    new_table,
    pytest_generate_tests,  # noqa: F401 (the hook of in_turn)
)

each_game = pytest.mark.parametrize("game", envs.games())
every_game = pytest.mark.parametrize(("game", "options"), GAMES)
every_game_in_turn = in_turn(("game", "options"), GAMES)

Options = dict[str, Any]


def seats_of(game: str, options: Options) -> int:
    return get(game).info(get(game).rules(**options)).num_players


SEATS = {game: seats_of(game, {}) for game in envs.games()}


class Spy(Agent):
    """Plays as ``agent`` does and notes what it was asked."""

    def __init__(self, agent: Agent, needs_tables: bool = False) -> None:
        self.name, self.agent, self.needs_tables = f"spy on {agent.name}", agent, needs_tables
        self.asked: list[Decisions] = []
        self.answers: list[int] = []

    def act(self, decisions: Decisions) -> np.ndarray:
        self.asked.append(copy.deepcopy(decisions))
        actions = self.agent.act(decisions)
        self.answers += actions.tolist()
        return actions


def legal(env: gymnasium.Env) -> np.ndarray:
    return np.flatnonzero(env.get_wrapper_attr("action_masks")())


def play(env: gymnasium.Env, rng: np.random.Generator, steps: int) -> list[Any]:
    """All that ``steps`` random steps return, with a reset after each episode."""
    out = []
    for _ in range(steps):
        out.append(env.step(rng.choice(legal(env))))
        if out[-1][2]:
            out.append(env.reset())
    return out


def id_of(game: str) -> str:
    return f"paizhuo/{game.title().replace('_', '')}-v0"


# --- Gymnasium's and SB3's frame --------------------------------------------------------------------


@each_game
def test_gymnasiums_checker_has_nothing_to_say(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    for mode in (None, "ansi", "human", "rgb_array"):
        env = gymnasium.make(id_of(game), opponents="random", on_illegal="terminate", render_mode=mode)
        check_env(env.unwrapped)
        env.close()


@each_game
def test_made_by_gymnasium(game: str) -> None:
    assert id_of("xiangxi96") == "paizhuo/Xiangxi96-v0" and id_of("guan_pai") == "paizhuo/GuanPai-v0"
    env, plain = gymnasium.make(id_of(game), opponents="random"), envs.make_gym(game, "random")
    rows = []
    for one in (env, plain):
        rows.append([one.reset(seed=3), *play(one, np.random.default_rng(0), 60)])
    assert data_equivalence(*rows)
    vec = gymnasium.make_vec(id_of(game), num_envs=3, opponents=load("random", game), base=7)
    assert type(vec) is type(envs.make_gym(game, num_envs=3)) and vec.rules.base == 7 and vec.num_envs == 3
    vec.reset(seed=1)
    vec.close()


@each_game
def test_spaces_and_copies(game: str) -> None:
    info = get(game).info(get(game).rules())
    env, vec = envs.make_gym(game, "random"), envs.make_gym(game, "random", num_envs=3)
    assert env.observation_space == gymnasium.spaces.Box(0, 1, (info.observation_size,), np.uint8)
    assert env.action_space == gymnasium.spaces.Discrete(info.num_actions)
    assert vec.single_observation_space == env.observation_space
    assert vec.single_action_space == env.action_space
    assert (
        vec.observation_space.shape == (3, info.observation_size) and vec.observation_space.dtype == np.uint8
    )
    assert vec.action_space == gymnasium.spaces.MultiDiscrete([info.num_actions] * 3)
    assert isinstance(vec, gymnasium.vector.VectorEnv)
    assert vec.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    for one, shape in ((env, (info.num_actions,)), (vec, (3, info.num_actions))):
        observation, infos = one.reset(seed=0)
        assert observation in one.observation_space
        masks = one.action_masks()
        assert masks.dtype == np.bool_ and masks.shape == infos["action_mask"].shape == shape
        assert infos["action_mask"].dtype == np.int8 and np.array_equal(masks, infos["action_mask"])
        kept, before = (observation, infos), copy.deepcopy((observation, infos))
        one.step(masks.argmax(axis=-1))
        assert data_equivalence(kept, before)
        observation, infos = one.reset(seed=0)
        observation[:] = 9
        infos["action_mask"][:] = 0
        assert one.action_masks().any() and one.step(one.action_masks().argmax(axis=-1))[0].max() == 1


@each_game
def test_masks_reach_sb3_through_its_vector(game: str) -> None:
    vec = DummyVecEnv([lambda: envs.make_gym(game, "random") for _ in range(3)])
    vec.seed(5)
    vec.reset()
    assert vec.has_attr("action_masks") and is_masking_supported(vec)
    masks = get_action_masks(vec)
    assert masks.shape == (3, vec.action_space.n) and masks.any(axis=1).all()
    assert np.array_equal(masks, np.stack(vec.env_method("action_masks")))
    for _ in range(50):
        masks = get_action_masks(vec)
        _, _, _, infos = vec.step(masks.argmax(axis=1))
    assert all(set(info) >= {"action_mask", "seat"} for info in infos)


def test_maskable_ppo_runs() -> None:
    vec = DummyVecEnv([lambda: envs.make_gym("guan_pai", "random", cards_each=5) for _ in range(2)])
    model = MaskablePPO("MlpPolicy", vec, n_steps=64, batch_size=64, n_epochs=1, seed=0, device="cpu")
    model.learn(256)
    assert model.num_timesteps == 256


def test_importing_envs_imports_neither_agents_nor_torch() -> None:
    heavy = {"torch", "agents", "stable_baselines3", "resvg_py", "PIL"}
    code = f"import envs, sys; assert not {heavy} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_importing_agents_imports_no_game() -> None:
    code = "import agents, envs, sys; assert not {f'envs.{game}' for game in envs.games()} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_importing_games_compiles_nothing() -> None:
    needed = "numba.np.arraymath"  # imported by Numba with the first kernel that is compiled or loaded
    games = ", ".join(f"envs.{game}_v0" for game in envs.games())
    code = f"import {games}, agents.play.server, sys; assert '{needed}' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    code = f"import envs, sys; envs.make_vec('diao_xie', 1).reset(seed=0); assert '{needed}' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


# --- seeds ------------------------------------------------------------------------------------------


@every_game_in_turn
def test_the_same_seed_gives_the_same_episodes(game: str, options: Options, rotate: int) -> None:
    runs = []
    for _ in range(2):
        env = envs.make_gym(game, ["random"] * (seats_of(game, options) - 1), **options)
        runs.append([env.reset(seed=rotate), *play(env, np.random.default_rng([rotate, 1]), 60)])
    runs.append([env.reset(seed=rotate), *play(env, np.random.default_rng([rotate, 1]), 60)])
    assert data_equivalence(runs[0], runs[1]) and data_equivalence(runs[0], runs[2])
    env.reset(seed=rotate + 1)
    decks = {tuple(env.reset()[0].tolist()) for _ in range(5)}
    assert len(decks) > 1, "reset without a seed goes on"


@each_game
def test_without_a_seed_every_environment_is_another(game: str) -> None:
    first = [envs.make_gym(game, "random", seat=0).reset()[0] for _ in range(4)]
    assert len({observation.tobytes() for observation in first}) > 1


@every_game_in_turn
def test_a_table_of_the_vector_plays_the_single_environments_episodes(
    game: str, options: Options, rotate: int
) -> None:
    """Against Gymnasium's own vector of single environments, infos included."""
    n, seed = 4, 10 * rotate
    for opponents, on_illegal in (("random", "terminate"), ("rule", "raise")):
        keywords = {"opponents": opponents, "on_illegal": on_illegal, **options}
        vec = envs.make_gym(game, num_envs=n, **keywords)
        sync = SyncVectorEnv(
            [lambda keywords=keywords: envs.make_gym(game, **keywords)] * n,
            autoreset_mode=AutoresetMode.SAME_STEP,
        )
        assert data_equivalence(vec.reset(seed=seed), sync.reset(seed=seed))
        rng, endings, illegal = np.random.default_rng([rotate, 2]), np.zeros(n, int), 0
        for _ in range(80):
            actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in vec.action_masks()])
            if on_illegal == "terminate" and rng.random() < 0.2:
                actions[rng.integers(n)] = rng.integers(vec.single_action_space.n)
            illegal += int((~vec.action_masks()[np.arange(n), actions]).sum())
            ours, theirs = vec.step(actions), sync.step(actions)
            assert data_equivalence(ours[0], theirs[0]) and np.allclose(ours[1], theirs[1])
            assert data_equivalence(ours[2:4], theirs[2:4])
            assert set(ours[4]) == set(theirs[4])
            assert all(data_equivalence(value, theirs[4][name]) for name, value in ours[4].items())
            endings += ours[2]
        assert (endings > 1).all() and (illegal > 0) == (on_illegal == "terminate")


# --- seats, rewards, opponents ----------------------------------------------------------------------


@each_game
def test_the_seat_is_fixed_or_uniform(game: str) -> None:
    num_players, n = SEATS[game], 1500
    vec = envs.make_gym(game, "random", num_envs=n)
    seats = np.stack([vec.reset(seed=1)[1]["seat"]] + [vec.reset()[1]["seat"] for _ in range(3)])
    for row in seats:
        counts = np.bincount(row, minlength=num_players)
        assert (abs(counts - n / num_players) < 4 * np.sqrt(n / num_players)).all()
    for a, b in ((seats[0], seats[1]), (seats[0][1:], seats[0][:-1])):
        assert abs((a == b).mean() - 1 / num_players) < 0.06, "seats do not depend on each other"
    for seat in range(num_players):
        vec = envs.make_gym(game, "random", seat=seat, num_envs=5)
        assert (vec.reset(seed=1)[1]["seat"] == seat).all()


@every_game_in_turn
def test_rewards_are_those_of_the_same_game_at_the_table(game: str, options: Options, rotate: int) -> None:
    """Every game played again in the PettingZoo environment with the opponents' answers."""
    typical = get(game).info(get(game).rules.make(options)).typical_score
    for seat in range(seats_of(game, options)):
        spy = Spy(load("random", game))
        env = envs.make_gym(game, spy, seat=seat, **options)
        wins = envs.make_gym(game, load("random", game), seat=seat, reward="win", **options)
        unscaled = envs.make_gym(game, "random", seat=seat, reward_scale=1, **options)
        table = new_table(game, options, seed=rotate)
        rng = np.random.default_rng([rotate, 3, seat])
        observation, info = env.reset(seed=rotate)
        wins.reset(seed=rotate)
        unscaled.reset(seed=rotate)
        answers = spy.answers
        for _ in range(3):
            terminated = False
            while not terminated:
                while table.agent_selection != f"player_{seat}" or is_over(table):
                    if is_over(table):  # before the learner had a decision: another deal
                        table.reset()
                        continue
                    forced = np.flatnonzero(table.observe(table.agent_selection)["action_mask"])
                    table.step(int(forced[0]) if len(forced) == 1 else answers.pop(0))
                seen = table.observe(f"player_{seat}")
                assert np.array_equal(seen["observation"], observation)
                assert np.array_equal(seen["action_mask"], info["action_mask"])
                action = int(rng.choice(legal(env)))
                table.step(action)
                observation, reward, terminated, truncated, info = env.step(action)
                won, points = wins.step(action), unscaled.step(action)
                assert not truncated and won[2] == points[2] == terminated
                if not terminated:
                    assert reward == won[1] == points[1] == 0
            while not is_over(table):
                forced = np.flatnonzero(table.observe(table.agent_selection)["action_mask"])
                table.step(int(forced[0]) if len(forced) == 1 else answers.pop(0))
            scores = [Fraction(s, table.game.denominator) for s in info["final_scores"].tolist()]
            assert scores == table.scores() and not info["action_mask"].any()
            assert np.array_equal(observation, table.observe(f"player_{seat}")["observation"])
            assert points[1] == pytest.approx(float(table.scores()[seat]))
            assert reward == pytest.approx(float(table.scores()[seat]) / typical)
            has_winner = "winner" in table.game.stats
            assert won[1] == (table.record()["winner"] == seat if has_winner else table.scores()[seat] > 0)
            table.reset()
            observation, info = env.reset()
            wins.reset()
            unscaled.reset()


@each_game
def test_opponents_sit_in_the_order_of_the_seats(game: str) -> None:
    others = [Spy(load("random", game)) for _ in range(SEATS[game] - 1)]
    vec = envs.make_gym(game, others, num_envs=20, seat=1)
    vec.reset(seed=0)
    for _ in range(30):
        vec.step(vec.action_masks().argmax(axis=1))
    for place, spy in enumerate(others):
        seats = np.concatenate([decisions.seats for decisions in spy.asked])
        assert set(seats.tolist()) == {(2 + place) % SEATS[game]}
        assert max(map(len, spy.asked)) > 3, "asked in batch"
        keys = np.concatenate([decisions.keys for decisions in spy.asked])
        assert len(set(keys.tolist())) == len(keys)


@each_game
def test_opponents_by_name_by_object_and_mixed(game: str) -> None:
    runs = []
    for opponents in ("rule", load("rule", game), ["rule"] * (SEATS[game] - 1)):
        env = envs.make_gym(game, opponents)
        runs.append([env.reset(seed=2), *play(env, np.random.default_rng(4), 40)])
    assert data_equivalence(runs[0], runs[1]) and data_equivalence(runs[0], runs[2])
    if SEATS[game] > 2:
        mixed = envs.make_gym(game, ["rule", *[load("random", game)] * (SEATS[game] - 2)])
        other = [mixed.reset(seed=2), *play(mixed, np.random.default_rng(4), 40)]
        assert not data_equivalence(runs[0], other)


@every_game_in_turn
def test_opponents_see_what_they_may_and_nothing_else(game: str, options: Options, rotate: int) -> None:
    spy, blind = Spy(load("rule", game), needs_tables=True), Spy(load("random", game))
    others = [spy, *[blind] * (seats_of(game, options) - 2)]
    vec = envs.make_gym(game, others, num_envs=8, **options)
    loops = get(game).loops
    vec.reset(seed=rotate)
    for _ in range(40):
        vec.step(vec.action_masks().argmax(axis=1))
    assert spy.asked and all(decisions.tables is None for decisions in blind.asked)
    assert blind.asked or len(others) == 1
    for decisions in spy.asked:
        tables = decisions.tables
        assert not tables["chance"].any() and not tables["deck"].any() and not tables["over"].any()
        again = tables.copy()
        loops.blank_all(again, decisions.seats)
        assert again.tobytes() == tables.tobytes(), "nothing is left to hide"
        observations = np.zeros_like(decisions.observations)
        loops.look(tables, decisions.seats, observations)
        assert np.array_equal(observations, decisions.observations), "its own seat's"
        masks = np.zeros_like(decisions.action_masks)
        loops.legal_all(tables, masks)
        assert np.array_equal(masks, decisions.action_masks) and (masks.sum(axis=1) > 1).all()


@each_game
def test_a_failing_opponent_is_named_and_the_episode_is_over(game: str) -> None:
    class Wrong(Agent):
        name = "wrong"
        answer: Any = None

        def act(self, decisions: Decisions) -> Any:
            return decisions.action_masks.argmax(axis=1) if self.answer is None else self.answer

    agent = Wrong()
    env = envs.make_gym(game, agent, seat=0)
    observation, _ = env.reset(seed=1)
    for answer, message in ((-1, "integers"), ([-1], "may not play action -1"), ([0.5], "integers")):
        agent.answer = np.array(answer)
        with pytest.raises(ValueError, match=f"opponent 'wrong'.*{message}"):
            play(env, np.random.default_rng(0), 50)
        with pytest.raises(RuntimeError, match="reset"):
            env.step(0)
        agent.answer = None
        assert np.array_equal(env.reset(seed=1)[0], observation)


# --- deals ------------------------------------------------------------------------------------------


@each_game
def test_a_given_deck(game: str) -> None:
    table = new_table(game, {}, seed=4)
    deck, first, dealer = table.deck(), table.agent_selection, table.record()["dealer"]
    indices = deck_indices(deck, table.game.cards)
    for seat in range(SEATS[game]):
        env = envs.make_gym(game, "random", seat=seat)
        observation, _ = env.reset(seed=9, options={"deck": deck, "dealer": dealer, "nonsense": 1})
        assert env._tables.decks()[0].tolist() == indices
        same = np.array_equal(observation, table.observe(f"player_{seat}")["observation"])
        assert same == (first == f"player_{seat}"), "the others see what was played before their turn"
        vec = envs.make_gym(game, "random", seat=seat, num_envs=2)
        dealers = None if dealer is None else [dealer, -1]
        both, _ = vec.reset(seed=9, options={"decks": [indices, [-1] * len(deck)], "dealers": dealers})
        assert np.array_equal(both[0], observation) and not np.array_equal(both[1], observation)


@each_game
def test_bad_resets_change_nothing(game: str) -> None:
    env, vec = envs.make_gym(game, "random"), envs.make_gym(game, "random", num_envs=3)
    env.reset(seed=1)
    vec.reset(seed=1)
    deck = new_table(game, {}, seed=4).deck()
    twins = copy.deepcopy(env), copy.deepcopy(vec)
    for keywords in (
        {"seed": -1}, {"seed": 1.5}, {"seed": "1"}, {"seed": 5, "options": {"deck": deck[1:]}},
        {"seed": 5, "options": {"dealer": 9}},
    ):  # fmt: skip
        with pytest.raises(ValueError):
            env.reset(**keywords)
    for keywords in (
        {"seed": [1, 2]}, {"seed": [1, 2, None]}, {"seed": 5, "options": {"decks": [[0]]}},
        {"options": {"reset_mask": [True]}},
    ):  # fmt: skip
        with pytest.raises(ValueError):
            vec.reset(**keywords)
    runs = [play(one, np.random.default_rng(0), 20) for one in (env, twins[0])]
    assert data_equivalence(*runs)
    for one in (vec, twins[1]):
        runs.append([one.step(one.action_masks().argmax(axis=1)) for _ in range(20)])
    assert data_equivalence(*runs[2:])


@each_game
def test_reset_of_some_tables(game: str) -> None:
    vec = envs.make_gym(game, "random", num_envs=3)
    with pytest.raises(ValueError, match="reset_mask"):
        vec.reset(options={"reset_mask": np.array([True, False, False])})
    before, _ = vec.reset(seed=3)
    observations, infos = vec.reset(seed=8, options={"reset_mask": np.array([True, False, False])})
    assert np.array_equal(observations[1:], before[1:]) and infos["_seat"].tolist() == [True, False, False]
    assert np.array_equal(observations[0], envs.make_gym(game, "random").reset(seed=8)[0])


def test_an_episode_without_a_decision_of_the_learner_is_dealt_again() -> None:
    """With one card each whoever leads wins at once."""
    vec = envs.make_gym("guan_pai", "random", seat=2, num_envs=50, cards_each=1)
    vec.reset(seed=0)
    for _ in range(3):
        assert vec.action_masks().any(axis=1).all()
        _, rewards, ended, _, infos = vec.step(vec.action_masks().argmax(axis=1))
        assert ended.all() and (rewards > 0).all() and (infos["seat"] == 2).all()
    deck = new_table("guan_pai", {}, seed=0).deck()
    env = envs.make_gym("guan_pai", "random", seat=0, cards_each=1)
    first = [c for c in deck if c[0] == "4"][:1] + [c for c in deck if c[0] == "3"][:1]
    given = [*first, *(c for c in deck if c not in first)]
    options = {"deck": given}
    with pytest.raises(ValueError, match="before the learner has a decision"):
        env.reset(seed=0, options=options)
    with pytest.raises(RuntimeError, match="reset"):
        env.step(0)
    env.reset(seed=1)
    twin = copy.deepcopy(env)
    with pytest.raises(ValueError, match="before the learner has a decision"):
        env.reset(seed=0, options=options)
    assert data_equivalence(*(play(one, np.random.default_rng(0), 5) for one in (env, twin)))


# --- what is not allowed ----------------------------------------------------------------------------


@every_game_in_turn
def test_an_illegal_action_raises_and_changes_nothing(game: str, options: Options, rotate: int) -> None:
    env, vec = envs.make_gym(game, "random", **options), envs.make_gym(game, "random", num_envs=3, **options)
    env.reset(seed=rotate)
    vec.reset(seed=rotate)
    twins = copy.deepcopy(env), copy.deepcopy(vec)
    names = env.game.action_names
    wrong = int(np.flatnonzero(~env.action_masks())[0])
    for action in (wrong, np.int64(wrong), -1, 10**30, len(names), 0.0, None, "0"):
        with pytest.raises(ValueError, match="may not play action") as error:
            env.step(action)
        assert names[int(legal(env)[0])] in str(error.value) and "table" not in str(error.value)
    actions = vec.action_masks().argmax(axis=1)
    actions[1] = np.flatnonzero(~vec.action_masks()[1])[0]
    with pytest.raises(ValueError, match=f"table 1: player_. may not play action {actions[1]} "):
        vec.step(actions)
    for bad in (actions[:2], actions.astype(float), None):
        with pytest.raises(ValueError, match=r"\(3,\) integers"):
            vec.step(bad)
    runs = [play(one, np.random.default_rng(0), 20) for one in (env, twins[0])]
    assert data_equivalence(*runs)
    for one in (vec, twins[1]):
        runs.append([one.step(one.action_masks().argmax(axis=1)) for _ in range(20)])
    assert data_equivalence(*runs[2:])


@each_game
def test_an_illegal_action_ends_the_episode_if_so_wished(game: str) -> None:
    env = envs.make_gym(game, "random", on_illegal="terminate")
    for bad in (-1, 1.5, None, 10**30, "illegal"):
        observation, _ = env.reset(seed=1)
        action = np.flatnonzero(~env.action_masks())[0] if bad == "illegal" else bad
        seen, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated) == (-1, True, False) and "final_scores" not in info
        assert np.array_equal(seen, observation) and not env.action_masks().any()
        with pytest.raises(RuntimeError, match="reset"):
            env.step(0)
    vec = envs.make_gym(game, "random", on_illegal="terminate", num_envs=3)
    vec.reset(seed=1)
    actions = vec.action_masks().argmax(axis=1)
    actions[1] = -1
    _, rewards, ended, _, infos = vec.step(actions)
    assert rewards[1] == -1 and ended[1]
    if game in IN_STEPS:  # elsewhere the others' games may be over as well
        assert rewards.tolist() == [0, -1, 0] and ended.tolist() == [False, True, False]
        assert "final_scores" not in infos["final_info"]
    assert vec.action_masks().any(axis=1).all()


WRONG = {
    "unknown opponent": ({"opponents": "nobody"}, ValueError, "no agent 'nobody'.*random"),
    "no agent": ({"opponents": 7}, ValueError, "a name, a path or an agents.Agent"),
    "one too many": ({"opponents": ["random"] * 7}, ValueError, "7 opponents for"),
    "none": ({"opponents": []}, ValueError, "0 opponents for"),
    "seat": ({"seat": 99}, ValueError, "'random', is an integer of 0"),
    "negative seat": ({"seat": -1}, ValueError, "'random', is an integer of 0"),
    "named seat": ({"seat": "any"}, ValueError, "'random', is an integer of 0"),
    "reward": ({"reward": "x"}, ValueError, "'points' or 'win'"),
    "scale": ({"reward_scale": 0}, ValueError, "above 0"),
    "scaled win": ({"reward": "win", "reward_scale": 2}, ValueError, "leave it out"),
    "no tables": ({"num_envs": 0}, ValueError, "num_envs is an integer of at least 1"),
    "half a table": ({"num_envs": 1.5}, ValueError, "num_envs is an integer of at least 1"),
    "on_illegal": ({"on_illegal": "ignore"}, ValueError, "'raise' or 'terminate'"),
    "render_mode": ({"render_mode": "rgb"}, ValueError, "'ansi'"),
    "human vector": ({"render_mode": "human", "num_envs": 2}, ValueError, "'ansi'"),
    "option": ({"must_bet": "all"}, TypeError, "unknown option 'must_bet'"),
}


@pytest.mark.parametrize("what", WRONG)
@each_game
def test_wrong_arguments(game: str, what: str) -> None:
    keywords, error, message = WRONG[what]
    with pytest.raises(error, match=message):
        envs.make_gym(game, **{"opponents": "random", **keywords})


def test_unknown_games_and_early_calls() -> None:
    with pytest.raises(ValueError, match="guan_pai"):
        envs.make_gym("poker")
    for keywords in ({}, {"num_envs": 2}):
        env = envs.make_gym("guan_pai", "random", render_mode="ansi", **keywords)
        with pytest.raises(RuntimeError, match="reset"):
            env.step([0, 0])
        with pytest.raises(RuntimeError, match="reset"):
            env.render()


@each_game
def test_the_text_is_what_the_learner_sees(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    env = envs.make_gym(game, "random", render_mode="ansi")
    human = envs.make_gym(game, "random", render_mode="human")
    vec = envs.make_gym(game, "random", render_mode="ansi", num_envs=2)
    _, info = env.reset(seed=6)
    human.reset(seed=6)
    vec.reset(seed=6)
    table = new_table(game, {}, seed=6)
    text = env.render()
    for seat in range(SEATS[game]):
        assert (" ".join(table.hand(seat)) in text) == (seat == info["seat"])
    assert vec.render()[0] == text and len(vec.render()) == 2
    assert human.render() is None and capsys.readouterr().out == f"{text}\n\n" * 2
    human.step(legal(human)[0])
    assert capsys.readouterr().out.count("player_0") >= 1


# --- learning ---------------------------------------------------------------------------------------


def points(model: Any, game: str, episodes: int, seed: int) -> np.ndarray:
    """Points of a policy's first ``episodes`` games against random opponents, one a table."""
    vec = envs.make_gym(game, "random", num_envs=episodes, reward_scale=1)
    observations, _ = vec.reset(seed=seed)
    earned = np.full(episodes, np.nan)
    while np.isnan(earned).any():
        actions, _ = model.predict(observations, action_masks=vec.action_masks(), deterministic=True)
        observations, rewards, ended, _, _ = vec.step(actions)
        first = ended & np.isnan(earned)
        earned[first] = rewards[first]
    return earned


@pytest.mark.slow
@each_game
def test_maskable_ppo_gets_better_in_a_minute(game: str) -> None:
    vec = DummyVecEnv([lambda: envs.make_gym(game, "random") for _ in range(8)])
    model = MaskablePPO("MlpPolicy", vec, n_steps=256, batch_size=512, n_epochs=4, seed=0, device="cpu")
    before = points(model, game, 1000, seed=10**6)
    model.learn(120_000)
    gain = points(model, game, 1000, seed=10**6) - before
    interval = 1.96 * gain.std() / np.sqrt(len(gain))
    print(f"{game}: {before.mean():+.1f} points before, gain {gain.mean():+.1f} ± {interval:.1f}")
    assert gain.mean() - interval > 5


def test_decks_of_several_hands() -> None:
    pack = list(get("diao_xie").info(get("diao_xie").rules()).cards)
    for deck in ([pack, pack[::-1]], [pack]):
        env = envs.make_gym("diao_xie", "random", seat=0, hands=2)
        env.reset(seed=1, options={"deck": deck})
        dealt = env._tables.decks()[0].tolist()
        assert [[pack[card] for card in one] for one in dealt[: len(deck)]] == deck
    vec = envs.make_gym("diao_xie", "random", seat=1, num_envs=3, hands=2)
    decks = np.full((3, 2, 32), -1)
    decks[1] = [np.arange(32), np.arange(32)[::-1]]
    vec.reset(seed=1, options={"decks": decks})
    assert np.array_equal(vec._tables.decks()[1], decks[1])


def test_opponents_that_leave_no_decision_are_reported() -> None:
    class Folder(Agent):
        name = "folder"

        def act(self, decisions: Decisions) -> Any:
            return np.where(decisions.action_masks[:, 0] > 0, 0, decisions.action_masks.argmax(axis=1))

    with pytest.raises(ValueError, match="games in a row ended before seat 1 had a decision"):
        envs.make_gym("diao_xie", Folder(), seat=1).reset(seed=0)
