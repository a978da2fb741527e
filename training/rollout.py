"""Playing games for training: whole games only, recorded decision by decision, flushed seat by seat.

Every table's decisions go into its own buffer. When its game ends they move to the batch, one seat
after another, each with the points that its seat got in the end: there is nothing to bootstrap and
no seat's next observation is another seat's. Forced decisions are played by the environment and
never seen here. A **sample** is one recorded decision.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from envs.core.jit import njit
from envs.core.rng import mix, uniform
from envs.core.vector import VectorTables

# Logits (N, A) float32 for observations (N, O) uint8 and action masks (N, A) int8.
Policy = Callable[[NDArray[np.uint8]], NDArray[np.float32]]

_NEXT_KEY = np.uint64(1)


@njit
def sample_softmax(logits, masks, keys, actions, log_probs):
    """Draw an action for every row from the softmax of ``logits`` over its legal actions.

    Writes the action (N,) and its log probability (N,), and moves every key (N,) on.
    """
    for i in range(len(logits)):
        largest = np.float32(-np.inf)
        for a in range(logits.shape[1]):
            if masks[i, a] and logits[i, a] > largest:
                largest = logits[i, a]
        total = 0.0
        for a in range(logits.shape[1]):
            if masks[i, a]:
                total += np.exp(logits[i, a] - largest)
        threshold = uniform(keys[i]) * total
        keys[i] += _NEXT_KEY
        for a in range(logits.shape[1]):
            if masks[i, a]:
                actions[i] = a  # rounding may leave a rest after the last one
                threshold -= np.exp(logits[i, a] - largest)
                if threshold < 0:
                    break
        log_probs[i] = logits[i, actions[i]] - largest - np.log(total)


@njit
def note_down(
    observations,
    masks,
    seats,
    actions,
    log_probs,
    counts,
    kept_obs,
    kept_masks,
    kept_seats,
    kept_acts,
    kept_logs,
):
    """Append every table's decision to its buffer (N, D, ...); ``counts`` (N,) are their lengths."""
    for i in range(len(observations)):
        k = counts[i]
        kept_obs[i, k] = observations[i]
        kept_masks[i, k] = masks[i]
        kept_seats[i, k] = seats[i]
        kept_acts[i, k] = actions[i]
        kept_logs[i, k] = log_probs[i]
        counts[i] = k + 1


@njit
def flush(
    ended, scores, counts, kept_obs, kept_masks, kept_seats, kept_acts, kept_logs,
    filled, obs, masks, acts, logs, points, last,
):  # fmt: skip
    """Move the decisions of the games that ``ended`` into the batch, seat by seat.

    ``points`` get the seat's score, ``last`` marks a seat's last decision of a game. Returns how much
    of the batch is filled.
    """
    for i in range(len(ended)):
        if not ended[i]:
            continue
        for seat in range(scores.shape[1]):
            for k in range(counts[i]):
                if kept_seats[i, k] == seat:
                    obs[filled] = kept_obs[i, k]
                    masks[filled] = kept_masks[i, k]
                    acts[filled] = kept_acts[i, k]
                    logs[filled] = kept_logs[i, k]
                    points[filled] = scores[i, seat]
                    last[filled] = False
                    filled += 1
            if filled > 0:
                last[filled - 1] = True
        counts[i] = 0
    return filled


@dataclass
class Batch:
    """B samples: the decisions of whole games, a seat's decisions of a game one behind the other.

    Attributes
    ----------
    observations : (B, O) uint8
    masks : (B, A) int8
    actions : (B,) int64
    log_probs : (B,) float32
        Of the actions, under the policy that chose them.
    points : (B,) float32
        What the seat scored in the end.
    last : (B,) bool
        Whether it is the seat's last decision of its game.
    games : int
        How many games these are.
    """

    observations: NDArray[np.uint8]
    masks: NDArray[np.int8]
    actions: NDArray[np.int64]
    log_probs: NDArray[np.float32]
    points: NDArray[np.float32]
    last: NDArray[np.bool_]
    games: int

    def __len__(self) -> int:
        return len(self.actions)


class Rollout:
    """Plays one policy in all seats of ``vec`` and hands out batches of whole games.

    Parameters
    ----------
    vec : VectorTables
        With ``skip_forced=True``; it is reset here.
    size : int
        A batch holds at least this many samples.
    seed : int
        Of the deals and of the sampled actions.
    """

    def __init__(self, vec: VectorTables, size: int, seed: int) -> None:
        self.vec, self.size = vec, size
        n, longest = vec.num_envs, vec.game.max_decisions
        observation_size, num_actions = vec.game.observation_size, vec.game.num_actions
        self._seen, self._infos = vec.reset(seed=seed)
        self._keys = np.array([mix(np.uint64(seed * n + i) ^ _ROLLOUT) for i in range(n)], np.uint64)
        self._actions = np.zeros(n, np.int64)
        self._log_probs = np.zeros(n, np.float32)
        self._counts = np.zeros(n, np.int64)
        self._kept = (
            np.empty((n, longest, observation_size), np.uint8),
            np.empty((n, longest, num_actions), np.int8),
            np.empty((n, longest), np.int8),
            np.empty((n, longest), np.int64),
            np.empty((n, longest), np.float32),
        )
        room = size + n * longest  # the games of all tables may end in the last step
        self._batch = (
            np.empty((room, observation_size), np.uint8),
            np.empty((room, num_actions), np.int8),
            np.empty(room, np.int64),
            np.empty(room, np.float32),
            np.empty(room, np.float32),
            np.empty(room, np.bool_),
        )

    def collect(self, policy: Policy) -> Batch:
        """Play until the games that ended hold ``size`` samples; the others go on in the next batch.

        The batch's arrays are overwritten by the next call.
        """
        filled, games = 0, 0
        while filled < self.size:
            observations, masks = self._seen["observation"], self._seen["action_mask"]
            sample_softmax(policy(observations), masks, self._keys, self._actions, self._log_probs)
            note_down(
                observations,
                masks,
                self._infos["seat"],
                self._actions,
                self._log_probs,
                self._counts,
                *self._kept,
            )
            self._seen, _, ended, _, self._infos = self.vec.step(self._actions)
            filled = flush(
                ended, self._infos["final_scores"], self._counts, *self._kept, filled, *self._batch
            )
            games += int(ended.sum())
        return Batch(*(array[:filled] for array in self._batch), games)


_ROLLOUT = np.uint64(0x6C62_272E_07BB_0142)  # keeps these keys apart from the chance streams' seeds
