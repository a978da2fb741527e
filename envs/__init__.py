"""Four Chinese card games as reinforcement learning environments.

>>> from envs import guan_pai_v0
>>> env = guan_pai_v0.env()
>>> env.reset(seed=7)
>>> env.agent_selection
'player_2'
"""

from __future__ import annotations

from typing import Any

from .core.game import NAMES, get
from .core.vector import VectorTables
from .core.wrapped import make_env

__all__ = ["games", "make", "make_vec"]


def games() -> tuple[str, ...]:
    """The names of the games."""
    return NAMES


def make(name: str, render_mode: str | None = None, on_illegal: str = "raise", **options: Any) -> Any:
    """The PettingZoo AEC environment of a game, as ``envs.<name>_v0.env(...)``.

    Parameters
    ----------
    name : str
        One of ``games()``.
    render_mode : {"ansi", "human"} or None
    on_illegal : {"raise", "terminate"}
    **options
        The game's rule options.

    Examples
    --------
    >>> make("guan_pai", must_beat="all").unwrapped.rules.must_beat
    'all'
    """
    return make_env(get(name), render_mode=render_mode, on_illegal=on_illegal, **options)


def make_vec(
    name: str,
    num_envs: int = 1,
    *,
    skip_forced: bool = False,
    autoreset: bool = True,
    num_threads: int = 1,
    **options: Any,
) -> VectorTables:
    """``num_envs`` tables of a game stepped at once; see :class:`envs.core.vector.VectorTables`.

    Examples
    --------
    >>> vec = make_vec("guan_pai", num_envs=4)
    >>> observations, infos = vec.reset(seed=0)
    >>> observations, rewards, terminations, truncations, infos = vec.step(vec.sample())
    >>> observations["observation"].shape, rewards.shape
    ((4, 620), (4, 3))
    """
    return VectorTables(
        get(name), num_envs, skip_forced=skip_forced, autoreset=autoreset, num_threads=num_threads, **options
    )


def _register() -> None:
    """Make the environments known to ``pettingzoo.make``, where this PettingZoo has a registry."""
    try:
        from pettingzoo.env_registry.registration import aec_registry, register
    except ImportError:  # an older PettingZoo
        return
    for name in NAMES:
        if f"paizhuo/{name}-v0" not in aec_registry:
            register("aec", f"paizhuo/{name}-v0", entry_point=f"envs.{name}_v0:env")


_register()
