// Makes elements of the page and of its drawings, with attributes and children.

const SVG = "http://www.w3.org/2000/svg";

export const html = (name, attributes = {}, ...children) =>
  furnish(document.createElement(name), attributes, children);

export const svg = (name, attributes = {}, ...children) =>
  furnish(document.createElementNS(SVG, name), attributes, children);

export const byId = (id) => document.getElementById(id);

function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
