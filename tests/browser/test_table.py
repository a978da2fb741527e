"""The web table in a real browser: games played by clicks, the keyboard, records, both sizes of screen.

Needs Playwright and Chromium (``CHROMIUM`` says where, if it is not in the path); skipped without them.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..play_server import PATIENCE, Server

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
             "--disable-component-update", "--disable-sync"]  # fmt: skip
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="Chromium is not installed: apt-get install chromium"
)
WIDE, NARROW = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
MOVED = "before => document.querySelector('.at').innerText !== before || document.querySelector('#tab-score')"
READY = ".pick.lit, .choice:not(.off), #tab-score"  # the own turn, or the end


LAYOUT = """() => {
  const faults = [];
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) faults.push(`the page is ${wide} wide`);
  const all = "button, select, summary, input:not([type=radio], [type=checkbox])";
  for (const e of document.querySelectorAll(all)) {
    const { width, height, right } = e.getBoundingClientRect();
    if (width > 1 && (width < 44 || height < 44)) faults.push(`${e.className} ${width}x${height}`);
    if (right > innerWidth + 1 && !e.closest(".wide-table")) faults.push(`${e.className} is cut off`);
  }
  const cards = [...document.querySelectorAll(".acts .pick")].map((e) => e.getBoundingClientRect());
  for (let i = 1; i < cards.length; i++) {
    const isBeside = Math.abs(cards[i].top - cards[i - 1].top) < 20;
    if (isBeside && cards[i].left - cards[i - 1].left < 43.5) faults.push(`card ${i - 1} shows too little`);
  }
  return faults;
}"""


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


class Watched:
    """A page of the browser, kept for all tests, and what it complained of."""

    def __init__(self, browser: Any, server: Server, viewport: dict[str, int], locale: str) -> None:
        self.problems: list[str] = []
        context = browser.new_context(viewport=viewport, locale=locale, accept_downloads=True)
        context.set_default_timeout(PATIENCE * 1000)
        self.page = context.new_page()
        own = (f"http://127.0.0.1:{server.port}/", "blob:", "about:")
        self.page.on("console", lambda m: m.type in ("error", "warning") and self.problems.append(m.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda r: r.url.startswith(own) or self.problems.append(r.url))

    def opened(self, address: str) -> Iterator[Any]:
        """The page as it is first opened; any error of it fails the test, as does all from elsewhere."""
        self.page.goto("about:blank")
        self.problems.clear()
        self.page.goto(address)
        self.page.wait_for_selector("dialog[open]")
        yield self.page
        assert self.problems == []


@pytest.fixture(scope="module")
def wide(browser: Any, server: Server) -> Watched:
    return Watched(browser, server, WIDE, "en-GB")


@pytest.fixture(scope="module")
def narrow(browser: Any, server: Server) -> Watched:
    return Watched(browser, server, NARROW, "zh-CN")


@pytest.fixture
def page(wide: Watched, server: Server) -> Iterator[Any]:
    yield from wide.opened(server.address)


@pytest.fixture
def small(narrow: Watched, server: Server) -> Iterator[Any]:
    yield from narrow.opened(server.address)


def start(
    page: Any, game: str, deal: int, options: dict[str, str] | None = None, agent: str = "random"
) -> None:
    """Choose a game, its options and its players, and start it."""
    if not page.query_selector("dialog[open]"):
        page.click("[data-focus=new]")
    page.check(f"input[value={game}]")
    page.fill("[data-focus=deal]", str(deal))
    page.eval_on_selector("details", "details => { details.open = true; }")
    for name, value in (options or {}).items():
        option = page.locator(f"#option-{name}")
        if option.evaluate("element => element.tagName") == "SELECT":
            option.select_option(label=value)
        else:
            option.fill(value)
    for select in page.query_selector_all("[data-seat]")[1:]:
        page.select_option(f'[data-seat="{select.get_attribute("data-seat")}"]', agent)
    page.click("#start")
    page.wait_for_selector("dialog", state="hidden")
    page.wait_for_selector(".board")


def until(page: Any, script: str, *values: Any) -> None:
    """Until a JavaScript function of ``values`` says so (the page's policy forbids Playwright's own way)."""
    end = time.monotonic() + PATIENCE
    while not page.evaluate(script, *values):
        assert time.monotonic() < end, script
        page.wait_for_timeout(10)


def move_of(page: Any) -> str:
    """Which position is shown, as in ``3 / 7``."""
    return str(page.inner_text(".at"))


def settle(page: Any) -> None:
    """Until the page has drawn what the server said last."""
    page.wait_for_timeout(40)


def play_by_clicks(page: Any) -> bool:
    """One own play by clicks alone: lit cards until they are a play, or a choice. False at the end."""
    page.wait_for_selector(READY)
    if page.query_selector("#tab-score"):
        return False
    before = move_of(page)
    if not page.query_selector(".pick.lit"):
        page.query_selector(".choice:not(.off)").click()
    else:
        for _ in range(30):
            page.locator(".pick.lit:not(.chosen)").first.click()
            settle(page)
            if page.query_selector(".actions .strong:not(.off)"):
                break
        page.click(".actions .strong:not(.off)")
    until(page, MOVED, before)
    return True


def check_layout(page: Any) -> None:
    """Nothing is wider than the screen, and what can be touched is 44 px high and wide."""
    faults = page.evaluate(LAYOUT)
    assert faults == []


@pytest.mark.parametrize(
    ("game", "options"),
    [("guan_pai", {}), ("zheng_shang_you", {}), ("zheng_shang_you", {"decks": "2", "cards_each": "8"}),
     ("diao_xie", {"hands": "4"}), ("xiangxi96", {"num_players": "2"})],
)  # fmt: skip
def test_each_game_is_played_to_its_end_by_clicks(page: Any, game: str, options: dict[str, str]) -> None:
    start(page, game, 5, options)
    check_layout(page)
    for number in range(200):
        if not play_by_clicks(page):
            break
        if number == 3:
            check_layout(page)
    assert page.get_attribute("#tab-score", "aria-selected") == "true"
    assert page.query_selector(".score table") and page.query_selector(".final")
    check_layout(page)


@pytest.mark.parametrize("game", ["guan_pai", "zheng_shang_you", "diao_xie", "xiangxi96"])
def test_a_small_screen_in_chinese(small: Any, game: str) -> None:
    check_layout(small)
    start(small, game, 5)
    small.wait_for_selector(READY)
    check_layout(small)
    assert small.evaluate("document.documentElement.lang") == "zh-CN"
    play_by_clicks(small)
    settle(small)
    check_layout(small)
    assert not re.search(r"\b(undefined|null|NaN|Player|Your turn)\b", small.inner_text("main"))


def click_cards(page: Any, *cards: str) -> None:
    """Click cards of the hand, one after another."""
    for card in cards:
        page.locator(f'[data-card="{card}"]:not(.chosen)').first.click()
        settle(page)


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
    page.click(".actions .strong:not(.off)")
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
    page.click(".choice.hinted" if page.query_selector(".choice.hinted") else ".actions .strong:not(.off)")
    page.wait_for_selector(READY)
    page.click("[data-action=undo]")
    until(page, "at => document.querySelector('.at').innerText === at", before)
    page.click("[data-action=reveal]")
    page.wait_for_selector(".fan.open")
    page.click("[data-action=reveal]")
    page.wait_for_selector(".fan.open", state="detached")


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
        settle(page)
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
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


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
    colour = page.evaluate("getComputedStyle(document.querySelector('.suit-D .suit')).fill")
    assert colour == "rgb(20, 86, 184)"
    page.click("[data-focus=link]")
    until(page, "() => location.hash.includes('deal=5')")
    moved = move_of(page)
    page.reload()
    page.wait_for_selector(".board.opened")
    assert move_of(page) == moved and "dialog" not in page.evaluate("document.activeElement.tagName")
    page.click("[data-focus=language]")
    until(page, "() => document.documentElement.lang === 'zh-CN'")
    page.click("[data-focus=language]")
