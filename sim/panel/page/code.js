// The page that asks for the one-time code.

import { fill, say } from "./words.js";

fill(document);
if (document.documentElement.dataset.wrong === "yes") {
  document.getElementById("wrong").textContent = say("wrong-code");
}
