"""Xiangxi 96's newest rule player."""

from __future__ import annotations

from .xiangxi96_v0 import choose

__all__ = ["choose"]
