// Elements of the replay. Text from agents and apps is added as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

// Creates an element with children and attributes (true: without a value; null, undefined and false: left out).
export function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

// A button with an icon and a label for screen readers.
export function iconButton(label, path, extra = {}) {
  const icon = svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: path }));
  return make("button", { type: "button", class: "replay-icon", "aria-label": label, title: label, ...extra }, icon);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(key, "");
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, String(value));
  }
  element.append(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false));
  return element;
}
