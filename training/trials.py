"""Decisions in which every legal action is tried: what the game comes to after each of them.

A policy plays in all seats. Now and then, before it acts, every legal action is taken in a copy of the table,
as it really is, and a rule player plays all seats to the end. The cards that the seat does not see are those
of this deal, so what one deal says of an action is luck to a great part; the mean over the deals that look
like this one to the seat is what the action is worth. The luck that actions have in common cancels.

Or the policy itself plays on. It takes more time, so only those actions are tried that it finds probable, at
decisions where there are several.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents import Decisions
from agents.adviser import Adviser
from agents.playouts import PlayedOn, rule_kernels
from envs.core.game import MASK, MONEY, GameInfo
from envs.core.jit import bind, njit
from envs.core.rng import mix, mix_in, uniform
from envs.core.seeding import as_seed
from envs.core.vector import VectorTables

from .dmc import sample_epsilon_greedy
from .rollout import Policy, masks_of, rows_of

_STREAM = 0x7217  # keeps these random numbers apart from others made from the same seed


@njit
def draw_some(keys, share, drawn):
    """Draw a ``share`` of rows by their ``keys`` (N,) into ``drawn`` (N,)."""
    for i in range(len(keys)):
        drawn[i] = uniform(mix(keys[i])) < share


def try_actions(tables, looked, keys, mask, spare, points):
    """Try the actions that are ``looked`` at (N, A), one after another, at the ``tables`` (N,).

    Writes the ``points`` (N, A) of the seat to act at the end, times the game's ``denominator``. ``mask``
    (A,) and ``spare`` (1,) are room to work in.
    """
    for i in range(len(tables)):
        seat = np.int64(tables[i].turn)
        for action in range(looked.shape[1]):
            if looked[i, action]:
                spare[0] = tables[i]
                trial = spare[0]
                apply(trial, action)  # noqa: F821
                play_out(trial, mask, keys[i])  # noqa: F821
                points[i, action] = trial.score[seat]


@cache
def _trier(game: str, rule: str) -> Any:
    """``try_actions`` of a game, played out by the rule player of ``agents.rule.<rule>``."""
    return bind(try_actions, rule_kernels(game, rule), f"trials.{rule}")


def trial_dtype(info: GameInfo, adviser: Adviser) -> np.dtype[Any]:
    """A sample: what was seen, the adviser's opinion behind it, and what every action came to."""
    return np.dtype(
        [
            ("observation", np.uint8, (info.observation_size + adviser.width(info.num_actions),)),
            ("action_mask", np.int8, (info.num_actions,)),  # what was tried
            (
                "gains",
                np.float32,
                (info.num_actions,),
            ),  # on the adviser's action, or the policy's own; in points times denominator, 0 where not tried
        ],
        align=True,
    )


class Trials:
    """Plays one policy in all seats of ``vec``, and hands out decisions in which all actions were tried.

    Parameters
    ----------
    vec : VectorTables
        It is reset here. Without ``autoreset`` there is one game a table, and a batch is of them all.
    size : int
        Else a batch holds at least this many samples.
    seed : int
        Of the deals and of what is drawn.
    adviser : Adviser
        The policy sees its opinion, and its rule player plays the games out.
    share : float
        Of the decisions that are tried.
    least : float, optional
        Where it is given the policy itself plays the games out, and what is less probable is not tried; a
        decision then counts only if several actions are.
    """

    def __init__(
        self,
        vec: VectorTables,
        size: int,
        seed: int,
        adviser: Adviser,
        share: float,
        least: float | None = None,
    ) -> None:
        self.vec, self._adviser, self._share, self._least = vec, adviser, share, least
        n, info = vec.num_envs, vec.game
        self.size = size if vec.autoreset else n * info.max_decisions
        self._try = _trier(info.name, adviser.rule.module)
        self._tables, self._over = np.arange(n), np.zeros(n, np.bool_)
        self._actions, self._log_probs = np.zeros(n, np.int64), np.zeros(n, np.float32)
        self._mask = np.zeros(info.num_actions, MASK)
        self._drawn, self._points = np.zeros(n, np.bool_), np.zeros((n, info.num_actions), MONEY)
        self._batch = np.zeros(self.size + n, trial_dtype(info, adviser))
        self.begin(seed)
        self._spare = vec.tables(blank=False)[:1]

    def begin(self, seed: int) -> None:
        """Deal new games at all tables: what they come to depends on ``seed`` and the policy alone."""
        own = mix_in(self._tables.astype(np.uint64), _STREAM, as_seed(seed))  # no other seed's tables
        self._seen, self._infos = self.vec.reset(seed=own.tolist())
        self._keys = mix_in(own, _STREAM)
        self._over[:] = False

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that the next batch depends on but the policy: arrays for :meth:`load_state`."""
        return {**{f"tables_{i}": kept for i, kept in enumerate(self.vec.snapshot())}, "keys": self._keys}

    def load_state(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from where others of the same size and game gave their ``state``."""
        self.vec.restore(tuple(arrays[f"tables_{i}"] for i in range(len(self.vec.snapshot()))))
        self._keys[:] = arrays["keys"]

    def collect(self, policy: Policy, epsilon: float) -> tuple[NDArray[Any], int]:
        """Play until so many decisions were tried as are a batch.

        Parameters
        ----------
        policy : callable
            The action that it prefers most is played.
        epsilon : float
            Share of actions that are drawn at random instead.

        Returns
        -------
        batch : (B,) records of ``trial_dtype``
            Overwritten by the next call.
        games : int
            How many games have ended.
        """
        filled, games = 0, 0
        while filled < self.size and not self._over.all():
            rows = rows_of(self._over)
            masks, seats = masks_of(self._seen, rows), self._infos["seat"][rows]
            numbers, keys, actions = self._tables[rows], self._keys[rows], self._actions[rows]
            asked = Decisions(
                self._seen["observation"][rows], masks, seats, keys, self.vec.tables(rows=numbers)
            )
            advised = self._adviser.advise(asked)
            logits = policy(advised)
            filled = self._try_some(policy, asked, advised, logits, numbers, filled)
            log_probs = self._log_probs[: len(numbers)]
            sample_epsilon_greedy(logits, masks, keys, epsilon, actions, log_probs)
            self._keys[rows], self._actions[rows] = keys, actions
            self._seen, _, over, _, self._infos = self.vec.step(self._actions)
            ended = over & ~self._over
            if not self.vec.autoreset:
                self._over |= ended
            games += int(ended.sum())
        return self._batch[:filled], games

    def _try_some(
        self,
        policy: Policy,
        asked: Decisions,
        advised: NDArray[np.uint8],
        logits: NDArray[np.float32],
        numbers: NDArray[np.int64],
        filled: int,
    ) -> int:
        """Add those of the decisions ``asked`` that are tried to the batch, of which so much is ``filled``.

        They are at the tables of these ``numbers`` (M,). Returns how much is filled now.
        """
        masks, drawn = asked.action_masks, self._drawn[: len(numbers)]
        draw_some(asked.keys, self._share, drawn)
        looked = (masks != 0) & drawn[:, None]
        if self._least is not None:
            looked &= probable(logits, masks, self._least)
            looked &= np.count_nonzero(looked, axis=1, keepdims=True) > 1
        rows = np.flatnonzero(looked.any(axis=1))
        looked, tables = looked[rows], self.vec.tables(blank=False, rows=numbers[rows])
        points = self._points[: len(rows)]
        points[:] = 0
        if self._least is None:
            own = advised[rows, -masks.shape[1] :].argmax(axis=1)
            self._try(tables, looked, asked.keys[rows], self._mask, self._spare, points)
        else:
            own = np.where(looked, logits[rows], -np.inf).argmax(axis=1)
            self._play_out(policy, tables, looked, asked.keys[rows], points)
        samples = self._batch[filled : filled + len(rows)]
        samples["observation"], samples["action_mask"] = advised[rows], looked
        samples["gains"] = np.where(looked, points - points[np.arange(len(rows)), own][:, None], 0)
        return filled + len(rows)

    def _play_out(
        self,
        policy: Policy,
        tables: NDArray[Any],
        looked: NDArray[np.bool_],
        keys: NDArray[np.uint64],
        points: NDArray[Any],
    ) -> None:
        """As ``try_actions``, but the policy plays on: the action that it prefers most, in all seats."""

        def answer(asked: Decisions) -> NDArray[np.int64]:
            logits = policy(self._adviser.advise(asked))
            return np.where(asked.action_masks, logits, -np.inf).argmax(axis=1)

        at, tried = np.nonzero(looked)
        trials = tables[at]
        PlayedOn(self.vec.game, answer, needs_tables=True)(trials, tried, keys[at])
        points[at, tried] = trials["score"][np.arange(len(at)), tables["turn"][at]]


def probable(logits: NDArray[np.float32], masks: NDArray[np.int8], least: float) -> NDArray[np.bool_]:
    """The legal actions (N, A) to which a softmax of their ``logits`` gives at least this probability."""
    legal = np.where(masks, logits, -np.inf)
    chances = np.exp(legal - legal.max(axis=1, keepdims=True))
    found: NDArray[np.bool_] = chances >= least * chances.sum(axis=1, keepdims=True)
    return found
