// Xiangxi 96: what lies on the table before a seat.

import { state } from "./app.js";
import { face, row } from "./cards.js";
import { h } from "./dom.js";
import { unitCards, unitName } from "./names.js";
import { t } from "./words.js";

function ownMark(unit) {
  if (!("own" in unit)) return "";
  const own = Array.isArray(unit.own) ? unit.own.every(Boolean) : unit.own;
  return own ? ` · ${t("own")}` : "";
}

export function unit(one) {
  const label = `${unitName(one.type)}${ownMark(one)} ${one.huxi ?? ""}`.trim();
  return h("li", { class: `unit ${one.type}` }, h("span", { class: "set" }, row(unitCards(one))), h("span", { class: "label" }, label));
}

export function laid(seat) {
  const c = state.picture.centre;
  const pile = c.piles[seat];
  return h(
    "div",
    { class: "laid" },
    c.melds[seat].length ? h("ul", { class: "units" }, c.melds[seat].map(unit)) : null,
    pile.length ? h("div", { class: "pile" }, h("span", { class: "label" }, t("pile")), pile.map((card) => face(card, { small: true }))) : null,
  );
}
