"""Acting on a processor that multiplies bfloat16 by tiles (Intel's AMX, since 2023).

There a matrix product is so fast that nobody need look for the ones of an observation (``sparse.py``), and
what takes time is to bring weights into another type and order.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

ROWS = 64  # networks act in bfloat16 on a multiple of so many observations

Layers = list[tuple[torch.Tensor, torch.Tensor]]


def filled_up(observations: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Observations (N, O), and empty ones behind them up to a multiple of ``ROWS``.

    On a processor multiplication in bfloat16 is compiled for every number of rows, for some milliseconds.
    """
    missing = -len(observations) % ROWS
    return np.pad(observations, ((0, missing), (0, 0))) if missing else observations


class Tiles:
    """Works out networks of linear layers with ReLU between them."""

    def __init__(self) -> None:
        self._kept: dict[nn.Sequential, Layers] | None = None

    @contextmanager
    def keeping(self) -> Iterator[None]:
        """As long as no weights change (torch does not tell when they do)."""
        self._kept = {}
        try:
            yield
        finally:
            self._kept = None

    def __call__(self, net: nn.Sequential, observations: NDArray[np.uint8]) -> torch.Tensor:
        """What ``net`` gives (N, A) for observations (N, O), in bfloat16 and without gradients."""
        with torch.inference_mode():
            *hidden, (last, bias) = self._layers(net)
            seen = torch.from_numpy(filled_up(observations)).bfloat16()
            for weight, moved in hidden:
                seen = torch.addmm(moved, seen, weight).relu_()
            return torch.addmm(bias, seen, last)[: len(observations)]

    def _layers(self, net: nn.Sequential) -> Layers:
        """Of each layer the weights (inputs, outputs) and the bias."""
        if self._kept is not None and net in self._kept:
            return self._kept[net]
        linear = [layer for layer in net if isinstance(layer, nn.Linear)]
        layers = [(one.weight.bfloat16().t().contiguous(), one.bias.bfloat16()) for one in linear]
        if self._kept is not None:
            self._kept[net] = layers
        return layers
