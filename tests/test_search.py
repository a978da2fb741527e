"""Search: answers that depend on nothing else; names; strength."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import agents
import envs
from agents import Decisions, SearchAgent
from agents.search import Budget, Weighed
from envs.core.game import get
from training.evaluate import evaluate_against

from .games import REDEAL_HIDDEN, Options
from .moments import (
    TABLES,
    at_moment,
    blank,
    decisions_of,
    each_game,
    filled,
    new_answers_by_new_keys,
    variants,
)

# --- answers ----------------------------------------------------------------------------------------


@variants
def test_answers_depend_on_the_decision_and_its_key_alone(game: str, options: Options, rotate: int) -> None:
    num_other = new_answers_by_new_keys(agents.load("search:2", game), game, options, [rotate, 87])
    assert num_other or game == "diao_xie", "keys matter"


@variants
def test_what_is_hidden_changes_neither_worlds_nor_answers(game: str, options: Options, rotate: int) -> None:
    search, rng = agents.load("search:4", game), np.random.default_rng([rotate, 88])
    for steps in (3, 10):
        vec = at_moment(game, options, steps, [rotate, 89])
        asked, others = decisions_of(vec, rng), vec.tables(blank=False)
        for t, seat in zip(others, asked.seats.tolist(), strict=True):
            deck = [vec.game.cards[card] for card in t["deck"][: len(vec.game.cards)]]
            REDEAL_HIDDEN[game](t, deck, seat, rng)
        assert others.tobytes() != vec.tables(blank=False).tobytes()
        again = blank(game, others, asked.seats)
        worlds = [filled(game, tables, asked.keys).tobytes() for tables in (asked.tables, again)]
        assert worlds[0] == worlds[1]
        changed = Decisions(asked.observations, asked.action_masks, asked.seats, asked.keys, again)
        assert np.array_equal(search.act(changed), search.act(asked))


Points = NDArray[np.int64]


def halving(
    playouts: int, points: Points, favourite: int
) -> tuple[Weighed, list[tuple[list[int], int, int]]]:
    """What search says and the rounds, (actions, first world, worlds), by ``points`` (worlds, actions)."""
    rounds, num_actions = [], points.shape[1]

    def play_out(
        table: NDArray[Any], candidates: NDArray[np.int64], key: np.uint64, first: int, count: int
    ) -> Points:
        rounds.append((candidates.tolist(), first, count))
        return points[np.arange(first, first + count) % len(points)][:, candidates]

    def prefer(decisions: Decisions) -> NDArray[np.float32]:
        return np.where(np.arange(num_actions) == favourite, 1, 0)[None].astype(np.float32)

    search = SearchAgent("guan_pai", "halving", prefer, play_out, Budget(playouts))
    tables = envs.make_vec("guan_pai", 1)
    tables.reset(seed=0)
    none = np.zeros(1, np.int64)
    asked = Decisions(
        np.zeros((1, 1), np.uint8), np.ones((1, num_actions), np.int8), none, none.astype(np.uint64),
        tables.tables(),
    )  # fmt: skip
    weighed = search.weigh(asked)[0]
    assert search.act(asked).tolist() == [weighed.action]
    return weighed, rounds[: len(rounds) // 2]


def test_the_worse_half_is_dropped_after_rounds_of_fresh_worlds_of_equal_cost() -> None:
    weighed, rounds = halving(32, np.array([[3, 9, 1, 7, 5]]), 2)
    assert weighed.action == 1
    assert rounds == [([2, 0, 1, 3, 4], 0, 10), ([2, 1, 3], 10, 17), ([2, 1], 27, 26)]


@pytest.mark.parametrize(
    ("worth", "favourite", "best"),
    [([5, 5, 5, 5], 2, 2), ([1, 5, 5, 5], 0, 1), ([5, 6, 5, 5], 3, 1), ([5, 5], 1, 1), ([7], 0, 0)],
)
def test_ties_go_to_the_own_choice_and_then_to_the_lowest(
    worth: list[int], favourite: int, best: int
) -> None:
    assert halving(1, np.array([worth]), favourite)[0].action == best


@pytest.mark.parametrize(("luck", "best"), [(20, 0), (2, 1)])
def test_the_own_choice_stands_unless_another_gains_clearly(luck: int, best: int) -> None:
    """By one point a world, in 50 worlds that differ by ``luck``: 0.35 and 3.5 standard errors."""
    gained = 1 + luck * np.resize([1, -1], 50)
    assert halving(50, np.stack([0 * gained, gained], axis=1), 0)[0].action == best


@pytest.mark.parametrize("luck", [0, 1000])
def test_points_of_what_was_tried_do_not_depend_on_who_met_lucky_worlds(luck: int) -> None:
    """In the first ten of 53 worlds everybody gets ``luck`` more; two actions are tried in no others."""
    worth = np.array([3, 9, 1, 7, 5])
    weighed, _ = halving(32, worth + luck * (np.arange(53) < 10)[:, None], 2)
    assert weighed.tried.tolist() == [2, 0, 1, 3, 4] and weighed.worlds.tolist() == [53, 10, 53, 27, 10]
    assert weighed.points == pytest.approx(worth[weighed.tried] + luck * 10 / 53)


FROZEN = {
    "guan_pai": [110, 64, 1, 57, 50, 97, 93, 10, 56, 4, 7, 50, 12, 1, 0, 51, 12, 23],
    "zheng_shang_you": [44, 353, 65, 9, 348, 3, 28, 16, 28, 0, 0, 69, 352, 35, 13, 1, 13, 0],
    "diao_xie": [1, 1, 2, 1, 2, 1, 2, 2, 2, 1, 2, 1, 1, 2, 2, 6, 1, 1],
    "xiangxi96": [7, 21, 16, 18, 19, 11, 25, 11, 25, 26, 5, 29, 5, 16, 23, 25, 29, 22],
}
"""What ``search_v0`` answers at some moments: a yardstick does not change. Another one is ``search_v1``."""


@each_game
def test_search_v0_is_frozen(game: str) -> None:
    search, vec = agents.load("search_v0", game), envs.make_vec(game, 6, skip_forced=True)
    seen, infos = vec.reset(seed=5)
    answers: list[int] = []
    for step in range(3):
        keys = np.arange(step, step + 6, dtype=np.uint64)
        asked = Decisions(seen["observation"], seen["action_mask"], infos["seat"], keys, vec.tables())
        answers += search.act(asked).tolist()
        for _ in range(3):
            seen, _, _, _, infos = vec.step(vec.sample())
    assert answers == FROZEN[game]


# --- names ------------------------------------------------------------------------------------------


@each_game
def test_names(game: str) -> None:
    assert agents.names(game)[-2:] == ("search", "search_v0")
    newest = agents.frozen_rules(game)[-1]
    named = {name: agents.load(name, game) for name in ("search", "search:32", "search:20ms", "search_v0")}
    assert [agent.name for agent in named.values()] == [
        "search:128", "search:32", "search:20ms", f"search:128 by {newest}"
    ]  # fmt: skip
    assert [agent.is_reproducible for agent in named.values()] == [True, True, False, True]
    assert all(agent.needs_tables for agent in named.values())


@pytest.mark.parametrize(
    "name", ["search:", "search:0", "search:0ms", "search:-1", "search:1.5", "search:ms", "search:20s",
             "search:x", "search:1e3", "search:٣", "search: 5"]
)  # fmt: skip
def test_bad_numbers_say_what_is_allowed(name: str) -> None:
    with pytest.raises(ValueError, match=r"search:128, or of milliseconds a decision, as in search:20ms"):
        agents.load(name, "guan_pai")


def test_unknown_names_are_told_of_search() -> None:
    with pytest.raises(ValueError, match=r"did you mean search\? \(or give the folder of a run\)"):
        agents.load("searching", "guan_pai")
    with pytest.raises(ValueError, match=r"there are .*search, search_v0"):
        agents.load("zzz", "guan_pai")


@pytest.mark.parametrize("budget", [(0,), (-1,), (5, 0), (5, -1.0)], ids=str)
def test_no_budget_is_an_error(budget: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match="at least 1 playout"):
        Budget(*budget)


def test_it_needs_tables() -> None:
    asked = decisions_of(at_moment("guan_pai", {}, 1, [0, 90]), np.random.default_rng(0))
    asked.tables = None
    with pytest.raises(ValueError, match=r"needs Decisions\.tables"):
        agents.load("search", "guan_pai").act(asked)


@each_game
def test_a_budget_of_time_gives_legal_answers(game: str) -> None:
    asked = decisions_of(at_moment(game, {}, 3, [0, 91]), np.random.default_rng(1))
    answers = agents.load("search:1ms", game).act(asked)
    assert asked.action_masks[np.arange(TABLES), answers].all()


# --- strength ---------------------------------------------------------------------------------------


def gain(search: str, opponent: str, game: str, options: Options, deals: int) -> Any:
    return evaluate_against(search, opponent, game, get(game).rules(**options), deals, seed=1)


@pytest.mark.parametrize(
    ("search", "opponent", "game", "deals", "points"),
    [
        ("search:16", "rule_v0", "guan_pai", 24, 5),
        ("search:32", "rule_v0", "zheng_shang_you", 40, 1),
        ("search:32", "rule_v0", "diao_xie", 1000, 0.02),
        ("search:8", "hu_first", "xiangxi96", 12, 1),
    ],
)
def test_alone_it_gains(search: str, opponent: str, game: str, deals: int, points: float) -> None:
    found = gain(search, opponent, game, {}, deals)
    assert found.points.mean > points and found.points.low > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "options", "deals", "points"),
    [
        ("guan_pai", {}, 150, 10),
        ("zheng_shang_you", {}, 100, 2.5),
        ("zheng_shang_you", {"decks": 2}, 30, 4),
        ("diao_xie", {}, 4000, 0.05),
        ("diao_xie", {"num_players": 3}, 4000, 0.08),
        ("diao_xie", {"num_players": 5}, 4000, 0.03),
        ("diao_xie", {"betting": "limit"}, 4000, 0.08),
        ("xiangxi96", {}, 200, 0.1),
    ],
    ids=str,
)
def test_alone_it_beats_rule_v0(game: str, options: Options, deals: int, points: float) -> None:
    found = gain("search", "rule_v0", game, options, deals)
    assert found.points.mean > points and found.points.low > 0
