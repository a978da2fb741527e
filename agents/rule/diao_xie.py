"""Diao Xie's newest rule player: now ``rule_v0``. A better one stands here until it is frozen itself."""

from __future__ import annotations

from .diao_xie_v0 import choose

__all__ = ["choose"]
