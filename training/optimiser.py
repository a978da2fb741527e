"""What learners have in common when they are saved: networks by file name, Adam's moments as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

Networks = Mapping[str, tuple[nn.Sequential, list[int]]]
CRITIC_FILE = "critic.safetensors"
_ADAM = "adam_"  # begins the names of the arrays


def adam_arrays(optimizer: torch.optim.Optimizer) -> dict[str, NDArray[Any]]:
    """The optimiser's moments as arrays for :func:`load_adam`; learning rates are not among them."""
    return {
        f"{_ADAM}{number}_{name}": np.asarray(tensor)
        for number, moments in optimizer.state_dict()["state"].items()
        for name, tensor in moments.items()
    }


def load_adam(optimizer: torch.optim.Optimizer, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Go on from the moments that are among ``arrays``."""
    moments: dict[int, dict[str, torch.Tensor]] = {}
    for key, array in arrays.items():
        if key.startswith(_ADAM):
            number, name = key.removeprefix(_ADAM).split("_", 1)
            moments.setdefault(int(number), {})[name] = torch.from_numpy(array.copy())
    optimizer.load_state_dict({**optimizer.state_dict(), "state": moments})
