// Draws the box as one SVG: case, slots, screen, buzzer and keys. In a low, wide window (a phone
// in landscape) the screen and the keys are side by side.

import { byId, svg } from "./element.js";
import { firstTabIndex } from "./roving.js";
import { say } from "./words.js";

const KEY = { width: 18.9, height: 13.4, gap: 2.5 };
const SLOTS = { left: 7, right: 55 };
const SLOT_WIDTH = 38;
const SLIT = 21; // the y at which a card enters the case

const PORTRAIT = {
  view: "0 0 100 156",
  case: [96, 141],
  front: "",
  pad: "translate(8.45 88.5)",
};
const LANDSCAPE = {
  view: "0 0 192 104",
  case: [188, 89],
  front: "translate(0 4.5)",
  pad: "translate(96.5 30.5) scale(1.06)",
};
const LOW = "(max-height: 559px) and (orientation: landscape)";

const LEGENDS = { G: "GO ←" };
const KINDS = { M: "unit", K: "unit", C: "clear", G: "go", F: "function" };

// Calls onArrange after the first layout, and after every change of it.
export function drawBox({ keys, units }, onArrange) {
  const box = byId("box");
  const body = svg("g", { id: "case", "aria-hidden": "true" });
  const pad = drawPad(keys, units);
  const front = svg("g", { id: "front" }, ...frontParts());
  box.replaceChildren(defs(), body, ...["left", "right"].map(drawSlot), front, pad);

  const low = matchMedia(LOW);
  const arrange = () => {
    const shape = low.matches ? LANDSCAPE : PORTRAIT;
    box.setAttribute("viewBox", shape.view);
    pad.setAttribute("transform", shape.pad);
    front.setAttribute("transform", shape.front);
    body.replaceChildren(...caseParts(...shape.case));
    onArrange();
  };
  low.onchange = arrange;
  arrange();
}

const gradient = (id, from, to) =>
  svg("linearGradient", { id, x1: 0, y1: 0, x2: 0, y2: 1 },
    svg("stop", { offset: 0, "stop-color": from }), svg("stop", { offset: 1, "stop-color": to }));

const defs = () =>
  svg("defs", {},
    gradient("shell", "#f8efdc", "#e6d8b9"),
    gradient("top-face", "#fffaf0", "#efe2c8"),
    gradient("bezel", "#2a2d33", "#14161a"),
    gradient("cap-digit", "#fffdf8", "#eee7d8"),
    gradient("cap-unit", "#4a505a", "#353a42"),
    gradient("cap-clear", "#c23b32", "#a92a22"),
    gradient("cap-go", "#23814c", "#1a6c3e"),
    gradient("cap-function", "#2f65b8", "#22539f"),
    svg("clipPath", { id: "above-slit" },
      svg("rect", { x: -10, y: -30, width: 220, height: SLIT + 30 })));

const caseParts = (width, height) => [
  block("shell-edge", 2, 14, width, height, 8),
  block("shell", 2.7, 14.7, width - 1.4, height - 1.4, 7.4),
  block("lip", 3.2, 15.2, width - 2.4, 12, 7),
];

const frontParts = () => [
  block("bezel", 8.5, 34.5, 83, 45, 3),
  svg("g", { id: "screen", role: "img", "aria-describedby": "status" },
    svg("rect", { class: "dark", width: 128, height: 64 }), svg("path", { id: "pixels" })),
  svg("text", { class: "name", x: 11, y: 85.1, "aria-hidden": "true" }, "TELLERBOX"),
  svg("text", { id: "state", x: 62, y: 85, "aria-hidden": "true" }),
  drawBuzzer(),
];

const block = (name, x, y, width, height, rx) =>
  svg("rect", { class: name, x, y, width, height, rx });

// The focus ring: two lines, so that one contrasts with any background.
const ring = (x, y, width, height, rx) =>
  svg("g", { class: "ring" },
    svg("rect", { x, y, width, height, rx }), svg("rect", { x, y, width, height, rx }));

function drawSlot(slot) {
  const left = SLOTS[slot];
  const middle = left + SLOT_WIDTH / 2;
  const [sign, verb] = slot === "left" ? ["+", "receive"] : ["−", "pay"];
  return svg("g", { class: "place" },
    svg("g", { id: `slot-${slot}`, class: "slot", role: "button", tabindex: 0, "data-slot": slot },
      block("drop-zone", left - 3, 3, SLOT_WIDTH + 6, 30.5, 3),
      block("slit-edge", left, SLIT - 2, SLOT_WIDTH, 4.2, 2.1),
      block("slit", left + 0.8, SLIT - 1.2, SLOT_WIDTH - 1.6, 2.2, 1.1),
      ring(left - 2.5, 16, SLOT_WIDTH + 5, 17.6, 3)),
    svg("text", { class: "sign", x: middle, y: 32, "aria-hidden": "true" },
      svg("tspan", { class: "mark", dy: 0.6 }, sign),
      svg("tspan", { dx: 1.4, dy: -0.6 }, say(verb))),
    svg("g", { "clip-path": "url(#above-slit)", class: "held", "data-place": slot }));
}

// A card in a slot. The style sheet has its colours, by data-colour.
export function drawCard(slot, card, mark, colour) {
  const left = SLOTS[slot] + 2.5;
  const width = SLOT_WIDTH - 5;
  const data = { "data-in-slot": slot, "data-holds": card, "data-colour": colour };
  return svg("g", { class: "card-in", role: "button", tabindex: 0, ...data },
    block("card-face", left, 2, width, 30, 2.6),
    block("card-shine", left + 1.1, 3.1, width - 2.2, 30, 1.8),
    block("card-chip", left + 3.4, 6, 5.8, 4.6, 0.9),
    svg("path", { class: "card-chip", d: `M${left + 3.4} 8.3h5.8m-3.9 -2.3v4.6m2 0v-4.6` }),
    svg("text", { class: "card-number", x: left + width / 2, y: 15.6 }, mark),
    svg("text", { class: "card-name", x: left + width / 2, y: 18.2 }),
    ring(left - 0.2, 2.2, width + 0.4, 18, 2.4));
}

function drawBuzzer() {
  const holes = [[0, 0]];
  for (let angle = 0; angle < 6; angle += Math.PI / 3) {
    holes.push([1.5 * Math.cos(angle), 1.5 * Math.sin(angle)]);
  }
  const waves = [4.2, 6.4, 8.6].map((r) =>
    svg("path", { d: `M${-r * 0.87} ${-r * 0.36}A${r} ${r} 0 0 0 ${-r * 0.87} ${r * 0.36}` }));
  return svg("g", { id: "buzzer", "aria-hidden": "true", transform: "translate(87 83.7)" },
    ...holes.map(([cx, cy]) => svg("circle", { cx, cy, r: 0.5 })),
    svg("g", { class: "waves" }, ...waves));
}

function nameOf(key, units) {
  if (key in units) return `${key}, ${say(`unit-${units[key]}`)}`;
  return /\d/.test(key) ? key : say(`key-${key}`);
}

// A grid, as the WAI-ARIA practices have it: one tab stop, and arrow keys inside.
const drawPad = (keys, units) =>
  svg("g", { id: "pad", role: "grid", "aria-label": say("keypad") }, ...keys.map((row, y) =>
    svg("g", { role: "row" }, ...row.map((key, x) =>
      svg("g", { role: "gridcell" }, drawKey(key, nameOf(key, units), x, y))))));

function drawKey(key, name, column, row) {
  const { width, height, gap } = KEY;
  const transform = `translate(${column * (width + gap)} ${row * (height + gap)})`;
  const tabindex = firstTabIndex(column + row);
  const control = { role: "button", tabindex, "data-key": key, "aria-label": name };
  const legend = LEGENDS[key] ?? key;
  const baseline = height / 2 + (legend.length > 1 ? 1.6 : 2.5); // a long legend is smaller
  return svg("g", { class: `key ${KINDS[key] ?? "digit"}`, transform, ...control },
    block("well", -0.6, -0.5, width + 1.2, height + 1.9, 3.4),
    block("skirt", 0, 1, width, height, 2.9),
    svg("g", { class: "cap" },
      block("top", 0, 0, width, height - 0.7, 2.9),
      svg("path", { class: "gleam", d: `M3 0.75H${width - 3}` }),
      svg("text", { x: width / 2, y: baseline }, legend)),
    ring(-0.4, -0.4, width + 0.8, height + 1.4, 3.2));
}
