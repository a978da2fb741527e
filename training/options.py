"""Checks of algorithms' options: what cannot be meant is refused before anything is trained."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from .rollout import Target

LAYERS = ("hidden", "critic_hidden")


def option(algo: str, field: str) -> str:
    """How an option is written on the command line.

    >>> option("ppo", "num_envs")
    '--ppo.num-envs'
    """
    return f"--{algo}.{field.replace('_', '-')}"


def check(
    algo: str,
    config: Any,
    *,
    least: Mapping[str, float],
    positive: Sequence[str] = (),
    shares: Sequence[str] = (),
) -> None:
    """Check the options of an algorithm: layers, opponents and target too, where it has them.

    Parameters
    ----------
    algo : str
    config : dataclass
    least : mapping of str to float
        The smallest value of options that are finite numbers.
    positive : sequence of str
        Options above 0.
    shares : sequence of str
        Options of 0 to 1.

    Raises
    ------
    ValueError
        For the first one that is wrong; it says what is allowed.
    """
    for name, number in least.items():
        if not number <= getattr(config, name) < math.inf:
            raise ValueError(f"{option(algo, name)} is at least {number}, not {getattr(config, name)}")
    for name in positive:
        if not 0 < getattr(config, name) < math.inf:
            raise ValueError(f"{option(algo, name)} is above 0, not {getattr(config, name)}")
    for name in shares:
        if not 0 <= getattr(config, name) <= 1:
            raise ValueError(f"{option(algo, name)} is a share of 0..1, not {getattr(config, name)}")
    for name in LAYERS:
        layers = getattr(config, name, (1,))
        if not layers or min(layers) < 1:
            raise ValueError(f"{option(algo, name)} is one or more layers of at least 1 unit, not {layers}")
    if {"past", "fixed"} <= set(shares) and config.past + config.fixed > 1:
        raise ValueError(f"{option(algo, 'past')} and {option(algo, 'fixed')} are together at most 1")
    if hasattr(config, "target") and config.target not in get_args(Target):
        raise ValueError(
            f"{option(algo, 'target')} is one of {', '.join(get_args(Target))}, not {config.target!r}"
        )
