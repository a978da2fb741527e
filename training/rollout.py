"""Playing games for training: whole games only, recorded decision by decision, flushed seat by seat.

Every table's decisions go into its own buffer. When its game ends they move to the batch, one seat
after another, each with the points that its seat got in the end: there is nothing to bootstrap and
no seat's next observation is another seat's. Forced decisions are played by the environment (by a
vector with ``skip_forced``) and never seen here. A **sample** is one recorded decision.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from agents import Decisions
from agents.adviser import Adviser
from envs.core.game import GameInfo
from envs.core.jit import njit
from envs.core.rng import mix_in, uniform
from envs.core.seeding import as_seed
from envs.core.vector import VectorTables

# Logits (N, A) float32 for observations (N, O) uint8.
Policy = Callable[[NDArray[np.uint8]], NDArray[np.float32]]
Rows = slice | NDArray[np.int64]  # of tables
Sampler = Callable[..., None]  # (logits, masks, keys, actions, log_probs), see sample_softmax
Target = Literal["score", "win"]

_NEXT_KEY = np.uint64(1)
_STREAM = 0x5E1F  # keeps these random numbers apart from others made from the same seed


@njit
def log_total(logits, mask):
    """The logarithm of the sum of exp(``logits``) (A,) over the legal actions."""
    largest = np.float32(-np.inf)
    for a in range(len(logits)):
        if mask[a] and logits[a] > largest:
            largest = logits[a]
    total = np.float32(0)
    for a in range(len(logits)):
        if mask[a]:
            total += np.exp(logits[a] - largest)
    return largest + np.log(total)


@njit
def sample_softmax(logits, masks, keys, actions, log_probs):
    """Draw an action for every row from the softmax of ``logits`` over its legal actions.

    Writes the action (N,) and its log probability (N,), and moves every key (N,) on.
    """
    for i in range(len(logits)):
        total = log_total(logits[i], masks[i])
        threshold = uniform(keys[i])
        keys[i] += _NEXT_KEY
        for a in range(logits.shape[1]):
            if masks[i, a]:
                actions[i] = a  # rounding may leave a rest after the last one
                threshold -= np.exp(logits[i, a] - total)
                if threshold < 0:
                    break
        log_probs[i] = logits[i, actions[i]] - total


@njit
def note_down(tables, wanted, observations, masks, seats, actions, log_probs, counts, kept):
    """Append those decisions (M,) that are ``wanted`` to their ``tables``' rows of ``kept`` (N, D).

    These are ``counts`` (N,) long.
    """
    for i in range(len(tables)):
        if not wanted[i]:
            continue
        table = tables[i]
        sample = kept[table, counts[table]]
        sample.observation[:] = observations[i]
        sample.action_mask[:] = masks[i]
        sample.seat = seats[i]
        sample.action = actions[i]
        sample.log_prob = log_probs[i]
        counts[table] += 1


@njit
def flush(ended, scores, counts, kept, batch, filled):
    """Move the decisions of the games that ``ended`` into ``batch``, seat by seat.

    Gives them the points that their seat got and marks each seat's last one. Returns how much of the
    batch is filled.
    """
    for i in range(len(ended)):
        if not ended[i]:
            continue
        for seat in range(scores.shape[1]):
            first = filled
            for k in range(counts[i]):
                if kept[i, k].seat == seat:
                    batch[filled] = kept[i, k]
                    batch[filled].points = scores[i, seat]
                    batch[filled].last = False
                    filled += 1
            if filled > first:
                batch[filled - 1].last = True
        counts[i] = 0
    return filled


def sample_dtype(info: GameInfo, width: int) -> np.dtype[Any]:
    """A sample: what was seen, in ``width`` numbers, what was done, and what came of it."""
    return np.dtype(
        [
            ("observation", np.uint8, (width,)),
            ("action_mask", np.int8, (info.num_actions,)),
            ("seat", np.int8),
            ("last", np.bool_),  # the seat's last decision of its game
            ("action", np.int64),
            ("log_prob", np.float32),  # of the action, under the policy that chose it
            ("points", np.float32),  # what the seat scored in the end
        ],
        align=True,
    )


def targets_of(
    points: NDArray[np.float32], info: GameInfo, target: Target, clip: float
) -> NDArray[np.float32]:
    """What is learned (B,) from what the seats scored (B,).

    By ``"win"`` 1 for a score above 0, as a winner's is, else 0; by ``"score"`` the score in units of the
    game's typical score, cut at ``clip`` of them.
    """
    if target == "win":
        return (points > 0).astype(np.float32)
    scale = info.typical_score * info.denominator  # final scores are whole multiples
    return np.clip(points / scale, -clip, clip).astype(np.float32)


class Players(Protocol):
    """Who plays besides the policy that learns, as ``league.py`` has them."""

    def answer(
        self, seen: Mapping[str, NDArray[Any]], seats: NDArray[np.int64], actions: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Put their ``actions`` (N,) in the place of the policy's; returns which decisions are learned."""

    def note_results(self, ended: NDArray[np.bool_], scores: NDArray[np.int64]) -> None:
        """Take notice of the games that ``ended`` (N,) with these ``scores`` (N, P)."""


class Rollout:
    """Plays one policy in all seats of ``vec``, or in those that others leave it, and hands out whole games.

    Parameters
    ----------
    vec : VectorTables
        It is reset here. Without ``autoreset`` there is one game a table, and a batch holds them all.
    size : int
        Else a batch holds at least this many samples.
    seed : int
        Of the deals and of the sampled actions.
    sample : callable
        Chooses from what the policy gives, as ``sample_softmax`` does.
    all_hands : bool
        Whether samples hold the other seats' hands behind what the policy sees, the next seat's first.
    adviser : Adviser, optional
        The policy also sees what it would do.

    Attributes
    ----------
    policy_width, width : int
        How many numbers the policy sees, and a sample holds.
    """

    def __init__(
        self,
        vec: VectorTables,
        size: int,
        seed: int,
        sample: Sampler = sample_softmax,
        all_hands: bool = False,
        adviser: Adviser | None = None,
    ) -> None:
        n, longest, info = vec.num_envs, vec.game.max_decisions, vec.game
        self.vec, self._sample = vec, sample
        self.size = size if vec.autoreset else n * longest
        self._tables, self._over = np.arange(n), np.zeros(n, np.bool_)
        self._actions = np.zeros(n, np.int64)
        self._log_probs = np.zeros(n, np.float32)
        self._everyone = np.ones(n, np.bool_)
        self._hand = info.hand_places if all_hands else np.zeros(0, np.int64)
        self._adviser = adviser
        advice = 0 if adviser is None else adviser.width(info.num_actions)
        self.policy_width = info.observation_size + advice
        self.width = self.policy_width + (info.num_players - 1) * len(self._hand)
        self._open = np.zeros((n, self.width), np.uint8)  # with all hands
        dtype = sample_dtype(info, self.width)
        self._kept = np.zeros((n, longest), dtype)
        self._counts = np.zeros(n, np.int64)
        room = n * longest + (size if vec.autoreset else 0)  # all games may end in the last step
        self._batch = np.zeros(room, dtype)
        self.begin(seed)

    def begin(self, seed: int) -> None:
        """Deal new games at all tables: what they come to depends on ``seed`` and the policy alone."""
        own = mix_in(self._tables.astype(np.uint64), _STREAM, as_seed(seed))  # no other seed's tables
        self._seen, self._infos = self.vec.reset(seed=own.tolist())
        self._keys = mix_in(own, _STREAM)
        self._counts[:] = 0
        self._over[:] = False

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that the next batch depends on but the players: arrays for :meth:`load_state`."""
        begun = [self._kept[i, :count] for i, count in enumerate(self._counts)]
        tables = {f"tables_{i}": kept for i, kept in enumerate(self.vec.snapshot())}
        return {**tables, "keys": self._keys, "counts": self._counts, "begun": np.concatenate(begun)}

    def load_state(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from where another rollout of the same size and game gave its ``state``."""
        self.vec.restore(tuple(arrays[f"tables_{i}"] for i in range(len(self.vec.snapshot()))))
        self._keys[:] = arrays["keys"]
        self._counts[:] = arrays["counts"]
        ends = np.cumsum(self._counts)
        for i, (end, count) in enumerate(zip(ends, self._counts, strict=True)):
            self._kept[i, :count] = arrays["begun"][end - count : end]

    def forget(self) -> None:
        """Leave what was seen of the games in progress out of the next batch."""
        self._counts[:] = 0

    def collect(self, policy: Policy, players: Players | None = None) -> tuple[NDArray[Any], int]:
        """Play until the games that ended hold ``size`` samples; the others go on in the next batch.

        Parameters
        ----------
        policy : callable
        players : Players, optional
            Who else plays.

        Returns
        -------
        batch : (B,) records of ``sample_dtype``
            Whole games, a seat's decisions of a game one behind the other; overwritten by the next call.
        games : int
            How many games these are.
        """
        filled, games = 0, 0
        while filled < self.size and not self._over.all():
            rows = rows_of(self._over)
            masks, seats = masks_of(self._seen, rows), self._infos["seat"][rows]
            observations, wanted = self._advised(masks, seats, rows), self._everyone
            keys, actions, log_probs = self._keys[rows], self._actions[rows], self._log_probs[rows]
            self._sample(policy(observations), masks, keys, actions, log_probs)
            self._keys[rows], self._actions[rows] = keys, actions
            if players is not None:
                wanted = players.answer(self._seen, self._infos["seat"], self._actions)
            note_down(
                self._tables[rows], wanted[rows], self._with_hands(observations, seats, rows), masks, seats,
                self._actions[rows], log_probs, self._counts, self._kept,
            )  # fmt: skip
            self._seen, _, over, _, self._infos = self.vec.step(self._actions)
            ended, scores = over & ~self._over, self._infos["final_scores"]
            if not self.vec.autoreset:
                self._over |= ended
            filled = flush(ended, scores, self._counts, self._kept, self._batch, filled)
            games += int(ended.sum())
            if players is not None:
                players.note_results(ended, scores)
        return self._batch[:filled], games

    def _advised(self, masks: NDArray[np.int8], seats: NDArray[np.int64], rows: Rows) -> NDArray[np.uint8]:
        """What the policy sees (M, policy_width)."""
        observations: NDArray[np.uint8] = self._seen["observation"][rows]
        if self._adviser is None:
            return observations
        tables = self.vec.tables(rows=self._tables[rows])
        return self._adviser.advise(Decisions(observations, masks, seats, self._keys[rows], tables))

    def _with_hands(
        self, observations: NDArray[np.uint8], seats: NDArray[np.int64], rows: Rows
    ) -> NDArray[np.uint8]:
        """What a sample holds of what the policy sees (M, width)."""
        size, others, n = self.policy_width, self.vec.num_players - 1, len(seats)
        if self.width == size:
            return observations
        hands = self.vec.states().reshape(len(self._tables), others + 1, -1)[rows][:, :, self._hand]
        following = (seats[:, None] + np.arange(1, others + 1)) % (others + 1)
        opened = self._open[:n]
        opened[:, :size] = observations
        opened[:, size:] = hands[np.arange(n)[:, None], following].reshape(n, -1)
        return opened


def rows_of(over: NDArray[np.bool_]) -> Rows:
    """The tables whose games are not ``over`` (N,); where that is all of them without a copy."""
    return np.flatnonzero(~over) if over.any() else slice(None)


def masks_of(seen: Mapping[str, NDArray[Any]], rows: Rows) -> NDArray[np.int8]:
    """The legal actions at some tables, read-only as those of all: else kernels were compiled again."""
    masks: NDArray[np.int8] = seen["action_mask"][rows]
    masks.flags.writeable = False
    return masks
