"""Networks as agents: a multilayer perceptron over the flat observation, saved without code.

A file holds the weights (safetensors) and, as its metadata, what they were trained for: game, rules
version, options and layer sizes. Loading one runs no code.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import nn

from envs.core.game import Game, Rules

from .base import Agent, Decisions

POLICY_FILE = "policy.safetensors"
CHECKPOINTS = "checkpoints"
LAST_LAYER_SCALE = 0.01  # the first policy is nearly uniform
LARGEST_FORWARD = 8192  # observations at once


def mlp(sizes: list[int]) -> nn.Sequential:
    """Linear layers of these ``sizes`` with ReLU between, the last one small at the start."""
    layers: list[nn.Module] = []
    for a, b in pairwise(sizes):
        layers += [nn.Linear(a, b), nn.ReLU()]
    net = nn.Sequential(*layers[:-1])
    with torch.no_grad():
        last = net[-1]
        assert isinstance(last, nn.Linear)
        last.weight.mul_(LAST_LAYER_SCALE)
        last.bias.zero_()
    return net


def has_fast_bfloat16() -> bool:
    """Whether this processor multiplies bfloat16 matrices faster than float32 ones."""
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:  # not Linux
        return False
    return "avx512_bf16" in flags or "amx_bf16" in flags


def network_bytes(net: nn.Sequential, game: Game, rules: Rules, sizes: list[int]) -> bytes:
    """What a policy's file holds."""
    metadata = {
        "game": game.name,
        "version": str(game.info(rules).version),
        "rules": json.dumps(rules.as_dict()),
        "sizes": json.dumps(sizes),
    }
    weights = {name: tensor.detach().contiguous() for name, tensor in net.state_dict().items()}
    return bytes(save(weights, metadata))


class NetworkAgent(Agent):
    """A policy network.

    Parameters
    ----------
    net : nn.Sequential
        From observations (N, O) float32 to logits (N, A).
    greedy : bool
        Play the most probable action, or draw one.
    """

    def __init__(self, net: nn.Sequential, name: str = "network", greedy: bool = True) -> None:
        self.net, self.name, self.greedy = net, name, greedy

    @classmethod
    def load(cls, folder: Path, game: Game, rules: Rules | None) -> NetworkAgent:
        """The newest policy saved in a run's folder, or the one of a checkpoint's folder.

        Raises
        ------
        ValueError
            If there is none, or it is of another game, rules version or options (``base`` apart).
        """
        path = _policy_file(folder)
        try:
            with safe_open(path, "pt") as file:  # type: ignore[no-untyped-call]
                metadata: dict[str, Any] = file.metadata() or {}
                weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            sizes = json.loads(metadata["sizes"])
            trained_for = json.loads(metadata["rules"])
        except (SafetensorError, KeyError, json.JSONDecodeError) as error:
            raise ValueError(f"{path} is no policy of this project ({error!r})") from None
        if metadata["game"] != game.name:
            raise ValueError(f"{path} plays {metadata['game']}, not {game.name}")
        info = game.info(rules or game.rules())
        if metadata["version"] != str(info.version):
            raise ValueError(
                f"{path} is for version {metadata['version']} of the rules, these are {info.version}"
            )
        options = (rules or game.rules()).as_dict()
        other = [o for o in options if o != "base" and trained_for.get(o) != options[o]]
        if other:
            told = ", ".join(f"{o}={trained_for.get(o)!r} (here {options[o]!r})" for o in other)
            raise ValueError(f"{path} was trained with {told}; give the same --env options")
        net = mlp(sizes)
        net.load_state_dict(weights)
        return cls(net, name=folder.name)

    def _logits(self, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        parts = []
        with torch.inference_mode():
            for start in range(0, len(observations), LARGEST_FORWARD):
                part = torch.from_numpy(observations[start : start + LARGEST_FORWARD])
                parts.append(self.net(part.float()).numpy())
        return np.concatenate(parts)

    def act(self, decisions: Decisions) -> NDArray[np.int64]:
        if not self.greedy:
            return super().act(decisions)
        logits = self._logits(decisions.observations)
        return np.where(decisions.action_masks, logits, -np.inf).argmax(axis=1)

    def policy(self, decisions: Decisions) -> NDArray[np.float32]:
        logits = np.where(decisions.action_masks, self._logits(decisions.observations), -np.inf)
        exps = np.exp(logits - logits.max(axis=1, keepdims=True))
        return (exps / exps.sum(axis=1, keepdims=True)).astype(np.float32)


def _policy_file(folder: Path) -> Path:
    """The policy in ``folder``, or in the newest checkpoint of the run that it is."""
    candidates = [folder / POLICY_FILE, *sorted((folder / CHECKPOINTS).glob(f"*/{POLICY_FILE}"))[::-1]]
    for path in candidates:
        if path.is_file():
            return path
    raise ValueError(f"{folder} holds no {POLICY_FILE}: it is neither a run nor a checkpoint")
