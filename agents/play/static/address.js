// Links to a position: by deal and move number, by file and game, or to a table that is open.

import { redraw, send, state } from "./app.js";
import { wantRecord } from "./main.js";
import { t } from "./words.js";

let wanted = null; // the move to look at when the table has come

function tell(key) {
  state.refused = { en: t(key), zh: t(key) };
  redraw();
}

async function copy(hash, key) {
  history.replaceState(null, "", hash);
  try {
    await navigator.clipboard.writeText(location.href);
    tell(key);
  } catch {
    tell(key); // not allowed to: the address bar has the link
  }
}

export function copyLink() {
  const p = state.picture;
  const r = state.records;
  if (p.record && r.where !== null) copy(`#file=${encodeURIComponent(r.where)}&number=${r.at}&move=${p.stop}`, "copied");
  else if (p.open && p.deal !== null) wantRecord("link");
  else if (p.record) tell("noLink");
  else copy(`#table=${p.table}`, "linkLater");
}

// The game, its options, its players, the deal and what was played: all that a position is.
export function copyRecordLink(record) {
  const p = state.picture;
  const query = new URLSearchParams({
    game: record.game,
    deal: p.deal,
    move: p.stop,
    players: record.agents.join(","),
    options: JSON.stringify(record.rules),
    actions: record.decisions.map(([, action]) => action).join("."),
  });
  copy(`#${query}`, "copied");
}

export function openFromHash() {
  const query = new URLSearchParams(location.hash.slice(1));
  const move = query.get("move");
  wanted = move === null ? null : Number(move);
  try {
    if (query.has("file")) {
      send({ do: "file", name: query.get("file"), number: Number(query.get("number") || 0) });
    } else if (query.has("deal")) {
      const actions = (query.get("actions") || "").split(".").filter(Boolean).map(Number);
      send({ do: "replay", game: query.get("game"), options: JSON.parse(query.get("options") || "{}"), seats: (query.get("players") || "").split(","), deal: Number(query.get("deal")), actions });
    } else return false;
  } catch {
    return false;
  }
  if (wanted !== null) send({ do: "look", to: wanted });
  return true;
}
