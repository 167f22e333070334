// The panels beside the box: whether they are open, and the list of keyboard shortcuts.

import { byId, html } from "./element.js";
import { load, save } from "./storage.js";
import { say } from "./words.js";

const OPEN_IF_WIDE = ["accounts", "history"];
const WIDE = "(min-width: 1000px)";

const SHORTCUTS = [
  [["0", "…", "9"], "use-digits"],
  [[",", "."], "use-comma"],
  [["M", "K"], "use-units"],
  [["C", "key-Escape"], "use-C"],
  [["G"], "use-G"],
  [["F"], "use-F"],
  [["key-Tab"], "use-tab"],
  [["←", "→", "↑", "↓"], "use-arrows"],
  [["key-Enter", "key-Space"], "use-pick"],
  [["←", "→"], "use-put"],
  [["key-Delete"], "use-take"],
];

const keyCap = (key) =>
  key === "…" ? key : html("kbd", {}, key.startsWith("key-") ? say(key) : key);

export function setUpPanels() {
  for (const panel of document.querySelectorAll("details")) {
    const wide = matchMedia(WIDE).matches && OPEN_IF_WIDE.includes(panel.id);
    panel.open = load(`panel.${panel.id}`, wide ? "open" : "folded") === "open";
    panel.querySelector("summary").addEventListener("click", () => {
      save(`panel.${panel.id}`, panel.open ? "folded" : "open"); // the state before the click
    });
  }
  byId("shortcut-list").append(...SHORTCUTS.flatMap(([keys, use]) => [
    html("dt", {}, ...keys.map(keyCap)),
    html("dd", {}, say(use)),
  ]));
}
