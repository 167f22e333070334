// A short word at the edge of the table: why something was refused, or what to do first.

import { byId } from "./element.js";

const LONG_ENOUGH = 3500;
let gone = 0;

export function toast(text) {
  byId("toast").textContent = text;
  clearTimeout(gone);
  gone = setTimeout(() => (byId("toast").textContent = ""), LONG_ENOUGH);
}
