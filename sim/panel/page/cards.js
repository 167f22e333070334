// The cards, in the rack or in a slot. They are moved by dragging, by tapping a card and then a
// slot, or by Enter and an arrow key. The positions always come from the server.
//
// The rack is a toolbar, as the WAI-ARIA practices have it: one tab stop, and arrow keys inside.

import { drawCard } from "./box.js";
import { byId, html } from "./element.js";
import { send } from "./connection.js";
import { labelWithName, nameOf } from "./names.js";
import { firstTabIndex, keepTabStop, moveFocus } from "./roving.js";
import { toast } from "./toast.js";
import { say } from "./words.js";

const DRAG_THRESHOLD = 6; // pixels; less is a tap
const SLOTS = ["left", "right"];
const ARROWS = { ArrowLeft: "left", ArrowRight: "right" };

let strangers = new Set();
let numbers = null; // card → its number, which has its colour; null before the first accounts
let places = { left: null, right: null };
let picked = null;
let drag = null;
let dragged = false; // whether the click that follows is the end of a drag

const put = (card, slot) => places[slot] === card || send({ do: "put", card, slot });
const takeOut = (card) => slotOf(card) && send({ do: "take", card });
const slotOf = (card) => Object.keys(places).find((slot) => places[slot] === card);

const title = (card, name = "card") =>
  labelWithName(say(strangers.has(card) ? "stranger" : name, { card }), numbers?.get(card));
const markOf = (card) => (strangers.has(card) ? "?" : String(card));
const colourOf = (card) => {
  const number = numbers ? numbers.get(card) : !strangers.has(card) && card;
  return number ? String(number) : strangers.has(card) ? "stranger" : "unknown";
};

export function createRack(cards) {
  strangers = new Set(cards.filter((each) => each.stranger).map((each) => each.card));
  picked = numbers = null;
  byId("cards").replaceChildren(...cards.map(({ card }, index) => rackCard(card, index)));
  byId("cards").dataset.count = cards.length;
}

function rackCard(card, index) {
  const data = { "data-card": card, "data-colour": colourOf(card), "aria-pressed": false };
  const which = html("span", { class: "which", "aria-hidden": "true" }, String(card));
  const tabindex = firstTabIndex(index);
  return html("button", { type: "button", class: "card", tabindex, ...data },
    html("span", { "aria-hidden": "true" }, markOf(card)),
    " ", html("span", { class: "card-name", "aria-hidden": "true" }),
    ...(strangers.has(card) ? [which] : []));
}

// A card has the colour of its number everywhere: here, beside its balance, and in the chart. Its
// name stands below the number.
export function markCards(accounts) {
  numbers = new Map(accounts.map(({ card, number }) => [card, number]));
  for (const element of document.querySelectorAll(CARD)) {
    element.dataset.colour = colourOf(cardAt(element));
    showName(element);
  }
  for (const slot of SLOTS) labelSlot(slot, places[slot]);
  showRack();
}

function showName(element) {
  const name = nameOf(numbers?.get(cardAt(element)));
  element.querySelector(".card-name").textContent = name;
  element.classList.toggle("named", Boolean(name));
}

export function showCards(table) {
  places = { left: table.left, right: table.right };
  if (slotOf(picked)) picked = null;
  for (const slot of SLOTS) showSlot(slot, places[slot]);
  showRack();
}

function showSlot(slot, card) {
  const holder = document.querySelector(`[data-place=${slot}]`);
  const shown = holder.firstElementChild;
  const before = shown ? cardAt(shown) : null;
  if (before === card) return labelSlot(slot, card);
  const focused = shown === document.activeElement;
  holder.replaceChildren();
  if (card !== null) {
    const element = drawCard(slot, card, markOf(card), colourOf(card));
    showName(element);
    holder.append(element);
  }
  labelSlot(slot, card);
  if (focused) document.querySelector(`[data-card="${before}"]`)?.focus();
}

// The names of a slot, and of the card in it.
function labelSlot(slot, card) {
  const holds = card === null ? say("empty") : title(card, "a-card");
  byId(`slot-${slot}`).setAttribute("aria-label", say(`slot-${slot}`, { holds }));
  const shown = document.querySelector(`[data-in-slot="${slot}"]`);
  shown?.setAttribute("aria-label", say(`in-${slot}`, { card: holds }));
}

function showRack() {
  for (const button of rackCards()) {
    const card = Number(button.dataset.card);
    const slot = slotOf(card);
    button.classList.toggle("inserted", Boolean(slot));
    button.setAttribute("aria-pressed", card === picked);
    const name = slot ? say(`lies-${slot}`, { card: title(card) }) : title(card);
    button.setAttribute("aria-label", name);
  }
  byId("box").classList.toggle("accepting", picked !== null || Boolean(drag?.ghost));
}

function pick(card) {
  picked = card;
  showRack();
}

const cardAt = (element) => Number(element.dataset.card ?? element.dataset.holds);
const CARD = "[data-card], [data-holds]";
const rackCards = () => [...byId("cards").querySelectorAll("[data-card]")];

function activate(element) {
  if (element.dataset.slot) return activateSlot(element.dataset.slot);
  const card = cardAt(element);
  if (slotOf(card)) {
    // While another card is picked up, a tap on a card in a slot means the slot.
    if (picked !== null && element.dataset.inSlot) return activateSlot(element.dataset.inSlot);
    return takeOut(card);
  }
  pick(picked === card ? null : card);
}

function activateSlot(slot) {
  if (picked !== null && places[slot] !== null) toast(say("refused-slot-full"));
  else if (picked !== null) put(picked, slot);
  else if (places[slot] !== null) takeOut(places[slot]);
  else toast(say("pick-first"));
  pick(null);
}

export function setUpCards() {
  document.addEventListener("pointerdown", (event) => {
    dragged = false;
    const element = event.target.closest(CARD);
    if (element && event.button === 0 && !drag) beginDrag(event, element);
  });
  // A touch must not scroll the page. It causes no click then, so endDrag activates the card.
  const preventScroll = (event) => event.target.closest("[data-holds]") && event.preventDefault();
  byId("box").addEventListener("touchstart", preventScroll, { passive: false });
  const whileDragging = (type, act) =>
    document.addEventListener(type, (event) => drag?.pointer === event.pointerId && act(event));
  whileDragging("pointermove", moveDrag);
  whileDragging("pointerup", endDrag);
  whileDragging("pointercancel", () => endDrag(null));
  document.addEventListener("click", (event) => {
    const element = event.target.closest(`${CARD}, [data-slot]`);
    if (dragged) dragged = false;
    else if (element) activate(element);
    else if (picked !== null) pick(null);
    // By keyboard or assistive technology: say what comes next.
    if (picked !== null && event.detail === 0) toast(say("picked", { card: title(picked) }));
  });
  keepTabStop(byId("cards"), rackCards);
  document.addEventListener("keydown", onKeyDown);
}

function onKeyDown(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "Escape" && (drag || picked !== null)) {
    endDrag(null);
    pick(null);
    return event.preventDefault();
  }
  const element = event.target.closest(`${CARD}, [data-slot]`);
  const act = element && actionOf(event.key, element);
  if (!act) return moveFocus(event, rackCards());
  event.preventDefault();
  if (!event.repeat) act();
}

// What a key does on a card or on a slot.
function actionOf(key, element) {
  const { slot, holds } = element.dataset;
  if (picked !== null && key in ARROWS) return () => activateSlot(ARROWS[key]);
  // SVG controls only; the browser turns Enter on a button of the rack into a click.
  if ((slot || holds) && (key === "Enter" || key === " ")) return () => activate(element);
  if (slot) return null;
  const card = cardAt(element);
  if (holds && key in ARROWS) return () => put(card, ARROWS[key]);
  if (key === "Delete" || (holds && key === "ArrowDown")) return () => takeOut(card);
  return null;
}

// Dragging: a ghost of the card follows the pointer, and the slots are highlighted.

function beginDrag(event, element) {
  const card = cardAt(element);
  if (element.dataset.card && slotOf(card)) return; // it is in a slot
  const clickless = event.pointerType === "touch" && element.dataset.holds;
  const { pointerId: pointer, clientX: x, clientY: y } = event;
  drag = { pointer, card, x, y, ghost: null, clickless };
  element.setPointerCapture(event.pointerId);
}

function moveDrag(event) {
  if (!drag.ghost) {
    if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < DRAG_THRESHOLD) return;
    const shown = `[data-card="${drag.card}"], [data-holds="${drag.card}"]`;
    for (const element of document.querySelectorAll(shown)) element.classList.add("lifted");
    drag.ghost = html("div", { class: "card ghost", "aria-hidden": "true" },
      html("span", {}, markOf(drag.card)));
    drag.ghost.dataset.colour = colourOf(drag.card);
    document.body.append(drag.ghost);
    pick(null);
  }
  drag.ghost.style.left = `${event.clientX}px`;
  drag.ghost.style.top = `${event.clientY}px`;
  const over = slotUnder(event);
  for (const slot of SLOTS) byId(`slot-${slot}`).classList.toggle("over", slot === over);
}

function endDrag(event) {
  if (!drag) return;
  const { card, ghost, clickless } = drag;
  for (const lifted of document.querySelectorAll(".lifted")) lifted.classList.remove("lifted");
  drag = null;
  if (!ghost) {
    if (event && clickless) activate(event.target);
    return;
  }
  dragged = true;
  ghost.remove();
  for (const slot of SLOTS) byId(`slot-${slot}`).classList.remove("over");
  showRack();
  if (!event) return;
  const slot = slotUnder(event);
  if (slot) put(card, slot);
  else takeOut(card);
}

function slotUnder({ clientX: x, clientY: y }) {
  return SLOTS.find((slot) => {
    const zone = byId(`slot-${slot}`).querySelector(".drop-zone").getBoundingClientRect();
    return x >= zone.left && x <= zone.right && y >= zone.top - 12 && y <= zone.bottom + 12;
  });
}
