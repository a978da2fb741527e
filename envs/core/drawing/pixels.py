"""SVG as an image of pixels, and images as an animation; what draws them is imported when it is needed."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

COLOURS = 64  # of an animation: all that a picture has, and the steps between them at edges
MISSING = "pictures of pixels need the package resvg-py: pip install resvg-py"


def pixels(svg: str, width: int | None = None) -> NDArray[np.uint8]:
    """The picture as (H, W, 3) uint8, red, green and blue; of its own size, or ``width`` pixels wide.

    Raises
    ------
    ImportError
        If resvg-py is not installed; the message says how to install it.
    """
    try:
        from resvg_py import svg_to_bytes
    except ImportError as error:
        raise ImportError(MISSING) from error
    from PIL import Image

    png = svg_to_bytes(svg_string=svg, width=width, skip_system_fonts=True)
    return np.array(Image.open(io.BytesIO(png)).convert("RGB"))


def write_gif(
    pictures: Sequence[str], file: BinaryIO, seconds: float, last: float, width: int | None = None
) -> None:
    """Write pictures as an endless GIF.

    Equal ones that follow each other become one that is shown longer.

    Parameters
    ----------
    pictures : sequence of SVG documents
        Of one size, at least one.
    file : binary file
    seconds, last : float
        How long each is shown, and the last one.
    width : int, optional
        In pixels; that of the pictures without it.
    """
    from PIL import Image

    # One palette for all: of the first picture and the last one, which have all colours between them.
    ends = np.concatenate([pixels(pictures[0], width), pixels(pictures[-1], width)])
    palette = Image.fromarray(ends).quantize(COLOURS, Image.Quantize.MAXCOVERAGE)

    def frame(svg: str) -> Image.Image:
        return Image.fromarray(pixels(svg, width)).quantize(palette=palette, dither=Image.Dither.NONE)

    times = [round(1000 * seconds)] * (len(pictures) - 1) + [round(1000 * last)]
    others = (frame(svg) for svg in pictures[1:])  # one after another: all of them at once may be large
    frame(pictures[0]).save(file, "GIF", save_all=True, append_images=others, duration=times, loop=0)
