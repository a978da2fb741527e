// The middle of the table: what is to be beaten, the pot, or the stock and the card on offer.

import { game, live, state } from "./app.js";
import { face, row } from "./cards.js";
import { h } from "./dom.js";
import { people, who } from "./board.js";
import { eventName, playText } from "./names.js";
import { t, told } from "./words.js";

function trick(c) {
  const p = state.picture;
  if (!c.beat) {
    const led = p.over || p.turn === null ? "" : p.own.includes(p.turn) && !p.record ? t("lead") : t("leads", { who: who(p.turn) });
    return h("div", { class: "center empty" }, h("p", { class: "caption" }, p.over ? t("over") : t("newTrick")), h("p", {}, led));
  }
  return h(
    "div",
    { class: "center" },
    h("p", { class: "caption" }, `${t(p.over ? "lastPlay" : "beat")}: ${playText(c.beat, game())} · ${who(c.beat.seat)}`),
    h("div", { class: "played" }, c.beat.cards.map((card) => face(card))),
  );
}

function pot(c) {
  return h(
    "div",
    { class: "center" },
    c.hands > 1 ? h("p", { class: "caption" }, t("handOf", { a: c.hand, b: c.hands })) : null,
    h("div", { class: "potted" }, h("span", { class: "label" }, t("pot")), h("b", {}, `${c.pot} b`)),
    h("p", { class: "label" }, `${t("stakes")}: ${c.stakes.reduce((a, b) => a + b, 0)} b`),
    c.settled.length ? h("ol", { class: "recent" }, h("li", {}, t("handEnded")), c.settled.map((line) => h("li", {}, told(line, people())))) : null,
  );
}

// The newest lines of the history.
function recent(count) {
  const p = state.picture;
  const lines = p.log.filter((line) => line.stop <= p.stop).slice(-count);
  if (!lines.length) return null;
  return h(
    "ol",
    { class: "recent" },
    lines.map((line) => h("li", {}, h("span", {}, `${who(line.seat)} · ${line.event ? eventName(line.event) : line.name === "discard" ? t("discard") : playText(line, game())}`), line.cards.length ? h("span", { class: "mini" }, row(line.cards)) : null)),
  );
}

function offer(c) {
  const o = c.offered;
  return h(
    "div",
    { class: "center" },
    h("div", { class: "offer" }, o ? face(o.card) : h("div", { class: "slot", "aria-hidden": "true" }), h("p", {}, o ? t(o.is_flip ? "flipped" : "discarded", { who: who(o.seat) }) : t("nothingOffered"))),
    h("p", { class: "caption" }, `${t("stock")} ${c.stock}`),
    recent(3),
  );
}

// Points with their sign.
export function signed(points) {
  const text = String(points);
  return text.startsWith("-") ? text.replace("-", "−") : Number(text) === 0 ? text : `+${text}`;
}

export function middle() {
  const p = state.picture;
  const c = p.centre;
  const make = { trick, pot, melds: offer }[c.kind];
  const notes = [...(c.notes || []).map((note) => told(note, people())), p.trouble ? told(p.trouble) : null, p.guests && !p.over && p.stop === 0 && live() ? t("inviteNote") : null];
  const scores = p.result ? h("ul", { class: "final" }, p.result.scores.map((points, seat) => h("li", { class: String(points).startsWith("-") || points === 0 ? "" : "won" }, h("span", {}, who(seat)), h("b", {}, signed(points))))) : null;
  return h("section", { class: "middle" }, make(c), scores, notes.filter(Boolean).map((note) => h("p", { class: "note" }, note)));
}
