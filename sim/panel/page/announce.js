// Announces the screen to screen readers, in the box's language.

import { byId } from "./element.js";
import { withName } from "./names.js";
import { say, sayIn } from "./words.js";

const NEXT_PAGE = "F"; // instead of an item: the key that turns the page
const WAY = /^(.)>(.)(?: (.+))?$/; // as in the status row: who pays whom, and what
const OTHERS = { B: "the-bank", P: "the-pot" };

let announced = { move: "" };

export function announce(screen, table, language) {
  const reason = darkReason(screen, table);
  const text = reason ? sayIn(language, reason) : screenText(screen, language);
  const left = minutesLeft(screen, language);
  const region = byId("announce");
  const picture = byId("screen");
  for (const element of [region, picture]) element.setAttribute("lang", language);
  picture.setAttribute("aria-label", sentences(text, left));
  // Who would pay whom is in the description; only a move is announced, and each only once, like
  // each minute: not again with every digit.
  const { way = "", move = "" } = reason ? {} : moneyText(screen, language);
  byId("status").setAttribute("lang", language);
  byId("status").textContent = move || way;
  const moved = move === announced.move ? "" : move;
  const news = left === announced.left ? "" : left;
  if (text !== announced.text || moved || news) region.textContent = sentences(moved, text, news);
  announced = { text, move, left: left || announced.left };
  byId("state").textContent = reason ? say(reason) : "";
}

// Why the screen is dark, or null.
function darkReason(screen, table) {
  if (!table.power) return "no-power";
  if (screen.lit ?? true) return null;
  if (screen.asleep) return "asleep";
  return table.faults.includes("screen") ? "unplugged" : "starting";
}

function screenText({ card, field, list, message }, language) {
  const number = card && sayIn(language, "a-card", { card });
  return sentences(number || field, list && listText(list, language), message);
}

// A menu or a table of cards: each item is a digit and its text.
function listText(list, language) {
  const items = list.split(";").map((item) =>
    item === NEXT_PAGE ? sayIn(language, "next-page") : `${item[0]} ${item.slice(1)}`);
  return items.join(", ");
}

// What the middle of the status row says of money: who would pay whom, or what has moved.
function moneyText({ way, undone }, language) {
  if (undone) return { move: sayIn(language, "undone", { amount: undone }) };
  const [, payer, payee, amount] = way?.match(WAY) ?? [];
  if (!payer) return {};
  const values = { payer: owner(payer, language), payee: owner(payee, language), amount };
  return amount
    ? { move: sayIn(language, "paid", values) }
    : { way: sayIn(language, "pays", values) };
}

const owner = (letter, language) =>
  letter in OTHERS
    ? sayIn(language, OTHERS[letter])
    : withName(sayIn(language, "the-card", { card: letter }), Number(letter));

const minutesLeft = ({ minutes }, language) =>
  minutes === undefined ? "" : sayIn(language, "minutes-left", { minutes });

const sentences = (...texts) => texts.filter(Boolean).join(". ");
