"""Docstrings for mkdocstrings: doctests become code blocks wherever they stand, Sphinx roles plain names."""

from __future__ import annotations

import re
from typing import Any

import griffe

_DOCTEST = re.compile(r"^>>> .*?(?=\n\n|\Z)", flags=re.MULTILINE | re.DOTALL)
_EXAMPLES = re.compile(r"^Examples\n-+\n", flags=re.MULTILINE)  # there numpydoc knows doctests itself
_ROLE = re.compile(r":\w+:`(?:~?[\w.]+\.)?(\w+)`")


def in_markdown(docstring: str) -> str:
    """The docstring as Markdown that shows what was meant."""
    parts = _EXAMPLES.split(docstring, maxsplit=1)
    parts[0] = _DOCTEST.sub(lambda found: f"```pycon\n{found[0]}\n```", parts[0])
    return _ROLE.sub(r"`\1`", "Examples\n--------\n".join(parts))


class Docstrings(griffe.Extension):
    """Changes every docstring as it is read."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = in_markdown(obj.docstring.value)

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        self.on_object(obj=pkg)
