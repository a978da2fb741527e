"""Zheng Shang You's rule player: the kernel against its plain twin, what it may look at, its strength."""

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
from envs.core.game import get
from envs.zheng_shang_you.actions import ACTIONS, PACKS, PASS
from training.evaluate import evaluate_against

from .games import Options, in_turn, pytest_generate_tests  # noqa: F401 (the hook of in_turn)
from .plain import zheng_shang_you_rule_v0 as plain
from .zheng_shang_you_tables import redeal_hidden, stacked_deck

GAME = "zheng_shang_you"
OPTIONS: list[Options] = [
    {},
    {"pass_lockout": True, "lead_spade_three": True},
    {"distinct_wings": True},
    {"cards_each": 7},
    {"decks": 2},
    {"decks": 2, "distinct_wings": True, "lead_spade_three": True},
    {"decks": 2, "pass_lockout": True},
    {"decks": 2, "cards_each": 9},
]
TABLES = 8
ODD_DEALS_EVERY = 12  # steps: where the suit is a choice, hands are long
PLAYERS = ("rule", "rule_v0")


def answers(agent: Agent, seen: dict[str, NDArray[Any]], tables: NDArray[Any]) -> NDArray[np.int64]:
    """What ``agent`` does at ``tables``, as the seat to act."""
    seats, keys = tables["turn"].astype(np.int64), np.arange(len(tables), dtype=np.uint64)
    return agent.act(Decisions(seen["observation"], seen["action_mask"], seats, keys, tables))


def played(name: str, options: Options, steps: int, seed: list[int]) -> Iterator[tuple[Any, ...]]:
    """Vector, masks and answers of a rule player before every step of some games.

    Odd hands are to come up, so what is then played is its answer or something random, by a coin, and in
    the first half, with all cards dealt, hands are full of equal ranks and of flush straights.
    """
    vec, rule = make_vec(GAME, num_envs=TABLES, **options), agents.load(name, GAME)
    rng = np.random.default_rng(seed)
    decks = options.get("decks", 1)
    seen, _ = vec.reset(seed=int(rng.integers(1 << 32)))
    for step in range(steps):
        if step % ODD_DEALS_EVERY == 0 and step < steps / 2 and "cards_each" not in options:
            kinds = rng.choice(["rank", "both", "both", "both"], TABLES)
            odd = [deck_indices(stacked_deck(rng, decks, kind), PACKS[decks - 1]) for kind in kinds]
            seen, _ = vec.reset(options={"decks": odd})
        chosen = answers(rule, seen, vec.tables())
        yield vec, seen["action_mask"], chosen
        seen, *_ = vec.step(np.where(rng.random(TABLES) < 0.5, chosen, vec.sample()))


@in_turn("options", OPTIONS, ids=str)
def test_kernel_and_plain_player_agree(options: Options, rotate: int) -> None:
    kickers = suits = 0
    for vec, masks, chosen in played("rule_v0", options, steps=120, seed=[rotate, 80]):
        for t, mask, action in zip(vec.tables(), masks, chosen, strict=True):
            assert plain.choose(t, mask) == action
            kickers += int(t["wanted"] > 0)
            suits += int(t["pending"] > 0 and t["wanted"] == 0)
    if "cards_each" not in options:
        assert kickers > 0, "no kickers were chosen: play more"
        assert suits > 0 or options.get("decks") != 2, "no suits were chosen: play more"


@pytest.mark.parametrize("name", PLAYERS)
@in_turn("options", OPTIONS, ids=str)
def test_answers_are_legal(name: str, options: Options, rotate: int) -> None:
    for _, masks, chosen in played(name, options, steps=250, seed=[rotate, 81]):
        assert masks[np.arange(TABLES), chosen].all()


@pytest.mark.parametrize("decks", [1, 2])
def test_what_is_hidden_does_not_change_the_answer(decks: int, rotate: int) -> None:
    rule, rng = agents.load("rule", GAME), np.random.default_rng([rotate, 82])
    for vec, masks, chosen in played("rule", {"decks": decks}, steps=200, seed=[rotate, 83]):
        tables = vec.tables(blank=False)
        for t in tables:
            redeal_hidden(t, PACKS[decks - 1], int(t["turn"]), rng)
        seen = {"observation": np.zeros((TABLES, 1), np.uint8), "action_mask": masks}
        assert (answers(rule, seen, tables) == chosen).all()


@pytest.mark.parametrize("decks", [1, 2])
def test_it_goes_out_when_it_can(decks: int, rotate: int) -> None:
    went_out = 0
    for vec, masks, chosen in played("rule", {"decks": decks}, steps=600, seed=[rotate, 84]):
        for t, mask, answer in zip(vec.tables(), masks, chosen, strict=True):
            if t["pending"]:
                continue
            left = t["left"][t["turn"]]
            last_hands = [i for i in np.flatnonzero(mask) if i != PASS and ACTIONS[i].length == left]
            if last_hands:
                assert answer in last_hands
                went_out += 1
    assert went_out > 0


def test_lowest_plays_the_lowest_action_that_is_not_a_pass() -> None:
    lowest = agents.load("lowest", GAME)
    masks = np.zeros((3, len(ACTIONS)), np.int8)
    masks[0, [PASS, 5, 9]] = masks[1, PASS] = masks[2, [7, 8]] = 1
    nothing = np.zeros(3, np.int64)
    asked = Decisions(np.zeros((3, 1), np.uint8), masks, nothing, nothing.astype(np.uint64))
    assert lowest.act(asked).tolist() == [5, PASS, 7]
    assert (lowest.policy(asked).sum(axis=1) == 1).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", PLAYERS)
@pytest.mark.parametrize("decks", [1, 2])
def test_one_rule_player_beats_three_others(name: str, decks: int) -> None:
    rules = get(GAME).rules(decks=decks)
    against_random = evaluate_against(name, "random", GAME, rules, deals=1000, seed=3)
    assert against_random.win_rate.mean >= 0.7
    against_lowest = evaluate_against(name, "lowest", GAME, rules, deals=1000, seed=3)
    assert against_lowest.points.low > 0
