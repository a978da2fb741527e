"""Guan Pai's rule player: the kernel against its plain twin, what it may look at, how well it plays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import agents
from agents import Agent, Decisions
from envs import make_vec
from envs.core.cards import deck_indices
from envs.guan_pai.actions import ACTIONS, CARDS

from .games import Options, in_turn, pytest_generate_tests  # noqa: F401 (the hook of in_turn)
from .guan_pai_tables import SEATS, runs_deck, triples_deck
from .plain import guan_pai_rule_v0 as plain_v0
from .plain import guan_pai_rule_v1 as plain

OPTIONS: list[Options] = [
    {},
    {"must_beat": "all"},
    {"dingda": "forced", "must_beat": "non_bomb"},
    {"lead_diamond_three": True, "short_plane_follow": True},
    {"dingda": "off", "cards_each": 9},
    {"cards_each": 5},
]
TABLES = 8
ODD_DEALS_EVERY = 50  # steps: a game takes about thirty
PLAYERS = ("rule", "rule_v0", "rule_v1")
PLAIN = {"rule": plain, "rule_v0": plain_v0, "rule_v1": plain}


def answers(agent: Agent, seen: dict[str, NDArray[Any]], tables: NDArray[Any]) -> NDArray[np.int64]:
    """What ``agent`` does at ``tables``, as the seat to act."""
    seats, keys = tables["turn"].astype(np.int64), np.arange(len(tables), dtype=np.uint64)
    return agent.act(Decisions(seen["observation"], seen["action_mask"], seats, keys, tables))


def played(name: str, options: Options, steps: int, seed: list[int]) -> Iterator[tuple[Any, ...]]:
    """Vector, masks and answers of a rule player before every step of some games.

    Odd hands are to come up, so what is then played is its answer or something random, by a coin, and
    with all cards dealt there are, every so often, hands full of triples, bombs and chains.
    """
    vec, rule = make_vec("guan_pai", num_envs=TABLES, **options), agents.load(name, "guan_pai")
    rng = np.random.default_rng(seed)
    seen, _ = vec.reset(seed=int(rng.integers(1 << 32)))
    for step in range(steps):
        if step % ODD_DEALS_EVERY == 0 and vec.rules.cards_each == 16:
            decks = [deck_indices(rng.choice([runs_deck, triples_deck])(rng), CARDS) for _ in range(TABLES)]
            seen, _ = vec.reset(options={"decks": decks})
        chosen = answers(rule, seen, vec.tables())
        yield vec, seen["action_mask"], chosen
        seen, *_ = vec.step(np.where(rng.random(TABLES) < 0.5, chosen, vec.sample()))


@pytest.mark.parametrize("name", PLAYERS)
@in_turn("options", OPTIONS, ids=str)
def test_kernel_and_plain_player_agree(name: str, options: Options, rotate: int) -> None:
    kickers = 0
    for vec, masks, chosen in played(name, options, steps=300, seed=[rotate, 70]):
        for t, mask, action in zip(vec.tables(), masks, chosen, strict=True):
            assert PLAIN[name].choose(t, mask) == action
            kickers += int(t["pending"] > 0)
    assert kickers > 0 or options.get("cards_each") == 5, "no kickers were chosen: play more"


@pytest.mark.parametrize("name", PLAYERS)
@in_turn("options", OPTIONS, ids=str)
def test_answers_are_legal(name: str, options: Options, rotate: int) -> None:
    for _, masks, chosen in played(name, options, steps=500, seed=[rotate, 71]):
        assert masks[np.arange(TABLES), chosen].all()


@pytest.mark.parametrize("name", PLAYERS)
def test_what_is_hidden_does_not_change_the_answer(name: str, rotate: int) -> None:
    rule, rng = agents.load(name, "guan_pai"), np.random.default_rng([rotate, 72])
    for vec, masks, chosen in played(name, {}, steps=300, seed=[rotate, 73]):
        tables = vec.tables(blank=False)
        for t in tables:
            others = [(t["turn"] + i) % SEATS for i in range(1, SEATS)]
            for field in ("hand", "suits", "lanes"):
                t[field][others] = t[field][others[::-1]]
            t["deck"] = rng.permutation(t["deck"])
            t["chance"] = rng.integers(1 << 60, size=4)
            t["breach"] = not t["breach"]
        seen = {"observation": np.zeros((TABLES, 1), np.uint8), "action_mask": masks}
        assert (answers(rule, seen, tables) == chosen).all()


def test_it_goes_out_when_it_can_and_breaches_the_top_card_duty_only_when_it_must(rotate: int) -> None:
    went_out = kept_duty = 0
    for vec, masks, chosen in played("rule", {}, steps=1000, seed=[rotate, 74]):
        for t, mask, answer in zip(vec.tables(), masks, chosen, strict=True):
            left, hand = t["left"], plain.hand_of(t["hand"][t["turn"]])
            if t["pending"]:
                continue
            legal = [ACTIONS[i] for i in np.flatnonzero(mask)]
            last_hands = [action for action in legal if plain.goes_out(action, left[t["turn"]])]
            if last_hands:
                assert ACTIONS[answer] in last_hands
                went_out += 1
            elif left[(t["turn"] + 1) % SEATS] == 1:
                breaches = [plain.is_breach(action, hand, ACTIONS[t["last"]]) for action in legal]
                if not all(breaches):
                    assert not plain.is_breach(ACTIONS[answer], hand, ACTIONS[t["last"]])
                    kept_duty += any(breaches)
    assert went_out > 0 and kept_duty > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", PLAYERS)
def test_one_rule_player_beats_two_random_ones(name: str) -> None:
    """At least 88 % of 4,000 games and 24 points a game, in every seat in turn."""
    games, tables = 4_000, 1_000
    vec, rule = make_vec("guan_pai", num_envs=tables), agents.load(name, "guan_pai")
    seen, infos = vec.reset(seed=5)
    own_seat = np.arange(tables) % SEATS
    ended, scores = np.zeros(tables, np.int64), []
    while len(scores) < games:
        is_own_turn = infos["seat"] == own_seat
        seen, rewards, done, _, infos = vec.step(
            np.where(is_own_turn, answers(rule, seen, vec.tables()), vec.sample())
        )
        for i in np.flatnonzero(done & (ended < games // tables)):  # as many of each table: long games too
            scores.append(float(rewards[i, own_seat[i]]))
            ended[i] += 1
    assert np.mean(np.array(scores) > 0) >= 0.88
    assert np.mean(scores) >= 24
