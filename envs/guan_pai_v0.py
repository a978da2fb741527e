"""Guan Pai 關牌 ("shut-out"): three players shed 16 cards each; the first one out is paid."""

from __future__ import annotations

from typing import Any

from .core.aec import TableEnv, make_env
from .guan_pai import GAME

__all__ = ["env", "raw_env"]


def env(render_mode: str | None = None, on_illegal: str = "raise", **options: Any) -> Any:
    """Guan Pai in PettingZoo's order-enforcing wrapper; see the module's page for the options."""
    return make_env(GAME, render_mode=render_mode, on_illegal=on_illegal, **options)


def raw_env(render_mode: str | None = None, **options: Any) -> TableEnv:
    """Guan Pai without a wrapper."""
    return TableEnv(GAME, render_mode=render_mode, **options)
