// Cards drawn as SVG: strokes for ranks, shapes for suits. No fonts, no pictures.

import { svg } from "./dom.js";
import { cardName } from "./names.js";
import shapes from "./shapes.js"; // which the server makes of envs/core/drawing/cards.json

// Ranks are strokes in a box of 10 x 14, suits and the star are outlines in one of 24 x 24.
const { ranks: RANKS, suits: SUITS, star: STAR } = shapes;

// The rank and suit that a card is drawn with: in Xiangxi 96 red cards are hearts, black ones spades.
export function parts(card) {
  if (card === "x" || card === "X") return { rank: null, suit: card };
  if (card[0] === "r") return { rank: card[1], suit: "H" };
  if (card[0] === "b") return { rank: card[1], suit: "S" };
  return { rank: card[0], suit: card[1] };
}

function rank(name, x, y, scale) {
  return svg("path", { d: RANKS[name], transform: `translate(${x} ${y}) scale(${scale})`, class: "rank" });
}

function suit(name, x, y, scale) {
  return svg("path", { d: SUITS[name], transform: `translate(${x} ${y}) scale(${scale})`, class: "suit" });
}

function joker(card) {
  const look = card === "X" ? "suit" : "outline";
  return [
    svg("path", { d: STAR, transform: "translate(4 5) scale(.66)", class: look }),
    svg("path", { d: STAR, transform: "translate(13 30) scale(1.6)", class: look }),
  ];
}

// The face of a card; its name is said to screen readers unless it stands inside a button that says it.
export function face(card, { silent = false, small = false } = {}) {
  const { rank: r, suit: s } = parts(card);
  const drawn = r
    ? [rank(r, 5, 6, 1.35), suit(s, 4.5, 29, 0.64), small ? null : suit(s, 25, 45, 1.22)]
    : joker(card);
  return svg(
    "svg",
    { viewBox: "0 0 60 84", class: `card suit-${s}${small ? " small" : ""}`, role: "img", "aria-label": silent ? null : cardName(card), "aria-hidden": silent ? "true" : null },
    svg("rect", { x: 0.75, y: 0.75, width: 58.5, height: 82.5, rx: 6, class: "paper" }),
    ...drawn.filter(Boolean),
  );
}

// The back of a hidden card.
export function back() {
  return svg(
    "svg",
    { viewBox: "0 0 60 84", class: "card back small", "aria-hidden": "true" },
    svg("rect", { x: 0.75, y: 0.75, width: 58.5, height: 82.5, rx: 6, class: "paper" }),
    svg("rect", { x: 6, y: 6, width: 48, height: 72, rx: 4, class: "pattern" }),
    svg("path", { d: "M6 22 46 78M6 50 26 78M14 6 54 62M34 6 54 34M54 22 14 78M54 50 34 78M46 6 6 62M26 6 6 34", class: "lines" }),
  );
}

export function row(cards, options = {}) {
  return cards.map((card) => face(card, { small: true, ...options }));
}
