"""Moments of games for tests of agents: tables, what is seen of them, worlds that they may be."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import agents
import envs
from agents import Agent, Decisions
from agents.adviser import Adviser
from agents.network import NetworkAgent, mlp
from agents.worlds import filler
from envs.core.game import get

from .games import GAMES, Options

TABLES = 8
every_game = pytest.mark.parametrize(("game", "options"), GAMES)
each_game = pytest.mark.parametrize("game", envs.games())

VARIANTS: list[tuple[str, Options]] = [
    ("guan_pai", {}),
    ("zheng_shang_you", {}),
    ("zheng_shang_you", {"decks": 2, "cards_each": 10}),
    ("diao_xie", {"num_players": 3, "hands": 3}),
    ("diao_xie", {"betting": "limit"}),
    ("xiangxi96", {}),
    ("xiangxi96", {"num_players": 4}),
]
variants = pytest.mark.parametrize(("game", "options"), VARIANTS, ids=str)


def positions(game: str, options: Options, steps: int, seed: list[int]) -> Iterator[Any]:
    """A vector at moments of games in which every other action is random, the rest the rule player's."""
    vec, rule = envs.make_vec(game, TABLES, **options), agents.load("rule", game)
    rng = np.random.default_rng(seed)
    seen, infos = vec.reset(seed=int(rng.integers(1 << 32)))
    for step in range(steps):
        yield vec
        keys = np.full(TABLES, step, np.uint64)
        asked = Decisions(seen["observation"], seen["action_mask"], infos["seat"], keys, vec.tables())
        seen, _, _, _, infos = vec.step(np.where(rng.random(TABLES) < 0.5, rule.act(asked), vec.sample()))


def keys_of(rng: np.random.Generator, size: int) -> NDArray[np.uint64]:
    return rng.integers(1 << 64, size=size, dtype=np.uint64)


def filled(game: str, blanked: NDArray[Any], keys: NDArray[np.uint64]) -> NDArray[Any]:
    worlds = blanked.copy()
    filler(game)(worlds, keys)
    return worlds


def blank(game: str, tables: NDArray[Any], seats: NDArray[np.int64]) -> NDArray[Any]:
    blanked = tables.copy()
    get(game).loops.blank_all(blanked, seats)
    return blanked


def seen_of(vec: Any, tables: NDArray[Any]) -> tuple[NDArray[np.uint8], NDArray[np.int8]]:
    """Observations and masks of the seats to act."""
    loops = get(vec.game.name).loops
    observations = np.zeros((len(tables), vec.game.observation_size), np.uint8)
    masks = np.zeros((len(tables), vec.game.num_actions), np.int8)
    loops.look(tables, tables["turn"].astype(np.int64), observations)
    loops.legal_all(tables, masks)
    return observations, masks


def at_moment(game: str, options: Options, steps: int, seed: list[int]) -> Any:
    """The vector after so many steps."""
    return next(islice(positions(game, options, steps + 1, seed), steps, None))


def decisions_of(vec: Any, rng: np.random.Generator) -> Decisions:
    """What the seats to act at the tables of a vector are asked, with random keys."""
    tables = vec.tables()
    observations, masks = seen_of(vec, vec.tables(blank=False))
    return Decisions(observations, masks, tables["turn"].astype(np.int64), keys_of(rng, len(tables)), tables)


def rows(asked: Decisions, chosen: Any) -> Decisions:
    assert asked.tables is not None
    return asked[chosen]


def info_of(game: str, options: Options) -> Any:
    return get(game).info(get(game).rules.make(options))


def network(game: str, options: Options, scale: float = 30.0, adviser: Adviser | None = None) -> NetworkAgent:
    """A network that has learned nothing, but prefers some actions to others, and minds its adviser."""
    torch.manual_seed(1)
    info = info_of(game, options)
    inputs = info.observation_size + (0 if adviser is None else adviser.width(info.num_actions))
    net = mlp([inputs, 16, info.num_actions])
    with torch.no_grad():
        net[-1].weight.mul_(scale)
        net[0].weight[:, info.observation_size :] *= 20
    return NetworkAgent(net, "tiny", adviser=adviser)


def new_answers_by_new_keys(agent: Agent, game: str, options: Options, seed: list[int]) -> int:
    """Check that answers depend on a decision and its key alone; returns how many others new keys give."""
    rng, num_other = np.random.default_rng(seed), 0
    for steps in (4, 12):
        asked = decisions_of(at_moment(game, options, steps, seed), rng)
        answers = agent.act(asked)
        assert asked.action_masks[np.arange(TABLES), answers].all()
        order = rng.permutation(TABLES)
        assert np.array_equal(agent.act(rows(asked, order)), answers[order])
        for i in range(TABLES):
            assert agent.act(rows(asked, slice(i, i + 1))) == answers[i : i + 1]
        for _ in range(4):  # most decisions are the same by any key
            asked.keys[:] = keys_of(rng, TABLES)
            num_other += np.count_nonzero(agent.act(asked) != answers)
    return num_other
