"""What an agent thinks of a position: how probable each legal play is to it."""

from __future__ import annotations

import heapq
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from envs.core.game import Play

from ..base import Agent
from .table import Position, Table, decisions_at

MOST_SHOWN = 12
MOST_ASKED = 400  # positions that a network is asked about


class Thought(NamedTuple):
    """A play and how probable it is to an agent."""

    play: Play
    probability: float


def chances(agent: Agent, table: Table, tables: NDArray[Any]) -> NDArray[np.float32]:
    """Probabilities (A,) of the actions at ``tables`` (1,): those a network draws by, greedy or not."""
    decisions = decisions_at(table.game, table.info, tables, table.deal)
    of_network = getattr(agent, "chances", None)
    if of_network is not None:
        return of_network(decisions)[0]
    return agent.policy(decisions)[0]


def think(table: Table, position: Position, name: str) -> tuple[list[Thought], float | None]:
    """The most probable plays of an agent, best first, and the points it expects where it says so.

    A play of several steps is as probable as all its steps together. The most probable beginning is
    always followed first, so the plays come out in order and nothing probable is missed.
    """
    agent = table.agent(name, is_adviser=True)
    heap: list[tuple[float, int, tuple[int, ...], NDArray[Any]]] = [(-1.0, 0, (), position.tables)]
    found: list[Thought] = []
    made, asked = 0, 0
    while heap and len(found) < MOST_SHOWN and asked < MOST_ASKED:
        chance, _, actions, tables = heapq.heappop(heap)
        if actions and not tables[0]["pending"]:
            now = position.t
            plays_as, key, length = table.game.text.reading(now, actions)
            spent = table.game.text.spent(now, tables[0], actions)
            found.append(Thought(Play(plays_as, key, length, spent, actions), -chance))
            continue
        asked += 1
        probabilities = chances(agent, table, tables)
        for action in np.flatnonzero(probabilities > 0).tolist():
            after = tables.copy()
            table.game.loops.play_one(after, action)
            made += 1
            heapq.heappush(heap, (chance * float(probabilities[action]), made, (*actions, action), after))
    values = agent.values(decisions_at(table.game, table.info, position.tables, table.deal))
    return found, None if values is None else float(values[0])
