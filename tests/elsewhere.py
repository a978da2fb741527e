"""A pretended device: what needs a GPU can be run, in a process of its own, where there is none.

``python -m tests.elsewhere ...`` is pytest with a device of this name. The processor works everything out,
but what is there may not be used with what is here unless it was moved. It tells nothing of CUDA itself: not
of its kernels, its streams or its memory.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch.nn.functional import linear
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only
from torch.utils.backend_registration import (
    _DummyBackendModule,
    _setup_privateuseone_for_python_backend,
)

NAME = "elsewhere"
COPY = torch.ops.aten.copy_.default
MOVES = (COPY, torch.ops.aten._to_copy.default)


def is_pretended() -> bool:
    """Whether this process has the device."""
    return hasattr(torch, NAME)


class Elsewhere(torch.Tensor):
    """A tensor there; ``here`` are its numbers."""

    here: torch.Tensor

    @staticmethod
    def __new__(cls, here: torch.Tensor) -> Elsewhere:
        out = torch.Tensor._make_wrapper_subclass(
            cls,
            here.shape,
            strides=here.stride(),
            storage_offset=here.storage_offset(),
            dtype=here.dtype,
            device=torch.device(NAME, 0),
        )
        out.here = here
        return out

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _work_out(func, args, kwargs or {})


class _Pretended(TorchDispatchMode):
    """While it is entered, tensors can be made there."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _work_out(func, args, kwargs or {})


def _work_out(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
    there = [tensor for tensor in tensors if isinstance(tensor, Elsewhere)]
    # As on a GPU, single numbers of the processor may be used there.
    if there and func not in MOVES and any(t.dim() for t in tensors if not isinstance(t, Elsewhere)):
        raise RuntimeError(f"{func} is asked for tensors of two devices")
    goes_there = isinstance(args[0], Elsewhere) if func is COPY else bool(there)
    if kwargs.get("device") is not None:
        goes_there = torch.device(kwargs["device"]).type == NAME
        kwargs = {**kwargs, "device": torch.device("cpu")}
    args, kwargs = tree_map_only(Elsewhere, lambda tensor: tensor.here, (args, kwargs))
    out = func(*args, **kwargs)
    if not goes_there:
        return out
    known = {id(tensor.here): tensor for tensor in there}

    def moved(tensor: torch.Tensor) -> Elsewhere:
        return known[id(tensor)] if id(tensor) in known else Elsewhere(tensor)  # the former was written to

    return tree_map_only(torch.Tensor, moved, out)


class _Module(_DummyBackendModule):
    """``torch.elsewhere``, as far as it is asked."""

    def get_amp_supported_dtype(self) -> list[torch.dtype]:
        return [torch.bfloat16]


@contextmanager
def pretended() -> Iterator[None]:
    """A device of this name, once in the life of a process."""
    _setup_privateuseone_for_python_backend(NAME, _Module())
    rest, narrowed = (torch.library.Library(name, "IMPL", "AutocastPrivateUse1") for name in ("_", "aten"))
    rest.fallback(torch.library.fallthrough_kernel)
    narrowed.impl("linear", _narrowed_linear)
    with _Pretended():
        yield


def _narrowed_linear(*tensors: torch.Tensor | None) -> torch.Tensor:
    """What torch's autocast makes of this operation."""
    dtype = torch.get_autocast_dtype(NAME)
    with torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastPrivateUse1)):
        return linear(*(None if tensor is None else tensor.to(dtype) for tensor in tensors))


if __name__ == "__main__":
    with pretended():
        sys.exit(pytest.main(sys.argv[1:]))
