"""Xiangxi 96's rule player: the kernel against its plain twin, what it may look at, its strength."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import agents
from agents import Agent, Decisions
from envs import make_vec
from envs.core.game import get
from envs.core.vector import VectorTables
from envs.xiangxi96.actions import HU, NAMES, NUM_ACTIONS
from envs.xiangxi96.observation import COUNTED
from training.tournament import PairResult, play_pair

from .brute import xiangxi96 as brute
from .games import Options, in_turn, options_of, pytest_generate_tests  # noqa: F401 (the hook of in_turn)
from .plain import xiangxi96_rule_v0 as plain
from .xiangxi96_tables import INDEX, dragon_deck, redeal_hidden, rich_deck

GAME = "xiangxi96"
OPTIONS: list[Options] = [*options_of(GAME), {"pig_points": 0}, {"pig_points": 1000, "num_players": 2}]
PLAYERS = ("rule", "rule_v0")
SEATS = (2, 3, 4)
TABLES = 8
ODD_DEALS_EVERY = 25  # steps
WINNER, PIG = COUNTED.index("winner"), COUNTED.index("pig")


def answers(agent: Agent, masks: NDArray[np.int8], tables: NDArray[Any]) -> NDArray[np.int64]:
    """What ``agent`` does at ``tables``, as the seat to act."""
    seats, keys = tables["turn"].astype(np.int64), np.arange(len(tables), dtype=np.uint64)
    return agent.act(Decisions(np.zeros((len(tables), 1), np.uint8), masks, seats, keys, tables))


def odd_deck(rng: np.random.Generator, num_players: int) -> list[int]:
    """A deck that deals much of a few groups, or fours; nearly always there is an opening discard."""
    deck = (rich_deck if rng.random() < 0.5 else dragon_deck)(rng, num_players)
    used = dict.fromkeys(brute.KINDS, 0)
    numbers = []
    for card in deck:
        numbers.append(brute.COPIES * INDEX[card] + used[card])
        used[card] += 1
    return numbers


def deal_odd_decks(vec: VectorTables, rng: np.random.Generator) -> dict[str, NDArray[Any]]:
    """Deal them at every other table, other ones where a game would end before its first decision."""
    while True:
        decks = [odd_deck(rng, vec.num_players) if i % 2 else [-1] * 96 for i in range(TABLES)]
        try:
            return vec.reset(options={"decks": decks})[0]
        except ValueError as error:
            assert "ends its game before the first decision" in str(error)


def played(name: str, options: Options, steps: int, seed: list[int]) -> Iterator[tuple[Any, ...]]:
    """Vector, masks and answers of a rule player before every step of some games.

    Odd positions are to come up, so what is then played is its answer or something random, more random at
    some tables than at others, and some deals are rich in kan and dragons.
    """
    vec, rule = make_vec(GAME, num_envs=TABLES, **options), agents.load(name, GAME)
    rng = np.random.default_rng(seed)
    seen, _ = vec.reset(seed=int(rng.integers(1 << 32)))
    trust = np.linspace(0.2, 1.0, TABLES)
    for step in range(steps):
        if step % ODD_DEALS_EVERY == 0:
            seen = deal_odd_decks(vec, rng)
        chosen = answers(rule, seen["action_mask"], vec.tables())
        yield vec, seen["action_mask"], chosen
        seen, *_ = vec.step(np.where(rng.random(TABLES) < trust, chosen, vec.sample()))


@in_turn("options", OPTIONS, ids=str)
def test_kernel_and_plain_player_agree(options: Options, rotate: int) -> None:
    claims = 0
    for vec, masks, chosen in played("rule_v0", options, steps=40, seed=[rotate, 90]):
        for t, mask, action in zip(vec.tables(), masks, chosen, strict=True):
            legal = [NAMES[i] for i in np.flatnonzero(mask)]
            assert plain.choose(t, legal) == NAMES[action]
            claims += int(action > HU)
    assert claims > 0, "nothing was claimed or passed: play more"


@pytest.mark.parametrize("name", PLAYERS)
@in_turn("options", OPTIONS, ids=str)
def test_answers_are_legal_and_tables_stay(name: str, options: Options, rotate: int) -> None:
    rule = agents.load(name, GAME)
    for vec, masks, chosen in played(name, options, steps=100, seed=[rotate, 91]):
        assert masks[np.arange(TABLES), chosen].all()
        tables = vec.tables()
        before = tables.copy()
        answers(rule, masks, tables)
        assert tables.tobytes() == before.tobytes(), "what it tries it takes back"


@pytest.mark.parametrize("num_players", SEATS)
def test_what_is_hidden_does_not_change_the_answer(num_players: int, rotate: int) -> None:
    rule, rng = agents.load("rule", GAME), np.random.default_rng([rotate, 92])
    for vec, masks, chosen in played("rule", {"num_players": num_players}, steps=60, seed=[rotate, 93]):
        tables = vec.tables(blank=False)
        for t in tables:
            redeal_hidden(t, brute.PACK, int(t["turn"]), rng)
        assert (answers(rule, masks, tables) == chosen).all()


@pytest.mark.parametrize("name", [*PLAYERS, "hu_first"])
def test_it_wins_when_it_can(name: str, rotate: int) -> None:
    agent, wins = agents.load(name, GAME), 0
    for vec, masks, _ in played("rule", {"num_players": 2}, steps=150, seed=[rotate, 94]):
        can_win = masks[:, HU] != 0
        assert (answers(agent, masks, vec.tables())[can_win] == HU).all()
        wins += int(can_win.sum())
    assert wins > 0, "nobody could win: play more"


def test_hu_first_is_random_where_it_cannot_win(rotate: int) -> None:
    agent, uniform = agents.load("hu_first", GAME), agents.load("random", GAME)
    rng = np.random.default_rng([rotate, 95])
    masks = (rng.random((50, NUM_ACTIONS)) < 0.3).astype(np.int8)
    masks[:, 0] = 1
    nothing = np.zeros(50, np.int64)
    asked = Decisions(
        np.zeros((50, 1), np.uint8), masks, nothing, rng.integers(1 << 60, size=50).astype(np.uint64)
    )
    can_win = masks[:, HU] != 0
    assert (agent.act(asked)[~can_win] == uniform.act(asked)[~can_win]).all()
    policy = agent.policy(asked)
    assert (policy[can_win, HU] == 1).all()
    assert np.allclose(policy.sum(axis=1), 1)
    assert (policy[~can_win] == uniform.policy(asked)[~can_win]).all()


def alone(name: str, opponent: str, num_players: int, deals: int, seed: int) -> PairResult:
    """One player against others of a kind, on the same deals in every seat."""
    rules = get(GAME).rules.make({"num_players": num_players})
    return play_pair(GAME, rules, name, opponent, deals, seed, both=False)


def is_pig(result: PairResult) -> NDArray[np.bool_]:
    """Whether the single player became a pig (D, n), of n seats that it sits in."""
    return result.stats[:, 0, :, PIG] == np.arange(result.stats.shape[2])


@pytest.mark.parametrize("num_players", SEATS)
def test_one_rule_player_beats_others_that_take_their_wins(num_players: int, rotate: int) -> None:
    result = alone("rule", "hu_first", num_players, deals=400, seed=rotate)
    scores = result.scores[:, 0].mean(axis=1)
    assert scores.mean() - 3 * scores.std() / len(scores) ** 0.5 > 0.5
    won = result.stats[:, 0, :, WINNER] >= 0
    assert result.wins.sum() > 3 * (won.sum() - result.wins.sum()) / (num_players - 1), "an opponent's share"
    assert is_pig(result).mean() < 0.01


@pytest.mark.slow
@pytest.mark.parametrize("name", PLAYERS)
def test_strength_in_full(name: str) -> None:
    against = alone(name, "hu_first", 3, deals=3000, seed=5)
    scores = against.scores[:, 0].mean(axis=1)
    assert scores.mean() - 3 * scores.std() / len(scores) ** 0.5 > 2.4
    assert against.wins.mean() > 0.43
    assert is_pig(against).mean() < 0.002
