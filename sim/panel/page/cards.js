// The cards: in the rack or in a slot, and moved by dragging, by tapping a card and then a slot,
// or by the arrow keys. Where a card is, only the server's table says.

import { drawCard } from "./box.js";
import { byId, html } from "./element.js";
import { send } from "./line.js";
import { toast } from "./toast.js";
import { say } from "./words.js";

const DRAG_FROM = 6; // pixels; less is a tap
const SLOTS = ["left", "right"];

let strangers = new Set();
let places = { left: null, right: null };
let picked = null;
let drag = null;
let dragged = false; // whether the click that follows is the end of a drag

const put = (card, slot) => places[slot] === card || send({ do: "put", card, slot });
const takeOut = (card) => slotOf(card) && send({ do: "take", card });
const slotOf = (card) => Object.keys(places).find((slot) => places[slot] === card);

const title = (card, name = "card") => say(strangers.has(card) ? "stranger" : name, { card });
const markOf = (card) => (strangers.has(card) ? "?" : String(card));
export const colourOf = (card) =>
  card === null || strangers.has(card) ? "stranger" : String(card);

export function layOut(cards) {
  strangers = new Set(cards.filter((each) => each.stranger).map((each) => each.card));
  picked = null;
  byId("cards").replaceChildren(...cards.map(({ card }) => html("li", {}, rackCard(card))));
  byId("cards").dataset.count = cards.length;
}

function rackCard(card) {
  const data = { "data-card": card, "data-colour": colourOf(card), "aria-pressed": false };
  const button = html("button", { type: "button", class: "card", ...data },
    html("span", { "aria-hidden": "true" }, markOf(card)));
  if (strangers.has(card)) {
    button.append(html("span", { class: "which", "aria-hidden": "true" }, String(card)));
  }
  return button;
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
  const holds = card === null ? say("empty") : title(card, "a-card");
  byId(`slot-${slot}`).setAttribute("aria-label", say(`slot-${slot}`, { holds }));
  if ((shown ? Number(shown.dataset.holds) : null) === card) return;
  const orphan = shown && shown === document.activeElement ? Number(shown.dataset.holds) : null;
  holder.replaceChildren();
  if (card !== null) {
    const element = drawCard(slot, card, markOf(card), colourOf(card));
    element.setAttribute("aria-label", say(`in-${slot}`, { card: title(card, "a-card") }));
    holder.append(element);
  }
  if (orphan !== null) inRack(orphan)?.focus();
}

const inRack = (card) => document.querySelector(`[data-card="${card}"]`);

function showRack() {
  for (const button of document.querySelectorAll("[data-card]")) {
    const card = Number(button.dataset.card);
    const slot = slotOf(card);
    button.classList.toggle("away", Boolean(slot));
    button.setAttribute("aria-pressed", card === picked);
    const name = slot ? say(`lies-${slot}`, { card: title(card) }) : title(card);
    button.setAttribute("aria-label", name);
  }
  byId("box").classList.toggle("wanted", picked !== null || Boolean(drag?.ghost));
}

function pick(card) {
  picked = card;
  showRack();
}

const cardAt = (element) => Number(element.dataset.card ?? element.dataset.holds);
const CARD = "[data-card], [data-holds]";

function onWork(element) {
  if (element.dataset.slot) return workSlot(element.dataset.slot);
  const card = cardAt(element);
  if (slotOf(card)) {
    // A tap on a card in a slot means the slot, while another card is in the hand.
    if (picked !== null && element.dataset.inSlot) return workSlot(element.dataset.inSlot);
    return takeOut(card);
  }
  pick(picked === card ? null : card);
}

function workSlot(slot) {
  if (picked !== null && places[slot] !== null) toast(say("refused-slot-full"));
  else if (picked !== null) put(picked, slot);
  else if (places[slot] !== null) takeOut(places[slot]);
  else toast(say("pick-first"));
  pick(null);
}

export function armCards() {
  document.addEventListener("pointerdown", (event) => {
    dragged = false;
    const element = event.target.closest(CARD);
    if (element && event.button === 0 && !drag) beginDrag(event, element);
  });
  // As for the keys; then no click follows a touch, and endDrag makes up for it.
  const keepStill = (event) => event.target.closest("[data-holds]") && event.preventDefault();
  byId("box").addEventListener("touchstart", keepStill, { passive: false });
  const whileDragging = (type, act) =>
    document.addEventListener(type, (event) => drag?.pointer === event.pointerId && act(event));
  whileDragging("pointermove", moveDrag);
  whileDragging("pointerup", endDrag);
  whileDragging("pointercancel", () => endDrag(null));
  document.addEventListener("click", (event) => {
    const element = event.target.closest(`${CARD}, [data-slot]`);
    if (dragged) dragged = false;
    else if (element) onWork(element);
    else if (picked !== null) pick(null);
  });
  document.addEventListener("keydown", onKeyDown);
}

function onKeyDown(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  if (event.key === "Escape" && (drag || picked !== null)) {
    endDrag(null);
    pick(null);
    return event.preventDefault();
  }
  const element = event.target.closest(`${CARD}, [data-slot]`);
  if (!element) return;
  if (element.dataset.slot || element.dataset.holds) {
    // Drawn controls; a button of the rack makes its own click of Enter and Space.
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return onWork(element);
    }
  }
  if (element.dataset.slot) return;
  const card = cardAt(element);
  const act = {
    ArrowLeft: () => put(card, "left"), ArrowRight: () => put(card, "right"),
    ArrowDown: () => takeOut(card), Delete: () => takeOut(card),
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

// Dragging: a ghost of the card follows the pointer, and the slots show that they would take it.

function beginDrag(event, element) {
  const card = cardAt(element);
  if (element.dataset.card && slotOf(card)) return; // its place in the rack is empty
  const clickless = event.pointerType === "touch" && element.dataset.holds;
  const { pointerId: pointer, clientX: x, clientY: y } = event;
  drag = { pointer, card, x, y, ghost: null, clickless };
  element.setPointerCapture(event.pointerId);
}

function moveDrag(event) {
  if (!drag.ghost) {
    if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < DRAG_FROM) return;
    for (const lifted of lifts()) lifted.classList.add("lifted");
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

const lifts = () =>
  document.querySelectorAll(`[data-card="${drag.card}"], [data-holds="${drag.card}"]`);

function endDrag(event) {
  if (!drag) return;
  const { card, ghost, clickless } = drag;
  for (const lifted of lifts()) lifted.classList.remove("lifted");
  drag = null;
  if (!ghost) {
    if (event && clickless) onWork(event.target);
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
    const reach = byId(`slot-${slot}`).querySelector(".reach").getBoundingClientRect();
    return x >= reach.left && x <= reach.right && y >= reach.top - 12 && y <= reach.bottom + 12;
  });
}
