"""The two wide layers of a network over an observation, worked out where there is something to work out.

An observation is ones and zeros, and nine in ten are zeros; of the actions a few are legal. So on a processor
the first layer adds up the weights of the ones, and the last one is worked out for the legal actions alone.
Both are steps of torch's way back through the network, which has the layers between.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from envs.core.jit import njit

sums = partial(njit, fastmath={"reassoc", "contract"})  # sums in any order: eight numbers at once


@njit
def find_ones(observations, places, ends):
    """Write the ``places`` (K + 1,) of the ones of ``observations`` (N, O), and where each ``ends`` (N,).

    There are K; what comes in the last place means nothing.
    """
    found = 0
    for i in range(len(observations)):
        for k in range(observations.shape[1]):
            places[found] = k  # counts only if it is a one: faster than to ask first
            found += observations[i, k] != 0
        ends[i] = found


@njit
def turn_round(places, ends, rows, begins):
    """The same ones place by place: write the ``rows`` (K,) that have them, and where each place ``begins``.

    ``begins`` (O + 1,) is zeros; it is left one place ahead, so ``begins[:O]`` is where each place ends.
    """
    for k in range(ends[-1]):
        begins[places[k] + 1] += 1
    for place in range(len(begins) - 1):
        begins[place + 1] += begins[place]
    begin = 0
    for i in range(len(ends)):
        for k in range(begin, ends[i]):
            place = places[k]
            rows[begins[place]] = i
            begins[place] += 1
        begin = ends[i]


@sums
def add_rows(places, ends, weight, out):
    """Add to every row of ``out`` (N, H) the rows of ``weight`` (O, H) at its ``places``."""
    begin, width = 0, out.shape[1]
    for i in range(len(ends)):
        k = begin
        while k + 8 <= ends[i]:  # eight at a time: the sum is stored more rarely
            a, b, c, d = places[k], places[k + 1], places[k + 2], places[k + 3]
            e, f, g, h = places[k + 4], places[k + 5], places[k + 6], places[k + 7]
            for j in range(width):
                first = (weight[a, j] + weight[b, j]) + (weight[c, j] + weight[d, j])
                second = (weight[e, j] + weight[f, j]) + (weight[g, j] + weight[h, j])
                out[i, j] += first + second
            k += 8
        while k < ends[i]:
            a = places[k]
            for j in range(width):
                out[i, j] += weight[a, j]
            k += 1
        begin = ends[i]


@sums
def legal_values(hidden, weight, bias, masks, out):
    """Fill ``out`` (N, A): weight[a] . hidden + bias[a] for legal actions, 0 for others."""
    for i in range(len(hidden)):
        for a in range(len(weight)):
            value = np.float32(0)
            if masks[i, a]:
                for j in range(hidden.shape[1]):
                    value += hidden[i, j] * weight[a, j]
                value += bias[a]
            out[i, a] = value


@sums
def legal_gradients(hidden, weight, masks, gradient, to_hidden, to_weight, to_bias):
    """Add what the ``gradient`` (N, A) of the legal actions' values means for all that they are made of."""
    for i in range(len(hidden)):
        for a in range(len(weight)):
            if masks[i, a]:
                pull = gradient[i, a]
                to_bias[a] += pull
                for j in range(hidden.shape[1]):
                    to_hidden[i, j] += pull * weight[a, j]
                for j in range(hidden.shape[1]):
                    to_weight[a, j] += pull * hidden[i, j]


class Ones:
    """Where the ones of observations (N, O) of 0 and 1 are.

    Attributes
    ----------
    width : int
        O.
    places : (K + 1,) int32
        Of all ones, one observation after another.
    ends : (N,) int64
        Where an observation's places end.
    """

    def __init__(self, observations: NDArray[np.uint8]) -> None:
        observations = np.ascontiguousarray(observations)
        self.width = observations.shape[1]
        self.places = np.empty(np.count_nonzero(observations) + 1, np.int32)
        self.ends = np.empty(len(observations), np.int64)
        find_ones(observations, self.places, self.ends)

    @cached_property
    def by_place(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The rows (K,) int32 that have a one, place after place, and where a place's end (O,) int64."""
        rows, begins = np.empty(len(self.places) - 1, np.int32), np.zeros(self.width + 1, np.int64)
        turn_round(self.places, self.ends, rows, begins)
        return rows, begins[:-1]


class _First(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, weight: torch.Tensor, bias: torch.Tensor, ones: Ones) -> torch.Tensor:
        ctx.ones = ones
        out = np.tile(bias.numpy(), (len(ones.ends), 1))
        add_rows(ones.places, ones.ends, weight.t().contiguous().numpy(), out)
        return torch.from_numpy(out)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, None]:
        to_weight = np.zeros((ctx.ones.width, gradient.shape[1]), np.float32)
        add_rows(*ctx.ones.by_place, gradient.contiguous().numpy(), to_weight)
        return torch.from_numpy(to_weight).t(), gradient.sum(0), None


class _Last(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, hidden: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, masks: NDArray[np.int8]
    ) -> torch.Tensor:
        ctx.save_for_backward(hidden, weight)
        ctx.masks = masks
        out = np.empty(masks.shape, np.float32)
        legal_values(hidden.float().numpy(), weight.numpy(), bias.numpy(), masks, out)
        return torch.from_numpy(out)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, None]:
        hidden, weight = ctx.saved_tensors
        known = hidden.float().numpy()
        to_hidden, to_weight = np.zeros(known.shape, np.float32), np.zeros(weight.shape, np.float32)
        to_bias = np.zeros(len(weight), np.float32)
        legal_gradients(
            known, weight.numpy(), ctx.masks, gradient.contiguous().numpy(), to_hidden, to_weight, to_bias
        )
        below = torch.from_numpy(to_hidden).to(hidden.dtype)
        return below, torch.from_numpy(to_weight), torch.from_numpy(to_bias), None


def first_layer(layer: nn.Linear, ones: Ones) -> torch.Tensor:
    """What a layer gives (N, H) for observations."""
    out: torch.Tensor = _First.apply(layer.weight, layer.bias, ones)  # type: ignore[no-untyped-call]
    return out


def last_layer(layer: nn.Linear, hidden: torch.Tensor, masks: NDArray[np.int8]) -> torch.Tensor:
    """What a layer gives (N, A) for what is ``hidden`` (N, H), for the legal actions; 0 for the others."""
    out: torch.Tensor = _Last.apply(hidden, layer.weight, layer.bias, masks)  # type: ignore[no-untyped-call]
    return out
