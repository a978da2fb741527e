"""Diao Xie 钓蟹."""

from __future__ import annotations

from typing import Any

from .core.aec import TableEnv
from .core.wrapped import make_env, raw_table
from .diao_xie import GAME

__all__ = ["env", "raw_env"]


def env(render_mode: str | None = None, on_illegal: str = "raise", **options: Any) -> Any:
    """Diao Xie in PettingZoo's order-enforcing wrapper; see the module's page for the options."""
    return make_env(GAME, render_mode=render_mode, on_illegal=on_illegal, **options)


def raw_env(render_mode: str | None = None, **options: Any) -> TableEnv:
    """Diao Xie without a wrapper."""
    return raw_table(GAME, render_mode=render_mode, **options)
