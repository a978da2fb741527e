"""Games played out from a table that a seat sees: every candidate action in the same random worlds.

``RulePlayouts`` let a rule player's kernel play all seats to the end, ``PolicyPlayouts`` a network, which
answers for all games at once. Both are called alike and give the scores world by world, so that who compares
two actions can do so within worlds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from envs.core.game import ACTION, MASK, OBSERVATION, GameInfo, get
from envs.core.jit import bind
from envs.core.rng import mix_in

from .base import Decisions, draw
from .worlds import Draw, world_keys

if TYPE_CHECKING:
    from .network import NetworkAgent  # torch is slow to import


class Playouts(Protocol):
    """How games are played out."""

    def __call__(
        self, table: NDArray[Any], candidates: NDArray[np.int64], key: np.uint64, first: int, count: int
    ) -> NDArray[np.int64]:
        """Points of the seat to act at the end, (count, C), after each of the ``candidates`` (C,).

        Parameters
        ----------
        table : (1,) record
            With everything that the seat may not know zeroed.
        candidates : (C,) int64
            Legal actions.
        key : uint64
            Of the decision: it makes the worlds.
        first, count : int
            The worlds number ``first`` to ``first + count - 1``.
        """


# --- by a rule player -----------------------------------------------------------------------------


def play_out(t, mask, key):
    """Let the rule player's ``choose`` play all seats to the end; forced decisions need none."""
    while not t.over:
        legal(t, mask)  # noqa: F821
        action = only_action(mask)  # noqa: F821
        if action < 0:
            action = choose(t, mask, key)  # noqa: F821
        apply(t, action)  # noqa: F821


def try_candidates(worlds, keys, candidates, mask, spare, scores):
    """Fill ``scores`` (W, C): see ``Playouts``. ``mask`` (A,), ``spare`` (1,) are room to work in."""
    seat = np.int64(worlds[0].turn)
    for number in range(len(scores)):
        for i in range(len(candidates)):
            spare[0] = worlds[number]
            trial = spare[0]
            apply(trial, candidates[i])  # noqa: F821
            play_out(trial, mask, keys[number])
            scores[number, i] = trial.score[seat]


@cache
def rule_kernels(game: str, rule: str) -> dict[str, Any]:
    """A game's kernels, and ``play_out`` by the kernel ``choose`` of ``agents.rule.<rule>``, to be bound."""
    found = get(game)
    kernels = {
        **found.kernels,
        "only_action": found.loops.only_action,
        "choose": import_module(f"agents.rule.{rule}").choose,
    }
    return {**kernels, "play_out": bind(play_out, kernels, f"playouts.{rule}")}


@cache
def _trier(game: str, rule: str) -> Any:
    """``try_candidates`` of a game, played out by the rule player of ``agents.rule.<rule>``."""
    return bind(try_candidates, rule_kernels(game, rule), f"playouts.{rule}")


class RulePlayouts:
    """A rule player in all seats.

    Parameters
    ----------
    game : str
    rule : str
        Name of the module of the rule player in ``agents.rule``.
    draw_worlds : callable
    """

    def __init__(self, game: str, rule: str, draw_worlds: Draw) -> None:
        found = get(game)
        self._try, self._draw = _trier(game, rule), draw_worlds
        self._mask = np.zeros(found.info(found.rules()).num_actions, MASK)
        self._spare = found.new_tables(1, found.rules())

    def __call__(
        self, table: NDArray[Any], candidates: NDArray[np.int64], key: np.uint64, first: int, count: int
    ) -> NDArray[np.int64]:
        scores = np.zeros((count, len(candidates)), np.int64)
        dealt, keys = self._draw(table, key, first, count), world_keys(key, first, count)
        self._try(dealt, keys, candidates, self._mask, self._spare, scores)
        return scores


# --- by a network ---------------------------------------------------------------------------------


def go_on(trials, live, actions, observations, masks):
    """Play ``actions`` (N,) at ``trials[live]`` (N,), and on to the next decisions between several actions.

    The trials that are not over by then, K of them, come first in ``live`` and in ``observations`` (N, O) and
    ``masks`` (N, A), which they are written to. Returns K.
    """
    kept = 0
    for i in range(len(actions)):
        t = trials[live[i]]
        action = actions[i]
        while action >= 0:
            apply(t, action)  # noqa: F821
            if t.over:
                break
            legal(t, masks[kept])  # noqa: F821
            action = only_action(masks[kept])  # noqa: F821
        if not t.over:
            observe(t, t.turn, observations[kept])  # noqa: F821
            live[kept] = live[i]
            kept += 1
    return kept


@cache
def _goer(game: str) -> Any:
    """``go_on`` of a game."""
    found = get(game)
    return bind(go_on, {**found.kernels, "only_action": found.loops.only_action}, f"playouts.{game}")


class PlayedOn:
    """Plays many games on to their ends, one decision of all of them at a time.

    Parameters
    ----------
    info : GameInfo
        Of the rules that they are played under.
    answer : callable
        The actions (K,) at K decisions, with the seats to act at tables that hide nothing.
    needs_tables : bool
        Whether it asks for the tables.
    """

    def __init__(
        self, info: GameInfo, answer: Callable[[Decisions], NDArray[np.int64]], needs_tables: bool
    ) -> None:
        self._observation_size, self._num_actions = info.observation_size, info.num_actions
        self._answer, self._needs_tables, self._go_on = answer, needs_tables, _goer(info.name)

    def __call__(self, tables: NDArray[Any], actions: NDArray[np.int64], keys: NDArray[np.uint64]) -> None:
        """Play ``actions`` (N,) at ``tables`` (N,), and on; keys of decisions are made from ``keys`` (N,)."""
        live, chosen = np.arange(len(tables)), actions.astype(ACTION)
        seen = np.zeros((len(tables), self._observation_size), OBSERVATION)
        masks = np.zeros((len(tables), self._num_actions), MASK)
        number = 0
        while kept := self._go_on(tables, live, chosen, seen, masks):
            on, chosen = live[:kept], chosen[:kept]
            seats, own = tables["turn"][on].astype(np.int64), mix_in(keys[on], number)
            asked = Decisions(
                seen[:kept], masks[:kept], seats, own, tables[on] if self._needs_tables else None
            )
            chosen[:] = self._answer(asked)
            number += 1


class PolicyPlayouts:
    """A network in all seats, which draws its actions.

    Parameters
    ----------
    info : GameInfo
        Of the rules that it plays under.
    network : NetworkAgent
    draw_worlds : callable
    """

    def __init__(self, info: GameInfo, network: NetworkAgent, draw_worlds: Draw) -> None:
        def answer(asked: Decisions) -> NDArray[np.int64]:
            actions = np.zeros(len(asked), ACTION)
            draw(network.chances(asked), asked.action_masks, asked.keys, actions)
            return actions

        self._play_on, self._draw = PlayedOn(info, answer, network.needs_tables), draw_worlds

    def __call__(
        self, table: NDArray[Any], candidates: NDArray[np.int64], key: np.uint64, first: int, count: int
    ) -> NDArray[np.int64]:
        trials = np.repeat(self._draw(table, key, first, count), len(candidates))
        keys = np.repeat(world_keys(key, first, count), len(candidates))
        self._play_on(trials, np.tile(candidates, count), keys)
        scores = trials["score"][:, int(table["turn"][0])]
        return scores.reshape(count, len(candidates)).astype(np.int64)
