// The panels beside the box: which are folded, and the list of keyboard shortcuts.

import { byId, html } from "./element.js";
import { recall, remember } from "./memory.js";
import { say } from "./words.js";

const OPEN_WHERE_WIDE = ["accounts", "history"];
const WIDE = "(min-width: 1000px)";

const SHORTCUTS = [
  [["0", "…", "9"], "use-digits"],
  [[",", "."], "use-comma"],
  [["M", "K"], "use-units"],
  [["C", "key-Escape"], "use-C"],
  [["G", "key-Enter"], "use-G"],
  [["F"], "use-F"],
  [["←", "→"], "use-put"],
  [["↓", "key-Delete"], "use-take"],
  [["key-Enter", "key-Space"], "use-pick"],
];

const cap = (key) =>
  key === "…" ? key : html("kbd", {}, key.startsWith("key-") ? say(key) : key);

export function layPanels() {
  for (const panel of document.querySelectorAll("details")) {
    const wide = matchMedia(WIDE).matches && OPEN_WHERE_WIDE.includes(panel.id);
    panel.open = recall(`panel.${panel.id}`, wide ? "open" : "folded") === "open";
    panel.querySelector("summary").addEventListener("click", () => {
      remember(`panel.${panel.id}`, panel.open ? "folded" : "open"); // it is about to change
    });
  }
  byId("shortcut-list").append(...SHORTCUTS.flatMap(([keys, use]) => [
    html("dt", {}, ...keys.map(cap)),
    html("dd", {}, say(use)),
  ]));
}
