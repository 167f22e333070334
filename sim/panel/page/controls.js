// The controls of time, power and faults.

import { byId, html } from "./element.js";
import { send } from "./connection.js";
import { say } from "./words.js";

let table = null;
let receivedAt = 0;

const button = (attributes, name, onclick) =>
  html("button", { type: "button", ...attributes, onclick }, name);

export function createControls({ paces, faults }) {
  byId("paces").replaceChildren(...paces.map((rate) =>
    button({ "data-pace": rate }, say(rate ? "pace-n" : "pace-0", { rate }),
      () => send({ do: "pace", rate }))));
  byId("skip").onclick = () => send({ do: "skip" });
  byId("switches").replaceChildren(
    button({ id: "power" }, "", () => send({ do: "power", on: !table.power })),
    ...faults.map((fault) =>
      button({ "data-fault": fault }, say(`fault-${fault}`),
        () => send({ do: "fault", fault, on: !table.faults.includes(fault) }))));
}

export function showControls(received) {
  table = received;
  receivedAt = performance.now();
  for (const button of byId("paces").children) {
    button.setAttribute("aria-pressed", Number(button.dataset.pace) === table.pace);
  }
  for (const button of byId("switches").querySelectorAll("[data-fault]")) {
    button.setAttribute("aria-pressed", table.faults.includes(button.dataset.fault));
  }
  byId("pace-mark").hidden = table.pace === 1;
  write("pace-mark", say(table.pace ? "time-fast" : "time-held", { rate: table.pace }));
  write("power", say(table.power ? "cut" : "restore"));
  byId("power").classList.toggle("cut", !table.power);
  showClock();
}

// The clock runs on between two messages.
function showClock() {
  if (!table) return;
  const since = table.elapsed + (performance.now() - receivedAt) * table.pace;
  const text = table.power ? formatted(Math.floor(since / 1000)) : say("no-power");
  write("clock", text);
}

// Writing the same text again would cost a layout.
function write(id, text) {
  if (byId(id).textContent !== text) byId(id).textContent = text;
}

function formatted(seconds) {
  const two = (number) => String(number).padStart(2, "0");
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

setInterval(showClock, 200);
