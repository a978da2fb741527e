"""What learners have in common: where they compute, and how they are saved."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from .sparse import Ones, first_layer, last_layer
from .tiles import Tiles, filled_up

Inputs = torch.Tensor | Ones  # what networks take: all numbers, or where the ones are
Networks = Mapping[str, tuple[nn.Sequential, list[int]]]
CRITIC_FILE = "critic.safetensors"
CPU = "cpu"  # where networks are worked out unless another device is named
FAST_BFLOAT16 = (8, 0)  # the first of NVIDIA's compute capabilities that multiplies it (Ampere)
_ADAM = "adam_"  # begins the names of the arrays


class Compute:
    """Where networks are worked out, and in what numbers.

    On a processor the two wide layers are worked out where there is something to work out (``sparse.py``).
    Anywhere else what is learned from goes over as it is (uint8), to CUDA through pinned memory, and is
    widened there. With bfloat16 the last layer is still worked out in float32: probabilities come of it.

    Parameters
    ----------
    device : str
        As torch names it: ``"cpu"``, ``"cuda"``, ``"cuda:1"``.
    bfloat16 : bool or None
        Whether to multiply in bfloat16; None: where the device is fast at it.

    Raises
    ------
    ValueError
        If there is no such device here.
    """

    def __init__(self, device: str = CPU, bfloat16: bool | None = None) -> None:
        try:
            self.device = torch.device(device)
            torch.zeros(1, device=self.device).cpu()
        except (RuntimeError, AssertionError) as error:  # the latter where torch was built without it
            reason = str(error).splitlines()[0]
            raise ValueError(f"--device {device} is not here ({reason}); cpu always is") from None
        self.is_sparse = self.device.type == CPU
        self.bfloat16 = has_fast_bfloat16(self.device) if bfloat16 is None else bfloat16
        self._dtype = torch.bfloat16 if self.bfloat16 else torch.float32
        has_tiles = self.is_sparse and self.bfloat16 and "amx_bf16" in _processor()
        self._tiles = Tiles() if has_tiles else None

    def inputs(self, observations: NDArray[np.uint8]) -> Inputs:
        """Observations (N, O) of 0 and 1 as networks take them here."""
        if self.is_sparse:
            return Ones(observations)
        return self.send(observations).to(self._dtype)

    def send(self, array: NDArray[Any]) -> torch.Tensor:
        """An array on the device; to CUDA through pinned memory, so that nobody waits for it here."""
        tensor = torch.from_numpy(np.ascontiguousarray(array))
        if self.device.type == "cuda":
            return tensor.pin_memory().to(self.device, non_blocking=True)
        return tensor.to(self.device)

    def hidden(self, net: nn.Sequential, seen: Inputs) -> torch.Tensor:
        """What all layers of ``net`` but the last give (N, H) for :meth:`inputs`."""
        begun = 0
        if isinstance(seen, Ones):
            first, begun = net[0], 1
            assert isinstance(first, nn.Linear)
            seen = first_layer(first, seen)
        with self._precision():
            hidden: torch.Tensor = net[begun:-1](seen)
        return hidden

    def values(self, net: nn.Sequential, seen: Inputs) -> torch.Tensor:
        """What ``net`` gives (N, A) for :meth:`inputs`."""
        hidden = self.hidden(net, seen)
        if not isinstance(seen, Ones):
            return _linear(net[-1], hidden.float())
        with self._precision():
            return _linear(net[-1], hidden)

    def logits(self, net: nn.Sequential, seen: Inputs, masks: NDArray[np.int8]) -> torch.Tensor:
        """As :meth:`values`, but only what stands at legal actions counts."""
        if not isinstance(seen, Ones):
            return self.values(net, seen)
        last = net[-1]
        assert isinstance(last, nn.Linear)
        return last_layer(last, self.hidden(net, seen), masks)

    def acting(self) -> AbstractContextManager[None]:
        """While networks act and do not learn: what :meth:`answer` makes of their weights is kept."""
        return nullcontext() if self._tiles is None else self._tiles.keeping()

    def answer(self, net: nn.Sequential, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        """What ``net`` gives (N, A) for observations (N, O), without gradients."""
        if self._tiles is not None:
            return as_array(self._tiles(net, np.ascontiguousarray(observations)))
        if self.is_sparse and self.bfloat16:
            seen = self.inputs(filled_up(observations))
        else:
            seen = self.inputs(observations)
        with torch.inference_mode():
            return as_array(self.values(net, seen)[: len(observations)])

    def _precision(self) -> AbstractContextManager[Any]:
        return torch.autocast(self.device.type, torch.bfloat16) if self.bfloat16 else nullcontext()


def _linear(layer: nn.Module, seen: torch.Tensor) -> torch.Tensor:
    out: torch.Tensor = layer(seen)
    return out


def as_array(tensor: torch.Tensor) -> NDArray[np.float32]:
    """The numbers of a tensor of any device and precision."""
    array: NDArray[np.float32] = tensor.detach().float().cpu().numpy()
    return array


def has_fast_bfloat16(device: torch.device | None = None) -> bool:
    """Whether a device, by default the processor, multiplies bfloat16 matrices faster than float32 ones."""
    if device is not None and device.type != CPU:
        return device.type == "cuda" and torch.cuda.get_device_capability(device) >= FAST_BFLOAT16
    return "avx512_bf16" in _processor() or "amx_bf16" in _processor()


@cache
def _processor() -> str:
    """What Linux says of the processor; nothing elsewhere."""
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return ""


def falling(config: Any, name: str, progress: float) -> float:
    """An option that falls linearly to its ``final_`` one, when so much of the budget is spent (0..1)."""
    first, last = getattr(config, name), getattr(config, f"final_{name}")
    return float(first + (last - first) * min(progress, 1.0))


def set_learning_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    """Let the optimiser's next steps be of this size."""
    for group in optimizer.param_groups:
        group["lr"] = rate


def adam_arrays(optimizer: torch.optim.Optimizer) -> dict[str, NDArray[Any]]:
    """The optimiser's moments as arrays for :func:`load_adam`; learning rates are not among them."""
    return {
        f"{_ADAM}{number}_{name}": np.asarray(tensor.cpu())
        for number, moments in optimizer.state_dict()["state"].items()
        for name, tensor in moments.items()
    }


def is_adam(name: str) -> bool:
    """Whether an array of this name is one of :func:`adam_arrays`."""
    return name.startswith(_ADAM)


def load_adam(optimizer: torch.optim.Optimizer, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Go on from the moments that are among ``arrays``."""
    moments: dict[int, dict[str, torch.Tensor]] = {}
    for key, array in arrays.items():
        if is_adam(key):
            number, name = key.removeprefix(_ADAM).split("_", 1)
            moments.setdefault(int(number), {})[name] = torch.from_numpy(array.copy())
    optimizer.load_state_dict({**optimizer.state_dict(), "state": moments})
