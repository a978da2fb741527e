"""Duplicate deals: agents play the same cards in each other's seats, thousands of tables at once.

Every deal of a pair (A, B) is played with A alone in each seat against B in the others, and with B
alone in each seat against A. Results depend on the seed alone, not on batches or processes: the cards
of a deal and the random numbers of an agent are made from keys (``envs.core.rng.mix_in``).
"""

from __future__ import annotations

import json
import signal
from collections.abc import Generator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents import Agent, Decisions, load
from envs import make_vec
from envs.core.game import ACTION, GameInfo, Rules, get
from envs.core.plays import make_record
from envs.core.rng import mix_in
from envs.core.seeding import as_seed
from envs.core.vector import VectorTables

from .stats import WINNER

DEALS_AT_A_TIME = 256
NO_DECISION = -1  # instead of an action, after a game's end
PAIRS, POOL = 1, 2  # what deals are for, part of their keys: the pool plays other deals than the pairs
_DEAL, _PLAY = 1, 2  # what a key is for


# --- keys ---------------------------------------------------------------------------------------


def deal_seeds(seed: int, purpose: int, first: int, count: int) -> NDArray[np.uint64]:
    """Seeds of the chance streams that shuffle deals ``first`` to ``first + count - 1``."""
    return mix_in(np.full(count, as_seed(seed), np.uint64), purpose, _DEAL, np.arange(first, first + count))


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
    """

    scores: NDArray[np.int64]
    stats: NDArray[np.int64]
    records: tuple[str, ...] = ()


def make_deals(
    game: str, rules: Rules, seeds: NDArray[np.uint64]
) -> tuple[NDArray[np.int16], NDArray[np.int64] | None]:
    """The decks that a table's own shuffle makes from each of ``seeds`` (D,), and the dealers (D,) if any."""
    vec = make_vec(game, len(seeds), **rules.as_dict())
    vec.reset(seed=seeds.tolist())
    return vec.decks(), vec.dealers()


def play_block(
    game: str, rules: Rules, agents: Sequence[Agent], block: Block, labels: Sequence[str] | None = None
) -> Played:
    """Play all games of ``block`` at once; with ``labels`` (names of the entries) records are made.

    Raises
    ------
    ValueError
        If an agent fails or answers with an illegal action; it names the agent.
    """
    deals, per_deal, num_players = block.seatings.shape
    seeds = deal_seeds(block.seed, block.purpose, block.first, deals)
    decks, dealers = make_deals(game, rules, seeds)
    seatings = block.seatings.reshape(-1, num_players)

    numbers = np.repeat(np.arange(block.first, block.first + deals), per_deal)
    game_keys = np.full(len(numbers), as_seed(block.seed), np.uint64)
    game_keys = mix_in(game_keys, block.purpose, _PLAY, numbers, *seatings.T)

    vec = make_vec(game, len(seatings), autoreset=False, **rules.as_dict())
    decks = np.repeat(decks, per_deal, axis=0)
    dealers = None if dealers is None else np.repeat(dealers, per_deal)
    options = {"decks": decks, "dealers": dealers}
    seen, infos = vec.reset(seed=np.repeat(seeds, per_deal).tolist(), options=options)
    ended = np.zeros(len(seatings), np.bool_)
    actions: list[NDArray[np.int64]] = []
    while not ended.all():
        alive = ~ended
        answers = np.full(len(seatings), NO_DECISION, ACTION)
        masks = seen["action_mask"]
        forced = alive & (np.count_nonzero(masks.view(np.bool_), axis=1) == 1)
        answers[forced] = masks[forced].argmax(axis=1)  # nobody is asked
        _ask(vec, seen, infos["seat"], alive & ~forced, agents, seatings, game_keys, len(actions), answers)
        actions.append(answers)
        seen, _, ended, _, infos = vec.step(answers)

    records: tuple[str, ...] = ()
    if labels is not None:
        seated = [[labels[entry] for entry in seating] for seating in seatings.tolist()]
        records = make_records(game, rules, decks, dealers, np.stack(actions, axis=1), seated)
    shape = (deals, per_deal, -1)
    return Played(
        infos["final_scores"].reshape(shape).copy(), infos["final_stats"].reshape(shape).copy(), records
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
    game_keys: NDArray[np.uint64],
    decision: int,
    answers: NDArray[np.int64],
) -> None:
    """Fill in ``answers`` at the tables ``asked``: each agent answers for all its seats in one call."""
    entries = seatings[np.arange(len(seats)), seats]
    for entry in np.unique(entries[asked]):
        rows = np.flatnonzero(asked & (entries == entry))
        agent = agents[entry]
        decisions = Decisions(
            seen["observation"][rows],
            seen["action_mask"][rows],
            seats[rows],
            mix_in(game_keys[rows], entry, decision, seats[rows]),
            vec.tables(rows=rows) if agent.needs_tables else None,
        )
        answers[rows] = _answer(agent, decisions, vec.game)


def _answer(agent: Agent, decisions: Decisions, info: GameInfo) -> NDArray[np.int64]:
    """What the agent answers, checked; all its failures become a ValueError that names it."""
    masks = decisions.action_masks.copy()
    try:
        given = np.asarray(agent.act(decisions))
    except Exception as error:
        raise ValueError(f"agent {agent.name!r} failed: {type(error).__name__}: {error}") from error
    if given.shape != (len(masks),) or given.dtype.kind not in "iu":
        raise ValueError(
            f"agent {agent.name!r} must answer with ({len(masks)},) integers, not {given.shape} {given.dtype}"
        )
    known = (given >= 0) & (given < info.num_actions)
    legal = known & (masks[np.arange(len(masks)), np.where(known, given, 0)] != 0)
    if not legal.all():
        wrong = int(np.flatnonzero(~legal)[0])
        allowed = ", ".join(str(action) for action in np.flatnonzero(masks[wrong])[:8])
        raise ValueError(
            f"agent {agent.name!r} answered with the illegal action {given[wrong]}; "
            f"legal at that decision are {allowed}"
        )
    return given.astype(ACTION)


# --- many blocks, in one process or several -----------------------------------------------------


def play_blocks(
    game: str,
    rules: Rules,
    agents: Sequence[Agent | str],
    blocks: Sequence[Block],
    workers: int = 1,
    labels: Sequence[str] | None = None,
) -> Generator[Played, None, None]:
    """Play the blocks; yields their games in order, the same whatever the number of processes.

    Parameters
    ----------
    game : str
    rules : Rules
    agents : sequence of Agent or str
        With several ``workers``: names or paths, which every process loads for itself.
    blocks : sequence of Block
    workers : int
        Processes.
    labels : sequence of str, optional
        Names of the agents in records; without them no records are made.

    Raises
    ------
    ValueError
        If an agent fails, or is not given by name where it must be.
    """
    if workers < 1:
        raise ValueError(f"there is at least 1 worker, not {workers}")
    workers = min(workers, len(blocks))
    if workers <= 1:
        loaded = [load(agent, game, rules) if isinstance(agent, str) else agent for agent in agents]
        for block in blocks:
            yield play_block(game, rules, loaded, block, labels)
        return
    names = [agent for agent in agents if isinstance(agent, str)]
    if len(names) < len(agents):
        raise ValueError("several workers load their agents by name or path; give those, or one worker")
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _start_worker, (game, rules, names, labels))
    try:
        jobs: list[Future[Played]] = [pool.submit(_play_in_worker, block) for block in blocks]
        for job in jobs:
            yield job.result()
    except BrokenProcessPool:
        raise ValueError("a worker process was ended from outside; try fewer --workers") from None
    finally:
        pool.shutdown(cancel_futures=True)


_worker: dict[str, Any] = {}  # what a worker process plays with


def _start_worker(game: str, rules: Rules, names: Sequence[str], labels: Sequence[str] | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that waits for the games
    agents = [load(name, game, rules) for name in names]
    _worker.update(game=game, rules=rules, agents=agents, labels=labels)


def _play_in_worker(block: Block) -> Played:
    return play_block(**_worker, block=block)


# --- pairs --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PairResult:
    """The duplicate deals of a pair; index 0 of a direction is A alone, 1 is B alone.

    Attributes
    ----------
    scores : (D, 2, n) int64
        Points of the single player, by direction and by its seat; (D, 1, n) for A alone only.
    wins : (D, 2, n) bool
        Whether it won.
    stats : (D, 2, n, K) int64
        The columns of ``GameInfo.stats``.
    """

    scores: NDArray[np.int64]
    wins: NDArray[np.bool_]
    stats: NDArray[np.int64]


def winners(info: GameInfo, scores: NDArray[np.int64], stats: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which seats won (..., n): the column "winner" says so, else whoever has a positive score."""
    if WINNER in info.stats:
        return stats[..., info.stats.index(WINNER), None] == np.arange(scores.shape[-1])
    return scores > 0


def pair_seatings(num_players: int, a: int, b: int, both: bool = True) -> NDArray[np.int64]:
    """Seatings (2, n, n) of entries ``a`` and ``b``: the single player a, then b, in each seat.

    >>> pair_seatings(3, 0, 1)[0].tolist()
    [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    """
    alone = np.eye(num_players, dtype=np.bool_)
    directions = ((a, b), (b, a)) if both else ((a, b),)
    return np.stack([np.where(alone, single, others) for single, others in directions])


def pair_blocks(
    num_players: int, a: int, b: int, deals: int, seed: int, both: bool = True
) -> tuple[list[Block], NDArray[np.int64]]:
    """The blocks that play a pair, and where each of its (2 n) seatings stands in a block.

    With two players A alone in a seat is B alone in the other, and is played once.
    """
    seatings, places = np.unique(
        pair_seatings(num_players, a, b, both).reshape(-1, num_players), axis=0, return_inverse=True
    )
    blocks = []
    for first in range(0, deals, DEALS_AT_A_TIME):
        count = min(DEALS_AT_A_TIME, deals - first)
        blocks.append(Block(seed, PAIRS, first, np.broadcast_to(seatings, (count, *seatings.shape))))
    return blocks, places.ravel()


def pair_result(info: GameInfo, played: Sequence[Played], places: NDArray[np.int64]) -> PairResult:
    """Pick the single player's results out of a pair's blocks."""
    n = info.num_players
    scores = np.concatenate([block.scores for block in played])[:, places]
    stats = np.concatenate([block.stats for block in played])[:, places]
    wins = winners(info, scores, stats)
    games, single = np.arange(len(places)), np.arange(len(places)) % n
    shape = (len(scores), len(places) // n, n)
    return PairResult(
        scores[:, games, single].reshape(shape),
        wins[:, games, single].reshape(shape),
        stats.reshape((*shape, -1)),
    )


def play_pair(
    game: str,
    rules: Rules,
    a: Agent | str,
    b: Agent | str,
    deals: int,
    seed: int,
    *,
    both: bool = True,
) -> PairResult:
    """Play the duplicate deals of a pair of agents.

    Parameters
    ----------
    game : str
    rules : Rules
    a, b : Agent or str
        Agents, or their names or paths.
    deals : int
        At least 1.
    seed : int
        Of the deals and of the agents' random numbers.
    both : bool
        Whether b also plays alone against a.

    Raises
    ------
    ValueError
        If an agent is unknown, fails or answers with an illegal action.

    Examples
    --------
    >>> result = play_pair("guan_pai", get("guan_pai").rules(), "random", "random", deals=4, seed=0)
    >>> result.scores.shape
    (4, 2, 3)
    """
    if deals < 1:
        raise ValueError(f"a tournament takes at least 1 deal, not {deals}")
    info = get(game).info(rules)
    blocks, places = pair_blocks(info.num_players, 0, 1, deals, as_seed(seed), both)
    return pair_result(info, list(play_blocks(game, rules, (a, b), blocks)), places)
