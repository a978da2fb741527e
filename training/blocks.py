"""Blocks of games: thousands of tables at once, the same whatever is played with them.

Results depend on the seed alone, not on batches or processes: the cards of a deal and the random numbers
of an agent are made from keys (``envs.core.rng.mix_in``).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents import Agent, Decisions
from envs import make_vec
from envs.core.game import ACTION, Rules, get
from envs.core.plays import make_record
from envs.core.rng import mix_in
from envs.core.seeding import as_seed
from envs.core.vector import VectorTables

from .asking import Failures, Tally, answer

NO_DECISION = -1  # instead of an action, after a game's end
PAIRS, POOL = 1, 2  # what deals are for, part of their keys: the pool plays other deals than the pairs
_DEAL, _PLAY = 1, 2  # what a key is for


# --- keys ---------------------------------------------------------------------------------------


def deal_seeds(seed: int, purpose: int, first: int, count: int) -> NDArray[np.uint64]:
    """Seeds of the chance streams that shuffle deals ``first`` to ``first + count - 1``."""
    return mix_in(np.full(count, as_seed(seed), np.uint64), purpose, _DEAL, np.arange(first, first + count))


def marks_of(agents: Sequence[Any]) -> NDArray[np.int64]:
    """Numbers (N,) that stand for agents in keys: 0, or how often the same agent or name was given before.

    So a pair of agents plays the same games in any order, any company and under any names; only an agent
    that is given twice draws other numbers the second time.
    """
    given = [getattr(agent, "loaded_as", None) or agent for agent in agents]
    return np.array([given[:place].count(agent) for place, agent in enumerate(given)], np.int64)


# --- one block of games -------------------------------------------------------------------------


@dataclass(frozen=True)
class Block:
    """Games to be played at once: some deals, each with several seatings.

    Attributes
    ----------
    seed, purpose : int
        Of the tournament, and PAIRS or POOL.
    first : int
        Number of the first deal.
    seatings : (D, S, n) int64
        For each of D deals its S seatings: the entries (numbers of agents) at the n seats.
    """

    seed: int
    purpose: int
    first: int
    seatings: NDArray[np.int64]

    @property
    def games(self) -> int:
        return self.seatings.shape[0] * self.seatings.shape[1]


@dataclass(frozen=True)
class Played:
    """A block's games.

    Attributes
    ----------
    scores : (D, S, n) int64
        Points by seat, times ``GameInfo.denominator``.
    stats : (D, S, K) int64
        The columns of ``GameInfo.stats``.
    records : tuple of str
        A line of JSON a game, if they were asked for.
    failures : tuple of Failures
        Of each entry, where the games go on after them.
    """

    scores: NDArray[np.int64]
    stats: NDArray[np.int64]
    records: tuple[str, ...] = ()
    failures: tuple[Failures, ...] = ()


def make_deals(
    game: str, rules: Rules, seeds: NDArray[np.uint64]
) -> tuple[NDArray[np.int16], NDArray[np.int64] | None]:
    """The decks that a table's own shuffle makes from each of ``seeds`` (D,), and the dealers (D,) if any."""
    vec = make_vec(game, len(seeds), **rules.as_dict())
    vec.reset(seed=seeds.tolist())
    return vec.decks(), vec.dealers()


def play_block(
    game: str,
    rules: Rules,
    agents: Sequence[Agent],
    block: Block,
    labels: Sequence[str] | None = None,
    goes_on: bool = False,
    marks: NDArray[np.int64] | None = None,
) -> Played:
    """Play all games of ``block`` at once; with ``labels`` (names of the entries) records are made.

    ``marks`` tell the agents apart in keys, by default as ``marks_of`` them.

    Raises
    ------
    ValueError
        If an agent fails or answers with an illegal action; it names the agent. If it ``goes_on`` such
        decisions are made at random instead, and counted (``asking.py``).
    """
    deals, per_deal, num_players = block.seatings.shape
    seeds = deal_seeds(block.seed, block.purpose, block.first, deals)
    decks, dealers = make_deals(game, rules, seeds)
    seatings = block.seatings.reshape(-1, num_players)

    numbers = np.repeat(np.arange(block.first, block.first + deals), per_deal)
    game_keys = np.full(len(numbers), as_seed(block.seed), np.uint64)
    marks = marks_of(agents) if marks is None else marks
    alike = (seatings[:, :, None] == seatings[:, None, :]).argmax(
        axis=1
    )  # the first seat with the same agent
    game_keys = mix_in(game_keys, block.purpose, _PLAY, numbers, *alike.T, *marks[seatings].T)

    vec = make_vec(game, len(seatings), autoreset=False, **rules.as_dict())
    decks = np.repeat(decks, per_deal, axis=0)
    dealers = None if dealers is None else np.repeat(dealers, per_deal)
    options = {"decks": decks, "dealers": dealers}
    seen, infos = vec.reset(seed=np.repeat(seeds, per_deal).tolist(), options=options)
    ended = np.zeros(len(seatings), np.bool_)
    tally = Tally(len(agents)) if goes_on else None
    actions: list[NDArray[np.int64]] = []
    while not ended.all():
        alive = ~ended
        answers = np.full(len(seatings), NO_DECISION, ACTION)
        masks = seen["action_mask"]
        forced = alive & (np.count_nonzero(masks.view(np.bool_), axis=1) == 1)
        answers[forced] = masks[forced].argmax(axis=1)  # nobody is asked
        asked = alive & ~forced
        _ask(
            vec, seen, infos["seat"], asked, agents, seatings, marks, game_keys, len(actions), answers, tally
        )
        actions.append(answers)
        seen, _, ended, _, infos = vec.step(answers)

    records: tuple[str, ...] = ()
    if labels is not None:
        seated = [[labels[entry] for entry in seating] for seating in seatings.tolist()]
        records = make_records(game, rules, decks, dealers, np.stack(actions, axis=1), seated)
    shape = (deals, per_deal, -1)
    return Played(
        infos["final_scores"].reshape(shape).copy(),
        infos["final_stats"].reshape(shape).copy(),
        records,
        () if tally is None else tally.failures(),
    )


def make_records(
    game: str,
    rules: Rules,
    decks: NDArray[np.int16],
    dealers: NDArray[np.int64] | None,
    actions: NDArray[np.int64],
    seated: Sequence[Sequence[str]],
) -> tuple[str, ...]:
    """Records of games, a line of JSON each, from decks, dealers (G,) if any, and ``actions`` (G, T)."""
    found, lines = get(game), []
    seats = [None] * len(decks) if dealers is None else dealers.tolist()
    for deck, dealer, taken, names in zip(decks, seats, actions, seated, strict=True):
        decisions = [(None, action) for action in taken[taken != NO_DECISION].tolist()]
        lines.append(json.dumps(make_record(found, rules, deck, decisions, dealer, agents=names)))
    return tuple(lines)


def _ask(
    vec: VectorTables,
    seen: dict[str, NDArray[Any]],
    seats: NDArray[np.int64],
    asked: NDArray[np.bool_],
    agents: Sequence[Agent],
    seatings: NDArray[np.int64],
    marks: NDArray[np.int64],
    game_keys: NDArray[np.uint64],
    decision: int,
    answers: NDArray[np.int64],
    tally: Tally | None,
) -> None:
    """Fill in ``answers`` at the tables ``asked``: each agent answers for all its seats in one call."""
    entries = seatings[np.arange(len(seats)), seats]
    keys = mix_in(game_keys, marks[entries], decision, seats)
    for entry in np.unique(entries[asked]).tolist():
        rows, agent = np.flatnonzero(asked & (entries == entry)), agents[entry]

        def decisions_at(rows: NDArray[np.int64], entry: int = entry) -> Decisions:
            return Decisions(
                seen["observation"][rows],
                seen["action_mask"][rows],
                seats[rows],
                keys[rows],
                vec.tables(rows=rows) if agents[entry].needs_tables else None,
            )

        if tally is None:
            answers[rows] = answer(agent, decisions_at(rows))
        else:
            answers[rows] = tally.answer(entry, agent, decisions_at, rows, decision)
