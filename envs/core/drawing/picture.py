"""A scene as an SVG picture: one drawing code for all games.

Below each other a header, a lane for every seat and the notes. In a lane the name and the tags are on the
left, the strips of cards beside them; cards overlap as much as they have to.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from . import shapes
from .scene import Chair, Group, Row, Scene, Strip
from .shapes import fitted, line, width_of

FELT, LANE, LANE_OF_TURN, RIM = "#10604e", "#0a4439", "#0b3a32", "#2c7a66"
GOLD, ON_GOLD, WHITE, PALE, WON, LOST = "#ffcf70", "#2e2100", "#ffffff", "#b9d8ce", "#a5e88f", "#ffb3a7"

MARGIN, GAP = 16, 8  # around everything; between lanes
HEADER, NOTE = 44, 22  # heights
PADDING = 10  # in a lane
NAMES = 150  # width of the column of names
BETWEEN_STRIPS, BETWEEN_GROUPS = 20, 8
CAPTION, LABEL = 17, 15  # heights of the lines above and below cards
MOST_STEP, LEAST_SHOWN = 0.62, 0.31  # of a card's width: how far apart cards of a group lie; less hides ranks
DIMMED = 0.45  # opacity of who is out

TITLE_SIZE, NAME_SIZE, TEXT_SIZE, SMALL_SIZE, SCORE_SIZE = 18, 15, 13, 11, 24


def draw(scene: Scene, title: str) -> str:
    """The picture as an SVG document.

    Its width and height in pixels are even numbers: video wants that.
    """
    lanes = [_height(chair) for chair in scene.chairs]
    height = HEADER + sum(lanes) + GAP * (len(lanes) - 1) + NOTE * scene.num_notes + MARGIN + GAP
    height += height % 2
    drawn = [f'<rect width="{scene.width}" height="{height}" fill="{FELT}"/>', _header(scene, title)]
    y = HEADER
    for seat, (chair, lane) in enumerate(zip(scene.chairs, lanes, strict=True)):
        drawn.append(_lane(chair, f"player_{seat}", y, scene.width - 2 * MARGIN, lane))
        y += lane + GAP
    for number, note in enumerate(scene.notes[: scene.num_notes]):
        text = fitted(note, TEXT_SIZE, scene.width - 2 * MARGIN)
        drawn.append(line(text, MARGIN, y + NOTE * (number + 1) - 6, TEXT_SIZE, WHITE))
    size = f'width="{scene.width}" height="{height}" viewBox="0 0 {scene.width} {height}"'
    fits = 'style="max-width:100%;height:auto"'  # in a page that is narrower
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {fits} role="img" aria-label="{escape(title)}">'
        f"{''.join(drawn)}</svg>"
    )


def _header(scene: Scene, title: str) -> str:
    base = HEADER - 16
    drawn, x = [line(title, MARGIN, base, TITLE_SIZE, WHITE, is_bold=True)], float(scene.width - MARGIN)
    for fact in reversed(scene.facts):
        drawn.append(line(fact, x, base, TEXT_SIZE, PALE, anchor=1))
        x -= width_of(fact, TEXT_SIZE) + 24
    return "".join(drawn)


# --- a seat -------------------------------------------------------------------------------------


def _height(chair: Chair) -> int:
    return 2 * PADDING + sum(map(_row_height, chair.rows)) + GAP * (len(chair.rows) - 1)


def _row_height(row: Row) -> int:
    return CAPTION + row.height + LABEL * row.has_labels


def _lane(chair: Chair, name: str, y: float, width: float, height: float) -> str:
    rim, thick = (GOLD, 2) if chair.is_turn else (RIM, 1)
    box = (
        f'<rect x="{MARGIN}" y="{y}" width="{width}" height="{height}" rx="10" '
        f'fill="{LANE_OF_TURN if chair.is_turn else LANE}" stroke="{rim}" stroke-width="{thick}"/>'
    )
    drawn = [_name(chair, name, MARGIN + PADDING + 4, y + PADDING)]
    left = MARGIN + PADDING + NAMES
    room, top = width - 2 * PADDING - NAMES, y + PADDING
    for row in chair.rows:
        x, free = float(left), room - BETWEEN_STRIPS * (len(row.strips) - 1)
        for strip in row.strips:
            drawn.append(_strip(strip, x, top, strip.share * free, row))
            x += strip.share * free + BETWEEN_STRIPS
        top += _row_height(row) + GAP
    content = "".join(drawn)
    return f"<g>{box}" + (f'<g opacity="{DIMMED}">{content}</g>' if chair.is_out else content) + "</g>"


def _name(chair: Chair, name: str, x: float, y: float) -> str:
    """The name, and below it the tags, or at the end the score."""
    room, base = NAMES - 20, y + NAME_SIZE
    drawn = []
    if chair.is_turn:
        drawn.append(f'<path d="M{x} {base - 11}l9 5.5-9 5.5z" fill="{GOLD}"/>')
    elif chair.is_winner:
        drawn.append(shapes.star(x - 3, base - 13, 16, GOLD))
    indent = 15 if chair.is_turn or chair.is_winner else 0
    text = fitted(name, NAME_SIZE, room - indent)
    drawn.append(line(text, x + indent, base, NAME_SIZE, GOLD if indent else WHITE, is_bold=True))
    if chair.score is not None:
        colour = WON if chair.score.startswith("+") else LOST if chair.score.startswith("−") else WHITE
        size = min(SCORE_SIZE, SCORE_SIZE * room / width_of(chair.score, SCORE_SIZE))
        drawn.append(line(chair.score, x, base + 32, size, colour, is_bold=True))
        return "".join(drawn)
    at, top = x, base + 9
    tags = [("to act", True)] * chair.is_turn + [(tag, False) for tag in chair.tags]
    for tag, is_gold in tags:
        wide = width_of(tag, SMALL_SIZE) + 12
        if at > x and at + wide > x + room:
            at, top = x, top + 23
        fill, colour = (GOLD, ON_GOLD) if is_gold else (RIM, WHITE)
        drawn.append(
            f'<rect x="{at:.2f}" y="{top}" width="{wide:.2f}" height="19" rx="6" fill="{fill}"/>'
            + line(tag, at + 6, top + 13.5, SMALL_SIZE, colour)
        )
        at += wide + 5
    return "".join(drawn)


# --- cards --------------------------------------------------------------------------------------


def _strip(strip: Strip, x: float, y: float, width: float, row: Row) -> str:
    drawn = [line(fitted(strip.caption, SMALL_SIZE, width), x, y + SMALL_SIZE, SMALL_SIZE, PALE)]
    top = y + CAPTION
    if strip.words:
        text = fitted(strip.words, NAME_SIZE, width)
        drawn.append(line(text, x, top + row.height / 2 + 5, NAME_SIZE, WHITE))
    groups = [group for group in strip.groups if group.cards or group.hidden]
    step, between, height = _fit(groups, width, row)
    card = height * shapes.ASPECT
    for group in groups:
        wide = card + step * (len(group.cards) + group.hidden - 1)
        for number, name in enumerate(group.cards):
            is_covered = number < len(group.cards) - 1
            drawn.append(shapes.face(name, x + step * number, top, height, is_covered))
        for number in range(group.hidden):
            drawn.append(shapes.back(x + step * (len(group.cards) + number), top, height))
        if group.label:
            drawn.append(line(group.label, x, top + row.height + 12, SMALL_SIZE, WHITE))
        wide = max(wide, width_of(group.label, SMALL_SIZE))
        x += wide + between
    return "".join(drawn)


def _fit(groups: Sequence[Group], width: float, row: Row) -> tuple[float, float, float]:
    """The step between the cards of a group, the gap between groups, the height of cards: all that has room.

    First cards overlap more; if too little of each would be seen, they are smaller.
    """
    num_cards = sum(len(group.cards) + group.hidden for group in groups)
    num_steps, num_gaps = num_cards - len(groups), max(0, len(groups) - 1)
    height = float(row.height)
    card = height * shapes.ASPECT
    free = width - card * len(groups) - BETWEEN_GROUPS * num_gaps
    least = LEAST_SHOWN * card * num_steps
    if free < least:  # all of it in proportion
        shrunk = width / (width - free + least)
        height, card, free = height * shrunk, card * shrunk, least * shrunk
        return free / max(1, num_steps), BETWEEN_GROUPS * shrunk, height
    return min(MOST_STEP * card, free / max(1, num_steps)), BETWEEN_GROUPS, height
