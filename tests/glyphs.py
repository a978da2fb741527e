"""How ``envs/core/drawing/glyphs.json`` is made: outlines of DejaVu Sans, which Matplotlib comes with.

    python -m tests.glyphs

writes it anew. Of each character it holds the width and the outline as an SVG path of relative commands,
both in units of 1/2048 em, downwards positive: so the paths of a line of text can be joined.
"""

from __future__ import annotations

import json
import string
from pathlib import Path
from typing import Any

import matplotlib
from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTFont

CHARACTERS = " " + string.digits + string.ascii_letters + string.punctuation + "−·…"
Point = tuple[float, float]


class RelativePen(BasePen):
    """Writes an outline as relative commands of an SVG path."""

    def __init__(self, glyphs: Any) -> None:
        super().__init__(glyphs)
        self.commands: list[str] = []
        self.at = self.start = (0.0, 0.0)

    def _add(self, letter: str, *points: Point) -> None:
        steps = (f"{round(x - self.at[0])} {round(self.at[1] - y)}" for x, y in points)
        self.commands.append(letter + " ".join(steps).replace(" -", "-"))
        self.at = points[-1]

    def _moveTo(self, point: Point) -> None:  # noqa: N802 (fontTools' names)
        self._add("m", point)
        self.start = point

    def _lineTo(self, point: Point) -> None:  # noqa: N802
        self._add("l", point)

    def _qCurveToOne(self, bend: Point, point: Point) -> None:  # noqa: N802
        self._add("q", bend, point)

    def _closePath(self) -> None:  # noqa: N802
        self.commands.append("z")
        self.at = self.start


def outlines() -> dict[str, list[Any]]:
    """By character: its width and its outline."""
    font = TTFont(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf")
    glyphs, names = font.getGlyphSet(), font.getBestCmap()
    made: dict[str, list[Any]] = {}
    for character in CHARACTERS:
        glyph, pen = glyphs[names[ord(character)]], RelativePen(glyphs)
        glyph.draw(pen)
        made[character] = [glyph.width, "".join(pen.commands)]
    return made


def written() -> str:
    """The file's text: a line a character."""
    lines = (f"{json.dumps(c, ensure_ascii=False)}: {json.dumps(made)}" for c, made in outlines().items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    import envs

    path = Path(envs.__file__).parent / "core" / "drawing" / "glyphs.json"
    path.write_text(written(), encoding="utf-8")
