"""What agents are asked at tables, and at an environment that somebody steps himself."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs.core.aec import TableEnv
from envs.core.game import MASK, OBSERVATION, Game, GameInfo, get
from envs.core.rng import mix_in
from envs.core.seeding import as_seed

from .base import Decisions


def decisions_at(game: Game, info: GameInfo, tables: NDArray[Any], deal: int) -> Decisions:
    """What the seats to act at ``tables`` (N,) are asked, with all hidden cards blanked."""
    n, seats = len(tables), tables["turn"].astype(np.int64)
    seen, masks = np.zeros((n, info.observation_size), OBSERVATION), np.zeros((n, info.num_actions), MASK)
    game.loops.look(tables, seats, seen)
    game.loops.legal_all(tables, masks)
    blanked = tables.copy()
    game.loops.blank_all(blanked, seats)
    moment = tables["decisions"].astype(np.int64) * info.num_players + seats
    keys = mix_in(np.full(n, as_seed(deal), np.uint64), moment)
    return Decisions(seen, masks, seats, keys, blanked)


def decision(env: Any, seed: int = 0) -> Decisions:
    """What the seat to act in an environment is asked: ``agent.act(decision(env))[0]`` is its action.

    Parameters
    ----------
    env : pettingzoo.AECEnv
        Of one of our games, wrapped or not.
    seed : int
        Of what the agent draws, if it draws: with the same one it answers the same at the same moment of the
        same deal. Give another one each game.

    Returns
    -------
    Decisions
        One, with everything that the seat may not know blanked.

    Raises
    ------
    TypeError
        If it is no such environment.
    RuntimeError
        If no game was begun: ``reset`` comes first.
    ValueError
        If the game is over, or the seed is none.
    """
    raw = getattr(env, "unwrapped", env)
    if not isinstance(raw, TableEnv):
        raise TypeError(f"an environment of one of the games, such as envs.make('guan_pai'), not {env!r}")
    game = get(raw.game.name)
    table = np.frombuffer(raw.snapshot().table, game.dtype).copy()
    if table[0]["over"]:
        raise ValueError("the game is over: nobody is asked")
    return decisions_at(game, raw.game, table, seed)
