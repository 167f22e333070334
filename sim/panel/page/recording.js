// The recording: starts and stops it, shows the script as it grows, and offers it for saving.

import { byId } from "./element.js";
import { send } from "./line.js";
import { say } from "./words.js";

let recording = false;
let lines = [];

export function armRecording() {
  byId("record").onclick = () => send({ do: "record", on: !recording });
}

export function showRecording(table) {
  recording = table.recording;
  byId("record").textContent = say(recording ? "stop" : "record");
  byId("record").classList.toggle("on", recording);
  byId("on-air").hidden = !recording;
}

export function showScript({ from, lines: told }) {
  lines = [...lines.slice(0, from), ...told];
  const script = byId("script");
  script.hidden = byId("save").hidden = lines.length === 0;
  script.textContent = lines.join("\n");
  script.scrollTop = script.scrollHeight;
}

export function forgetScript() {
  showScript({ from: 0, lines: [] });
}
