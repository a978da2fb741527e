// The page: header, table, side panel, and what the server's messages mean.

import { redraw, rejoin, send, start, state, watching } from "./app.js";
import { button, h, render } from "./dom.js";
import { board } from "./board.js";
import { side } from "./side.js";
import { openSetup, refreshSetup } from "./setup.js";
import { openRecords, refreshRecords, saveFile, stepFile } from "./records.js";
import { copyRecordLink, openFromHash } from "./address.js";
import { listen, openKeys } from "./keys.js";
import { gameName } from "./names.js";
import { lang, setLang, t, told } from "./words.js";

const head = document.getElementById("head");
const main = document.getElementById("main");
const toast = document.getElementById("toast");
const compiling = document.getElementById("compiling");
let saving = "file"; // what the next saved record is for
let toHand = false; // whether the focus goes to the hand, as from a dialog that has closed

export function wantRecord(what) {
  saving = what;
  send({ do: "save" });
}

function switchLanguage() {
  setLang(lang() === "zh" ? "en" : "zh");
  redraw();
  refreshSetup();
  refreshRecords();
}

function drawHead() {
  const p = state.picture;
  render(
    head,
    h("div", { class: "brand" }, h("img", { src: "/static/icon.svg", alt: "", width: 28, height: 28 }), h("h1", {}, t("brand"))),
    h("p", { class: "what" }, p ? [h("b", {}, gameName(p.game)), p.deal !== null && p.deal !== undefined ? h("span", {}, t("dealNumber", { n: p.deal })) : null] : null),
    h(
      "nav",
      { "aria-label": t("brand") },
      button(t("newGame"), () => openSetup(), { class: "strong", "data-focus": "new" }),
      button(t("records"), () => openRecords(), { "data-focus": "records" }),
      button(t("fourColours"), () => fourColours(), { "aria-pressed": String(state.four), "data-focus": "four", class: "wide" }),
      button(t("help"), openKeys, { "data-focus": "help", class: "wide" }),
      button(t("language"), switchLanguage, { "data-focus": "language", lang: lang() === "zh" ? "en" : "zh-CN" }),
    ),
  );
}

function fourColours() {
  state.four = !state.four;
  localStorage.setItem("four", state.four ? "1" : "0");
  redraw();
}

function draw() {
  document.title = state.picture ? `${gameName(state.picture.game)} · ${t("brand")}` : t("brand");
  document.getElementById("skip").textContent = t("skip");
  document.body.classList.toggle("four", state.four);
  const trouble = state.connected ? (state.refused ? told(state.refused) : "") : t("lost");
  const wait = state.compiling ? t("compiling") : "";
  const places = document.querySelectorAll("dialog[open] .notice");
  for (const place of places) {
    if (place.textContent !== (trouble || wait)) place.textContent = trouble || wait;
    place.classList.toggle("bad", Boolean(trouble));
  }
  toast.textContent = places.length ? "" : trouble;
  toast.classList.toggle("shown", Boolean(toast.textContent));
  compiling.textContent = wait;
  drawHead();
  if (state.picture) render(main, board(), side());
  else render(main);
  if (toHand && state.picture) {
    toHand = false;
    document.getElementById("hand").focus({ preventScroll: true });
  }
  const here = document.querySelector(".log .here:not(.event)");
  const panel = here?.closest(".panel");
  if (panel && panel.scrollHeight > panel.clientHeight) panel.scrollTop = here.offsetTop - panel.offsetTop - panel.clientHeight / 2;
}

// Choices are for one position: they go when another one is shown.
function show(picture) {
  const before = state.picture;
  const moved = !before || before.table !== picture.table || before.stop !== picture.stop || before.stops !== picture.stops;
  state.picture = picture;
  if (moved || !picture.mine) {
    state.chosen = [];
    state.hint = null;
    state.hinting = false;
  }
  if (moved) state.bars = null;
  if (!state.chosen.length) state.answer = picture.mine;
  if (!before || before.table !== picture.table) state.tab = "history";
  if (picture.over && picture.result && moved) state.tab = "score";
  else if (!picture.result && state.tab === "score") state.tab = "history";
  if (!state.agents[picture.game]) send({ do: "agents", game: picture.game });
  askAgain();
  redraw();
}

// With the tab open an agent is asked about every position that is shown.
export function askAgain() {
  const p = state.picture;
  const key = p && `${p.table} ${p.stop} ${p.stops} ${state.adviser} ${p.revealed}`;
  if (!p || state.tab !== "ask" || p.over || state.asked === key) return;
  state.asked = key;
  if (p.turn === null || !p.seats[p.turn].cards) return; // a hidden hand: there is nothing to ask
  state.asking = true;
  send({ do: "thoughts", agent: state.adviser, stop: p.stop });
}

// Whether an answer is about what is shown: the game may have moved on meanwhile.
const isHere = (m) => m.table === state.picture?.table && m.stop === state.picture.stop;

function started() {
  if (!state.starting) return;
  state.starting = false;
  refreshSetup();
}

const messages = {
  games: (m) => {
    state.games = m.games;
    if (!state.picture && !rejoin() && !openFromHash()) openSetup();
  },
  seated: (m) => {
    if (m.key) sessionStorage.setItem(`table ${m.table}`, m.key);
    history.replaceState(null, "", `#table=${m.table}`);
  },
  compiling: (m) => (state.compiling = m.on),
  table: (m) => {
    started();
    const dialogs = document.querySelectorAll("dialog[open].closes");
    dialogs.forEach((dialog) => dialog.close());
    show(m);
    if (dialogs.length) toHand = true;
  },
  chosen: (m) => {
    if (JSON.stringify(m.places) === JSON.stringify(state.chosen)) state.answer = m;
  },
  hint: (m) => {
    if (!isHere(m)) return;
    state.hinting = false;
    state.hint = m;
    if (state.picture.mine && m.places.length) {
      state.chosen = m.places;
      send({ do: "choose", places: m.places, stop: state.picture.stop });
    }
  },
  thoughts: (m) => {
    if (!isHere(m) || m.agent !== state.adviser) return;
    state.asking = false;
    state.bars = m;
  },
  agents: (m) => {
    state.agents[m.game] = m.agents;
    refreshSetup();
  },
  files: (m) => {
    state.files = m.files;
    refreshRecords();
  },
  file: (m) => stepFile(m),
  saved: (m) => (saving === "file" ? saveFile(m.record) : copyRecordLink(m.record)),
  refused: (m) => {
    started();
    state.refused = m.text;
    state.asking = state.hinting = false;
    const known = state.answer?.places;
    if (state.chosen.length && JSON.stringify(known) !== JSON.stringify(state.chosen)) {
      state.chosen = []; // what was asked of them is not answered any more
      state.answer = state.picture?.mine;
    }
    if (!state.picture && !document.querySelector("dialog[open]")) openSetup();
    setTimeout(() => {
      if (state.refused === m.text) {
        state.refused = null;
        redraw();
      }
    }, 6000);
  },
};

listen();
start(draw, (message) => {
  messages[message.is]?.(message);
  redraw();
});
redraw();
export { watching };
