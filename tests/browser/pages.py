"""Pages of the web table in a browser: to start games, to play by clicks, and to check how a page looks."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from typing import Any

import pytest

from ..play_server import PATIENCE, Server

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
             "--disable-component-update", "--disable-sync"]  # fmt: skip
WIDE, NARROW = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
READY = ".pick.lit, .choice:not(.off), #tab-score"  # the own turn, or the end
BUTTON = ".actions .strong:not(.off)"  # plays what is chosen
CARD = ".pick.lit:not(.chosen)"
MOVED = "before => document.querySelector('.at').innerText !== before || document.querySelector('#tab-score')"

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
  const cards = [...document.querySelectorAll(".acts .pick:not(.chosen)")];
  const places = cards.map((e) => e.getBoundingClientRect());
  for (let i = 1; i < places.length; i++) {
    const [across, down] = [places[i].left - places[i - 1].left, places[i].top - places[i - 1].top];
    if (down > 20 ? down < 44 : across < 43.5) faults.push(`card ${i - 1} shows too little`);
  }
  return faults;
}"""
AXE = """async () => {
  // Axe cannot judge text over a gradient: its lightest colour instead.
  document.querySelector(".board")?.style.setProperty("background", "#106050");
  const found = await axe.run(document, { resultTypes: ["violations"], preload: false });
  return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html)}`);
}"""
ANSWERED = "() => !document.querySelector('#hand[aria-busy]')"  # the server has said what chosen cards are
DRAWN = "() => new Promise((done) => setTimeout(done, 5))"  # what was pressed is drawn once it is let go
CENTRE = """selector => {
  const element = document.querySelector(selector);
  if (!element) return null;
  element.scrollIntoView({ block: "nearest" });
  const { left, right, top, height } = element.getBoundingClientRect();
  return [Math.min((left + right) / 2, left + 20), top + Math.min(height / 2, 22)];
}"""


class Watched:
    """A page of the browser, kept for all tests, and what it complained of."""

    def __init__(self, browser: Any, server: Server) -> None:
        self.problems: list[str] = []
        context = browser.new_context(
            viewport=WIDE, locale="en-GB", accept_downloads=True, reduced_motion="reduce"
        )
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


def until(page: Any, script: str, *values: Any) -> Any:
    """What a JavaScript function of ``values`` says, once it is true.

    The page's policy forbids Playwright's own way.
    """
    end = time.monotonic() + PATIENCE
    while not (said := page.evaluate(script, *values)):
        assert time.monotonic() < end, script
        page.wait_for_timeout(10)
    return said


def move_of(page: Any) -> str:
    """Which position is shown, as in ``3 / 7``."""
    return str(page.inner_text(".at"))


def click(page: Any, selector: str) -> None:
    """Click with the mouse. Playwright's own click waits for two frames; here nothing is animated."""
    page.mouse.click(*until(page, CENTRE, selector))
    page.evaluate(DRAWN)


def click_cards(page: Any, *cards: str) -> None:
    """Click cards of the hand, one after another, and wait for what they are."""
    for card in cards:
        click(page, f'[data-card="{card}"]:not(.chosen)')
        until(page, ANSWERED)


def play_by_clicks(page: Any) -> bool:
    """One own play by clicks alone: lit cards until they are a play, or a choice. False at the end."""
    page.wait_for_selector(READY)
    if page.query_selector("#tab-score"):
        return False
    before = move_of(page)
    if not page.query_selector(".pick.lit"):
        click(page, ".choice:not(.off)")
    else:
        for _ in range(30):
            click(page, CARD)
            if (
                until(
                    page,
                    f"() => document.querySelector('{BUTTON}') ? 2 : !document.querySelector('[aria-busy]')",
                )
                == 2
            ):
                break
        click(page, BUTTON)
    until(page, MOVED, before)
    return True


def check_looks(page: Any) -> None:
    """In both sizes and languages: nothing is cut off, what can be touched is 44 px, axe finds nothing."""
    for size, language in ((NARROW, "zh-CN"), (WIDE, "en")):
        page.set_viewport_size(size)
        if page.query_selector("dialog[open]") is None:
            click(page, "[data-focus=language]")
            until(page, "language => document.documentElement.lang === language", language)
            said = page.inner_text("main")
            assert not any(word in said for word in ("undefined", "null", "NaN"))
            assert language == "en" or not any(word in said for word in ("Player", "Your turn", "points"))
        assert page.evaluate(LAYOUT) == [], (size, language)
        if not page.evaluate("'axe' in window"):
            page.evaluate(axe.Axe().axe_script)
        assert page.evaluate(AXE) == [], (size, language)
