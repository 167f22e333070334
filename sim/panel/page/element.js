// Creates HTML and SVG elements with attributes, event handlers and children.

const SVG = "http://www.w3.org/2000/svg";

export const html = (name, attributes = {}, ...children) =>
  build(document.createElement(name), attributes, children);

export const svg = (name, attributes = {}, ...children) =>
  build(document.createElementNS(SVG, name), attributes, children);

export const byId = (id) => document.getElementById(id);

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}
