// The page that asks for the one-time code: its words, and whether the last code was wrong.

import { fill, say } from "./words.js";

fill(document);
if (document.documentElement.dataset.wrong === "yes") {
  document.getElementById("wrong").textContent = say("wrong-code");
}
