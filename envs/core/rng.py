"""Random numbers for kernels: the stream a table carries, and numbers made from keys.

A table's **chance stream** (four uint64) is xoshiro256**, seeded by splitmix64; it shuffles cards and
nothing else. Agents and samplers draw from **keys** (one uint64) by splitmix64, so what they draw
depends on the key alone and never on what was drawn before.

References
----------
D. Blackman, S. Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47(4), 2021.
D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .jit import config, njit

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # splitmix64's increment
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_LOW_32 = np.uint64(0xFFFFFFFF)
_2_POW_32 = np.uint64(1 << 32)
_2_POW_MINUS_53 = 1.0 / (1 << 53)
_5, _7, _9, _11, _17, _19, _27, _30, _31, _32, _45, _57 = (
    np.uint64(n) for n in (5, 7, 9, 11, 17, 19, 27, 30, 31, 32, 45, 57)
)


def _wraps_around(function: Callable[..., Any]) -> Callable[..., Any]:
    """Keep NumPy quiet where uint64 overflows, as it is meant to, in code that is not compiled."""
    return np.errstate(over="ignore")(function) if config.DISABLE_JIT else function


@njit
@_wraps_around
def mix(key):
    """A uint64 that looks random, made from ``key`` (uint64): splitmix64's output at that state."""
    z = key + _GOLDEN
    z = (z ^ (z >> _30)) * _MIX_1
    z = (z ^ (z >> _27)) * _MIX_2
    return z ^ (z >> _31)


def mix_in(keys: NDArray[np.uint64], *numbers: Any) -> NDArray[np.uint64]:
    """New keys (N,) from ``keys`` (N,) and the ``numbers``, each a whole number or an array (N,)."""
    mix_array = getattr(mix, "py_func", mix)  # NumPy does arrays; nothing to compile
    for number in numbers:
        keys = mix_array(keys ^ np.asarray(number).astype(np.uint64))
    return keys


@njit
@_wraps_around
def seed_stream(stream, seed):
    """Set the chance ``stream`` (4,) from ``seed`` (uint64)."""
    for i in range(4):
        stream[i] = mix(seed)
        seed += _GOLDEN


@njit
@_wraps_around
def draw(stream):
    """The next uint64 of a chance ``stream``: xoshiro256**."""
    x = stream[1] * _5
    result = ((x << _7) | (x >> _57)) * _9
    shifted = stream[1] << _17
    stream[2] ^= stream[0]
    stream[3] ^= stream[1]
    stream[1] ^= stream[2]
    stream[0] ^= stream[3]
    stream[2] ^= shifted
    stream[3] = (stream[3] << _45) | (stream[3] >> _19)
    return result


@njit
def draw_below(stream, n):
    """A uniform integer of 0..n-1, n < 2**32, without bias (Lemire's rejection)."""
    bound = np.uint64(n)
    product = (draw(stream) >> _32) * bound
    threshold = (_2_POW_32 - bound) % bound
    while (product & _LOW_32) < threshold:
        product = (draw(stream) >> _32) * bound
    return np.int64(product >> _32)


@njit
def shuffle(stream, cards):
    """Shuffle ``cards`` in place (Fisher and Yates)."""
    for i in range(len(cards) - 1, 0, -1):
        j = draw_below(stream, i + 1)
        card = cards[i]
        cards[i] = cards[j]
        cards[j] = card


@njit
def draw_cards(stream, cards, n):
    """Make the first ``n`` of ``cards`` random ones, in place: a shuffle for games that deal few cards."""
    for i in range(n):
        j = i + draw_below(stream, len(cards) - i)
        card = cards[i]
        cards[i] = cards[j]
        cards[j] = card


@njit
def uniform(key):
    """A float64 in [0, 1) made from ``key``."""
    return np.float64(mix(key) >> _11) * _2_POW_MINUS_53


@njit
def pick_below(key, n):
    """An integer of 0..n-1 made from ``key``; its bias is below n / 2**32."""
    return np.int64(((mix(key) >> _32) * np.uint64(n)) >> _32)
