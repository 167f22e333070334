// Starts and stops a recording, and shows its script.

import { byId } from "./element.js";
import { send } from "./connection.js";
import { say } from "./words.js";

let recording = false;
let first = 0; // the number of the first line that is known: the server sends the newest ones
let lines = [];

export function setUpRecording() {
  byId("record").onclick = () => send({ do: "record", on: !recording });
}

export function showRecording(table) {
  recording = table.recording;
  byId("record").textContent = say(recording ? "stop" : "record");
  byId("record").classList.toggle("on", recording);
  byId("recording-mark").hidden = !recording;
}

export function showScript({ from, lines: changed }) {
  if (from < first || from > first + lines.length) [first, lines] = [from, []];
  lines = [...lines.slice(0, from - first), ...changed];
  const script = byId("script");
  script.hidden = byId("save").hidden = lines.length === 0;
  script.textContent = [...(first ? ["…"] : []), ...lines].join("\n");
  script.scrollTop = script.scrollHeight;
}
