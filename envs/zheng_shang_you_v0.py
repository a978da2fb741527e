"""Zheng Shang You 爭上游."""

from __future__ import annotations

from typing import Any

from .core.aec import TableEnv
from .core.wrapped import make_env
from .zheng_shang_you import GAME
from .zheng_shang_you.rules import LEVELS, Level, level_of

__all__ = ["LEVELS", "Level", "env", "level_of", "raw_env"]


def env(render_mode: str | None = None, on_illegal: str = "raise", **options: Any) -> Any:
    """Zheng Shang You in PettingZoo's order-enforcing wrapper; see the module's page for the options."""
    return make_env(GAME, render_mode=render_mode, on_illegal=on_illegal, **options)


def raw_env(render_mode: str | None = None, **options: Any) -> TableEnv:
    """Zheng Shang You without a wrapper."""
    return TableEnv(GAME, render_mode=render_mode, **options)
