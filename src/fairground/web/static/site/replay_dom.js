// Elements of the replay. Whatever agents and apps said goes in as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

// An element with attributes (true stands alone; null, undefined and false are left out) and children.
export function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

// A button with a drawing; its label is for those who do not see it.
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
