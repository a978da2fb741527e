// What an agent thinks of the position: how probable each play is to it, or the points that search expects.

import { agentSelect } from "./agents.js";
import { game, redraw, state } from "./app.js";
import { row } from "./cards.js";
import { h } from "./dom.js";
import { askAgain } from "./main.js";
import { signed } from "./middle.js";
import { playText } from "./names.js";
import { t } from "./words.js";

const isSearch = (name) => name.startsWith("search");

function setAdviser(name) {
  state.adviser = name;
  localStorage.setItem("adviser", name);
  state.bars = state.asked = null;
  askAgain();
  redraw();
}

// A bar from `from` to `to`, both in 0..1 of the width.
function meter(from, to) {
  const fill = h("span", { class: "fill" });
  fill.style.marginLeft = `${100 * from}%`;
  fill.style.width = `${Math.max(0.5, 100 * (to - from))}%`;
  return h("span", { class: "meter", "aria-hidden": "true" }, fill);
}

const what = (bar) => [
  playText(bar, game()),
  bar.cards.length && bar.name !== "discard" ? h("span", { class: "mini" }, row(bar.cards)) : null,
  bar.begun ? h("span", { class: "quiet" }, t("restOpen")) : null,
];

function probable(bar) {
  const percent = Math.round(bar.chance * 1000) / 10;
  return h("li", {}, h("span", { class: "what" }, what(bar)), meter(0, bar.chance), h("span", { class: "percent" }, `${percent} %`));
}

// Bars begin at zero points, losses to its left.
function expected(bars) {
  const points = bars.map((bar) => bar.points);
  const least = Math.min(0, ...points);
  const width = Math.max(0, ...points) - least || 1;
  return bars.map((bar) => {
    const [from, to] = [Math.min(0, bar.points), Math.max(0, bar.points)].map((end) => (end - least) / width);
    const sure = bar.worlds ? t("inWorlds", { n: bar.worlds }) : t("exact");
    const told = signed(bar.points.toFixed(2));
    return h(
      "li",
      {},
      h("span", { class: "what" }, what(bar), bar.chance ? h("span", { class: "chosen-one" }, t("itsChoice")) : null, h("span", { class: "quiet" }, sure)),
      meter(from, to),
      h("span", { class: "percent long" }, t("points", { n: told })),
    );
  });
}

function bars() {
  const found = state.bars?.bars || [];
  if (!found.length) return null;
  const hasPoints = found.every((bar) => bar.points !== null);
  return [
    h("p", { class: "quiet" }, t(hasPoints ? "askPoints" : "askNote")),
    h("ol", { class: "bars" }, hasPoints ? expected(found) : found.map(probable)),
  ];
}

export function ask() {
  const p = state.picture;
  const names = state.agents[game()];
  if (names && !names.includes(state.adviser) && !isSearch(state.adviser)) state.adviser = "rule"; // of another game
  const value = state.bars?.value;
  return h(
    "div",
    { class: "ask" },
    agentSelect(t("askWhom"), names || [state.adviser], state.adviser, setAdviser, "adviser"),
    bars() || h("p", { class: "quiet" }, p.over ? t("over") : state.asking ? t("thinks") : t("askRefused")),
    value !== null && value !== undefined ? h("p", {}, t("expects", { n: value.toFixed(2) })) : null,
  );
}
