"""What an agent thinks of a position: how probable each play is to it, or the points that it expects."""

from __future__ import annotations

import heapq
from collections import Counter
from functools import reduce
from operator import and_
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from envs.core.game import Play

from ..asked import decisions_at
from ..base import Agent
from ..search import SearchAgent
from .players import refused_if_it_fails
from .position import Position
from .table import Table

MOST_SHOWN = 12
MOST_ASKED = 400  # positions that a network is asked about


class Thought(NamedTuple):
    """What an agent thinks of a play.

    Attributes
    ----------
    play : Play
    probability : float or None
        How probable it is to the agent, where that draws what it plays.
    points : float or None
        What search expects of it.
    worlds : int
        In how many worlds search has tried it; 0 if it has not, or knows all cards.
    is_begun : bool
        Whether the rest of the play is not chosen yet; its cards are those that are certain.
    """

    play: Play
    probability: float | None
    points: float | None = None
    worlds: int = 0
    is_begun: bool = False


def chances(agent: Agent, table: Table, tables: NDArray[Any]) -> NDArray[np.float32]:
    """Probabilities (A,) of the actions at ``tables`` (1,): those a network draws by, greedy or not."""
    decisions = decisions_at(table.game, table.info, tables, table.deal)
    of_network = getattr(agent, "chances", None)
    if of_network is not None:
        return of_network(decisions)[0]
    return agent.policy(decisions)[0]


def think(table: Table, position: Position, name: str) -> tuple[list[Thought], float | None]:
    """What an agent would play, other plays that it thinks of, and the points it expects, if it says so.

    Refused if it fails.
    """
    agent = table.agent(name, is_adviser=True)
    with refused_if_it_fails(name):
        if isinstance(agent, SearchAgent):
            return _searched(table, position, agent), None
        values = agent.values(decisions_at(table.game, table.info, position.tables, table.deal))
        return _followed(table, position, agent), None if values is None else float(values[0])


def _made(table: Table, position: Position, after: Any, actions: tuple[int, ...]) -> Play:
    """The play of all its ``actions``, which lead to the record ``after``."""
    spent = table.game.text.spent(position.t, after, actions)
    name, key, length = table.game.text.reading(position.t, actions)
    return Play(name, key, length, spent, actions)


def _followed(table: Table, position: Position, agent: Agent) -> list[Thought]:
    """The most probable plays, best first.

    A play of several steps is as probable as all its steps together. The most probable beginning is
    always followed first, so the plays come out in order and nothing probable is missed.
    """
    heap: list[tuple[float, int, tuple[int, ...], NDArray[Any]]] = [(-1.0, 0, (), position.tables)]
    found: list[Thought] = []
    made, asked = 0, 0
    while heap and len(found) < MOST_SHOWN and asked < MOST_ASKED:
        chance, _, actions, tables = heapq.heappop(heap)
        if actions and not tables[0]["pending"]:
            found.append(Thought(_made(table, position, tables[0], actions), -chance))
            continue
        asked += 1
        probabilities = chances(agent, table, tables)
        for action in np.flatnonzero(probabilities > 0).tolist():
            after = tables.copy()
            table.game.loops.play_one(after, action)
            made += 1
            heapq.heappush(heap, (chance * float(probabilities[action]), made, (*actions, action), after))
    return found


def _searched(table: Table, position: Position, agent: SearchAgent) -> list[Thought]:
    """What search plays, followed to its end, and the other actions that it tried, by their points."""
    weighed = agent.weigh(decisions_at(table.game, table.info, position.tables, table.deal))[0]
    actions, tables = [weighed.action], position.tables.copy()
    table.game.loops.play_one(tables, weighed.action)
    while tables[0]["pending"]:
        actions.append(int(agent.act(decisions_at(table.game, table.info, tables, table.deal))[0]))
        table.game.loops.play_one(tables, actions[-1])
    best = Thought(_made(table, position, tables[0], tuple(actions)), 1.0)
    found: list[Thought] = []
    for place in np.argsort(-weighed.points, kind="stable").tolist():
        expected, worlds = float(weighed.points[place]), int(weighed.worlds[place])
        points = None if np.isnan(expected) else expected
        if weighed.tried[place] == weighed.action:
            best = best._replace(points=points, worlds=worlds)
        elif len(found) < MOST_SHOWN - 1:
            begun = _begun(table, position, int(weighed.tried[place]))
            found.append(begun._replace(points=points, worlds=worlds))
    return [best, *found]


def _begun(table: Table, position: Position, action: int) -> Thought:
    """An action as a play, or as the beginning of several."""
    plays = [play for play in position.plays if play.actions[0] == action]
    if len(plays) == 1:
        return Thought(plays[0], None)
    certain = reduce(and_, (Counter(play.cards) for play in plays))
    name, key, length = table.game.text.reading(position.t, (action,))
    return Thought(Play(name, key, length, tuple(certain.elements()), (action,)), None, is_begun=True)
