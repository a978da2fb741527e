"""Proximal policy optimisation by self-play, one shared network in every seat.

Whole games, reward only at the end and no discount: a seat's advantages come from generalised
advantage estimation along its own decisions. The gradient of the loss is worked out over the legal
actions alone, in a small kernel, and handed to torch for the way back through the network.

References
----------
J. Schulman et al., "Proximal policy optimization algorithms", arXiv:1707.06347, 2017.
J. Schulman et al., "High-dimensional continuous control using generalized advantage estimation",
arXiv:1506.02438, 2015.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.network import POLICY_FILE, mlp
from envs.core.jit import njit
from envs.core.seeding import as_seed
from envs.core.vector import VectorTables

from .optimiser import CRITIC_FILE, Networks, adam_arrays, load_adam
from .rollout import Rollout


@dataclass(frozen=True)
class PPOConfig:
    """Options of PPO."""

    num_envs: int = 1024
    """Tables played in lockstep."""
    batch: int = 32_768
    """Samples an iteration, at least."""
    epochs: int = 4
    """How often each sample is learned from."""
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
    target_clip: float = 3.0
    """Scores count in units of the game's typical score, up to this many."""
    bfloat16: bool | None = None
    """Multiply in bfloat16; None: where the processor is fast at it."""

    def __post_init__(self) -> None:
        for name in ("num_envs", "batch", "epochs", "minibatch"):
            if getattr(self, name) < 1:
                raise ValueError(f"--ppo.{name.replace('_', '-')} is at least 1, not {getattr(self, name)}")
        if min(*self.hidden, *self.critic_hidden, 1) < 1:
            raise ValueError("--ppo.hidden and --ppo.critic-hidden are layers of at least 1 unit")


def has_fast_bfloat16() -> bool:
    """Whether this processor multiplies bfloat16 matrices faster than float32 ones."""
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:  # not Linux
        return False
    return "avx512_bf16" in flags or "amx_bf16" in flags


@njit
def advantages_of(values, rewards, last, gae_lambda, advantages):
    """Generalised advantage estimates (B,), gamma 1, the reward at each trajectory's ``last`` step.

    With delta_t = r_t + V_{t+1} - V_t the estimate is A_t = delta_t + lambda A_{t+1} (equation 16 of
    the GAE paper); nothing follows a last step.
    """
    following_value, following_advantage = np.float32(0), np.float32(0)
    for k in range(len(values) - 1, -1, -1):
        if last[k]:
            delta = rewards[k] - values[k]
            advantages[k] = delta
        else:
            delta = following_value - values[k]
            advantages[k] = delta + gae_lambda * following_advantage
        following_value, following_advantage = values[k], advantages[k]


@njit
def policy_gradient(logits, masks, actions, log_probs, advantages, clip, entropy_weight, gradient, sums):
    """Gradient of PPO's mean loss with respect to the ``logits`` (B, A), over legal actions only.

    The loss of a sample is -min(r a, clamp(r, 1 - clip, 1 + clip) a) - entropy_weight H, with r the
    probability ratio, a the advantage and H the entropy of the softmax over the legal actions.
    Adds the sums over the batch of the policy loss, H, the estimate (r - 1) - log r of the KL
    divergence from the old policy, and the number of clipped samples, to ``sums`` (4,).
    """
    size = len(logits)
    for i in range(size):
        largest = np.float32(-np.inf)
        for a in range(logits.shape[1]):
            if masks[i, a] and logits[i, a] > largest:
                largest = logits[i, a]
        total = np.float32(0)
        weighted = np.float32(0)  # sum of exp(x) x, for the entropy
        for a in range(logits.shape[1]):
            gradient[i, a] = 0
            if masks[i, a]:
                e = np.exp(logits[i, a] - largest)
                gradient[i, a] = e
                total += e
                weighted += e * (logits[i, a] - largest)
        log_total = np.log(total)
        entropy = log_total - weighted / total
        log_ratio = logits[i, actions[i]] - largest - log_total - log_probs[i]
        ratio = np.exp(log_ratio)
        advantage = advantages[i]
        clipped = (advantage > 0 and ratio > 1 + clip) or (advantage < 0 and ratio < 1 - clip)
        pull = np.float32(0) if clipped else ratio * advantage / size
        for a in range(logits.shape[1]):
            if masks[i, a]:
                p = gradient[i, a] / total
                log_p = logits[i, a] - largest - log_total
                gradient[i, a] = p * (pull + entropy_weight * (log_p + entropy) / size)
        gradient[i, actions[i]] -= pull
        bounded = min(max(ratio, 1 - clip), 1 + clip)
        sums[0] -= min(ratio * advantage, bounded * advantage)
        sums[1] += entropy
        sums[2] += ratio - 1 - log_ratio
        sums[3] += clipped


def explained_variance(predictions: NDArray[Any], targets: NDArray[Any]) -> float:
    """Share of the variance of ``targets`` that ``predictions`` explain; 0 where there is none."""
    variance = float(np.var(targets))
    return 1 - float(np.var(targets - predictions)) / variance if variance else 0.0


class PPO:
    """The learner: a policy and a critic, their optimiser, and the rollout they learn from.

    Parameters
    ----------
    vec : VectorTables
        With ``skip_forced=True``.
    config : PPOConfig
    seed : int
        Of weights, deals, sampled actions and minibatches.
    """

    def __init__(self, vec: VectorTables, config: PPOConfig, seed: int) -> None:
        torch.manual_seed(as_seed(seed) >> 1)  # torch takes 63 bits
        size, actions = vec.game.observation_size, vec.game.num_actions
        self.config = config
        self.sizes = [size, *config.hidden, actions]
        self.critic_sizes = [size, *config.critic_hidden, 1]
        self.policy, self.critic = mlp(self.sizes), mlp(self.critic_sizes)
        self.optimizer = torch.optim.Adam(
            [*self.policy.parameters(), *self.critic.parameters()], config.learning_rate, fused=True
        )
        self.rollout = Rollout(vec, config.batch, seed)
        self.scale = vec.game.typical_score * vec.game.denominator  # final scores are whole multiples
        self.bfloat16 = has_fast_bfloat16() if config.bfloat16 is None else config.bfloat16
        self.dtype = torch.bfloat16 if self.bfloat16 else torch.float32
        self._order = np.random.default_rng(as_seed(seed))

    def iterate(self, progress: float) -> dict[str, float]:
        """Play a batch and learn from it; ``progress`` of the budget is spent (0..1).

        Returns
        -------
        dict of str to float
            ``samples`` and ``games`` of the batch, ``loss``, ``value_loss``, ``entropy``, ``kl``,
            ``clipped`` (share of samples), ``explained_variance`` of the critic, ``learning_rate``.
        """
        config = self.config
        rate = config.learning_rate + (config.final_learning_rate - config.learning_rate) * min(progress, 1.0)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        batch, games = self.rollout.collect(self.act)
        targets = np.clip(batch["points"] / self.scale, -config.target_clip, config.target_clip)
        values = self.evaluate(batch["observation"])
        advantages = np.empty_like(values)
        advantages_of(values, targets, batch["last"], np.float32(config.gae_lambda), advantages)
        returns = advantages + values
        sums, steps, value_loss = np.zeros(4), 0, 0.0
        for rows in self._minibatches(len(batch)):
            value_loss += self._learn(batch[rows], advantages[rows], returns[rows], sums)
            steps += 1
        seen = config.epochs * len(batch)
        return {
            "samples": len(batch),
            "games": games,
            "loss": sums[0] / seen,
            "value_loss": value_loss / steps,
            "entropy": sums[1] / seen,
            "kl": sums[2] / seen,
            "clipped": sums[3] / seen,
            "explained_variance": explained_variance(values, targets),
            "learning_rate": rate,
        }

    def state(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Everything that learning goes on from but the weights: arrays, and what JSON can hold."""
        arrays = {**self.rollout.state(), **adam_arrays(self.optimizer)}
        return arrays, {"order": self._order.bit_generator.state}

    def load_state(self, arrays: Mapping[str, NDArray[Any]], plain: Mapping[str, Any]) -> None:
        """Go on from the ``state`` of a learner of the same game and options."""
        self.rollout.load_state(arrays)
        load_adam(self.optimizer, arrays)
        self._order.bit_generator.state = plain["order"]

    @property
    def networks(self) -> Networks:
        """The networks by the names of their files, with the sizes of their layers."""
        return {POLICY_FILE: (self.policy, self.sizes), CRITIC_FILE: (self.critic, self.critic_sizes)}

    def act(self, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Logits (N, A) of the policy."""
        return self._forward(self.policy, observations)

    def evaluate(self, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        """What the critic expects (N,), in units of the target."""
        chunk = self.config.minibatch
        parts = [
            self._forward(self.critic, observations[k : k + chunk])
            for k in range(0, len(observations), chunk)
        ]
        return np.concatenate(parts)[:, 0]

    def _forward(self, net: nn.Sequential, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        with torch.inference_mode(), self._precision():
            out: NDArray[np.float32] = net(torch.from_numpy(observations).to(self.dtype)).float().numpy()
        return out

    def _precision(self) -> AbstractContextManager[Any]:
        return torch.autocast("cpu", torch.bfloat16) if self.bfloat16 else nullcontext()

    def _minibatches(self, size: int) -> Iterator[NDArray[np.int64]]:
        """Rows of all minibatches: every epoch in an order of its own, in equal parts."""
        parts = max(1, round(size / self.config.minibatch))
        for _ in range(self.config.epochs):
            yield from np.array_split(self._order.permutation(size), parts)

    def _learn(
        self,
        samples: NDArray[Any],
        advantages: NDArray[np.float32],
        returns: NDArray[np.float32],
        sums: NDArray[np.float64],
    ) -> float:
        """One gradient step on some samples; returns the critic's loss."""
        config = self.config
        seen = torch.from_numpy(samples["observation"]).to(self.dtype)
        with self._precision():
            logits, values = self.policy(seen), self.critic(seen)
        normalised = (advantages - advantages.mean()) / (advantages.std() + np.float32(1e-8))
        gradient = np.empty(logits.shape, np.float32)
        policy_gradient(
            logits.detach().float().numpy(), samples["action_mask"], samples["action"], samples["log_prob"],
            normalised, np.float32(config.clip), np.float32(config.entropy), gradient, sums,
        )  # fmt: skip
        value_loss = 0.5 * nn.functional.mse_loss(values[:, 0].float(), torch.from_numpy(returns))
        self.optimizer.zero_grad()
        torch.autograd.backward(
            [logits, value_loss], [torch.from_numpy(gradient).to(logits.dtype), torch.ones(())]
        )
        nn.utils.clip_grad_norm_(self.policy.parameters(), config.max_gradient)
        nn.utils.clip_grad_norm_(self.critic.parameters(), config.max_gradient)
        self.optimizer.step()
        return float(value_loss.detach())
