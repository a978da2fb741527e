"""Rollout policy iteration: a network learns what search with a rule player would find out.

In games that the network plays with itself every action of a decision is tried: the rule player plays it out
in the game as it stands (``trials.py``). The policy moves towards what brings most in the mean over the deals
that its seat cannot tell apart: towards the play of a search with infinitely many worlds, at the price of one
forward. Where PPO hears of one action at the end of a whole game, here all actions are heard of, compared in
the same deal.

With the gains g(a) on the rule player's action, in points, and a temperature T the loss of a decision is

    sum over a of p(a) (log p(a) - g(a) / T),

the divergence of the policy p from the Boltzmann distribution of g, but for what does not depend on p: in the
mean over deals it is least where p is that of the mean gains. So a logit stands for so many T points. The
network plays the action that is best by the logits, the rule player's raised: what gains less than
``advice_weight`` temperatures is left alone, since such differences are luck.

What is learned so is what a rule player can make of a position, and no more. With ``playouts="own"`` the
network, as it is, plays the games out in all seats, so the next iteration of the policy is learned. It takes
some four times as long a sample. So a network learns from the rule player first, and from itself then
(``--start-from``), with small steps.

References
----------
G. Tesauro, G. Galperin, "On-line policy improvement using Monte-Carlo search", NIPS 9, 1996.
M. Lagoudakis, R. Parr, "Reinforcement learning as classification: leveraging modern classifiers", ICML 2003.
C. Allen et al., "Mean actor critic", arXiv:1709.00503, 2017: gradients over all actions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.adviser import Adviser
from agents.network import POLICY_FILE, mlp
from envs.core.seeding import as_seed
from envs.core.vector import VectorTables

from .gradients import boltzmann_gradient
from .optimiser import Compute, Networks, adam_arrays, as_array, falling, load_adam, set_learning_rate
from .options import check
from .trials import Trials

if TYPE_CHECKING:
    from .shards import ShardedRollout


Player = Literal["rule", "own"]


@dataclass(frozen=True)
class RPIConfig:
    """Options of rollout policy iteration."""

    num_envs: int = 512
    """Tables played in lockstep."""
    batch: int = 32_768
    """Samples an iteration, at least; a multiple of minibatch."""
    epochs: int = 2
    """How often each sample is learned from, but for those above the batch."""
    minibatch: int = 2048
    """Samples a gradient step."""
    playouts: Player = "rule"
    """Who plays the games out: the adviser, or the network itself as it is."""
    least_tried: float = 0.01
    """With own playouts: what the network finds less probable is not tried, nor are decisions where nothing
    else is left."""
    share: float = 0.5
    """Of the decisions between several actions that are tried; neighbours tell much the same."""
    learning_rate: float = 1e-3
    """Adam's step at the start; falls linearly over the budget."""
    final_learning_rate: float = 5e-5
    """Adam's step at the end."""
    temperature: float = 0.04
    """Gains that one logit stands for, in units of the game's typical score."""
    target_clip: float = 3.0
    """Gains and losses count up to this many typical scores."""
    graded: bool = True
    """The network sees also by how little other actions are worse to the adviser."""
    advice_weight: float = 1.0
    """By how much the adviser's action is raised when the network acts: it is left for more than that."""
    epsilon: float = 0.05
    """Share of actions drawn at random at the start; falls linearly over the budget."""
    final_epsilon: float = 0.02
    """Share of actions drawn at random at the end."""
    max_gradient: float = 5.0
    """Longest gradient; longer ones are cut."""
    hidden: tuple[int, ...] = (256, 256)
    """Layers of the network."""
    bfloat16: bool | None = None
    """Multiply in bfloat16; None: where the processor is fast at it."""

    def __post_init__(self) -> None:
        check(
            "rpi",
            self,
            least={"num_envs": 1, "batch": 1, "epochs": 1, "minibatch": 1, "advice_weight": 0},
            positive=(
                *("learning_rate", "final_learning_rate", "share", "temperature", "target_clip"),
                "max_gradient",
            ),
            shares=("share", "least_tried", "epsilon", "final_epsilon"),
        )
        if self.playouts not in get_args(Player):
            known = ", ".join(get_args(Player))
            raise ValueError(f"--rpi.playouts is one of {known}, not {self.playouts!r}")
        if self.least_tried >= 0.5:  # a decision counts where two actions are so probable
            raise ValueError(f"--rpi.least-tried is below 0.5, not {self.least_tried}")
        if self.batch % self.minibatch:
            raise ValueError(
                f"--rpi.batch is a multiple of --rpi.minibatch ({self.minibatch}), not {self.batch}"
            )


class RPI:
    """The learner: a policy, its optimiser, and the trials that it learns from.

    Parameters
    ----------
    vec : VectorTables
    config : RPIConfig
    seed : int
        Of weights, deals, what is drawn, and minibatches.
    adviser : Adviser
        Whose opinion the network sees, and whose rule player plays the games out.
    device : str
        Of torch.
    """

    def __init__(
        self, vec: VectorTables, config: RPIConfig, seed: int, adviser: Adviser, device: str = "cpu"
    ) -> None:
        torch.manual_seed(as_seed(seed))
        self.config, self.game, self.adviser = config, vec.game, adviser
        self.compute = Compute(device, config.bfloat16)
        least = config.least_tried if config.playouts == "own" else None
        self.rollout: Trials | ShardedRollout = Trials(vec, config.batch, seed, adviser, config.share, least)
        self.epsilon = config.epsilon
        inputs = self.game.observation_size + adviser.width(self.game.num_actions)
        self.sizes = [inputs, *config.hidden, self.game.num_actions]
        self.policy = mlp(self.sizes).to(self.compute.device)
        self.optimizer = torch.optim.Adam(self.policy.parameters(), config.learning_rate, fused=True)
        self._order = np.random.default_rng(as_seed(seed))

    def iterate(self, progress: float) -> dict[str, float]:
        """Try a batch of decisions and learn from them; ``progress`` of the budget is spent (0..1).

        Returns
        -------
        dict of str to float
            ``samples`` and ``games`` of the batch, ``loss``, ``entropy``, ``gain`` (what a draw by softmax,
            the adviser not raised, gains by a decision on the adviser, or with own playouts on what the
            network plays, in points), ``gradient`` (mean length before it is cut), ``epsilon``,
            ``learning_rate``.
        """
        config = self.config
        rate = falling(config, "learning_rate", progress)
        self.epsilon = falling(config, "epsilon", progress)
        set_learning_rate(self.optimizer, rate)
        batch, games = self.play()
        unit = self.game.typical_score * self.game.denominator  # final scores are whole multiples
        most = config.target_clip * unit
        sums, lengths = np.zeros(3), []
        for _ in range(config.epochs):
            order = self._order.permutation(len(batch))[: config.batch]
            for rows in order.reshape(-1, config.minibatch):
                samples = batch[rows]
                gains = np.clip(samples["gains"], -most, most) / np.float32(config.temperature * unit)
                lengths.append(self._learn(samples, gains, sums))
        loss, entropy, gain = (sums / (len(lengths) * config.minibatch)).tolist()
        return {
            "samples": len(batch),
            "games": games,
            "loss": loss,
            "entropy": entropy,
            "gain": gain * config.temperature * self.game.typical_score,
            "gradient": float(np.mean(lengths)),
            "epsilon": self.epsilon,
            "learning_rate": rate,
        }

    def play(self) -> tuple[NDArray[Any], int]:
        """A batch of tried decisions of games by the policy as it is; and how many games have ended."""
        with self.compute.acting():
            return self.rollout.collect(self.act, self.epsilon)

    def _learn(self, samples: NDArray[Any], gains: NDArray[np.float32], sums: NDArray[np.float64]) -> float:
        """One gradient step, given gains (B, A) in temperatures; returns the gradient's length.

        Adds to ``sums`` (3,): loss, entropy, what the policy gains.
        """
        masks = samples["action_mask"]
        logits = self.compute.logits(self.policy, self.compute.inputs(samples["observation"]), masks)
        gradient = np.empty(logits.shape, np.float32)
        boltzmann_gradient(as_array(logits), masks, gains, gradient, sums)
        self.optimizer.zero_grad()
        torch.autograd.backward(logits, self.compute.send(gradient).to(logits.dtype))
        length = nn.utils.clip_grad_norm_(self.policy.parameters(), self.config.max_gradient)
        self.optimizer.step()
        return float(length)

    def act(self, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Logits (N, A), the adviser's action raised, for observations with its action behind them."""
        return self.adviser.raised(self.compute.answer(self.policy, observations), observations)

    @property
    def networks(self) -> Networks:
        """The networks by the names of their files, with the sizes of their layers."""
        return {POLICY_FILE: (self.policy, self.sizes)}

    def state(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Everything that learning goes on from but the weights: arrays, and what JSON can hold."""
        arrays = {**self.rollout.state(), **adam_arrays(self.optimizer)}
        return arrays, {"order": self._order.bit_generator.state}

    def load_state(self, arrays: Mapping[str, NDArray[Any]], plain: Mapping[str, Any]) -> None:
        """Go on from the ``state`` of a learner of the same game and options."""
        self.rollout.load_state(arrays)
        load_adam(self.optimizer, arrays)
        self._order.bit_generator.state = plain["order"]
