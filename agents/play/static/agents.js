// Choosing an agent: from a list, or by a name that is typed, as search with another budget.

import { h } from "./dom.js";
import { agentName } from "./names.js";
import { t } from "./words.js";

const OTHER = "other";
const EXAMPLE = "search:50ms";
const people = () => ({ you: t("you"), guest: t("guest") });

// Names that are not in the list have a field of their own; `key` is where the focus is kept.
// `onchange` gets a name, and whether it was typed.
export function agentSelect(label, names, chosen, onchange, key, attributes = {}) {
  const isTyped = !names.includes(chosen);
  const [id, note] = [key.replace(" ", "-"), `${key.replace(" ", "-")}-note`];
  return h(
    "div",
    { class: "field" },
    h("label", { for: id }, label),
    h(
      "select",
      { id, "data-focus": key, onchange: (e) => onchange(e.target.value === OTHER ? EXAMPLE : e.target.value), ...attributes },
      names.map((name) => h("option", { value: name, selected: name === chosen }, people()[name] || agentName(name))),
      h("option", { value: OTHER, selected: isTyped }, t("otherAgent")),
    ),
    isTyped
      ? [
          h("input", { type: "text", value: chosen, maxlength: 200, spellcheck: "false", autocomplete: "off", autocapitalize: "off", "aria-label": t("otherAgent"), "aria-describedby": note, "data-focus": `${key} typed`, onchange: (e) => onchange(e.target.value.trim() || EXAMPLE, true) }),
          h("small", { class: "quiet", id: note }, t("otherNote")),
        ]
      : null,
  );
}
