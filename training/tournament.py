"""Duplicate deals: agents play the same cards in each other's seats.

Every deal of a pair (A, B) is played with A alone in each seat against B in the others, and with B
alone in each seat against A. What is played at once is a block (``blocks.py``); processes share the blocks.
"""

from __future__ import annotations

import math
import signal
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents import Agent, load
from envs.core.game import GameInfo, Rules, get
from envs.core.seeding import as_seed

from .asking import NO_FAILURES, Failures, together
from .blocks import PAIRS, POOL, Block, Played, deal_seeds, make_deals, marks_of, play_block
from .stats import WINNER

__all__ = [
    "DEALS_AT_A_TIME",
    "PAIRS",
    "POOL",
    "Block",
    "PairResult",
    "Played",
    "deal_seeds",
    "deals_at_a_time",
    "failures_of",
    "make_deals",
    "pair_blocks",
    "pair_result",
    "pair_seatings",
    "play_block",
    "play_blocks",
    "play_pair",
    "player_of",
    "winners",
]

DEALS_AT_A_TIME = 256
SHARES = 4  # blocks for each of several workers: they need not end together


def deals_at_a_time(deals: int, workers: int) -> int:
    """How many of so many ``deals`` are a block, which nothing depends on but how well they are shared.

    >>> deals_at_a_time(2000, 1), deals_at_a_time(100, 8), deals_at_a_time(3, 8)
    (256, 4, 1)
    """
    if workers == 1:
        return DEALS_AT_A_TIME
    return min(DEALS_AT_A_TIME, max(1, math.ceil(deals / (SHARES * workers))))


# --- many blocks, in one process or several -----------------------------------------------------


def play_blocks(
    game: str,
    rules: Rules,
    agents: Sequence[Agent | str],
    blocks: Sequence[Block],
    workers: int = 1,
    labels: Sequence[str] | None = None,
    goes_on: bool = False,
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
    goes_on : bool
        Whether the games go on where an agent fails, as in ``play_block``.

    Raises
    ------
    ValueError
        If an agent fails and it does not go on, or if one is not given by name where it must be.
    """
    if workers < 1:
        raise ValueError(f"there is at least 1 worker, not {workers}")
    workers = min(workers, len(blocks))
    if workers <= 1:
        loaded = [load(agent, game, rules) if isinstance(agent, str) else agent for agent in agents]
        for block in blocks:
            yield play_block(game, rules, loaded, block, labels, goes_on, marks_of(agents))
        return
    names = [agent for agent in agents if isinstance(agent, str)]
    if len(names) < len(agents):
        raise ValueError("several workers load their agents by name or path; give those, or one worker")
    given = (game, rules, names, labels, goes_on)
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _start_worker, given)
    try:
        jobs: list[Future[Played]] = [pool.submit(_play_in_worker, block) for block in blocks]
        for job in jobs:
            yield job.result()
    except BrokenProcessPool:
        raise ValueError("a worker process was ended from outside; try fewer --workers") from None
    finally:
        pool.shutdown(cancel_futures=True)


def player_of(
    game: str, rules: Rules, names: Sequence[str], labels: Sequence[str] | None, goes_on: bool
) -> Callable[[Block], Played]:
    """What plays blocks in a process of its own, with agents that it has loaded."""
    agents, marks = [load(name, game, rules) for name in names], marks_of(names)
    return partial(play_block, game, rules, agents, labels=labels, goes_on=goes_on, marks=marks)


_worker: dict[str, Callable[[Block], Played]] = {}  # what plays in a worker process


def _start_worker(*given: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that waits for the games
    _worker["play"] = player_of(*given)


def _play_in_worker(block: Block) -> Played:
    return _worker["play"](block)


def failures_of(agents: int, games: Sequence[Played]) -> list[Failures]:
    """The failures of each of so many agents in all ``games``."""
    if not games:
        return [NO_FAILURES] * agents
    return [together(played.failures[entry] for played in games) for entry in range(agents)]


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
    failures : tuple of Failures
        Of A and of B, where the games go on after them.
    """

    scores: NDArray[np.int64]
    wins: NDArray[np.bool_]
    stats: NDArray[np.int64]
    failures: tuple[Failures, ...] = ()


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
    num_players: int,
    a: int,
    b: int,
    deals: int,
    seed: int,
    both: bool = True,
    at_a_time: int = DEALS_AT_A_TIME,
) -> tuple[list[Block], NDArray[np.int64]]:
    """The blocks that play a pair, and where each of its (2 n) seatings stands in a block.

    With two players A alone in a seat is B alone in the other, and is played once. A block is of at most
    ``at_a_time`` deals.
    """
    seatings, places = np.unique(
        pair_seatings(num_players, a, b, both).reshape(-1, num_players), axis=0, return_inverse=True
    )
    blocks = []
    for first in range(0, deals, at_a_time):
        count = min(at_a_time, deals - first)
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
    goes_on: bool = False,
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
    goes_on : bool
        Whether the games go on where an agent fails, as in ``play_block``.

    Raises
    ------
    ValueError
        If an agent is unknown; or fails or answers with an illegal action, unless it ``goes_on``.

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
    played = list(play_blocks(game, rules, (a, b), blocks, goes_on=goes_on))
    found = pair_result(info, played, places)
    return replace(found, failures=tuple(failures_of(2, played))) if goes_on else found
