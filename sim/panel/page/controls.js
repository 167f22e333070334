// The time and the faults: how fast the box's clock runs, and what is wrong with its parts.

import { byId, html } from "./element.js";
import { send } from "./line.js";
import { say } from "./words.js";

let table = null;
let toldAt = 0;

export function layControls({ paces, faults }) {
  byId("paces").replaceChildren(...paces.map((rate) => {
    const name = rate === 0 ? say("pace-0") : say("pace-n", { rate });
    const button = html("button", { type: "button", "data-pace": rate }, name);
    button.onclick = () => send({ do: "pace", rate });
    return button;
  }));
  byId("skip").onclick = () => send({ do: "skip" });
  const power = html("button", { type: "button", id: "power" });
  power.onclick = () => send({ do: "power", on: !table.power });
  byId("switches").replaceChildren(power, ...faults.map((fault) => {
    const button = html("button", { type: "button", "data-fault": fault }, say(`fault-${fault}`));
    button.onclick = () => send({ do: "fault", fault, on: !table.faults.includes(fault) });
    return button;
  }));
}

export function showControls(told) {
  table = told;
  toldAt = performance.now();
  for (const button of byId("paces").children) {
    button.setAttribute("aria-pressed", Number(button.dataset.pace) === table.pace);
  }
  for (const button of byId("switches").querySelectorAll("[data-fault]")) {
    button.setAttribute("aria-pressed", table.faults.includes(button.dataset.fault));
  }
  byId("hurry").hidden = table.pace === 1;
  write("hurry", say(table.pace ? "time-fast" : "time-held", { rate: table.pace }));
  write("power", say(table.power ? "cut" : "restore"));
  byId("power").classList.toggle("cut", !table.power);
  showClock();
}

// Between two tables the clock ticks by itself.
function showClock() {
  if (!table) return;
  const since = table.elapsed + (performance.now() - toldAt) * table.pace;
  const text = table.power ? written(Math.floor(since / 1000)) : say("no-power");
  write("clock", text);
}

// Only what is new: also the same text, written again, has the page laid out anew.
function write(id, text) {
  if (byId(id).textContent !== text) byId(id).textContent = text;
}

function written(seconds) {
  const two = (number) => String(number).padStart(2, "0");
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

setInterval(showClock, 200);
