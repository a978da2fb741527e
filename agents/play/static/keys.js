// The keyboard: everything can be done without a pointer.

import { redraw, send, state, watching } from "./app.js";
import { button, h, icon, render } from "./dom.js";
import { chooseRank, hint, play, playNamed, setChosen } from "./hand.js";
import { openSetup } from "./setup.js";
import { t } from "./words.js";

const RANKS = { 3: "3", 4: "4", 5: "5", 6: "6", 7: "7", 8: "8", 9: "9", 0: "T", t: "T", j: "J", q: "Q", k: "K", a: "A", 2: "2" };
let dialog = null;

export function openKeys() {
  if (!dialog) {
    dialog = h("dialog", { class: "keys", "aria-label": t("keysTitle") });
    document.body.append(dialog);
  }
  render(
    dialog,
    h("div", { class: "form" }, h("header", {}, h("h2", {}, t("keysTitle")), button(icon("close"), () => dialog.close(), { "aria-label": t("close"), class: "icon" })), h("ul", { class: "content" }, t("keys").split(" · ").map((line) => h("li", {}, line)))),
  );
  dialog.showModal();
}

function look(to) {
  const p = state.picture;
  if (to < 0 || to > p.stops) return;
  send({ do: "look", to: to >= p.stops ? null : to });
}

export function listen() {
  addEventListener("keydown", (event) => {
    const p = state.picture;
    const element = event.target;
    if (!p || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (element.matches("input, select, textarea") && event.key !== "Escape") return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const onButton = element.matches("button, summary, a");
    const does = {
      ArrowLeft: () => look(p.stop - 1),
      ArrowRight: () => look(p.stop + 1),
      Home: () => look(0),
      End: () => look(p.stops),
      Escape: () => setChosen([]),
      p: () => playNamed("pass"),
      h: hint,
      u: () => p.training && !p.record && send({ do: "undo" }),
      v: () => p.training && p.own.length && send({ do: "reveal", on: !p.revealed }),
      n: openSetup,
      "?": openKeys,
      Enter: !onButton || element.classList.contains("pick") ? () => play() : null,
      " ": !onButton && watching() ? () => send({ do: "pace", paused: !p.paused }) : null,
    }[key];
    if (does) {
      event.preventDefault();
      does();
      redraw();
    } else if (RANKS[key] && p.mine?.lit) {
      event.preventDefault();
      chooseRank(RANKS[key]);
    } else if (key === "x" && p.mine?.lit) {
      chooseRank(event.key);
    }
  });
}
