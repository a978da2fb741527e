"""The web table in a real browser: games played by clicks, the keyboard, records, both sizes of screen,
axe-core.

Needs Playwright, axe and Chromium (``CHROMIUM`` says where, if it is not in the path); skipped without them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import pytest

from ..play_server import Server
from .pages import (
    ANSWERED,
    ARGUMENTS,
    BUTTON,
    CHROMIUM,
    MOVED,
    READY,
    Watched,
    check_looks,
    click,
    click_cards,
    move_of,
    play_by_clicks,
    start,
    sync_api,
    until,
)

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="Chromium is not installed: apt-get install chromium"
)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def watched(browser: Any, server: Server) -> Watched:
    return Watched(browser, server)


@pytest.fixture
def page(watched: Watched, server: Server) -> Iterator[Any]:
    yield from watched.opened(server.address)


@pytest.mark.parametrize(
    ("game", "options"),
    [("guan_pai", {}), ("zheng_shang_you", {}), ("zheng_shang_you", {"decks": "2", "cards_each": "8"}),
     ("diao_xie", {"hands": "4"}), ("xiangxi96", {"num_players": "2"})],
)  # fmt: skip
def test_each_game_is_played_to_its_end_by_clicks(page: Any, game: str, options: dict[str, str]) -> None:
    start(page, game, 5, options)
    page.wait_for_selector(READY)
    check_looks(page)
    for number in range(200):
        if not play_by_clicks(page):
            break
        if number == 3:
            check_looks(page)
    assert page.get_attribute("#tab-score", "aria-selected") == "true"
    assert page.query_selector(".score table") and page.query_selector(".final")
    check_looks(page)


def last_play(page: Any) -> tuple[str, list[str]]:
    """The own play that the history tells first, and its cards."""
    page.click("#tab-history")
    line = page.locator(".log li:not(.event)").first
    return line.inner_text(), [svg.get_attribute("aria-label") for svg in line.locator("svg").all()]


def test_kickers_are_chosen_by_clicking_cards(page: Any) -> None:
    start(page, "guan_pai", 3)  # seat 1 leads and holds three queens
    page.wait_for_selector(READY)
    hand = [card.get_attribute("data-card") for card in page.query_selector_all(".pick")]
    queens, others = [c for c in hand if c[0] == "Q"], [c for c in hand if c[0] not in "QK"]
    click_cards(page, *queens)
    assert "triple of Qs" in page.inner_text(".message")
    click_cards(page, others[2])
    assert "Choose more cards" in page.inner_text(".message") and page.query_selector(".strong.off")
    click_cards(page, others[-1])
    assert "triple with two" in page.inner_text(".message")
    page.click("[data-action=play]")
    page.wait_for_selector(".log .here")
    text, cards = last_play(page)
    assert "triple with two" in text and sorted(card.split()[0] for card in cards).count("queen") == 3
    ranks = {"T": "10", "J": "jack", "A": "ace"}
    for card in (others[2], others[-1]):
        assert any(name.startswith(ranks.get(card[0], card[0])) for name in cards)


@pytest.mark.parametrize(("card", "name"), [("5S", "5 of spades"), ("5D", "5 of diamonds")])
def test_suits_are_chosen_by_clicking_cards(page: Any, card: str, name: str) -> None:
    start(page, "zheng_shang_you", 1457, {"decks": "2"})  # both fives are in flush straights
    page.wait_for_selector(READY)
    click_cards(page, card)
    click(page, BUTTON)
    page.wait_for_selector(".log .here")
    assert last_play(page)[1] == [name]


def test_why_hint_undo_and_reveal(page: Any) -> None:
    start(page, "guan_pai", 3, agent="rule")
    page.wait_for_selector(READY)
    before = move_of(page)
    assert page.query_selector(".fan.open") is None
    for place in range(0, page.locator(".pick").count(), 2):
        page.click(f'[data-focus="card {place}"]')
    page.wait_for_selector(".message.wrong")
    assert len(page.inner_text(".message")) > 15
    page.click("[data-focus=clear]")
    page.click("[data-action=hint]")
    page.wait_for_selector(".pick.chosen, .choice.hinted")
    assert "rule would play" in page.inner_text(".message")
    click(page, ".choice.hinted" if page.query_selector(".choice.hinted") else BUTTON)
    page.wait_for_selector(READY)
    page.click("[data-action=undo]")
    until(page, "at => document.querySelector('.at').innerText === at", before)
    page.click("[data-action=reveal]")
    page.wait_for_selector(".fan.open")
    page.click("[data-action=reveal]")
    page.wait_for_selector(".fan.open", state="detached")


def test_search_with_any_budget_can_be_typed_and_tells_the_points_it_expects(page: Any) -> None:
    page.select_option("[data-seat='2']", "other")
    page.fill("[data-focus='seat 2 typed']", "search:0")
    page.click("#start")
    until(page, "() => document.querySelector('.setup .notice').innerText.includes('search:0')")
    page.fill("[data-focus='seat 2 typed']", "search:3")
    page.fill("[data-focus=deal]", "3")
    page.click("#start")
    page.wait_for_selector(READY)
    assert "search:3" in page.inner_text(".others")
    page.click("[data-focus='tab ask']")
    page.select_option("[data-focus=adviser]", "other")
    page.fill("[data-focus='adviser typed']", "search:2")
    page.keyboard.press("Enter")
    page.wait_for_selector(".bars .chosen-one")
    assert re.search(r"[+−]?\d+(\.\d+)? points", page.inner_text(".bars"))
    assert "%" not in page.inner_text(".bars")
    check_looks(page)


def test_the_page_says_that_kernels_are_compiled(page: Any) -> None:
    assert page.inner_text("#compiling") == ""
    numba.njit(lambda x: x + 2)(1)
    until(page, "() => document.querySelector('.notice').innerText.includes('being compiled')")
    page.keyboard.press("Escape")
    assert "being compiled" in page.inner_text("#compiling")
    until(page, "() => document.querySelector('#compiling').innerText === ''")


def test_the_keyboard_is_enough(page: Any) -> None:
    page.focus("#start")
    page.keyboard.press("Enter")
    page.wait_for_selector(READY)
    for _ in range(60):
        page.wait_for_selector(READY)
        if page.query_selector("#tab-score"):
            break
        before = move_of(page)
        page.keyboard.press("h")
        page.wait_for_selector(".pick.chosen, .choice.hinted")
        until(page, ANSWERED)
        page.keyboard.press("p" if page.query_selector(".choice.hinted") else "Enter")
        until(page, MOVED, before)
    page.wait_for_selector("#tab-score")
    end = move_of(page)
    page.keyboard.press("ArrowLeft")
    until(page, "end => document.querySelector('.at').innerText !== end", end)
    page.keyboard.press("Home")
    until(page, "() => document.querySelector('.at').innerText.startsWith('0 /')")
    page.keyboard.press("End")
    until(page, "end => document.querySelector('.at').innerText === end", end)
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_a_record_is_saved_loaded_and_stepped(page: Any, tmp_path: Path) -> None:
    start(page, "diao_xie", 3)
    while play_by_clicks(page):
        pass
    with page.expect_download() as download:
        page.click("[data-focus=save]")
    path = tmp_path / "records.jsonl"
    download.value.save_as(path)
    path.write_text(path.read_text() * 3)
    page.click("[data-focus=records]")
    page.set_input_files("#file", path)
    page.click('[data-focus="game 1"]')
    page.wait_for_selector("dialog", state="hidden")
    until(page, "() => document.querySelector('.board.opened')")
    page.click("[data-focus=first]")
    until(page, "() => document.querySelector('.at').innerText.startsWith('0 /')")
    page.click("[data-focus='tab ask']")
    page.wait_for_selector(".bars .fill")
    page.click("[data-focus=next]")
    until(page, "() => document.querySelector('.at').innerText.startsWith('1 /')")


def test_watching_a_link_and_four_colours(page: Any, server: Server) -> None:
    page.check("input[value=zheng_shang_you]")
    page.select_option('[data-seat="0"]', "rule")
    page.fill("[data-focus=deal]", "5")
    page.click("#start")
    page.wait_for_selector(".fan.open")
    page.keyboard.press("Space")
    until(page, "() => document.querySelector('[data-focus=pause]').innerText === 'Go on'")
    page.click("[data-focus=step]")
    until(page, "() => !document.querySelector('.at').innerText.startsWith('0 /')")
    page.click("[data-focus=four]")
    blue = "() => getComputedStyle(document.querySelector('.suit-D .suit')).fill === 'rgb(20, 86, 184)'"
    until(page, blue)  # drawn once the button is let go
    page.click("[data-focus=link]")
    until(page, "() => location.hash.includes('deal=5')")
    moved = page.evaluate("new URLSearchParams(location.hash.slice(1)).get('move')")
    page.reload()
    page.wait_for_selector(".board.opened")
    until(page, "moved => document.querySelector('.at').innerText.startsWith(`${moved} /`)", moved)
    assert not page.query_selector("dialog[open]")
    page.click("[data-focus=language]")
    until(page, "() => document.documentElement.lang === 'zh-CN'")
    page.click("[data-focus=language]")
