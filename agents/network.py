"""Networks as agents: a multilayer perceptron over the flat observation, saved without code.

A file holds the weights (safetensors) and, as its metadata, what they were trained for: game, rules
version, options and layer sizes. Loading one runs no code.

A network may have an **adviser**, a frozen rule player: it sees what that one would do, and learns when to do
something else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import nn

from envs.core.game import Game, Rules

from .adviser import Adviser
from .base import CHECKPOINTS, Agent, Decisions, check_made_for
from .rule import frozen_rule

POLICY_FILE = "policy.safetensors"
LAST_LAYER_SCALE = 0.01  # the first policy is nearly uniform
IN_STEPS, MOST_STEPS = ".step", 127  # in 8 bits: what ends the name of the steps, and most of them
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


def network_bytes(
    net: nn.Sequential, game: Game, rules: Rules, sizes: list[int], adviser: Adviser | None = None
) -> bytes:
    """What a policy's file holds."""
    metadata = {
        "game": game.name,
        "version": str(game.info(rules).version),
        "rules": json.dumps(rules.as_dict()),
        "sizes": json.dumps(sizes),
    }
    if adviser is not None:
        metadata |= {"adviser": adviser.rule.name, "advice_weight": str(adviser.weight)}
        metadata |= {"grades": json.dumps(adviser.grades)}
    weights = {name: tensor.detach().cpu().contiguous() for name, tensor in net.state_dict().items()}
    return bytes(save(weights, metadata))


def in_eight_bits(weights: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """A network's weights (H, O) as int8 multiples of a step (O,) an input, and its biases in half precision.

    See :func:`in_full`. No weight moves by more than half a step, the 254th part of the input's largest.
    """
    stored = {}
    for name, tensor in weights.items():
        stored[name] = tensor.half()
        if tensor.dim() > 1:
            steps = (tensor.abs().amax(0) / MOST_STEPS).half()
            counts = torch.where(steps > 0, tensor / steps, 0).round().clamp(-MOST_STEPS, MOST_STEPS)
            stored[name], stored[name + IN_STEPS] = counts.to(torch.int8), steps
    return stored


def in_full(stored: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The weights that were stored as they are, in half precision or :func:`in_eight_bits`."""
    weights = {name: tensor.float() for name, tensor in stored.items() if not name.endswith(IN_STEPS)}
    for name in weights:
        if name + IN_STEPS in stored:
            weights[name] *= stored[name + IN_STEPS].float()
    return weights


def load_network(path: Path, game: Game, rules: Rules | None) -> tuple[nn.Sequential, Adviser | None]:
    """The network in a file of ``network_bytes``, and its adviser.

    Raises
    ------
    ValueError
        If it is no such file, or of another game, rules version or options (``base`` apart).
    """
    info, wanted = game.info(rules or game.rules()), (rules or game.rules()).as_dict()
    try:
        with safe_open(path, "pt") as file:  # type: ignore[no-untyped-call]
            metadata: dict[str, str] = file.metadata()
            stored = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        made_for, version = metadata["game"], metadata["version"]
        sizes, options = json.loads(metadata["sizes"]), dict(json.loads(metadata["rules"]))
        net = mlp(sizes)
        net.load_state_dict(in_full(stored))
        weight = float(metadata.get("advice_weight", 0))
        grades = tuple(int(grade) for grade in json.loads(metadata.get("grades", "[]")))
    except (OSError, SafetensorError, LookupError, TypeError, ValueError, RuntimeError) as error:
        reason = str(error).splitlines()[0]
        raise ValueError(f"{path} is no policy of this project ({type(error).__name__}: {reason})") from None
    check_made_for(path, (made_for, version, options), (game.name, info.version, wanted))
    name = metadata.get("adviser")
    return net, None if name is None else Adviser(frozen_rule(name, game.name), weight, grades)


class NetworkAgent(Agent):
    """A policy network.

    Parameters
    ----------
    net : nn.Sequential
        From observations (N, O) float32, or with an adviser's opinion (N, O + W), to logits (N, A).
    greedy : bool
        Play the most probable action, or draw one.
    adviser : Adviser, optional
    """

    def __init__(
        self,
        net: nn.Sequential,
        name: str = "network",
        greedy: bool = True,
        adviser: Adviser | None = None,
    ) -> None:
        self.net, self.name, self.greedy, self.adviser = net, name, greedy, adviser
        self.needs_tables = adviser is not None

    @classmethod
    def load(cls, folder: Path, game: Game, rules: Rules | None) -> NetworkAgent:
        """The newest policy saved in a run's folder, or the one of a checkpoint's folder.

        Raises
        ------
        ValueError
            If there is none, or it is of another game, rules version or options (``base`` apart).
        """
        path, info = _policy_file(folder), game.info(rules or game.rules())
        net, adviser = load_network(path, game, rules)
        inputs = info.observation_size + (0 if adviser is None else adviser.width(info.num_actions))
        sizes = [len(layer.weight[0]) for layer in net if isinstance(layer, nn.Linear)]
        last = net[-1]
        assert isinstance(last, nn.Linear)
        if (sizes[0], last.out_features) != (inputs, info.num_actions):
            raise ValueError(
                f"{path} is for {sizes[0]} inputs and {last.out_features} actions, not for this game"
            )
        return cls(net, name=folder.name, adviser=adviser)

    def _legal_logits(self, decisions: Decisions) -> NDArray[np.float32]:
        """Logits (N, A), minus infinity where illegal."""
        observations, masks = decisions.observations, decisions.action_masks
        if self.adviser is not None:
            observations = self.adviser.advise(decisions)
        logits = np.empty(masks.shape, np.float32)
        device = next(self.net.parameters()).device
        with torch.inference_mode(), torch.autocast(device.type, enabled=False):  # the same answer anywhere
            for k in range(0, len(observations), LARGEST_FORWARD):
                part = torch.from_numpy(observations[k : k + LARGEST_FORWARD])
                logits[k : k + LARGEST_FORWARD] = self.net(part.to(device).float()).cpu().numpy()
        if self.adviser is not None:
            logits = self.adviser.raised(logits, observations)
        if not np.isfinite(logits).all():  # it would play its first legal action, unnoticed
            raise ValueError("the network's answer is not finite")
        logits[masks == 0] = -np.inf
        return logits

    def chances(self, decisions: Decisions) -> NDArray[np.float32]:
        """What the network would draw its actions with, greedy or not: probabilities (N, A)."""
        logits = self._legal_logits(decisions)
        exps = np.exp(logits - logits.max(axis=1, keepdims=True))
        return exps / exps.sum(axis=1, keepdims=True)

    def act(self, decisions: Decisions) -> NDArray[np.int64]:
        if not self.greedy:
            return super().act(decisions)
        return self._legal_logits(decisions).argmax(axis=1)

    def policy(self, decisions: Decisions) -> NDArray[np.float32]:
        if not self.greedy:
            return self.chances(decisions)
        return super().policy(decisions)


def _policy_file(folder: Path) -> Path:
    """The policy in ``folder``, or in the newest checkpoint of the run that it is."""
    candidates = [folder / POLICY_FILE, *sorted((folder / CHECKPOINTS).glob(f"*/{POLICY_FILE}"))[::-1]]
    for path in candidates:
        if path.is_file():
            return path
    raise ValueError(f"{folder} holds no {POLICY_FILE}: it is neither a run nor a checkpoint")
