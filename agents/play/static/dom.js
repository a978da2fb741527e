// Small helpers to make elements; text is always set as text, never as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "selected") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(9)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

// Put new content into an element; the focus stays on what has the same data-focus.
export function render(element, ...children) {
  const active = document.activeElement;
  const key = element.contains(active) ? active.dataset.focus : null;
  const scrolled = [...element.querySelectorAll("[data-scroll]")].map((e) => [e.dataset.scroll, e.scrollTop]);
  element.replaceChildren(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  for (const [name, top] of scrolled) {
    const again = element.querySelector(`[data-scroll="${name}"]`);
    if (again) again.scrollTop = top;
  }
  if (key) element.querySelector(`[data-focus="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

const ICONS = {
  first: "M5 4V20M20 4 9 12 20 20Z",
  previous: "M17 4 6 12 17 20Z",
  next: "M7 4 18 12 7 20Z",
  last: "M19 4V20M4 4 15 12 4 20Z",
  close: "M5 5 19 19M19 5 5 19",
  link: "M10 8H7A4 4 0 0 0 7 16H10M14 8H17A4 4 0 0 1 17 16H14M8 12H16",
  save: "M12 4V15M7 11 12 16 17 11M4 20H20",
};

export function icon(name) {
  return svg("svg", { viewBox: "0 0 24 24", class: "icon-drawn", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}

// Where a dialog, which covers the page, says what the page has to say.
export const notice = () => h("p", { class: "notice", role: "alert" });

export function button(label, onclick, attributes = {}) {
  return h("button", { type: "button", onclick, ...attributes }, label);
}
