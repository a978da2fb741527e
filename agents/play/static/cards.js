// Cards drawn as SVG: strokes for ranks, shapes for suits. No fonts, no pictures.

import { svg } from "./dom.js";
import { cardName } from "./names.js";

// In a box of 10 x 14.
const RANKS = {
  A: "M1 13 5 1 9 13M2.6 9H7.4",
  2: "M1.3 4.3A3.8 3.5 0 1 1 8.2 6.3L1.2 13H9",
  3: "M1.3 1.2H8.5L4.6 5.8A3.7 3.6 0 1 1 1.1 10.9",
  4: "M7 13V1L1 9.5H9.3",
  5: "M8.3 1.2H2.5L2 6.3A3.9 3.7 0 1 1 1.2 11.3",
  6: "M7.8 1.4C3.8 1.8 1.2 5 1.2 9A3.85 3.9 0 1 0 8.9 9 3.85 3.9 0 0 0 1.3 8.3",
  7: "M1 1.2H9L4 13",
  8: "M5 1a2.9 2.7 0 1 0 .01 0M5 6.4a3.7 3.3 0 1 0 .01 0",
  9: "M2.2 12.6C6.2 12.2 8.8 9 8.8 5A3.85 3.9 0 1 0 1.1 5 3.85 3.9 0 0 0 8.7 5.7",
  T: "M.4 3.2 2.4 1V13M7.1 1a2.7 6 0 1 0 .01 0",
  J: "M7.4 1V9.6A3.1 3.5 0 0 1 1.3 9.8",
  Q: "M5 1a4 6 0 1 0 .01 0M5.8 9.5 9.2 13.5",
  K: "M1.8 1V13M8.8 1 1.9 8M4.3 5.8 9 13",
};

// In a box of 24 x 24.
const SUITS = {
  H: "M12 21.5C5 15.5 2 11.8 2 8A5 5 0 0 1 12 6.3 5 5 0 0 1 22 8C22 11.8 19 15.5 12 21.5Z",
  D: "M12 1.5 20.5 12 12 22.5 3.5 12Z",
  S: "M12 1.5C17 7.5 22 10.8 22 15A4.6 4.6 0 0 1 13.2 17L14.6 22.5H9.4L10.8 17A4.6 4.6 0 0 1 2 15C2 10.8 7 7.5 12 1.5Z",
  C: "M12 1.5A4.6 4.6 0 0 1 15.7 8.9 4.6 4.6 0 1 1 13.1 16.5L14.6 22.5H9.4L10.9 16.5A4.6 4.6 0 1 1 8.3 8.9 4.6 4.6 0 0 1 12 1.5Z",
};
const STAR = "M12 1.8 15.1 8.7 22.5 9.5 17 14.5 18.5 21.9 12 18.2 5.5 21.9 7 14.5 1.5 9.5 8.9 8.7Z";

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
