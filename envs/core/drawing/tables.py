"""Tables as SVG: all that is drawn of a record is what one seat may know of it, or everything."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..game import Game, GameInfo
from .picture import draw


def svg(game: Game, info: GameInfo, table: NDArray[Any], seat: int | None = None) -> str:
    """One table (1,) as an SVG document.

    Parameters
    ----------
    game : Game
    info : GameInfo
    table : (1,) record
        It is not changed.
    seat : int, optional
        Whose view it is: what ``blank`` zeroes is not drawn. Without it all hands are open.
    """
    seen = table.copy()
    if seat is not None and not (seen[0]["over"] and game.scene.OPEN_AT_THE_END):
        game.loops.blank_all(seen, np.array([seat], np.int64))
    title = "".join(takewhile(str.isascii, info.title)).strip()  # without the Chinese name behind it
    return draw(game.scene.scene(seen[0], seat), title)
