"""Proximal policy optimisation by self-play, one shared network in every seat.

Whole games, reward only at the end and no discount: a seat's advantages come from generalised
advantage estimation along its own decisions. The gradient of the loss is worked out over the legal
actions alone, in a small kernel (``gradients.py``), and handed to torch for the way back through the network.

References
----------
J. Schulman et al., "Proximal policy optimization algorithms", arXiv:1707.06347, 2017.
J. Schulman et al., "High-dimensional continuous control using generalized advantage estimation",
arXiv:1506.02438, 2015.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents import Agent
from agents.adviser import Adviser
from agents.network import POLICY_FILE, mlp
from envs.core.seeding import as_seed
from envs.core.vector import VectorTables

from .gradients import (
    advantages_of,
    explained_variance,
    one_hot,
    policy_gradient,
    pull_towards,
    softmax,
)
from .imitation import PRIOR_FILE, WarmStart
from .league import League
from .optimiser import (
    CRITIC_FILE,
    Compute,
    Networks,
    adam_arrays,
    as_array,
    falling,
    load_adam,
    set_learning_rate,
)
from .options import check
from .rollout import Rollout, Target, targets_of

if TYPE_CHECKING:
    from .shards import ShardedRollout


@dataclass(frozen=True)
class PPOConfig:
    """Options of PPO."""

    num_envs: int = 1024
    """Tables played in lockstep."""
    batch: int = 32_768
    """Samples an iteration, at least; a multiple of minibatch."""
    epochs: int = 4
    """How often each sample is learned from, but for a rest that fills no minibatch."""
    minibatch: int = 2048
    """Samples a gradient step."""
    learning_rate: float = 1e-3
    """Adam's step at the start; falls linearly over the budget."""
    final_learning_rate: float = 1e-4
    """Adam's step at the end."""
    clip: float = 0.2
    """How far a probability ratio may move before its gradient stops."""
    entropy: float = 0.01
    """Weight of the policy's entropy."""
    gae_lambda: float = 0.95
    """Lambda of generalised advantage estimation; gamma is 1."""
    max_gradient: float = 0.5
    """Longest gradient; longer ones are cut."""
    hidden: tuple[int, ...] = (256, 256)
    """Layers of the policy network."""
    critic_hidden: tuple[int, ...] = (128, 128)
    """Layers of the critic."""
    target: Target = "score"
    """What is learned: the points of a game, or whether they are above 0, as a winner's are."""
    target_clip: float = 3.0
    """Scores count in units of the game's typical score, up to this many."""
    past: float = 0.0
    """Fraction of the tables where all seats but one are a past self's."""
    fixed: float = 0.0
    """Fraction of the tables where all seats but one are the --opponent's, by default the rule player's."""
    all_hands: bool = False
    """The critic, which is needed for learning alone, sees everybody's cards."""
    skip_forced: bool = True
    """Leave decisions with one legal action out of what is learned from."""
    warm_samples: int = 1_000_000
    """With --warm-start: so many of the teacher's decisions are learned from first."""
    warm_pull: float = 0.1
    """Weight of the divergence from the policy learned so; falls linearly to 0 over the budget."""
    advice_weight: float = 4.0
    """With --adviser: by how much the logit of its action is raised; by 4 it is nine times as probable at
    first as six others together."""
    graded: bool = True
    """With --adviser: the network sees also by how little other actions are worse to it."""
    bfloat16: bool | None = None
    """Multiply in bfloat16; None: where the processor is fast at it."""

    def __post_init__(self) -> None:
        check(
            "ppo",
            self,
            least={"num_envs": 1, "batch": 1, "epochs": 1, "minibatch": 1, "entropy": 0, "warm_samples": 1,
                   "warm_pull": 0, "advice_weight": 0},
            positive=("learning_rate", "final_learning_rate", "clip", "max_gradient", "target_clip"),
            shares=("gae_lambda", "past", "fixed"),
        )  # fmt: skip
        if self.batch % self.minibatch:
            raise ValueError(
                f"--ppo.batch is a multiple of --ppo.minibatch ({self.minibatch}), not {self.batch}"
            )


class PPO:
    """The learner: a policy and a critic, their optimiser, and the rollout they learn from.

    Parameters
    ----------
    vec : VectorTables
    config : PPOConfig
    seed : int
        Of weights, deals, sampled actions and minibatches.
    teacher : callable, optional
        Gives the agent whose play is learned first.
    opponent : Agent, optional
        Who plays at the tables of ``fixed``; needed if there are any.
    adviser : Adviser, optional
        Whose action the networks see.
    device : str
        Of torch.

    Attributes
    ----------
    parameters : list of nn.Parameter
        Of policy and critic.
    is_taught : bool
        Whether the teacher has all seats.
    average : callable or None
        Called with all parameters when their gradients are there, to average them with other processes'.
    """

    def __init__(
        self,
        vec: VectorTables,
        config: PPOConfig,
        seed: int,
        teacher: Callable[[], Agent] | None = None,
        opponent: Agent | None = None,
        adviser: Adviser | None = None,
        device: str = "cpu",
    ) -> None:
        torch.manual_seed(as_seed(seed))
        self.config, self.game, self.compute = config, vec.game, Compute(device, config.bfloat16)
        self.adviser = adviser
        rollout = Rollout(vec, config.batch, seed, all_hands=config.all_hands, adviser=adviser)
        self.rollout: Rollout | ShardedRollout = rollout
        self.sizes = [rollout.policy_width, *config.hidden, self.game.num_actions]
        self.critic_sizes = [rollout.width, *config.critic_hidden, 1]
        self.policy = mlp(self.sizes).to(self.compute.device)
        self.critic = mlp(self.critic_sizes).to(self.compute.device)
        self.parameters = [*self.policy.parameters(), *self.critic.parameters()]
        self.optimizer = torch.optim.Adam(self.parameters, config.learning_rate, fused=True)
        self.league: League | None = None
        if config.past or config.fixed:
            self.league = League(
                vec, config.past, config.fixed, opponent, seed, greedy=False, adviser=adviser
            )
        self.warm_start: WarmStart | None = None
        if teacher is not None:
            self.warm_start = WarmStart(vec, teacher, seed, config.warm_samples, self.policy)
        self.is_taught = self.warm_start is not None
        self.average: Callable[[Sequence[nn.Parameter]], None] | None = None
        self._order = np.random.default_rng(as_seed(seed))

    def iterate(self, progress: float) -> dict[str, float]:
        """Play a batch and learn from it; ``progress`` of the budget is spent (0..1).

        Returns
        -------
        dict of str to float
            ``samples`` and ``games`` of the batch, ``loss``, ``value_loss``, ``entropy``, ``kl``,
            ``clipped`` (share of samples), ``explained_variance`` of the critic, ``learning_rate``; after a
            warm start also ``prior_kl``, the divergence from the teacher's actions, later from the policy
            that came of them.
        """
        config, progress = self.config, min(progress, 1.0)
        rate = falling(config, "learning_rate", progress)
        set_learning_rate(self.optimizer, rate)
        if self.warm_start is not None and self.is_taught:
            return self._imitate(self.warm_start) | {"learning_rate": rate}
        if self.league is not None:
            self.league.begin(self.policy)
        batch, games = self.play()
        values, targets = self.evaluate(batch["observation"]), self._targets(batch)
        advantages = np.empty_like(values)
        advantages_of(values, targets, batch["last"], np.float32(config.gae_lambda), advantages)
        returns, pull = advantages + values, config.warm_pull * (1 - progress)
        sums, steps, value_loss = np.zeros(5), 0, 0.0
        for rows in self._minibatches(len(batch), epochs=config.epochs):
            value_loss += self._learn(batch[rows], advantages[rows], returns[rows], pull, sums)
            steps += 1
        if self.league is not None:
            self.league.keep(self.policy, len(batch))
        return {
            "samples": len(batch),
            "games": games,
            **self._figures(sums, value_loss, steps),
            "explained_variance": explained_variance(values, targets),
            "learning_rate": rate,
        }

    def play(self) -> tuple[NDArray[Any], int]:
        """A batch of games by the networks as they are, or by the teacher; and how many games these are."""
        with self.compute.acting():
            return self.rollout.collect(self.act, self.warm_start if self.is_taught else self.league)

    def reseed(self, seed: int) -> None:
        """What others than the policy draw from now on depends on ``seed`` alone."""
        for others in (self.league, self.warm_start):
            if others is not None:
                others.reseed(seed)

    def _figures(self, sums: NDArray[np.float64], value_loss: float, steps: int) -> dict[str, float]:
        """Means of what was summed up over so many gradient ``steps``."""
        loss, entropy, kl, clipped, prior_kl = (sums / (steps * self.config.minibatch)).tolist()
        figures = {"loss": loss, "value_loss": value_loss / steps, "entropy": entropy, "kl": kl}
        figures["clipped"] = clipped
        return figures if self.warm_start is None else {**figures, "prior_kl": prior_kl}

    def _imitate(self, warm_start: WarmStart) -> dict[str, float]:
        """Let the teacher play a batch and learn it, every sample once."""
        batch, games = self.play()
        values, targets = self.evaluate(batch["observation"]), self._targets(batch)
        sums, steps, value_loss = np.zeros(5), 0, 0.0
        for rows in self._minibatches(len(batch), epochs=1):
            samples = batch[rows]
            logits, expected = self._forward(samples)
            gradient = np.zeros(logits.shape, np.float32)
            goals = one_hot(samples["action"], self.game.num_actions)
            divergence, entropy = pull_towards(
                self._raised(logits, samples), samples["action_mask"], goals, np.float32(1), gradient
            )
            sums += divergence, entropy, 0, 0, divergence
            value_loss += self._step(logits, gradient, expected, targets[rows])
            steps += 1
        if warm_start.note(self.config.batch, self.policy):  # as many in every process
            self.is_taught = False
            self.rollout.forget()  # what the teacher has begun
        return {
            "samples": len(batch),
            "games": games,
            **self._figures(sums, value_loss, steps),
            "explained_variance": explained_variance(values, targets),
        }

    def _learn(
        self,
        samples: NDArray[Any],
        advantages: NDArray[np.float32],
        returns: NDArray[np.float32],
        pull: float,
        sums: NDArray[np.float64],
    ) -> float:
        """One gradient step of PPO on some samples; returns the critic's loss.

        Adds to ``sums`` (5,): loss, entropy, KL estimate, clipped samples, divergence from the prior.
        """
        config, masks = self.config, samples["action_mask"]
        logits, values = self._forward(samples)
        known = self._raised(logits, samples)
        normalised = (advantages - advantages.mean()) / (advantages.std() + np.float32(1e-8))
        gradient = np.empty(logits.shape, np.float32)
        policy_gradient(
            known, masks, samples["action"], samples["log_prob"], normalised,
            np.float32(config.clip), np.float32(config.entropy), gradient, sums,
        )  # fmt: skip
        if self.warm_start is not None:
            goals = np.empty_like(gradient)
            softmax(self._ask(self.warm_start.prior, samples["observation"]), masks, goals)
            sums[4] += pull_towards(known, masks, goals, np.float32(pull), gradient)[0]
        return self._step(logits, gradient, values, returns)

    def _step(
        self,
        logits: torch.Tensor,
        gradient: NDArray[np.float32],
        values: torch.Tensor,
        returns: NDArray[np.float32],
    ) -> float:
        """A step of Adam, given the gradient of the loss with respect to the ``logits``."""
        wanted = self.compute.send(returns)
        value_loss = 0.5 * nn.functional.mse_loss(values[:, 0].float(), wanted)
        self.optimizer.zero_grad()
        pull = self.compute.send(gradient).to(logits.dtype)
        torch.autograd.backward([logits, value_loss], [pull, torch.ones_like(value_loss)])
        if self.average is not None:
            self.average(self.parameters)
        nn.utils.clip_grad_norm_(self.policy.parameters(), self.config.max_gradient)
        nn.utils.clip_grad_norm_(self.critic.parameters(), self.config.max_gradient)
        self.optimizer.step()
        return float(value_loss.detach())

    def _targets(self, batch: NDArray[Any]) -> NDArray[np.float32]:
        return targets_of(batch["points"], self.game, self.config.target, self.config.target_clip)

    def _minibatches(self, size: int, *, epochs: int) -> Iterator[NDArray[np.int64]]:
        """Rows of all minibatches: every epoch in an order of its own, without the rest that fills none.

        All are of one size: torch keeps compiled bfloat16 kernels for every shape that it meets.
        """
        for _ in range(epochs):
            yield from self._order.permutation(size)[: self.config.batch].reshape(-1, self.config.minibatch)

    def _forward(self, samples: NDArray[Any]) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits (B, A), of which only the legal actions' count, and values (B, 1), with gradients."""
        observations, own = samples["observation"], self.sizes[0]
        to_critic = self.compute.inputs(observations)
        to_policy = to_critic if self.critic_sizes[0] == own else self.compute.inputs(observations[:, :own])
        logits = self.compute.logits(self.policy, to_policy, samples["action_mask"])
        return logits, self.compute.values(self.critic, to_critic)

    def _ask(self, net: nn.Sequential, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        """What a policy gives (B, A) for observations (B, O), or such with all hands behind them."""
        seen = observations[:, : self.sizes[0]]
        logits = self.compute.answer(net, seen)
        return logits if self.adviser is None else self.adviser.raised(logits, seen)

    def _raised(self, logits: torch.Tensor, samples: NDArray[Any]) -> NDArray[np.float32]:
        """The policy's logits as numbers; what an adviser adds to them is no matter of gradients."""
        known, seen = as_array(logits), samples["observation"][:, : self.sizes[0]]
        return known if self.adviser is None else self.adviser.raised(known, seen)

    def act(self, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Logits (N, A) of the policy."""
        return self._ask(self.policy, observations)

    def evaluate(self, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        """What the critic expects (N,), in units of the target; N is at least a minibatch."""
        values, size = np.empty(len(observations), np.float32), self.config.minibatch
        for k in range(0, len(values), size):
            part = slice(min(k, len(values) - size), k + size)  # all of one size
            values[part] = self.compute.answer(self.critic, observations[part])[:, 0]
        return values

    @property
    def networks(self) -> Networks:
        """The networks by the names of their files, with the sizes of their layers."""
        networks = {POLICY_FILE: (self.policy, self.sizes), CRITIC_FILE: (self.critic, self.critic_sizes)}
        if self.warm_start is not None:
            networks[PRIOR_FILE] = (self.warm_start.prior, self.sizes)
        return networks

    def state(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Everything that learning goes on from but the weights: arrays, and what JSON can hold."""
        arrays = {**self.rollout.state(), **adam_arrays(self.optimizer)}
        plain: dict[str, Any] = {"order": self._order.bit_generator.state}
        if self.league is not None:
            pool, plain["league"] = self.league.state()
            arrays |= pool
        if self.warm_start is not None:
            plain["warm_start"] = self.warm_start.state()
        return arrays, plain

    def load_state(self, arrays: Mapping[str, NDArray[Any]], plain: Mapping[str, Any]) -> None:
        """Go on from the ``state`` of a learner of the same game and options."""
        self.rollout.load_state(arrays)
        load_adam(self.optimizer, arrays)
        self._order.bit_generator.state = plain["order"]
        if self.league is not None:
            self.league.load_state(arrays, plain["league"], self.policy)
        if self.warm_start is not None:
            self.warm_start.load_state(plain["warm_start"])
            self.is_taught = self.warm_start.samples_left > 0
