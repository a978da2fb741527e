"""Pictures of tables: all that a seat may know is drawn, once, and nothing else."""

from __future__ import annotations

import re
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

import envs
from envs import record as records
from envs.core.aec import TableEnv
from envs.core.drawing import picture, shapes
from envs.core.drawing.pixels import pixels
from envs.core.drawing.scene import Chair, Group, Row, Scene, Strip
from envs.core.drawing.tables import svg

from . import glyphs
from .games import GAMES, IN_STEPS, REDEAL_HIDDEN, Options, is_over, legal, new_table, play

every_game = pytest.mark.parametrize(("game", "options"), GAMES)
each_game = pytest.mark.parametrize("game", envs.games())
SVG = "{http://www.w3.org/2000/svg}"
OPEN_AT_THE_END = ("diao_xie", "xiangxi96")
NUM_MOVES = 6  # between two looks at a game

Drawn = ElementTree.Element


def drawn(env: TableEnv, seat: int | None = None) -> Drawn:
    """The picture as XML."""
    return ElementTree.fromstring(env.svg(seat))


def faces(root: Drawn) -> Counter[str]:
    return Counter(card for e in root.iter(f"{SVG}g") if (card := e.get("data-card")))


def num_backs(root: Drawn) -> int:
    return sum(e.get("data-back") is not None for e in root.iter(f"{SVG}g"))


def words(root: Drawn) -> list[str]:
    """Every line of text."""
    return [text for e in root.iter(f"{SVG}path") if (text := e.get("aria-label"))]


def on_table(env: TableEnv) -> list[str]:
    """The cards that everybody sees; of plays in Guan Pai their ranks."""
    if env.game.name == "diao_xie":
        return []
    if env.game.name == "xiangxi96":  # all cards that were dealt are in hands, melds and piles, or on offer
        hands = Counter(card for seat in range(env.game.num_players) for card in env.hand(seat))
        return list((Counter(env.deck()[: env._tables[0]["dealt"]]) - hands).elements())
    latest = {seat: made.cards for seat, made in env.history()}
    cards = [card for made in latest.values() for card in made]
    return [card[0] for card in cards] if env.game.name == "guan_pai" else cards


def check(env: TableEnv) -> set[tuple[str | None, str | None]]:
    """Look at a table from all chairs and with all hands; the sizes of the pictures."""
    seats, public = range(env.game.num_players), on_table(env)
    shown_at_end = is_over(env) and env.game.name in OPEN_AT_THE_END
    sizes = set()
    for chair in (None, *seats):
        root = drawn(env, chair)
        is_seen = [chair in (None, seat) or shown_at_end for seat in seats]
        hands = [card for seat in seats if is_seen[seat] for card in env.hand(seat)]
        assert faces(root) == Counter(public + hands)
        assert num_backs(root) == sum(len(env.hand(seat)) for seat in seats if not is_seen[seat])
        assert [f"player_{seat}" for seat in seats] == [text for text in words(root) if text in env.agents]
        assert set("".join(words(root))) <= set(glyphs.CHARACTERS)
        sizes.add((root.get("width"), root.get("height")))
    return sizes


@every_game
def test_every_card_that_a_seat_may_see_is_drawn_once(game: str, options: Options, rotate: int) -> None:
    env, rng = new_table(game, options, seed=rotate), np.random.default_rng([rotate, 20])
    sizes = check(env)
    while not is_over(env):
        play(env, rng, most=NUM_MOVES)
        sizes |= check(env)
    assert len(sizes) == 1, "pictures of a game are of one size"
    (size,) = sizes
    assert all(int(length or 0) % 2 == 0 for length in size), "video wants even sizes"


@every_game
def test_nothing_hidden_is_drawn(game: str, options: Options, rotate: int) -> None:
    env, rng = new_table(game, options, seed=rotate), np.random.default_rng([rotate, 21])
    num_changed = 0
    while not is_over(env):
        there, deck = env.snapshot(), env.deck()
        for seat in range(env.game.num_players):
            before, everything = env.svg(seat), env.svg()
            REDEAL_HIDDEN[game](env._tables[0], deck, seat, rng)
            assert env.svg(seat) == before
            num_changed += env.svg() != everything
            env._tables[:] = np.frombuffer(there.table, env._tables.dtype)
        play(env, rng, most=NUM_MOVES)
    assert num_changed


@pytest.mark.parametrize("game", IN_STEPS)
def test_who_chooses_kickers_alone_sees_that(game: str) -> None:
    rng, options = np.random.default_rng(22), {"decks": 2} if game == "zheng_shang_you" else {}
    env = new_table(game, options, seed=3)
    for _ in range(2):
        while not env._tables[0]["pending"]:
            if is_over(env):
                env.reset()
            actor = int(env._tables[0]["turn"])
            before = [env.svg(seat) for seat in range(env.game.num_players)]
            play(env, rng, most=1)
        for seat, picture_before in enumerate(before):
            is_told = any("is choosing" in text for text in words(drawn(env, seat)))
            assert is_told == (seat == actor)
            assert seat == actor or env.svg(seat) == picture_before
        check(env)
        play(env, rng, most=1)


@each_game
def test_whose_turn_it_is_and_the_scores_are_said(game: str) -> None:
    env, rng = new_table(game, {}, seed=4), np.random.default_rng(4)
    while not is_over(env):
        assert words(drawn(env)).count("to act") == 1
        asked = env._tables[0]["turn"]
        is_public = game != "xiangxi96" or env._tables[0]["phase"] == 0  # there who is asked is hidden
        for seat in range(env.game.num_players):
            assert words(drawn(env, seat)).count("to act") == (is_public or seat == asked)
        play(env, rng, most=NUM_MOVES // 2)
    told = words(drawn(env))
    assert "to act" not in told
    for score in env.scores():
        assert (f"+{score}" if score > 0 else str(score).replace("-", "−")) in told
    winner = env.infos["player_0"]["winner"]
    assert winner is None or any(f"player_{winner} " in text and "wins" in text for text in told)


def boxes(root: Drawn) -> list[tuple[float, float]]:
    """From where to where each card reaches, in x."""
    found = []
    for e in root.iter(f"{SVG}g"):
        if e.get("data-card") or e.get("data-back"):
            x, scale = map(float, re.findall(r"\(([\d.]+)", e.get("transform", "")))
            found.append((x, x + scale * shapes.CARD_WIDTH))
    return found


@pytest.mark.parametrize("num_groups", [1, 9, 30])
@pytest.mark.parametrize("size", [1, 5, 60])
def test_however_many_cards_stay_in_their_strip(num_groups: int, size: int) -> None:
    left = Strip("", 0.5, [Group(["3D"] * size)] * num_groups)
    right = Strip("", 0.5, [Group(hidden=1)])
    scene = Scene([Chair([Row([left, right], 80)])], [], [], width=800)
    *cards, last = boxes(ElementTree.fromstring(picture.draw(scene, "")))
    assert len(cards) == num_groups * size
    assert max(end for _, end in cards) <= last[0] and last[1] <= 800 - picture.MARGIN
    assert all(here[0] < there[0] for here, there in pairwise(cards))


def test_letters_are_those_of_the_font() -> None:
    assert shapes.GLYPHS_FILE.read_text(encoding="utf-8") == glyphs.written(), "python -m tests.glyphs"


def test_a_long_text_is_cut_and_an_unknown_letter_is_drawn() -> None:
    cut = shapes.fitted("player_0 leads", 10, 50)
    assert cut.endswith("…") and shapes.width_of(cut, 10) <= 50
    assert shapes.fitted("player_0", 10, 100) == "player_0"
    path = ElementTree.fromstring(shapes.line('中"<', 0, 0, 10, "#fff"))
    assert path.get("aria-label") == '中"<' and len(path.get("d", "")) > 20


# --- pixels -----------------------------------------------------------------------------------------


@each_game
def test_rgb_array(game: str) -> None:
    env = envs.make(game, render_mode="rgb_array")
    env.reset(seed=1)
    first = env.render()
    root = drawn(env.unwrapped)
    assert isinstance(first, np.ndarray) and first.dtype == np.uint8
    assert first.shape == (int(root.get("height", "")), int(root.get("width", "")), 3)
    assert all(len(np.unique(first[..., colour])) > 50 for colour in range(3)), "there is something on it"
    env.step(int(legal(env.unwrapped)[0]))
    assert env.render().shape == first.shape and (env.render() != first).any()


def test_rgb_array_of_single_seats() -> None:
    env = envs.make_gym("guan_pai", "random", seat=1, render_mode="rgb_array")
    env.reset(seed=1)
    vec = envs.make_gym("guan_pai", "random", seat=1, num_envs=2, render_mode="rgb_array")
    vec.reset(seed=1)
    pictures = vec.render()
    assert len(pictures) == 2 and np.array_equal(pictures[0], env.render())
    tables = env._tables  # type: ignore[attr-defined]
    seen = svg(tables._game, tables.game, tables._tables, 1)
    assert np.array_equal(env.render(), pixels(seen)), "what the learner sees"


def test_without_the_package_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    env = envs.make("guan_pai", render_mode="rgb_array")
    env.reset(seed=1)
    with pytest.raises(ImportError, match="pip install resvg-py"):
        env.render()
    assert env.unwrapped.svg().startswith("<svg")


# --- notebooks --------------------------------------------------------------------------------------


@pytest.mark.parametrize("on_illegal", ["raise", "terminate"])
def test_notebooks_show_the_table(on_illegal: str) -> None:
    env = envs.make("guan_pai", on_illegal=on_illegal)
    assert env._repr_html_() is None, "no game yet: they show the text"
    env.reset(seed=1)
    html = env._repr_html_()
    assert html == env.unwrapped.svg() == env.unwrapped._repr_html_()
    assert "<style" not in html and " id=" not in html and " class=" not in html, "it keeps to itself"
    assert str(env) == "guan_pai_v0"


# --- animations -------------------------------------------------------------------------------------


@pytest.fixture
def finished() -> dict[str, Any]:
    env = new_table("guan_pai", {"cards_each": 5}, seed=3)
    play(env, np.random.default_rng(3))
    return env.record()


def test_an_animation_has_a_picture_for_every_decision(finished: dict[str, Any], tmp_path: Path) -> None:
    records.animate(finished, tmp_path / "game.gif", seconds=0.5, width=480)
    with Image.open(tmp_path / "game.gif") as gif:
        assert gif.n_frames == len(finished["decisions"]) + 1  # type: ignore[attr-defined]
        assert gif.width == 480 and gif.info["duration"] == 500 and gif.info["loop"] == 0
        first = np.asarray(gif.convert("RGB"))
        gif.seek(gif.n_frames - 1)  # type: ignore[attr-defined]
        assert gif.info["duration"] == 1500 and (np.asarray(gif.convert("RGB")) != first).any()
    assert [path.name for path in tmp_path.iterdir()] == ["game.gif"]


def test_an_animation_that_fails_leaves_what_was_there(
    finished: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = tmp_path / "game.gif"
    there.write_text("old")
    with pytest.raises(ValueError, match="a seat"):
        records.animate(finished, there, seat=3)
    for wrong in ({"width": 0}, {"width": -5}, {"seconds": 0}, {"seconds": float("nan")}, {"seconds": 1e9}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            records.animate(finished, there, **wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="decision 0"):
        records.animate({**finished, "decisions": [[0, 265]]}, there)
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(ImportError):
        records.animate(finished, there)
    assert there.read_text() == "old" and len(list(tmp_path.iterdir())) == 1


def test_the_command_makes_an_animation_of_one_game(
    finished: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "games.jsonl", tmp_path / "game.gif"
    other = new_table("guan_pai", {"cards_each": 5}, seed=4).record()
    records.write([other, finished], file)
    command = ["gif", str(file), str(out), "--width", "300", "--seat", "1"]
    assert records.main([*command, "--game", "2"]) == 0 and out.exists()
    assert f"{len(finished['decisions'])} decisions" in capsys.readouterr().out
    missing = str(tmp_path / "none")
    wrong = [([*command, "--game", number], f"no game {number}") for number in ("0", "3", "-1")]
    for arguments, complaint in [*wrong, (["gif", missing, str(out)], missing)]:
        with pytest.raises(SystemExit) as end:
            records.main(arguments)
        assert end.value.code == 2 and complaint in capsys.readouterr().err
