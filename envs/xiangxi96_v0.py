"""Xiangxi 96."""

from __future__ import annotations

from typing import Any

from .core.wrapped import make_env
from .xiangxi96 import GAME, Xiangxi96Env

__all__ = ["env", "raw_env"]


def env(render_mode: str | None = None, on_illegal: str = "raise", **options: Any) -> Any:
    """Xiangxi 96 in PettingZoo's order-enforcing wrapper; see the module's page for the options."""
    return make_env(GAME, render_mode=render_mode, on_illegal=on_illegal, **options)


def raw_env(render_mode: str | None = None, **options: Any) -> Xiangxi96Env:
    """Xiangxi 96 without a wrapper."""
    return Xiangxi96Env(GAME, render_mode=render_mode, **options)
