"""Playing games for training: whole games only, recorded decision by decision, flushed seat by seat.

Every table's decisions go into its own buffer. When its game ends they move to the batch, one seat
after another, each with the points that its seat got in the end: there is nothing to bootstrap and
no seat's next observation is another seat's. Forced decisions are played by the environment and
never seen here. A **sample** is one recorded decision.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs.core.game import GameInfo
from envs.core.jit import njit
from envs.core.rng import mix_in, uniform
from envs.core.seeding import as_seed
from envs.core.vector import VectorTables

# Logits (N, A) float32 for observations (N, O) uint8.
Policy = Callable[[NDArray[np.uint8]], NDArray[np.float32]]
Sampler = Callable[..., None]  # (logits, masks, keys, actions, log_probs), see sample_softmax

_NEXT_KEY = np.uint64(1)
_STREAM = 0x5E1F  # keeps these random numbers apart from others made from the same seed


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
def note_down(observations, masks, seats, actions, log_probs, counts, kept):
    """Append every table's decision to its row of ``kept`` (N, D); ``counts`` (N,) are their lengths."""
    for i in range(len(observations)):
        sample = kept[i, counts[i]]
        sample.observation[:] = observations[i]
        sample.action_mask[:] = masks[i]
        sample.seat = seats[i]
        sample.action = actions[i]
        sample.log_prob = log_probs[i]
        counts[i] += 1


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


def sample_dtype(info: GameInfo) -> np.dtype[Any]:
    """A sample: what the seat saw and did, and what came of it."""
    return np.dtype(
        [
            ("observation", np.uint8, (info.observation_size,)),
            ("action_mask", np.int8, (info.num_actions,)),
            ("seat", np.int8),
            ("last", np.bool_),  # the seat's last decision of its game
            ("action", np.int64),
            ("log_prob", np.float32),  # of the action, under the policy that chose it
            ("points", np.float32),  # what the seat scored in the end
        ],
        align=True,
    )


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
    sample : callable
        Chooses from what the policy gives, as ``sample_softmax`` does.
    """

    def __init__(self, vec: VectorTables, size: int, seed: int, sample: Sampler = sample_softmax) -> None:
        self.vec, self.size, self._sample = vec, size, sample
        n, longest = vec.num_envs, vec.game.max_decisions
        own = mix_in(np.arange(n, dtype=np.uint64), _STREAM, as_seed(seed))  # no other seed's tables
        self._seen, self._infos = vec.reset(seed=own.tolist())
        self._keys = mix_in(own, _STREAM)
        self._actions = np.zeros(n, np.int64)
        self._log_probs = np.zeros(n, np.float32)
        dtype = sample_dtype(vec.game)
        self._kept = np.zeros((n, longest), dtype)
        self._counts = np.zeros(n, np.int64)
        self._batch = np.zeros(size + n * longest, dtype)  # all games may end in the last step

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that the next batch depends on but the policy: arrays for :meth:`load_state`."""
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

    def collect(self, policy: Policy) -> tuple[NDArray[Any], int]:
        """Play until the games that ended hold ``size`` samples; the others go on in the next batch.

        Returns
        -------
        batch : (B,) records of ``sample_dtype``
            Whole games, a seat's decisions of a game one behind the other; overwritten by the next call.
        games : int
            How many games these are.
        """
        filled, games = 0, 0
        while filled < self.size:
            observations, masks = self._seen["observation"], self._seen["action_mask"]
            self._sample(policy(observations), masks, self._keys, self._actions, self._log_probs)
            seats = self._infos["seat"]
            note_down(observations, masks, seats, self._actions, self._log_probs, self._counts, self._kept)
            self._seen, _, ended, _, self._infos = self.vec.step(self._actions)
            scores = self._infos["final_scores"]
            filled = flush(ended, scores, self._counts, self._kept, self._batch, filled)
            games += int(ended.sum())
        return self._batch[:filled], games
