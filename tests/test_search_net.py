"""``search-net``: a network plays the games out and says what is tried; answers depend on nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

import agents
import envs
from agents import Decisions
from agents.adviser import Adviser
from agents.base import draw
from agents.network import POLICY_FILE, network_bytes
from agents.playouts import PolicyPlayouts
from agents.search import LEAST_TRIED, MOST_TRIED, Budget, network_search
from agents.worlds import DealtWorlds
from envs.core.game import get
from envs.core.rng import mix_in
from training.evaluate import evaluate_against

from .games import REDEAL_HIDDEN, Options
from .moments import (
    TABLES,
    at_moment,
    blank,
    decisions_of,
    filled,
    info_of,
    keys_of,
    network,
    new_answers_by_new_keys,
    rows,
    variants,
)

# --- playouts -----------------------------------------------------------------------------------


@pytest.mark.parametrize("is_advised", [False, True])
@variants
def test_games_are_played_out_as_one_by_one(
    game: str, options: Options, is_advised: bool, rotate: int
) -> None:
    """The same worlds, candidates and random numbers, a game and a decision at a time."""
    own = network(game, options, adviser=Adviser.of("rule_v0", game, 1.5) if is_advised else None)
    vec, key = at_moment(game, options, 6, [rotate, 95]), np.uint64(rotate)
    loops, info = get(game).loops, info_of(game, options)
    asked = decisions_of(vec, np.random.default_rng(rotate))
    for i in range(3):
        table, seat = asked.tables[i : i + 1], asked.seats[i]
        candidates = np.flatnonzero(asked.action_masks[i])
        found = PolicyPlayouts(info, own, DealtWorlds(game))(table, candidates, key, 4, 3)
        for number in range(3):
            world_key = mix_in(np.full(1, key), 4 + number)
            for k, candidate in enumerate(candidates):
                t = filled(game, table, world_key)
                loops.play_one(t, candidate)
                decision = 0
                while not t["over"][0]:
                    mask, seen = (
                        np.zeros((1, info.num_actions), np.int8),
                        np.zeros((1, info.observation_size), np.uint8),
                    )
                    loops.legal_all(t, mask)
                    action = np.flatnonzero(mask[0])[:1]
                    if mask.sum() > 1:
                        loops.look(t, t["turn"].astype(np.int64), seen)
                        drawing, turn = mix_in(world_key, decision), t["turn"].astype(np.int64)
                        draw(own.chances(Decisions(seen, mask, turn, drawing, t)), mask, drawing, action)
                        decision += 1
                    loops.play_one(t, action[0])
                assert found[number, k] == t["score"][0, seat]


# --- answers ------------------------------------------------------------------------------------


@variants
def test_answers_depend_on_the_decision_and_its_key_alone(game: str, options: Options, rotate: int) -> None:
    search = network_search(info_of(game, options), network(game, options), Budget(2))
    assert new_answers_by_new_keys(search, game, options, [rotate, 97]), "keys matter"


@variants
def test_what_is_hidden_does_not_change_answers(game: str, options: Options, rotate: int) -> None:
    search = network_search(info_of(game, options), network(game, options), Budget(2))
    rng = np.random.default_rng([rotate, 98])
    vec = at_moment(game, options, 7, [rotate, 99])
    asked, others = decisions_of(vec, rng), vec.tables(blank=False)
    for t, seat in zip(others, asked.seats.tolist(), strict=True):
        REDEAL_HIDDEN[game](t, [vec.game.cards[card] for card in t["deck"][: len(vec.game.cards)]], seat, rng)
    answers = search.act(asked)
    asked.tables = blank(game, others, asked.seats)
    assert np.array_equal(search.act(asked), answers)


def test_only_what_the_network_finds_likely_is_tried() -> None:
    own, tried = network("guan_pai", {}, 300.0), []
    search = network_search(info_of("guan_pai", {}), own, Budget(4))
    play_out = search._play_out
    search._play_out = lambda *given: tried.append(given[1]) or play_out(*given)
    asked = decisions_of(at_moment("guan_pai", {}, 5, [3, 100]), np.random.default_rng(4))
    for i in range(TABLES):
        tried.clear()
        search.act(rows(asked, slice(i, i + 1)))
        chances = own.chances(asked[i : i + 1])[0]
        best = np.argsort(-chances)[:MOST_TRIED]
        wanted = best[chances[best] >= LEAST_TRIED]
        assert not tried if len(wanted) == 1 else tried[0].tolist() == wanted.tolist()


def test_the_own_choice_of_a_network_that_draws_is_drawn() -> None:
    own, rng = network("diao_xie", {}, 0.0), np.random.default_rng(6)
    search = network_search(info_of("diao_xie", {}), own, Budget(1))
    asked = rows(decisions_of(at_moment("diao_xie", {}, 0, [0, 102]), rng), np.zeros(64, np.int64))
    asked.keys[:] = keys_of(rng, 64)
    assert len(set(search._prefer(asked).argmax(axis=1).tolist())) == 1
    own.greedy = False
    assert set(search._prefer(asked).argmax(axis=1).tolist()) == set(np.flatnonzero(asked.action_masks[0]))


def test_a_network_without_any_preference_is_searched_too() -> None:
    own = network("guan_pai", {}, 0.0)
    search = network_search(info_of("guan_pai", {}), own, Budget(1))
    asked = decisions_of(at_moment("guan_pai", {"must_beat": "all"}, 0, [0, 101]), np.random.default_rng(5))
    answers = search.act(asked)
    assert asked.action_masks[np.arange(TABLES), answers].all()


def test_it_beats_its_own_network() -> None:
    """One that plays at random is weak, and so are its playouts; they tell good actions from bad ones."""
    own = network("guan_pai", {})
    search = network_search(info_of("guan_pai", {}), own, Budget(16))
    found = evaluate_against(search, own, "guan_pai", get("guan_pai").rules(), 20, seed=1)
    assert found.points.low > 5


# --- names --------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    own, game = network("guan_pai", {}), get("guan_pai")
    sizes = [layer.in_features for layer in own.net if isinstance(layer, torch.nn.Linear)] + [266]
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / POLICY_FILE).write_bytes(network_bytes(own.net, game, game.rules(), sizes))
    return tmp_path / "run"


def test_names(folder: Path) -> None:
    given = {f"search-net:{folder}": "32", f"search-net:20ms:{folder}": "20ms", f"search-net:5:{folder}": "5"}
    for name, budget in given.items():
        agent = agents.load(name, "guan_pai")
        assert agent.name == f"search-net:{budget}:run" and agent.needs_tables
        assert agent.is_reproducible == ("ms" not in name)


def test_a_number_is_a_folder_where_nothing_follows(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    folder.rename("20")
    assert agents.load("search-net:20", "guan_pai").name == "search-net:32:20"
    assert agents.load("search-net:9:20", "guan_pai").name == "search-net:9:20"


@pytest.mark.parametrize(
    "name", ["search-net", "search-net:", "search-net:nowhere", "search-net:20:nowhere", "search-net:20:"]
)
def test_without_a_network_it_says_what_is_wanted(name: str) -> None:
    with pytest.raises(ValueError, match="the folder of a network's run, as in search-net:runs/guan_pai-1"):
        agents.load(name, "guan_pai")


def test_a_budget_of_nothing_is_an_error(folder: Path) -> None:
    with pytest.raises(ValueError, match="the folder of a network's run"):
        agents.load(f"search-net:0ms:{folder}", "guan_pai")


def test_the_network_is_of_these_rules(folder: Path) -> None:
    with pytest.raises(ValueError, match="plays guan_pai, not zheng_shang_you"):
        agents.load(f"search-net:{folder}", "zheng_shang_you")
    other = envs.make_vec("guan_pai", 1, must_beat="all").rules
    with pytest.raises(ValueError, match="must_beat"):
        agents.load(f"search-net:{folder}", "guan_pai", other)
