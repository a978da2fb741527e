"""Guan Pai's newest rule player: now ``rule_v1``. A better one stands here until it is frozen itself."""

from __future__ import annotations

from .guan_pai_v1 import choose

__all__ = ["choose"]
