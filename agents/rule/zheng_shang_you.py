"""Zheng Shang You's newest rule player: now ``rule_v0``. A better one stands here until it is frozen."""

from __future__ import annotations

from .zheng_shang_you_v0 import choose

__all__ = ["choose"]
