"""Worlds by what others did: games of a world are played again one by one, and the rule player is asked."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import agents
import envs
from agents import Decisions
from agents.worlds import DealtWorlds
from agents.worlds.guan_pai import rewind
from agents.worlds.weighing import PROPOSALS, SURPRISE, WeighedWorlds
from envs.core.game import get
from envs.guan_pai.actions import CARDS, RANKS

from .games import Options
from .moments import at_moment, blank, filled, keys_of

GAME = "guan_pai"
RULE = "guan_pai_v1"
UNKNOWN = ("suits", "deck", "chance")  # which cards were played is known by rank alone
OPTIONS: list[Options] = [
    {},
    {"lead_diamond_three": True, "must_beat": "all", "dingda": "forced"},
    {"cards_each": 6, "dingda": "off"},
]


def begun_again(world: Any) -> Any:
    start = world.copy()
    rewind(start)
    return start


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_world_played_again_from_its_beginning_is_the_world(options: Options, rotate: int) -> None:
    """With a play half made, too; and its beginning has the cards of a whole deal."""
    rng = np.random.default_rng([rotate, 31])
    for steps in (0, 1, 7, 19, 30):
        vec = at_moment(GAME, options, steps, [rotate, steps])
        truth = vec.tables(blank=False)
        for worlds in (truth, filled(GAME, vec.tables(), keys_of(rng, len(truth)))):
            for world in worlds.view(np.recarray):
                again = np.array([begun_again(world)]).view(np.recarray)
                assert (again["left"] == world["cards_each"]).all()
                assert (again["hand"] == np.bitwise_count(again["suits"])).all()
                assert not options.get("lead_diamond_three") or again["suits"][0, world["leader"], 0] & 4
                for action in world["log"][: world["decisions"]].tolist():
                    get(GAME).loops.play_one(again, action)
                for name in set(again.dtype.names) - set(UNKNOWN):
                    assert np.array_equal(again[0][name], world[name]), name


def test_of_a_play_half_made_nobody_else_knows() -> None:
    for seed in range(40):
        vec = at_moment(GAME, {}, 9, [seed])
        truth, turns = vec.tables(blank=False), vec.tables(blank=False)["turn"].astype(np.int64)
        for table, seen in zip(truth, blank(GAME, truth, (turns + 1) % 3), strict=True):
            begun = int(table["decisions"] - seen["decisions"])
            assert (begun > 0) == (table["pending"] > 0)
            assert not seen["log"][seen["decisions"] :].any()
            assert np.array_equal(seen["log"][: seen["decisions"]], table["log"][: seen["decisions"]])


def explained(world: Any, seat: int) -> tuple[int, int]:
    """How often others did as the rule player does, and how often not, in the game of a world."""
    hands = begun_again(world)["hand"]
    left, dealt = list(CARDS), [[] for _ in range(3)]
    leader = int(world["leader"])
    for who in (leader, (leader + 1) % 3, (leader + 2) % 3):
        for rank, count in zip(RANKS, hands[who].tolist(), strict=True):
            of_rank = sorted((card for card in left if card[0] == rank), key=lambda card: card != "3D")
            dealt[who] += of_rank[:count]
            left = [card for card in left if card not in of_rank[:count]]
    deck = [CARDS.index(dealt[i % 3][i // 3]) for i in range(48)]
    vec, rule = envs.make_vec(GAME, 1, autoreset=False), agents.load("rule_v1", GAME)
    seen, infos = vec.reset(seed=0, options={"decks": np.array([deck])})
    found = Counter[bool]()
    for action in world["log"][: world["decisions"]].tolist():
        if infos["seat"][0] != seat and seen["action_mask"].sum() > 1:
            keys = np.zeros(1, np.uint64)
            asked = Decisions(seen["observation"], seen["action_mask"], infos["seat"], keys, vec.tables())
            found[int(rule.act(asked)[0]) == action] += 1
        seen, _, _, _, infos = vec.step(np.array([action]))
    return found[True], found[False]


def likelihoods(weighed: WeighedWorlds, worlds: NDArray[Any]) -> NDArray[np.float64]:
    logs = np.zeros(len(worlds))
    weighed._explain(worlds, weighed._spare, weighed._mask, np.uint64(0), SURPRISE, logs)
    return logs


def test_a_world_is_as_likely_as_what_others_did_in_it(rotate: int) -> None:
    weighed, rng, kinds = WeighedWorlds(GAME, RULE), np.random.default_rng([rotate, 32]), Counter[bool]()
    for steps in (3, 12, 22):
        blanked = at_moment(GAME, {}, steps, [rotate, steps]).tables()
        for table in blanked[:3]:
            worlds = filled(GAME, np.repeat(np.array([table]), 4), keys_of(rng, 4))
            for world, log in zip(worlds, likelihoods(weighed, worlds), strict=True):
                as_the_rule, other = explained(world, int(world["turn"]))
                assert log == pytest.approx(as_the_rule * np.log(1 - SURPRISE) + other * np.log(SURPRISE))
                kinds[other > 0] += 1
    assert min(kinds.values()) > 0


def test_among_rule_players_nothing_in_the_true_world_surprises() -> None:
    vec, rule = envs.make_vec(GAME, 16), agents.load("rule_v1", GAME)
    weighed, dealt = WeighedWorlds(GAME, RULE), DealtWorlds(GAME)
    seen, infos = vec.reset(seed=1)
    gained = []
    for step in range(24):
        keys = np.full(16, step, np.uint64)
        asked = Decisions(seen["observation"], seen["action_mask"], infos["seat"], keys, vec.tables())
        for i in range(16 * (step > 3)):
            truth = likelihoods(weighed, vec.tables(blank=False)[i : i + 1])[0]
            worlds = dealt(vec.tables()[i : i + 1], np.uint64(i), 0, 8)
            gained.append(truth - likelihoods(weighed, worlds))
            assert truth / np.log(1 - SURPRISE) == pytest.approx(round(truth / np.log(1 - SURPRISE)))
        seen, _, _, _, infos = vec.step(rule.act(asked))
    assert np.mean(gained) > 1  # dealt ones do


def test_worlds_are_drawn_by_their_likelihoods(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each as often as it is due, or once more."""
    blanked, key, count = at_moment(GAME, {}, 9, [7]).tables()[:1], np.uint64(5), 32
    weighed = WeighedWorlds(GAME, RULE)
    worlds = DealtWorlds(GAME)(blanked, key, 64 * PROPOSALS, count * PROPOSALS)
    logs = likelihoods(weighed, worlds)
    due = np.exp(logs) / np.exp(logs).sum() * count
    drawn = Counter(world.tobytes() for world in weighed(blanked, key, 64, count))
    assert sum(drawn.values()) == count
    for world, expected in zip(worlds, due, strict=True):
        assert abs(drawn[world.tobytes()] - expected) < 1
    assert max(due) > 2 * min(due)
