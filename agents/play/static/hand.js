// The own hand: cards that can be chosen, what they are, and the buttons.

import { game, isAgent, live, redraw, send, state } from "./app.js";
import { face } from "./cards.js";
import { button, h } from "./dom.js";
import { people, who } from "./board.js";
import { agentName, cardName, cardShort, playName, playText } from "./names.js";
import { pick, t, told } from "./words.js";

const discards = () => game() === "xiangxi96";

export function choose(place) {
  const mine = state.picture?.mine;
  if (!mine) return;
  const { marks } = mine;
  const chosen = [...state.chosen];
  const alike = (other) => marks[other] === marks[place];
  if (chosen.includes(place)) chosen.splice(chosen.lastIndexOf(chosen.filter(alike).pop()), 1);
  else if (discards()) chosen.splice(0, chosen.length, place);
  else chosen.push(marks.findIndex((_, i) => alike(i) && !chosen.includes(i)));
  setChosen(chosen);
}

export function setChosen(chosen) {
  state.chosen = chosen.sort((a, b) => a - b);
  state.hint = null;
  if (chosen.length) send({ do: "choose", places: state.chosen, stop: state.picture.stop });
  else state.answer = state.picture.mine;
  redraw();
}

// Choose a card by its rank, from the keyboard: the next one that is not chosen yet, else none of them.
export function chooseRank(rank) {
  const cards = state.picture?.mine && state.picture.seats[state.picture.turn].cards;
  if (!cards) return;
  const index = (card) => (card[0] === "r" || card[0] === "b" ? card[1] : card[0]);
  const places = cards.map((card, i) => (index(card) === rank ? i : -1)).filter((i) => i >= 0);
  const free = places.find((place) => !state.chosen.includes(place));
  if (free !== undefined) choose(free);
  else if (places.length) setChosen(state.chosen.filter((place) => !places.includes(place)));
}

export function play(reading = null) {
  const p = state.picture;
  const ready = state.answer?.ready;
  if (!p?.mine || !state.chosen.length) return;
  const one = reading || (ready?.length ? ready[0] : {});
  send({ do: "play", places: state.chosen, name: one.name ?? null, key: one.key ?? null, stop: p.stop });
}

export function playNamed(name) {
  const choice = state.picture?.mine?.choices.find((one) => one.name === name);
  if (!choice) return;
  if (choice.why) {
    state.refused = choice.why;
    redraw();
    return;
  }
  send({ do: "play", places: [], name, stop: state.picture.stop });
}

export function hint() {
  if (!state.picture?.mine) return;
  state.hinting = true;
  send({ do: "hint", agent: state.adviser, stop: state.picture.stop });
  redraw();
}

// What the page says just now: what the chosen cards are, why they are nothing, or whose turn it is.
export function message() {
  const p = state.picture;
  const answer = state.answer;
  if (!live()) return t("past");
  if (p.over) return `${t("over")}${pick(" ", "")}${p.result && !(p.centre.hands > 1) ? told(p.result.lines[0], people()) : ""}`;
  if (p.asking) return t("asking");
  if (!p.mine) return p.record ? t("turnOf", { who: who(p.turn) }) : t(isAgent(p.seats[p.turn].player) && !p.paused ? "thinking" : "turnOf", { who: who(p.turn) });
  if (state.hinting) return t("thinking", { who: agentName(state.adviser) });
  if (state.hint) return t("hinted", { agent: agentName(state.hint.agent), what: hinted() });
  if (state.chosen.length && answer?.why) return told(answer.why, people()) + becomes(answer);
  if (state.chosen.length && answer?.ready?.length) return t("ready", { what: answer.ready.map((one) => playText(one, game())).join(" / ") }) + becomes(answer);
  return `${t("yourTurn")}${pick(" ", "")}${prompt(p.mine)}`;
}

const hinted = () => (state.hint.cards.length && !["tie", "discard"].includes(state.hint.name) ? `${playText(state.hint, game())} (${state.hint.cards.map(cardShort).join(" ")})` : playText(state.hint, game()));

function becomes(answer) {
  const names = (answer.becomes || []).slice(0, 6).map((name) => playName(name, game()));
  return names.length && !answer.ready.length ? `${pick(" ", "")}${t("becomes", { what: names.join(", ") })}` : "";
}

function prompt(mine) {
  if (mine.lit.length) return t(discards() ? "chooseDiscard" : "chooseCards");
  const names = [...new Set(mine.choices.filter((choice) => !choice.why).map((choice) => playName(choice.name, game())))];
  if (names.length === 1 && mine.choices[0].name === "pass" && !discards()) return t("nothing");
  return t("chooseClaim", { what: names.join(", ") });
}

function cardButton(card, place, answer) {
  const chosen = state.chosen.includes(place);
  const lit = answer?.lit.includes(place);
  const dims = answer?.lit.length || state.chosen.length || state.picture.mine.lit.length;
  const name = `${cardName(card)}`;
  return button(face(card, { silent: true }), () => choose(place), {
    class: `pick${chosen ? " chosen" : ""}${lit || chosen ? " lit" : dims ? " unlit" : ""}`,
    "aria-pressed": String(chosen),
    "aria-label": name,
    title: name,
    "data-focus": `card ${place}`,
    "data-card": card,
    "data-lit": lit ? "1" : "0",
  });
}

function choiceButton(choice) {
  const amount = choice.amount ? ` ${choice.amount} b` : "";
  const hinted_ = state.hint?.name === choice.name;
  return button([h("span", { class: "said" }, `${playName(choice.name, game())}${amount}`), choice.cards ? h("span", { class: "lays" }, choice.cards.map((card) => face(card, { small: true, silent: true }))) : null], () => playNamed(choice.name), {
    class: `choice${hinted_ ? " hinted" : ""}${choice.why ? " off" : ""}`,
    "data-choice": choice.name,
    "data-focus": `choice ${choice.name}`,
    "aria-disabled": choice.why ? "true" : null,
    title: choice.why ? told(choice.why) : null,
  });
}

function actions(p) {
  const answer = state.answer;
  const label = discards() ? t("discard") : t("play");
  const ready = state.chosen.length ? answer?.ready || [] : [];
  const several = ready.length > 1;
  const withCards = p.mine && (p.mine.lit.length || state.chosen.length);
  const trains = p.training && !p.record && p.own.length;
  return h(
    "div",
    { class: "actions", role: "toolbar", "aria-label": t("yourTurn") },
    several ? ready.map((one) => button(`${label}: ${playText(one, game())}`, () => play(one), { class: "strong", "data-focus": `ready ${one.name} ${one.key}` })) : null,
    withCards && !several ? button(label, () => play(), { class: `strong${ready.length ? "" : " off"}`, "aria-disabled": ready.length ? null : "true", "data-focus": "play", "data-action": "play" }) : null,
    state.chosen.length ? button(t("clear"), () => setChosen([]), { "data-focus": "clear" }) : null,
    p.mine ? p.mine.choices.map(choiceButton) : null,
    trains ? button(t("hint"), hint, { disabled: !p.mine, "data-focus": "hint", "data-action": "hint" }) : null,
    trains ? button(t("undo"), () => send({ do: "undo" }), { "data-focus": "undo", "data-action": "undo" }) : null,
    trains && !p.over ? button(p.revealed ? t("hide") : t("reveal"), () => send({ do: "reveal", on: !p.revealed }), { "aria-label": p.revealed ? t("hideTip") : t("revealTip"), title: p.revealed ? t("hideTip") : t("revealTip"), "aria-pressed": String(p.revealed), "data-focus": "reveal", "data-action": "reveal" }) : null,
    p.over && live() && state.settings ? button(t("again"), () => send({ ...state.settings, deal: null }), { class: "strong", "data-focus": "again" }) : null,
  );
}

// Whether the server has still to say what the chosen cards are.
const isWaiting = () => state.chosen.length > 0 && String(state.answer?.places) !== String(state.chosen);

export function hand(seat) {
  const p = state.picture;
  const cards = p.seats[seat].cards || [];
  const acts = p.mine && p.turn === seat;
  const text = message();
  document.getElementById("told").textContent = text;
  const named = p.centre.kind === "pot" && p.centre.named[seat] ? h("span", { class: "named" }, told(p.centre.named[seat])) : null;
  const shown = acts ? cards.map((card, place) => cardButton(card, place, state.answer)) : cards.map((card) => h("span", { class: "pick still" }, face(card)));
  return h(
    "div",
    { class: "hold" },
    h("p", { class: `message${state.chosen.length && state.answer?.why && !state.answer.becomes?.length ? " wrong" : ""}` }, text),
    h("div", { id: "hand", tabindex: "-1", "data-focus": "hand", class: `hand${acts ? " acts" : ""} size${cards.length > 22 ? "XL" : cards.length > 16 ? "L" : cards.length > 7 ? "M" : "S"}`, role: "group", "aria-busy": isWaiting() ? "true" : null, "aria-label": p.own.includes(seat) && !p.record ? t("yourHand") : t("handOfWho", { who: who(seat) }) }, shown, named),
    actions(p),
  );
}
