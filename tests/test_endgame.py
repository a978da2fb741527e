"""Tables at which every card is known: solved as by trying everything, and used by search."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import agents
import envs
from agents import Decisions, SearchAgent
from agents.endgame import Solver
from agents.search import Weighed, network_search
from agents.worlds import filler
from envs.core.game import get

from .games import Options, new_table
from .guan_pai_tables import put, with_suits
from .moments import info_of, network

TABLES = 24


def value(game: str, table: NDArray[Any]) -> list[int]:
    """The scores at the end when every seat takes the first action that is best for it."""
    if table["over"][0]:
        return table["score"][0].tolist()
    return max(children(game, table).values(), key=lambda scores: scores[table["turn"][0]])


def children(game: str, table: NDArray[Any]) -> dict[int, list[int]]:
    """By action: the scores at the end."""
    loops, found = get(game).loops, {}
    mask = np.zeros((1, get(game).info(get(game).rules()).num_actions), np.int8)
    loops.legal_all(table, mask)
    for action in np.flatnonzero(mask[0]).tolist():
        after = table.copy()
        loops.play_one(after, action)
        found[action] = value(game, after)
    return found


@pytest.mark.parametrize(
    ("game", "options", "steps"),
    [
        ("guan_pai", {"cards_each": 3}, 2),
        ("zheng_shang_you", {"cards_each": 2}, 1),
        ("diao_xie", {"betting": "limit"}, 0),
        ("xiangxi96", {"num_players": 4}, 20),
    ],
)
def test_as_by_trying_everything(game: str, options: Options, steps: int) -> None:
    vec, solver, compared = envs.make_vec(game, TABLES, autoreset=False, **options), Solver(game), 0
    vec.reset(seed=3)
    for _ in range(steps):
        vec.step(vec.sample())
    for i in range(TABLES):
        table = vec.tables(blank=False)[i : i + 1]
        found = None if table["over"][0] else solver.points(table)
        if found is None:
            continue
        seat, expected = int(table["turn"][0]), children(game, table)
        assert {action: found[action] for action in expected} == {
            action: scores[seat] for action, scores in expected.items()
        }
        compared += 1
    assert compared > TABLES // 6


def test_it_gives_up_where_there_is_too_much_to_look_at() -> None:
    vec = envs.make_vec("guan_pai", 1)
    vec.reset(seed=0)
    assert Solver("guan_pai").points(vec.tables(blank=False)) is None
    small = envs.make_vec("guan_pai", 1, cards_each=2)
    small.reset(seed=0)
    table = small.tables(blank=False)
    assert Solver("guan_pai").points(table) is not None
    assert Solver("guan_pai", most_tables=5).points(table) is None


def moment(*hands: str) -> NDArray[Any]:
    """Guan Pai: seat 0 leads, and nobody but itself knows its cards."""
    env = new_table("guan_pai", {}, seed=0)
    put(env, with_suits(*hands), 0)
    return env._tables.copy()


@pytest.mark.parametrize(
    ("hands", "is_known"),
    [
        (("339A", "KK", "KK"), True),
        (("3456", "K", "K"), True),
        (("TT", "99", "9"), True),
        (("339A", "KQ", "KK"), False),
        (("3", "4", "5"), False),
    ],
)
def test_cards_that_are_alike_are_known(hands: tuple[str, ...], is_known: bool) -> None:
    table = moment(*hands)
    get("guan_pai").loops.blank_all(table, np.zeros(1, np.int64))
    assert filler("guan_pai")(table, np.full(1, 5, np.uint64)) == is_known


def weighed_by(search: SearchAgent, table: NDArray[Any]) -> Weighed:
    """What it plays, and why, where seat 0 sees its own cards only."""
    mask, none = np.zeros((1, 266), np.int8), np.zeros(1, np.int64)
    get("guan_pai").loops.legal_all(table, mask)
    get("guan_pai").loops.blank_all(table, none)
    seen = np.zeros((1, 620), np.uint8)
    return search.weigh(Decisions(seen, mask, none, none.astype(np.uint64), table))[0]


@pytest.mark.parametrize(
    "hands", [("339A", "KK", "KK"), ("3A", "K", "KKK"), ("55QA", "K", "K"), ("3334A", "K", "KKK")], ids=str
)
def test_search_plays_on_perfectly_where_all_is_known(
    hands: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    table, search = moment(*hands), agents.load("search:1", "guan_pai")
    worth = {action: scores[0] for action, scores in children("guan_pai", table).items()}
    monkeypatch.setattr(search, "_play_out", None)  # nothing is played out
    weighed = weighed_by(search, table)
    assert worth[weighed.action] == max(worth.values()) > min(worth.values())
    assert dict(zip(weighed.tried.tolist(), weighed.points.tolist(), strict=True)) == worth
    assert not weighed.worlds.any()


def test_also_what_a_network_would_never_try_is_looked_at() -> None:
    own, table = network("guan_pai", {}, 0.0), moment("3334A", "K", "KKK")
    worth = {action: scores[0] for action, scores in children("guan_pai", table).items()}
    lead_a_three = 1
    with torch.no_grad():
        own.net[-1].bias[lead_a_three] = 50.0  # it is sure of that, and wrong
    search = network_search(info_of("guan_pai", {}), own)
    assert worth[lead_a_three] < worth[weighed_by(search, table).action] == max(worth.values())
