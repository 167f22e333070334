// A short message at the bottom: why an action was refused, or what to do first.

import { byId } from "./element.js";

const DURATION = 3500;
let timer = 0;

export function toast(text) {
  byId("toast").textContent = text;
  clearTimeout(timer);
  timer = setTimeout(() => (byId("toast").textContent = ""), DURATION);
}
