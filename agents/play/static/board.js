// The table: the other seats, the middle, the own seat with its hand, and the bar with the positions.

import { game, isAgent, live, redraw, send, state, watching } from "./app.js";
import { back, row } from "./cards.js";
import { button, h, icon } from "./dom.js";
import { hand } from "./hand.js";
import { middle } from "./middle.js";
import { laid } from "./melds.js";
import { agentName, playName, playText } from "./names.js";
import { wantRecord } from "./main.js";
import { copyLink } from "./address.js";
import { t, told } from "./words.js";

export function who(seat) {
  const p = state.picture;
  const own = p.own.includes(seat) && !p.record;
  return t(own ? "playerYou" : "player", { n: seat + 1 });
}

export const people = () => Object.fromEntries(state.picture.seats.map((_, seat) => [`p${seat}`, who(seat)]));

// The seat that is shown at the bottom: the own one that is to act, else the first own one.
export function near() {
  const p = state.picture;
  if (p.own.length && !p.record && !watching()) return p.own.includes(p.turn) ? p.turn : p.own[0];
  return 0;
}

function badge(seat) {
  const p = state.picture;
  const { player, count } = p.seats[seat];
  const acts = p.turn === seat;
  const c = p.centre;
  const marks = [];
  if (c.kind === "pot") {
    if (c.head === seat && !c.is_limit) marks.push(t("head"));
    if (c.folded[seat]) marks.push(t("folded"));
  }
  if (c.kind === "melds") {
    if (c.dealer === seat) marks.push(t("dealer"));
    marks.push(t("huxi", { n: c.huxi[seat] }));
    if (c.credits[seat]) marks.push(t("credits", { n: c.credits[seat] }));
  }
  return h(
    "div",
    { class: "badge" },
    h("span", { class: "name" }, acts ? h("span", { class: "arrow", "aria-hidden": "true" }, "▶") : null, who(seat)),
    p.own.includes(seat) && !p.record ? null : h("span", { class: "kind" }, agentName(player)),
    h("span", { class: "count" }, count === 1 ? t("oneCard") : t("cardsLeft", { n: count })),
    marks.map((mark) => h("span", { class: "mark" }, mark)),
    acts ? h("span", { class: "acts" }, isAgent(player) && !p.record && live() && !p.paused ? t("thinks") : t("toPlay")) : null,
  );
}

// What a seat has done in this trick or hand.
export function done(seat) {
  const c = state.picture.centre;
  if (c.kind === "trick") {
    const play = c.latest[seat];
    if (!play) return h("div", { class: "latest" });
    if (play.name === "pass") return h("div", { class: "latest passed" }, t("passed"));
    const best = c.beat && c.beat.seat === seat;
    return h("div", { class: `latest${best ? " best" : ""}`, role: "group", "aria-label": playText(play, game()) }, row(play.cards));
  }
  if (c.kind === "pot") {
    const said = c.did[seat].map((name) => playName(name, game())).join(", ");
    const stake = c.stakes[seat] ? `${t("stake")} ${c.stakes[seat]}` : "";
    return h("div", { class: "latest" }, [said, stake].filter(Boolean).join(" · "));
  }
  return laid(seat);
}

function other(seat) {
  const p = state.picture;
  const { cards, count } = p.seats[seat];
  const shown = cards
    ? h("div", { class: "fan open" }, row(cards))
    : h("div", { class: "fan", "aria-hidden": "true" }, Array.from({ length: Math.min(count, 22) }, back));
  const named = p.centre.kind === "pot" && p.centre.named[seat] ? h("div", { class: "named" }, told(p.centre.named[seat])) : null;
  return h("section", { class: `seat${p.turn === seat ? " turn" : ""}`, "aria-label": who(seat) }, badge(seat), shown, named, done(seat));
}

function history_() {
  const p = state.picture;
  const look = (to) => send({ do: "look", to: to >= p.stops ? null : Math.max(0, to) });
  const move = (name, to, off) =>
    button(icon(name), () => look(to), { "aria-label": t(name), title: t(name), disabled: off, "data-focus": name, class: "icon" });
  const speeds = [["slow", 1.5], ["normal", 0.7], ["fast", 0.15]];
  const pace = watching()
    ? [
        button(p.paused ? t("resume") : t("pause"), () => send({ do: "pace", paused: !p.paused }), { "data-focus": "pause", disabled: p.over && live() }),
        button(t("step"), () => send({ do: "pace", paused: true, step: true }), { "data-focus": "step", disabled: p.over && live() }),
        h(
          "select",
          { "aria-label": t("speed"), "data-focus": "speed", onchange: (e) => send({ do: "pace", seconds: Number(e.target.value) }) },
          speeds.map(([name, seconds]) => h("option", { value: seconds, selected: Math.abs(p.pace - seconds) < 0.01 }, t(name))),
        ),
      ]
    : null;
  return h(
    "div",
    { class: "bar", role: "toolbar", "aria-label": t("history") },
    h(
      "div",
      { class: "moves" },
      move("first", 0, p.stop === 0),
      move("previous", p.stop - 1, p.stop === 0),
      h("input", { type: "range", min: 0, max: Math.max(1, p.stops), value: p.stop, disabled: p.stops === 0, "aria-label": t("position", { a: p.stop, b: p.stops }), "data-focus": "range", onchange: (e) => look(Number(e.target.value)) }),
      h("span", { class: "at" }, `${p.stop} / ${p.stops}`),
      move("next", p.stop + 1, live()),
      move("last", p.stops, live()),
    ),
    h(
      "div",
      { class: "tools" },
      pace,
      live() ? null : button(t("toNow"), () => look(p.stops), { "data-focus": "now" }),
      button([icon("link"), h("span", {}, t("copyLink"))], copyLink, { "aria-label": t("copyLink"), title: t("copyLink"), class: "labelled", "data-focus": "link" }),
      button([icon("save"), h("span", {}, t("save"))], () => wantRecord("file"), { "aria-label": t("save"), title: t("save"), class: "labelled", disabled: !p.open, "data-focus": "save" }),
    ),
  );
}

export function board() {
  const p = state.picture;
  const own = near();
  const n = p.seats.length;
  const others = Array.from({ length: n - 1 }, (_, i) => (own + 1 + i) % n);
  return h(
    "section",
    { class: `board ${p.centre.kind}${p.open ? " opened" : ""}` },
    h("div", { class: `others n${n - 1}` }, others.map(other)),
    middle(),
    h("section", { class: `seat near${p.turn === own ? " turn" : ""}`, "aria-label": who(own) }, badge(own), p.centre.kind === "trick" || p.centre.kind === "pot" || p.centre.kind === "melds" ? done(own) : null),
    hand(own),
    history_(),
  );
}

export { redraw };
