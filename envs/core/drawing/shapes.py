"""Cards and letters as pieces of SVG: paths alone, so that they look the same where there are no fonts.

``cards.json`` is the one source of the shapes of cards, of the web table too (``agents/play``): ``ranks`` are
strokes in a box of 10 x 14, ``suits`` and ``star`` outlines in one of 24 x 24. ``glyphs.json`` holds outlines
of the letters of DejaVu Sans (``LICENSE_DEJAVU``); ``tests/glyphs.py`` makes it.
"""

from __future__ import annotations

import json
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

CARDS_FILE = Path(__file__).parent / "cards.json"
GLYPHS_FILE = Path(__file__).parent / "glyphs.json"

CARD_WIDTH, CARD_HEIGHT = 60, 84  # the box that a card is drawn in
ASPECT = CARD_WIDTH / CARD_HEIGHT
UNITS_PER_EM = 2048
BOLD = 0.055  # em: width of the line around bold letters

RED, BLACK, PAPER, EDGE = "#c4122f", "#1d2427", "#fffdf7", "#8a8f86"
BACK, BACK_LINES = "#a33a33", "#e7b9a5"
COLOUR_OF = {"H": RED, "D": RED, "S": BLACK, "C": BLACK, "X": RED, "x": BLACK}
SUIT_OF_COLOUR = {"r": "H", "b": "S"}  # of packs where only the colour of the suit matters
JOKERS = "Xx"


@cache
def _shapes() -> dict[str, Any]:
    shapes: dict[str, Any] = json.loads(CARDS_FILE.read_text(encoding="utf-8"))
    return shapes


@cache
def _glyphs() -> dict[str, tuple[int, str]]:
    glyphs: dict[str, tuple[int, str]] = json.loads(GLYPHS_FILE.read_text(encoding="utf-8"))
    return glyphs


# --- letters ------------------------------------------------------------------------------------


def width_of(text: str, size: float) -> float:
    """How wide a line of text is, in pixels, at ``size`` pixels an em."""
    glyphs = _glyphs()
    return sum(glyphs.get(letter, glyphs["?"])[0] for letter in text) * size / UNITS_PER_EM


def fitted(text: str, size: float, width: float) -> str:
    """The text, or as much of it as has room, and an ellipsis."""
    if width_of(text, size) <= width:
        return text
    while text and width_of(text + "…", size) > width:
        text = text[:-1]
    return text.rstrip() + "…"


def line(
    text: str, x: float, y: float, size: float, colour: str, *, anchor: float = 0.0, is_bold: bool = False
) -> str:
    """A line of text as one path; ``y`` is its base line, ``anchor`` 0, 0.5 or 1 says which end is at ``x``.

    Letters without an outline are drawn as question marks.
    """
    glyphs, at, outline = _glyphs(), 0, []
    for letter in text:
        width, path = glyphs.get(letter, glyphs["?"])
        if path:
            outline.append(f"M{at} 0{path}")
        at += width
    scale = size / UNITS_PER_EM
    place = f"translate({x - anchor * at * scale:.2f} {y:.2f}) scale({scale:.5f})"
    look = f'fill="{colour}" transform="{place}"'
    if is_bold:
        look += f' stroke="{colour}" stroke-width="{BOLD * UNITS_PER_EM:.0f}" stroke-linejoin="round"'
    return f'<path aria-label="{escape(text)}" {look} d="{"".join(outline)}"/>'


# --- cards --------------------------------------------------------------------------------------


def _rank(name: str, x: float, y: float, scale: float, colour: str) -> str:
    return (
        f'<path d="{_shapes()["ranks"][name]}" transform="translate({x} {y}) scale({scale})" fill="none" '
        f'stroke="{colour}" stroke-width="1.9" stroke-linecap="round" stroke-linejoin="round"/>'
    )


def _filled(path: str, x: float, y: float, scale: float, colour: str) -> str:
    return f'<path d="{path}" transform="translate({x} {y}) scale({scale})" fill="{colour}"/>'


@cache
def _drawn(card: str, is_covered: bool) -> str:
    """What is on a card, in its box: rank and suit in the corner, and large where no other card lies."""
    star, suits = _shapes()["star"], _shapes()["suits"]
    if card in JOKERS:
        colour = COLOUR_OF[card]
        corner, large = _filled(star, 4, 5, 0.66, colour), _filled(star, 13, 30, 1.6, colour)
    elif len(card) == 1:
        corner, large = _rank(card, 5, 6, 1.35, BLACK), _rank(card, 31, 48, 2, BLACK)
    else:
        is_coloured = card[0] in SUIT_OF_COLOUR
        rank, suit = (card[1], SUIT_OF_COLOUR[card[0]]) if is_coloured else (card[0], card[1])
        colour = COLOUR_OF[suit]
        corner = _rank(rank, 5, 6, 1.35, colour) + _filled(suits[suit], 4.5, 29, 0.64, colour)
        large = _filled(suits[suit], 25, 45, 1.22, colour)
    return corner if is_covered else corner + large


def _paper() -> str:
    look = f'fill="{PAPER}" stroke="{EDGE}" stroke-width="1.5"'
    return f'<rect x=".75" y=".75" width="58.5" height="82.5" rx="6" {look}/>'


_LINES = "M6 22 46 78M6 50 26 78M14 6 54 62M34 6 54 34M54 22 14 78M54 50 34 78M46 6 6 62M26 6 6 34"


def face(card: str, x: float, y: float, height: float, is_covered: bool = False) -> str:
    """An open card with its upper left corner at (x, y); of a covered one the left part alone is seen."""
    place = f"translate({x:.2f} {y:.2f}) scale({height / CARD_HEIGHT:.4f})"
    return f'<g data-card="{card}" transform="{place}">{_paper()}{_drawn(card, is_covered)}</g>'


def back(x: float, y: float, height: float) -> str:
    """A hidden card."""
    place = f"translate({x:.2f} {y:.2f}) scale({height / CARD_HEIGHT:.4f})"
    pattern = (
        f'<rect x="6" y="6" width="48" height="72" rx="4" fill="{BACK}"/>'
        f'<path d="{_LINES}" fill="none" stroke="{BACK_LINES}" stroke-width="1.5"/>'
    )
    return f'<g data-back="1" transform="{place}">{_paper()}{pattern}</g>'


def star(x: float, y: float, size: float, colour: str) -> str:
    """A star in a box of ``size``."""
    return _filled(_shapes()["star"], round(x, 2), round(y, 2), round(size / 24, 4), colour)
