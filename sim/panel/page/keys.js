// The keys of the box: under a finger or the mouse, by the computer's keyboard, or by whatever
// clicks for somebody. A key is down from the first of these to the last.

import { byId } from "./element.js";
import { send } from "./line.js";

const BY_NAME = { ".": ",", ",": ",", Escape: "C", Enter: "G" };
const CONTROLS = "a, button, summary, input, [role=button]";
const TEXT_FIELDS = "input, textarea, select, [contenteditable]";

// Under a finger these act when it is lifted: a swipe that begins on them moves no money.
const MOVE_MONEY = "MKG";

const holders = new Map(); // what holds a key (a pointer, a key of the keyboard) → that key
const waiting = new Map(); // a finger → the key that acts when it is lifted
let downThere = [];

const isDown = (key) => [...holders.values()].includes(key);

function hold(holder, key) {
  if (holders.has(holder)) return;
  if (!isDown(key) && !send({ do: "press", key })) return;
  holders.set(holder, key);
  show();
}

function letGo(holder, how = "release") {
  const key = holders.get(holder);
  if (!holders.delete(holder)) return;
  if (!isDown(key)) send({ do: how, key });
  show();
}

// A finger that slides off, or is taken away by the system, has not let go on purpose.
function abandon(holder) {
  waiting.delete(holder);
  letGo(holder, "abandon");
  show();
}

export function letAllGo() {
  for (const holder of [...holders.keys(), ...waiting.keys()]) abandon(holder);
}

// Which keys are down on the box, whoever presses them.
export function showKeys(down) {
  downThere = down;
  show();
}

function show() {
  for (const element of byId("pad")?.children ?? []) {
    const { key } = element.dataset;
    const under = isDown(key) || [...waiting.values()].includes(key);
    element.classList.toggle("down", downThere.includes(key) || under);
  }
}

function press(pointer, kind, key) {
  if (kind === "touch" && MOVE_MONEY.includes(key)) waiting.set(pointer, key);
  else hold(pointer, key);
  show();
}

function lift(pointer) {
  if (waiting.has(pointer)) hold(pointer, waiting.get(pointer));
  waiting.delete(pointer);
  letGo(pointer);
}

// What is under a pointer now, though it was captured by the key that it went down on.
const keyUnder = ({ clientX, clientY }) =>
  document.elementFromPoint(clientX, clientY)?.closest("[data-key]")?.dataset.key;

const keyAt = (event) => event.target.closest?.("[data-key]");

function keyFor(event) {
  const { key, code } = event;
  if (/^\d$/.test(key)) return key;
  if (/^[mkcgf]$/i.test(key)) return key.toUpperCase();
  if (key in BY_NAME) return BY_NAME[key];
  // Where digits need Shift, as on French keyboards, or NumLock, they are digits without it too.
  return event.shiftKey ? undefined : code.match(/^(?:Digit|Numpad)(\d)$/)?.[1];
}

export function armKeys() {
  const box = byId("box");
  box.addEventListener("pointerdown", (event) => {
    const element = keyAt(event);
    if (!element || event.button !== 0) return;
    element.setPointerCapture(event.pointerId);
    press(event.pointerId, event.pointerType, element.dataset.key);
  });
  box.addEventListener("pointermove", (event) => {
    const key = holders.get(event.pointerId) ?? waiting.get(event.pointerId);
    if (key && keyUnder(event) !== key) abandon(event.pointerId);
  });
  box.addEventListener("pointerup", (event) => lift(event.pointerId));
  for (const end of ["pointercancel", "lostpointercapture"]) {
    box.addEventListener(end, (event) => abandon(event.pointerId));
  }
  box.addEventListener("click", (event) => {
    const element = keyAt(event);
    if (!element || event.detail > 0) return;
    hold("click", element.dataset.key);
    letGo("click");
  });
  // Chromium heeds no touch-action inside a drawing; without this a held key would scroll away.
  const keepStill = (event) => keyAt(event) && event.preventDefault();
  box.addEventListener("touchstart", keepStill, { passive: false });
  box.addEventListener("contextmenu", (event) => event.preventDefault());

  addEventListener("keydown", onKeyDown);
  addEventListener("keyup", (event) => {
    letGo(event.code);
    if (event.key === "Meta") letAllGo(); // while it is held, other keys' ends are not told
  });
  addEventListener("blur", letAllGo);
  document.addEventListener("visibilitychange", letAllGo);
}

function onKeyDown(event) {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.closest?.(TEXT_FIELDS)) return;
  const works = event.key === "Enter" || event.key === " ";
  const focused = works ? event.target.closest?.(CONTROLS) : null;
  const key = focused ? focused.dataset.key : keyFor(event);
  if (!key) return;
  event.preventDefault();
  if (!event.repeat) hold(event.code, key);
}
