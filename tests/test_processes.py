"""The same games wherever they are played: in other processes, in threads, beside other environments."""

from __future__ import annotations

import multiprocessing
import threading
from functools import partial

import numpy as np
import pytest

import envs

from .digest import digest
from .games import play

each_game = pytest.mark.parametrize("game", envs.games())


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_another_process_plays_the_same_games(method: str, rotate: int) -> None:
    some_games = partial(digest, number=rotate)
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.map(some_games, envs.games()) == list(map(some_games, envs.games()))


@each_game
def test_threads_play_the_same_games(game: str, rotate: int) -> None:
    expected, found = digest(game, rotate), dict.fromkeys(range(3), "")

    def play(number: int) -> None:
        found[number] = digest(game, rotate)

    threads = [threading.Thread(target=play, args=(number,)) for number in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(found.values()) == {expected}


@each_game
def test_two_environments_at_once_do_not_touch_each_other(game: str) -> None:
    alone, one, two = (envs.make(game).unwrapped for _ in range(3))
    alone.reset(seed=1)
    one.reset(seed=1)
    two.reset(seed=2)
    rng = np.random.default_rng(0)
    for _ in range(30):
        mask = alone.infos[alone.agent_selection]["action_mask"]
        if not mask.any():
            break
        action = int(rng.choice(np.flatnonzero(mask)))
        alone.step(action)
        one.step(action)
        if two.infos[two.agent_selection]["action_mask"].any():
            two.step(int(np.flatnonzero(two.infos[two.agent_selection]["action_mask"])[-1]))
        assert one.snapshot() == alone.snapshot()


@each_game
def test_reset_in_the_middle_of_a_game_starts_a_new_one(game: str) -> None:
    fresh, used = envs.make(game).unwrapped, envs.make(game).unwrapped
    used.reset(seed=1)
    play(used, np.random.default_rng(1), most=5)
    fresh.reset(seed=3)
    used.reset(seed=3)
    assert used.snapshot() == fresh.snapshot() and used.record()["decisions"] == []
    used.close()
    used.close()
    used.reset(seed=3)
    assert used.snapshot() == fresh.snapshot()


@each_game
@pytest.mark.parametrize(
    "seed",
    [7, np.int8(7), np.uint8(7), np.int32(7), np.uint64(7), np.array(7)],
    ids=lambda s: type(s).__name__,
)
def test_seeds_of_every_integer_type_are_the_same(game: str, seed: object) -> None:
    one, other = envs.make(game).unwrapped, envs.make(game).unwrapped
    one.reset(seed=7)
    other.reset(seed=seed)  # type: ignore[arg-type]
    assert one.deck() == other.deck()
    vec = envs.make_vec(game, 2)
    vec.reset(seed=seed)  # type: ignore[arg-type]
    assert [one.game.cards[card] for card in vec.decks()[0]] == one.deck()


@each_game
def test_the_typical_score_is_typical(game: str) -> None:
    """Within a factor of two of the spread in random play."""
    vec = envs.make_vec(game, 500)
    vec.reset(seed=0)
    scores = []
    while len(scores) < 1000:
        _, _, ended, _, infos = vec.step(vec.sample())
        scores += infos["final_scores"][ended].tolist()
    assert 0.5 < np.std(scores) / vec.game.typical_score < 2
