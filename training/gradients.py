"""Kernels that policies learn by: advantages, and gradients of losses over the legal actions alone.

Gradients are with respect to the logits; torch goes the way back through the network from there.

References
----------
J. Schulman et al., "Proximal policy optimization algorithms", arXiv:1707.06347, 2017.
J. Schulman et al., "High-dimensional continuous control using generalized advantage estimation",
arXiv:1506.02438, 2015.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs.core.jit import njit

from .rollout import log_total


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
        total = log_total(logits[i], masks[i])
        entropy = np.float32(0)
        for a in range(logits.shape[1]):
            gradient[i, a] = 0
            if masks[i, a]:
                log_p = logits[i, a] - total
                gradient[i, a] = np.exp(log_p)
                entropy -= gradient[i, a] * log_p
        log_ratio = logits[i, actions[i]] - total - log_probs[i]
        ratio = np.exp(log_ratio)
        advantage = advantages[i]
        clipped = (advantage > 0 and ratio > 1 + clip) or (advantage < 0 and ratio < 1 - clip)
        pull = np.float32(0) if clipped else ratio * advantage / size
        for a in range(logits.shape[1]):
            if masks[i, a]:
                p = gradient[i, a]
                gradient[i, a] = p * (pull + entropy_weight * (logits[i, a] - total + entropy) / size)
        gradient[i, actions[i]] -= pull
        bounded = min(max(ratio, 1 - clip), 1 + clip)
        sums[0] -= min(ratio * advantage, bounded * advantage)
        sums[1] += entropy
        sums[2] += ratio - 1 - log_ratio
        sums[3] += clipped


@njit
def softmax(logits, masks, probabilities):
    """Write the softmax of ``logits`` (B, A) over the legal actions, zero elsewhere."""
    for i in range(len(logits)):
        total = log_total(logits[i], masks[i])
        for a in range(logits.shape[1]):
            probabilities[i, a] = np.exp(logits[i, a] - total) if masks[i, a] else 0


@njit
def pull_towards(logits, masks, goals, weight, gradient):
    """Add to ``gradient`` that of ``weight`` times the mean divergence of the policy from ``goals`` (B, A).

    For a sample with goals q and policy p, the softmax of ``logits`` (B, A) over the legal actions, that is
    KL(q || p) = sum of q log(q / p); its gradient with respect to the logits is p - q. Returns the sums over
    the batch of the divergence and of the entropy of p.
    """
    divergence, entropy = 0.0, 0.0
    for i in range(len(logits)):
        total = log_total(logits[i], masks[i])
        for a in range(logits.shape[1]):
            if masks[i, a]:
                log_p, q = logits[i, a] - total, goals[i, a]
                p = np.exp(log_p)
                entropy -= p * log_p
                if q > 0:
                    divergence += q * (np.log(q) - log_p)
                gradient[i, a] += weight * (p - q) / len(logits)
    return divergence, entropy


@njit
def boltzmann_gradient(logits, masks, gains, gradient, sums):
    """Gradient of a mean loss with respect to the ``logits`` (B, A), over legal actions only.

    The loss of a sample is the sum over actions of p (log p - g), with p the softmax of the logits over the
    legal actions and g the ``gains`` (B, A). Writes ``gradient``, and adds the sums over the batch of the
    loss, of the entropy of p and of the mean gain under p to ``sums`` (3,).
    """
    for i in range(len(logits)):
        total = log_total(logits[i], masks[i])
        entropy, gain = np.float32(0), np.float32(0)
        for a in range(logits.shape[1]):
            gradient[i, a] = 0
            if masks[i, a]:
                log_p = logits[i, a] - total
                p = np.exp(log_p)
                entropy -= p * log_p
                gain += p * gains[i, a]
                gradient[i, a] = p
        loss = -entropy - gain
        for a in range(logits.shape[1]):
            if masks[i, a]:
                gradient[i, a] *= (logits[i, a] - total - gains[i, a] - loss) / len(logits)
        sums[0] += loss
        sums[1] += entropy
        sums[2] += gain


def one_hot(actions: NDArray[np.int64], num_actions: int) -> NDArray[np.float32]:
    """All probability (B, A) on the ``actions`` (B,)."""
    goals = np.zeros((len(actions), num_actions), np.float32)
    goals[np.arange(len(actions)), actions] = 1
    return goals


def explained_variance(predictions: NDArray[Any], targets: NDArray[Any]) -> float:
    """Share of the variance of ``targets`` that ``predictions`` explain; 0 where there is none."""
    variance = float(np.var(targets))
    return 1 - float(np.var(targets - predictions)) / variance if variance else 0.0
