"""Sentences for the page, in English and Chinese."""

from __future__ import annotations

from collections.abc import Iterable

Text = dict[str, str]
"""A sentence by language: ``{"en": ..., "zh": ...}``."""


def say(en: str, zh: str) -> Text:
    """A sentence in both languages."""
    return {"en": en, "zh": zh}


def join(parts: Iterable[Text], en: str = " ", zh: str = "") -> Text:
    """Sentences one behind the other."""
    told = list(parts)
    return say(en.join(part["en"] for part in told), zh.join(part["zh"] for part in told))


class RefusedError(ValueError):
    """What a page asked for is not possible; ``text`` tells the person why.

    Parameters
    ----------
    en, zh : str
        The sentence in both languages.
    """

    def __init__(self, en: str, zh: str) -> None:
        super().__init__(en)
        self.text = say(en, zh)
