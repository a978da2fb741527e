// What the page knows, and how it talks to the server and draws itself again.

import { connect } from "./link.js";

export const state = {
  games: [],
  picture: null, // the table as the server showed it last
  chosen: [], // places of chosen cards in the hand
  answer: null, // what the server said of them
  refused: null, // why something was not possible
  hint: null,
  hinting: false, // whether it is still to come
  bars: null, // an agent's thoughts
  asked: null, // for which position they were asked
  asking: false, // whether its answer is still to come
  tab: "history",
  adviser: localStorage.getItem("adviser") || "rule",
  agents: {}, // names of agents by game
  files: null,
  records: { name: "", lines: [], at: -1, where: null },
  four: localStorage.getItem("four") === "1",
  connected: true,
  starting: false, // a game is being made ready
  compiling: false, // kernels are being compiled, as on a first start
  settings: null, // of the last game that was started
};

let drawing = false;
let draw = () => {};
let handle = () => {};
let send_ = null;

export function start(drawAll, onmessage) {
  draw = drawAll;
  handle = onmessage;
  send_ = connect(
    (message) => handle(message),
    (connected) => {
      const again = connected && !state.connected;
      state.connected = connected;
      if (again) rejoin();
      redraw();
    },
  );
}

export function send(message) {
  state.refused = null;
  send_(message);
}

// While something is pressed nothing is drawn: what is replaced under a finger gets no click.
let pressed = false;
let late = false;
addEventListener("pointerdown", () => (pressed = true), true);
for (const end of ["pointerup", "pointercancel", "blur"]) {
  addEventListener(end, () => setTimeout(release), true);
}

function release() {
  pressed = false;
  if (late) redraw();
}

export function redraw() {
  late = pressed;
  if (drawing || pressed) return;
  drawing = true;
  queueMicrotask(() => {
    drawing = false;
    draw();
  });
}

// The seat at a table is kept by the tab, so that it can be taken again after a reload.
export function rejoin() {
  const table = new URLSearchParams(location.hash.slice(1)).get("table");
  if (table) send({ do: "join", table, key: sessionStorage.getItem(`table ${table}`) });
  return Boolean(table);
}

export const game = () => state.picture?.game;
export const live = () => state.picture && state.picture.stop === state.picture.stops;
export const isAgent = (name) => name !== "you" && name !== "guest";
export const watching = () => state.picture && !state.picture.record && state.picture.seats.every((seat) => isAgent(seat.player));
