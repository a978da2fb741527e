"""The vector: the AEC environment, many times; its options, resets and finished tables."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import envs
from envs.core.aec import TableEnv
from envs.core.crew import PATIENCE
from envs.core.vector import VectorTables

from .games import is_over, legal, new_table, pytest_generate_tests  # noqa: F401 (the hook of in_turn)
from .test_promises import Options, each_game, equal, every_game, every_game_in_turn

# --- the vector is the AEC environment, many times --------------------------------------------------


def step_like_vector(env: TableEnv, action: int, skip_forced: bool) -> list[int] | None:
    """One step of a table of a vector on an AEC environment: the scores if a game ended in it."""
    env.step(action)
    scores = None
    while True:
        if is_over(env):
            scores = env.scores()
            env.reset()
        forced = legal(env)
        if not skip_forced or len(forced) > 1:
            return scores
        there = env.snapshot()
        env.step(int(forced[0]))
        if scores is not None and is_over(env):
            env.restore(there)
            return scores


def skip_at_start(env: TableEnv) -> None:
    """What ``reset`` of a vector with ``skip_forced`` does."""
    while len(legal(env)) == 1:
        there = env.snapshot()
        env.step(int(legal(env)[0]))
        if is_over(env):
            env.restore(there)
            return


@pytest.mark.parametrize("skip_forced", [False, True])
@every_game
def test_vector_and_aec_play_the_same_games(
    game: str, options: Options, skip_forced: bool, rotate: int
) -> None:
    n, seed = 3, 50 * rotate
    vec = envs.make_vec(game, num_envs=n, skip_forced=skip_forced, **options)
    observations, infos = vec.reset(seed=seed)
    tables = [new_table(game, options, seed=seed + i) for i in range(n)]
    num_ended = np.zeros(n, int)
    if skip_forced:
        for env in tables:
            skip_at_start(env)
    steps = 0
    while steps < 250 or num_ended.min() < 2:  # several games at every table
        steps += 1
        assert np.array_equal(vec.states(), [env.state() for env in tables])
        for i, env in enumerate(tables):
            assert env.agent_selection == f"player_{infos['seat'][i]}"
            seen = env.observe(env.agent_selection)
            assert np.array_equal(seen["observation"], observations["observation"][i])
            assert np.array_equal(seen["action_mask"], observations["action_mask"][i])
        actions = vec.sample().copy()
        observations, rewards, ended, _, infos = vec.step(actions)
        for i, env in enumerate(tables):
            scores = step_like_vector(env, int(actions[i]), skip_forced)
            assert ended[i] == (scores is not None)
            assert np.array_equal(rewards[i], np.array(scores or [0] * vec.num_players, np.float32))
            if scores is not None:
                assert [
                    Fraction(s, vec.game.denominator) for s in infos["final_scores"][i].tolist()
                ] == scores
                num_ended[i] += 1


@every_game
def test_no_decision_is_forced_with_skip_forced(game: str, options: Options, rotate: int) -> None:
    vec = envs.make_vec(game, num_envs=16, skip_forced=True, **options)
    vec.reset(seed=rotate)
    ended = np.zeros(16, bool)
    for _ in range(300):
        actions = vec.sample().copy()
        for i in np.flatnonzero(vec._masks.sum(axis=1) == 1):
            assert ended[i], "only after a game that ended in the same step"
            table = vec.tables(blank=False)[i : i + 1]
            vec._game.loops.play_one(table, int(actions[i]))
            assert table[0]["over"], "and only where it would end a second one"
        ended = vec.step(actions)[2].copy()
    assert vec._masks.any()


@every_game_in_turn
def test_results_depend_neither_on_threads_nor_on_their_number(
    game: str, options: Options, rotate: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if options:  # on few and busy cores most of the time is looking in vain; the defaults still do it
        monkeypatch.setattr("envs.core.crew.PATIENCE", PATIENCE // 50)

    def run(num_envs: int, seed: int, num_threads: int = 1) -> list[np.ndarray]:
        vec = envs.make_vec(game, num_envs=num_envs, num_threads=num_threads, skip_forced=True, **options)
        vec.reset(seed=seed)
        out = []
        for _ in range(120):
            actions = vec.sample().copy()
            observations, rewards, ended, _, infos = vec.step(actions)
            parts = (*observations.values(), rewards, ended, *infos.values())
            out.append([actions, *(part.copy() for part in parts)])
        vec.close()
        return [np.stack(series) for series in zip(*out, strict=True)]

    seed = 10 * rotate
    together = run(5, seed)
    assert together[4].any(), "some game ended"
    assert equal(together, run(5, seed, num_threads=3))
    for i in range(5):
        assert equal([series[:, i] for series in together], [series[:, 0] for series in run(1, seed + i)])


# --- the vector's reset and its finished tables -----------------------------------------------------


def finished_vector(game: str, options: Options, n: int = 4) -> VectorTables:
    """A vector without autoreset, all tables finished."""
    vec = envs.make_vec(game, num_envs=n, autoreset=False, **options)
    vec.reset(seed=5)
    while (actions := vec.sample()).max() >= 0:
        vec.step(actions)
    return vec


@every_game
def test_without_autoreset_a_finished_table_waits_for_reset(game: str, options: Options) -> None:
    vec = finished_vector(game, options)
    before = vec.tables(blank=False)
    assert before["over"].all() and not vec._masks.any()
    observations, rewards, ended, _, infos = vec.step(np.array([-1, 99999, 0, 1]))
    assert ended.all() and not rewards.any() and not observations["action_mask"].any()
    assert vec.tables(blank=False).tobytes() == before.tobytes()
    assert np.array_equal(infos["final_scores"], before["score"][:, : vec.num_players])

    wanted = np.array([True, False, True, False])
    observations, infos = vec.reset(options={"reset_mask": wanted})
    after = vec.tables(blank=False)
    assert after[~wanted].tobytes() == before[~wanted].tobytes() and not after["over"][wanted].any()
    assert (observations["action_mask"].any(axis=1) == wanted).all()
    _, rewards, ended, _, _ = vec.step(vec.sample())
    assert (ended == ~wanted).all() or vec.game.max_decisions < 10
    for i in np.flatnonzero(wanted):  # the second game of the stream
        env = new_table(game, options, seed=5 + int(i))
        env.reset()
        assert np.array_equal(vec.decks()[i].ravel(), env._deck())


@each_game
def test_reset_with_decks_and_mask(game: str) -> None:
    vec = envs.make_vec(game, num_envs=3)
    vec.reset(seed=1)
    before, dealt = vec.tables(blank=False), vec.decks()
    size = len(vec.game.cards)
    decks = np.full((3, size), -1, np.int16)
    decks[1] = np.arange(size)[::-1]
    vec.reset(options={"decks": decks, "reset_mask": np.array([False, True, True])})
    after = vec.tables(blank=False)
    assert after[0] == before[0] and not np.array_equal(vec.decks()[2], dealt[2])
    names = np.array(vec.game.cards)  # of two equal cards either may be the first
    assert np.array_equal(names[vec.decks()[1]], names[decks[1]])
    dealer = None if vec.dealers() is None else int(vec.dealers()[1])
    env = new_table(game, {}, deck=[vec.game.cards[card] for card in decks[1]], dealer=dealer)
    assert np.array_equal(env.state(), vec.states()[1])


@pytest.mark.parametrize(
    ("seed", "options"),
    [
        (-1, {}), (1.5, {}), ("1", {}), ([1, 2], {}), ([1, 2, -3], {}),
        (None, {"decks": np.zeros((3, 5), np.int16)}),
        (None, {"decks": lambda size: np.zeros((3, size), np.float32)}),
        (None, {"decks": lambda size: np.zeros((3, size), np.int16)}),
        (7, {"decks": lambda size: np.tile(np.r_[-1, 1:size], (3, 1))}),
        (7, {"decks": lambda size: np.tile(np.r_[0 : size - 1, size], (3, 1))}),
        (7, {"reset_mask": [True, False]}), (7, {"reset_mask": [1, 0, 1]}),
        (7, {"dealers": [0, 1]}), (7, {"dealers": [0, 1, 9]}), (7, {"dealers": [0, 1, 0.5]}),
    ],
)  # fmt: skip
@each_game
def test_bad_resets_of_a_vector_change_nothing(game: str, seed: Any, options: Options) -> None:
    vec = envs.make_vec(game, num_envs=3)
    vec.reset(seed=1)
    vec.step(vec.sample())
    before, size = vec.snapshot(), len(vec.game.cards)
    given = {name: value(size) if callable(value) else value for name, value in options.items()}
    with pytest.raises(ValueError):
        vec.reset(seed=seed, options=given)
    assert equal(list(before), list(vec.snapshot()))
