// The keys of the box. Touch, mouse, keyboard, or a click from assistive technology presses them.
// A key is down while at least one of these holds it.

import { byId } from "./element.js";
import { send } from "./connection.js";
import { keepTabStop, moveFocus } from "./roving.js";

const BY_NAME = { ".": ",", ",": ",", Escape: "C" };
const CONTROLS = "a, button, summary, input, [role=button]";
const TEXT_FIELDS = "input, textarea, select, [contenteditable]";

// On touch these keys act when the finger is lifted, so that a swipe moves no money. If the box asks
// for M to be held, M goes down at once: a swipe lets go of it too early.
const MOVE_MONEY = "MKG";
let mayHoldM = false;

const holders = new Map(); // pointer or key of the keyboard → the key that it holds
const waiting = new Map(); // finger → the key that acts when it is lifted
let downOnBox = [];

const keysOfBox = () => [...byId("box").querySelectorAll("[data-key]")];
const isDown = (key) => [...holders.values()].includes(key);

function hold(holder, key) {
  if (holders.has(holder)) return;
  if (!isDown(key) && !send({ do: "press", key })) return;
  holders.set(holder, key);
  show();
}

function release(holder, how = "release") {
  const key = holders.get(holder);
  if (!holders.delete(holder)) return;
  if (!isDown(key)) send({ do: how, key });
  show();
}

// A finger that slides off, or a touch that the system cancels, is not an intended release.
function abandon(holder) {
  waiting.delete(holder);
  release(holder, "abandon");
  show();
}

export function abandonAll() {
  for (const holder of [...holders.keys(), ...waiting.keys()]) abandon(holder);
}

// The keys that are down on the box, held by any page.
export function showKeys(down) {
  downOnBox = down;
  show();
}

function show() {
  for (const element of keysOfBox()) {
    const { key } = element.dataset;
    const under = isDown(key) || [...waiting.values()].includes(key);
    element.classList.toggle("down", downOnBox.includes(key) || under);
  }
}

export function expectHold(asked) {
  mayHoldM = asked;
}

function press(pointer, kind, key) {
  const waits = MOVE_MONEY.includes(key) && !(key === "M" && mayHoldM);
  if (kind === "touch" && waits) waiting.set(pointer, key);
  else hold(pointer, key);
  show();
}

function lift(pointer) {
  if (waiting.has(pointer)) hold(pointer, waiting.get(pointer));
  waiting.delete(pointer);
  release(pointer);
}

// The key under a pointer, regardless of pointer capture.
const keyUnder = ({ clientX, clientY }) =>
  document.elementFromPoint(clientX, clientY)?.closest("[data-key]")?.dataset.key;

const keyAt = (event) => event.target.closest?.("[data-key]");

function keyFor(event) {
  const { key, code } = event;
  if (/^\d$/.test(key)) return key;
  if (/^[mkcgf]$/i.test(key)) return key.toUpperCase();
  if (key in BY_NAME) return BY_NAME[key];
  // Digits that need Shift (on a French keyboard) or NumLock also work without it.
  return event.shiftKey ? undefined : code.match(/^(?:Digit|Numpad)(\d)$/)?.[1];
}

export function setUpKeys() {
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
    release("click");
  });
  // Chromium ignores touch-action inside an SVG; without this a held key would scroll the page.
  const preventScroll = (event) => keyAt(event) && event.preventDefault();
  box.addEventListener("touchstart", preventScroll, { passive: false });
  box.addEventListener("contextmenu", (event) => event.preventDefault());

  keepTabStop(box, keysOfBox);
  addEventListener("keydown", onKeyDown);
  addEventListener("keyup", (event) => {
    release(event.code);
    if (event.key === "Meta") abandonAll(); // while it is held, there is no keyup for other keys
  });
  addEventListener("blur", abandonAll);
  document.addEventListener("visibilitychange", abandonAll);
}

function onKeyDown(event) {
  if (event.defaultPrevented || moveFocus(event, keysOfBox(), true)) return;
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.closest?.(TEXT_FIELDS)) return;
  const activates = event.key === "Enter" || event.key === " ";
  const focused = activates ? event.target.closest?.(CONTROLS) : null;
  const key = focused ? focused.dataset.key : keyFor(event);
  if (!key) return;
  event.preventDefault();
  if (!event.repeat) hold(event.code, key);
}
