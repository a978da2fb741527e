"""Deep Monte Carlo by self-play: one network learns what every action brings in the end, from whole games.

The network gives the values of all actions in one forward and plays in every seat: the legal action of the
highest value, now and then any other. When a game has ended, the values of the actions that were taken move
towards what their seats got. There is no discount and nothing is estimated from other estimates.

Only one action's value is learned from a decision, so the last layer, a third of the multiplications, is
worked out for that action alone in a small kernel; torch goes the way back through the layers before it.

References
----------
R. S. Sutton, A. G. Barto, "Reinforcement learning: an introduction", 2nd edition, 2018, section 5.4:
Monte Carlo control with epsilon-soft policies.
D. Zha et al., "DouZero: mastering DouDizhu with self-play deep reinforcement learning", ICML 2021,
arXiv:2106.06135: the same with a deep network and many games at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents import Agent
from agents.network import POLICY_FILE, mlp
from envs.core.jit import njit
from envs.core.rng import uniform
from envs.core.seeding import as_seed
from envs.core.vector import VectorTables

from .gradients import explained_variance
from .league import League
from .optimiser import Compute, Networks, adam_arrays, as_array, falling, load_adam, set_learning_rate
from .options import check
from .rollout import Rollout, Target, targets_of

if TYPE_CHECKING:
    from .shards import ShardedRollout

_NEXT_KEY = np.uint64(1)


@dataclass(frozen=True)
class DMCConfig:
    """Options of deep Monte Carlo."""

    num_envs: int = 1024
    """Tables played in lockstep."""
    batch: int = 32_768
    """Samples an iteration, at least: what a line of figures is about."""
    ring: int = 65_536
    """So many of the newest samples are learned from."""
    minibatch: int = 4096
    """Samples a gradient step, drawn from the ring after as many new ones: each is used once on average."""
    learning_rate: float = 2e-3
    """Adam's step at the start; falls linearly over the budget."""
    final_learning_rate: float = 2e-4
    """Adam's step at the end."""
    epsilon: float = 0.05
    """Share of actions drawn at random at the start; falls linearly over the budget."""
    final_epsilon: float = 0.01
    """Share of actions drawn at random at the end."""
    max_gradient: float = 1.0
    """Longest gradient; longer ones are cut."""
    hidden: tuple[int, ...] = (256, 256)
    """Layers of the network."""
    target: Target = "score"
    """What is learned: the points of a game, or whether they are above 0, as a winner's are."""
    target_clip: float = 3.0
    """Scores count in units of the game's typical score, up to this many."""
    past: float = 0.0
    """Fraction of the tables where all seats but one are a past self's."""
    fixed: float = 0.0
    """Fraction of the tables where all seats but one are the --opponent's, by default the rule player's."""
    skip_forced: bool = True
    """Leave decisions with one legal action out of what is learned from."""
    bfloat16: bool | None = None
    """Multiply in bfloat16; None: where the processor is fast at it."""

    def __post_init__(self) -> None:
        check(
            "dmc",
            self,
            least={"num_envs": 1, "batch": 1, "ring": 1, "minibatch": 1},
            positive=("learning_rate", "final_learning_rate", "max_gradient", "target_clip"),
            shares=("epsilon", "final_epsilon", "past", "fixed"),
        )


@njit
def sample_epsilon_greedy(values, masks, keys, epsilon, actions, log_probs):
    """Take the legal action of the highest value in every row, or with ``epsilon`` any legal one.

    Writes the action (N,) and its log probability (N,), and moves every key (N,) on.
    """
    for i in range(len(values)):
        best, legal = -1, 0
        for a in range(values.shape[1]):
            if masks[i, a]:
                legal += 1
                if best < 0 or values[i, a] > values[i, best]:
                    best = a
        actions[i] = best
        number = uniform(keys[i])
        keys[i] += _NEXT_KEY
        if number < epsilon:
            left = int(number / epsilon * legal)  # how many legal actions to pass over: uniform
            for a in range(values.shape[1]):
                if masks[i, a]:
                    actions[i] = a  # rounding may leave a rest after the last one
                    if left == 0:
                        break
                    left -= 1
        log_probs[i] = np.log(epsilon / legal + (1 - epsilon if actions[i] == best else 0))


@njit
def taken_gradients(hidden, weight, bias, actions, targets, values, to_hidden, to_weight, to_bias):
    """Gradients of the mean squared error of the values that the last layer gives to ``actions`` (B,).

    The value of a sample is weight[a] . hidden + bias[a], with ``hidden`` (B, H) what comes out of the layers
    before and a its action; its target is in ``targets`` (B,). Writes the ``values`` (B,) and the gradients
    with respect to ``hidden``, and adds those with respect to ``weight`` (A, H) and ``bias`` (A,).
    """
    size, width = hidden.shape
    for i in range(size):
        a = actions[i]
        value = bias[a]
        for k in range(width):
            value += hidden[i, k] * weight[a, k]
        values[i] = value
        pull = np.float32(2) * (value - targets[i]) / np.float32(size)
        for k in range(width):
            to_hidden[i, k] = pull * weight[a, k]
        for k in range(width):
            to_weight[a, k] += pull * hidden[i, k]
        to_bias[a] += pull


class Ring:
    """The newest ``size`` samples: what was seen (O,) uint8 of 0 and 1, what was done, what it brought."""

    def __init__(self, size: int, observation_size: int) -> None:
        self.size = size
        self.added = 0  # since the beginning
        self.observations = np.zeros((size, observation_size), np.uint8)
        self.actions = np.zeros(size, np.int64)
        self.targets = np.zeros(size, np.float32)

    def __len__(self) -> int:
        return min(self.added, self.size)

    def add(
        self, observations: NDArray[np.uint8], actions: NDArray[np.int64], targets: NDArray[np.float32]
    ) -> None:
        """Put samples in the places of the oldest ones; of more than ``size`` the last ones stay."""
        kept = slice(max(0, len(actions) - self.size), len(actions))
        places = np.arange(self.added + kept.start, self.added + kept.stop) % self.size
        self.observations[places] = observations[kept]
        self.actions[places], self.targets[places] = actions[kept], targets[kept]
        self.added += len(actions)

    def state(self) -> dict[str, NDArray[Any]]:
        """Arrays for :meth:`load_state`."""
        filled = slice(len(self))
        return {
            "ring_observations": np.packbits(self.observations[filled], axis=1),
            "ring_actions": self.actions[filled],
            "ring_targets": self.targets[filled],
        }

    def load_state(self, arrays: Mapping[str, NDArray[Any]], added: int) -> None:
        """Go on from the ``state`` of a ring of the same size, to which so many were ``added``."""
        self.added = added
        filled, width = slice(len(self)), self.observations.shape[1]
        self.observations[filled] = np.unpackbits(arrays["ring_observations"], axis=1, count=width)
        self.actions[filled], self.targets[filled] = arrays["ring_actions"], arrays["ring_targets"]


class DMC:
    """The learner: a network, its optimiser, the rollout and the ring that it learns from.

    Parameters
    ----------
    vec : VectorTables
    config : DMCConfig
    seed : int
        Of weights, deals, sampled actions and minibatches.
    opponent : Agent, optional
        Who plays at the tables of ``fixed``; needed if there are any.
    device : str
        Of torch.

    Attributes
    ----------
    policy : nn.Sequential
        From observations (N, O) float32 to the values (N, A) of all actions, in units of the target.
    adviser : None
    sizes : list of int
        Its layers.
    """

    adviser = None

    def __init__(
        self,
        vec: VectorTables,
        config: DMCConfig,
        seed: int,
        opponent: Agent | None = None,
        device: str = "cpu",
    ) -> None:
        torch.manual_seed(as_seed(seed))
        self.config, self.game, self.compute = config, vec.game, Compute(device, config.bfloat16)
        self.sizes = [self.game.observation_size, *config.hidden, self.game.num_actions]
        self.policy = mlp(self.sizes).to(self.compute.device)
        self.optimizer = torch.optim.Adam(self.policy.parameters(), config.learning_rate, fused=True)
        self.rollout: Rollout | ShardedRollout = Rollout(vec, config.minibatch, seed, self._sample)
        self.league: League | None = None
        if config.past or config.fixed:
            self.league = League(vec, config.past, config.fixed, opponent, seed, greedy=True)
        self.ring = Ring(config.ring, self.game.observation_size)
        self.epsilon = config.epsilon
        self._unused = 0  # samples that no gradient step has been made for
        self._rows = np.random.default_rng(as_seed(seed))

    def iterate(self, progress: float) -> dict[str, float]:
        """Play and learn in turn until a batch is played; ``progress`` of the budget is spent (0..1).

        Returns
        -------
        dict of str to float
            ``samples`` and ``games`` of the batch, ``loss`` (mean squared error), ``explained_variance`` of
            the values of the actions taken, as they were before the step that learned from them, ``gradient``
            (mean length before it is cut), ``epsilon``, ``learning_rate``.
        """
        config = self.config
        rate = falling(config, "learning_rate", progress)
        self.epsilon = falling(config, "epsilon", progress)
        set_learning_rate(self.optimizer, rate)
        if self.league is not None:
            self.league.begin(self.policy)
        samples = games = 0
        values, targets, lengths = [], [], []
        while samples < config.batch:
            played, ended = self.play()
            targets_now = targets_of(played["points"], self.game, config.target, config.target_clip)
            self.ring.add(played["observation"], played["action"], targets_now)
            samples, games = samples + len(played), games + ended
            steps, self._unused = divmod(self._unused + len(played), config.minibatch)
            for _ in range(steps):
                rows = self._rows.integers(len(self.ring), size=config.minibatch)
                seen, length = self._learn(rows)
                values.append(seen)
                targets.append(self.ring.targets[rows])
                lengths.append(length)
        if self.league is not None:
            self.league.keep(self.policy, samples)
        all_values, all_targets = np.concatenate(values), np.concatenate(targets)
        return {
            "samples": samples,
            "games": games,
            "loss": float(np.square(all_values - all_targets).mean()),
            "explained_variance": explained_variance(all_values, all_targets),
            "gradient": float(np.mean(lengths)),
            "epsilon": self.epsilon,
            "learning_rate": rate,
        }

    def play(self) -> tuple[NDArray[Any], int]:
        """Games by the network as it is, for a gradient step at least; and how many games these are."""
        with self.compute.acting():
            return self.rollout.collect(self.act, self.league)

    def reseed(self, seed: int) -> None:
        """What others than the network draw from now on depends on ``seed`` alone."""
        if self.league is not None:
            self.league.reseed(seed)

    @property
    def networks(self) -> Networks:
        """The networks by the names of their files, with the sizes of their layers."""
        return {POLICY_FILE: (self.policy, self.sizes)}

    def act(self, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Values (N, A) of all actions."""
        return self.compute.answer(self.policy, observations)

    def state(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Everything that learning goes on from but the weights: arrays, and what JSON can hold."""
        arrays = {**self.rollout.state(), **self.ring.state(), **adam_arrays(self.optimizer)}
        plain: dict[str, Any] = {
            "added": self.ring.added,
            "unused": self._unused,
            "rows": self._rows.bit_generator.state,
        }
        if self.league is not None:
            pool, plain["league"] = self.league.state()
            arrays |= pool
        return arrays, plain

    def load_state(self, arrays: Mapping[str, NDArray[Any]], plain: Mapping[str, Any]) -> None:
        """Go on from the ``state`` of a learner of the same game and options."""
        self.rollout.load_state(arrays)
        self.ring.load_state(arrays, plain["added"])
        load_adam(self.optimizer, arrays)
        self._unused = plain["unused"]
        self._rows.bit_generator.state = plain["rows"]
        if self.league is not None:
            self.league.load_state(arrays, plain["league"], self.policy)

    def _sample(
        self,
        values: NDArray[np.float32],
        masks: NDArray[np.int8],
        keys: NDArray[np.uint64],
        actions: NDArray[np.int64],
        log_probs: NDArray[np.float32],
    ) -> None:
        """As the rollout calls its sampler; how much is drawn at random changes from batch to batch."""
        sample_epsilon_greedy(values, masks, keys, self.epsilon, actions, log_probs)

    def _learn(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.float32], float]:
        """One step on ``rows`` of the ring; returns their values before it and the gradient's length."""
        ring, last = self.ring, self.policy[-1]
        assert isinstance(last, nn.Linear)
        hidden = self.compute.hidden(self.policy, self.compute.inputs(ring.observations[rows]))
        known, weight, bias = map(as_array, (hidden, last.weight, last.bias))
        values, to_hidden = np.empty(len(rows), np.float32), np.empty(known.shape, np.float32)
        to_weight, to_bias = np.zeros_like(weight), np.zeros_like(bias)
        taken_gradients(
            known, weight, bias, ring.actions[rows], ring.targets[rows],
            values, to_hidden, to_weight, to_bias,
        )  # fmt: skip
        self.policy[:-1].zero_grad()
        send = self.compute.send
        torch.autograd.backward(hidden, send(to_hidden).to(hidden.dtype))
        last.weight.grad, last.bias.grad = send(to_weight), send(to_bias)
        length = nn.utils.clip_grad_norm_(self.policy.parameters(), self.config.max_gradient)
        self.optimizer.step()
        return values, float(length)
