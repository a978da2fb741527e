// The dialog for a new game: which one, its options, who sits where.

import { agentSelect } from "./agents.js";
import { redraw, send, state } from "./app.js";
import { face } from "./cards.js";
import { button, h, icon, notice, render } from "./dom.js";
import { gameName, gameNote, optionName, optionNote, valueName } from "./names.js";
import { t } from "./words.js";

const SHOWN = { guan_pai: ["AS", "AH", "AC"], zheng_shang_you: ["7H", "8H", "9H"], diao_xie: ["X", "3H"], xiangxi96: ["r7", "r8", "b9"] };
let dialog = null;
const form = { game: "guan_pai", options: {}, seats: [], training: true, deal: "" };

const declared = () => state.games.find((one) => one.name === form.game);
const players = () => form.options.num_players ?? declared().players;

function seatNames() {
  return ["you", "guest", ...(state.agents[form.game] || ["random", "rule", "search"])];
}

function chooseGame(name) {
  form.game = name;
  form.options = Object.fromEntries(declared().options.map((option) => [option.name, option.default]));
  form.seats = [];
  if (!state.agents[name]) send({ do: "agents", game: name });
  refreshSetup();
}

function fillSeats() {
  const n = players();
  form.seats = Array.from({ length: n }, (_, seat) => form.seats[seat] ?? (seat === 0 ? "you" : "rule"));
}

function set(option, value) {
  form.options[option.name] = value;
  if (option.name === "num_players") refreshSetup();
}

function control(option) {
  const id = `option-${option.name}`;
  const value = form.options[option.name];
  if (option.kind === "switch") return h("input", { type: "checkbox", id, checked: value, "data-focus": id, onchange: (e) => set(option, e.target.checked) });
  const few = option.kind === "number" && !option.may_be_none && option.most - option.least < 10;
  if (option.kind === "choice" || few) {
    const values = few ? Array.from({ length: option.most - option.least + 1 }, (_, i) => option.least + i) : option.values;
    return h("select", { id, "data-focus": id, onchange: (e) => set(option, values[e.target.selectedIndex]) }, values.map((one) => h("option", { selected: one === value }, valueName(one))));
  }
  return h("input", {
    type: "number", id, min: option.least, max: option.most, value: value ?? "", placeholder: option.may_be_none ? t("none") : "", "data-focus": id,
    onchange: (e) => set(option, e.target.value === "" ? (option.may_be_none ? null : option.default) : Number(e.target.value)),
  });
}

function submit(event) {
  event.preventDefault();
  const deal = form.deal.trim() === "" ? null : Number(form.deal);
  state.settings = { do: "new", game: form.game, options: { ...form.options }, seats: [...form.seats], training: form.training, deal };
  send(state.settings);
  state.starting = true;
  redraw();
  refreshSetup();
}

function content() {
  fillSeats();
  const games = state.games.map((one) =>
    h(
      "label",
      { class: `game${one.name === form.game ? " picked" : ""}` },
      h("input", { type: "radio", name: "game", value: one.name, checked: one.name === form.game, "data-focus": `game ${one.name}`, onchange: () => chooseGame(one.name) }),
      h("span", { class: "sample", "aria-hidden": "true" }, SHOWN[one.name].map((card) => face(card, { small: true, silent: true }))),
      h("span", { class: "title" }, gameName(one.name)),
      h("span", { class: "quiet" }, gameNote(one.name)),
    ),
  );
  const sit = (seat, name, isTyped) => {
    form.seats[seat] = name;
    if (!isTyped) refreshSetup(); // a button that is just being pressed has to stay
  };
  const seats = form.seats.map((chosen, seat) => agentSelect(t("seat", { n: seat + 1 }), seatNames(), chosen, (name, isTyped) => sit(seat, name, isTyped), `seat ${seat}`, { "data-seat": seat }));
  const options = declared().options.map((option) =>
    h("div", { class: `field ${option.kind}` }, h("label", { for: `option-${option.name}` }, optionName(option.name)), control(option), h("p", { class: "quiet" }, optionNote(option))),
  );
  const watches = !form.seats.some((name) => name === "you" || name === "guest");
  return h(
    "form",
    { onsubmit: submit },
    h("header", {}, h("h2", {}, t("chooseGame")), button(icon("close"), () => dialog.close(), { "aria-label": t("close"), class: "icon", "data-focus": "close" })),
    h(
      "div",
      { class: "content", "data-scroll": "setup" },
      h("fieldset", { class: "games" }, h("legend", { class: "unseen" }, t("chooseGame")), games),
      h("fieldset", {}, h("legend", {}, t("players")), h("div", { class: "fields" }, seats), watches ? h("p", { class: "quiet" }, t("watchNote")) : null),
      h(
        "div",
        { class: "fields" },
        h("label", { class: "field check" }, h("input", { type: "checkbox", checked: form.training, "data-focus": "training", onchange: (e) => (form.training = e.target.checked) }), h("span", {}, t("training"), h("small", { class: "quiet" }, t("trainingNote")))),
        h("label", { class: "field" }, h("span", {}, t("deal")), h("input", { type: "number", min: 0, value: form.deal, placeholder: t("dealHint"), "data-focus": "deal", oninput: (e) => (form.deal = e.target.value) })),
      ),
      h("details", { open: form.isOpen, ontoggle: (e) => (form.isOpen = e.target.open) }, h("summary", { "data-focus": "options" }, t("options")), h("div", { class: "fields options" }, options)),
    ),
    h(
      "footer",
      {},
      notice(),
      button(t("close"), () => dialog.close(), { "data-focus": "cancel" }),
      h("button", { type: "submit", class: "strong", "data-focus": "start", id: "start", disabled: state.starting }, t(state.starting ? "starting" : "start")),
    ),
  );
}

export function refreshSetup() {
  if (dialog?.open) render(dialog, content());
}

export function openSetup() {
  if (!state.games.length) return;
  if (!dialog) {
    dialog = h("dialog", { class: "closes setup", "aria-label": t("newGame") });
    document.body.append(dialog);
    chooseGame(form.game);
  }
  if (!dialog.open) dialog.showModal();
  refreshSetup();
  dialog.querySelector("input:checked")?.focus();
}
