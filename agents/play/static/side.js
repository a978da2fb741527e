// The side panel: what happened, what an agent thinks, and the score step by step.

import { game, redraw, send, state } from "./app.js";
import { row } from "./cards.js";
import { button, h } from "./dom.js";
import { people, who } from "./board.js";
import { unit } from "./melds.js";
import { signed } from "./middle.js";
import { eventName, playText } from "./names.js";
import { ask } from "./ask.js";
import { askAgain } from "./main.js";
import { t, told } from "./words.js";

function openTab(name) {
  state.tab = name;
  if (name === "ask") {
    state.asked = null;
    askAgain();
  }
  redraw();
}

function tabs(names) {
  const turn = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const next = names[(names.indexOf(state.tab) + step + names.length) % names.length];
    openTab(next);
    queueMicrotask(() => queueMicrotask(() => document.querySelector(`[data-focus="tab ${next}"]`)?.focus()));
  };
  return h(
    "div",
    { class: "tabs", role: "tablist", onkeydown: turn },
    names.map((name) =>
      button(t(name), () => openTab(name), { role: "tab", id: `tab-${name}`, "aria-selected": String(state.tab === name), "aria-controls": "panel", tabindex: state.tab === name ? 0 : -1, "data-focus": `tab ${name}` }),
    ),
  );
}

function history_() {
  const p = state.picture;
  const lines = p.log.map((line, place) => {
    const what = line.event ? eventName(line.event) : playText(line, game());
    const marks = [line.led ? "led" : "", line.stop === p.stop ? "here" : "", line.event ? "event" : "", line.stop > p.stop ? "later" : ""].filter(Boolean).join(" ");
    const cards = line.cards.length && line.name !== "discard" ? h("span", { class: "mini" }, row(line.cards)) : line.name === "discard" ? h("span", { class: "mini" }, row(line.cards)) : null;
    const spoken = line.name === "discard" ? t("discard") : what;
    return h("li", { class: marks, "aria-current": line.stop === p.stop && !line.event ? "step" : null }, h("button", { type: "button", "data-focus": `line ${place}`, onclick: () => send({ do: "look", to: line.stop >= p.stops ? null : Math.max(0, line.stop) }) }, h("span", { class: "whose" }, t("player", { n: line.seat + 1 })), h("span", { class: "did" }, spoken), cards));
  });
  return h("ol", { class: "log", "data-scroll": "log" }, lines.length ? lines : h("li", { class: "quiet" }, t("dealt")));
}

function score() {
  const result = state.picture.result;
  const head = [h("th", { scope: "col" }, t("players")), ...result.head.map((name) => h("th", { scope: "col" }, told(name))), h("th", { scope: "col" }, t("total"))];
  const rows = result.rows.map((cells, seat) => h("tr", {}, h("th", { scope: "row" }, who(seat)), cells.map((cell) => h("td", {}, cell.replace("-", "−"))), h("td", { class: "points" }, signed(result.scores[seat]))));
  return h(
    "div",
    { class: "score", "data-scroll": "score" },
    h("ol", { class: "lines" }, result.lines.map((line) => h("li", {}, told(line, people())))),
    result.units ? h("ul", { class: "units" }, result.units.map(unit)) : null,
    h("div", { class: "wide-table" }, h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows))),
  );
}

export function side() {
  const names = state.picture.result ? ["score", "history", "ask"] : ["history", "ask"];
  if (!names.includes(state.tab)) state.tab = names[0];
  const panel = { history: history_, ask, score }[state.tab];
  return h("aside", { class: "side" }, tabs(names), h("div", { id: "panel", class: "panel", role: "tabpanel", tabindex: 0, "data-focus": "panel", "aria-labelledby": `tab-${state.tab}` }, panel()));
}
