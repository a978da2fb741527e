// Records: dropped files, files in the folders given, and the game just played as a file.

import { redraw, send, state } from "./app.js";
import { button, h, icon, notice, render } from "./dom.js";
import { gameName } from "./names.js";
import { t } from "./words.js";

const LONGEST_LINE = 256 * 1024; // as the server allows
const LISTED = 200;
let dialog = null;

async function read(file) {
  const lines = (await file.text()).split("\n").filter((line) => line.trim());
  state.records = { name: file.name, lines, at: -1, where: null };
  if (!lines.length) {
    state.refused = { en: t("noRecords"), zh: t("noRecords") };
    redraw();
  } else if (lines.length === 1) openGame(0);
  else openRecords();
  refreshRecords();
}

export function openGame(at) {
  const r = state.records;
  if (r.where !== null) {
    send({ do: "file", name: r.where, number: at });
    return;
  }
  try {
    if (r.lines[at].length > LONGEST_LINE) throw new Error(t("tooLong", { n: at + 1 }));
    const record = JSON.parse(r.lines[at]);
    r.at = at;
    send({ do: "record", record });
  } catch (error) {
    const text = `${r.name}, ${at + 1}: ${error.message}`;
    state.refused = { en: text, zh: text };
    redraw();
  }
}

// The server has opened a game of a file in its folders.
export function stepFile(message) {
  state.records = { name: message.name, lines: [], at: message.number, where: message.name };
  history.replaceState(null, "", `#file=${encodeURIComponent(message.name)}&number=${message.number}`);
}

export function saveFile(record) {
  const blob = new Blob([`${JSON.stringify(record)}\n`], { type: "application/jsonl" });
  const link = h("a", { href: URL.createObjectURL(blob), download: `${record.game}-${Date.now()}.records.jsonl` });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function describe(line, at) {
  try {
    const record = JSON.parse(line);
    const scores = record.scores ? ` ${record.scores.join(" / ")}` : "";
    return `${t("gameNumber", { n: at + 1 })} · ${gameName(record.game)} · ${(record.agents || []).join(", ")}${scores}`;
  } catch {
    return t("gameNumber", { n: at + 1 });
  }
}

function content() {
  const r = state.records;
  const input = h("input", { type: "file", accept: ".jsonl,.json,application/jsonl", id: "file", class: "unseen", tabindex: -1, "aria-label": t("chooseFile"), onchange: (e) => e.target.files[0] && read(e.target.files[0]) });
  const games = r.lines.slice(0, LISTED).map((line, at) => h("li", {}, button(describe(line, at), () => openGame(at), { class: at === r.at ? "picked" : "", "data-focus": `game ${at}` })));
  const files = (state.files || []).map((file) => h("li", {}, button(file.label, () => send({ do: "file", name: file.name, number: 0 }), { "data-focus": `file ${file.name}` })));
  const step = r.at >= 0 ? h("p", { class: "fields" }, button(t("previousGame"), () => openGame(r.at - 1), { disabled: r.at === 0, "data-focus": "previous game" }), button(t("nextGame"), () => openGame(r.at + 1), { disabled: r.where === null && r.at + 1 >= r.lines.length, "data-focus": "next game" })) : null;
  return h(
    "div",
    { class: "form" },
    h("header", {}, h("h2", {}, t("records")), button(icon("close"), () => dialog.close(), { "aria-label": t("close"), class: "icon", "data-focus": "close" })),
    h(
      "div",
      { class: "content", "data-scroll": "records" },
      h("div", { class: "drop" }, h("p", {}, t("drop")), button(t("chooseFile"), () => input.click(), { class: "strong", "data-focus": "choose" }), input),
      step,
      games.length ? [h("h3", {}, t("gamesIn", { n: r.lines.length, name: r.name })), h("ul", { class: "list" }, games)] : null,
      h("h3", {}, t("inFolders")),
      files.length ? h("ul", { class: "list" }, files) : h("p", { class: "quiet" }, t("noFolders")),
    ),
    notice(),
  );
}

export function refreshRecords() {
  if (dialog?.open) render(dialog, content());
}

export function openRecords() {
  if (!dialog) {
    dialog = h("dialog", { class: "closes records", "aria-label": t("records") });
    document.body.append(dialog);
  }
  send({ do: "files" });
  if (!dialog.open) dialog.showModal();
  refreshRecords();
}

// A file may be dropped anywhere on the page.
addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("dropping");
});
addEventListener("dragleave", () => document.body.classList.remove("dropping"));
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  const file = event.dataTransfer.files[0];
  if (file) read(file);
});
