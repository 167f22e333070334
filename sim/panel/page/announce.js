// The screen as text, for who hears the page: in the box's language, and politely.

import { byId } from "./element.js";
import { say, sayIn } from "./words.js";

const NEXT_PAGE = "F"; // stands in a list for the key that turns its pages

let told = {};

export function announce(screen, table, tongue) {
  const text = inWords(screen, table, tongue);
  const left = minutesLeft(screen, tongue);
  const region = byId("announce");
  const glass = byId("glass");
  for (const element of [region, glass]) element.setAttribute("lang", tongue);
  glass.setAttribute("aria-label", sentences(text, left));
  // A minute is told once when it begins, and not again with every digit that is typed in it.
  const news = left === told.left ? "" : left;
  if (text !== told.text || news) region.textContent = sentences(text, news);
  told = { text, left: left || told.left };
  const why = darkness(screen, table);
  byId("state").textContent = why ? say(why) : "";
}

// Why the glass is dark, if it is; written beside it, for all kinds of darkness look the same.
function darkness(screen, table) {
  if (!table.power) return "no-power";
  if (screen.lit ?? true) return null;
  return table.faults.includes("screen") && !screen.asleep ? "unplugged" : "asleep";
}

function inWords(screen, table, tongue) {
  const why = darkness(screen, table);
  if (why) return sayIn(tongue, why);
  const { card, field, list, message } = screen;
  const number = card && sayIn(tongue, "screen-card", { card });
  return sentences(number || field, list && listed(list, tongue), message);
}

// A list to choose from, or a table of cards: each item is a digit and what belongs to it.
function listed(list, tongue) {
  const items = list.split(";").map((item) =>
    item === NEXT_PAGE ? sayIn(tongue, "next-page") : `${item[0]} ${item.slice(1)}`);
  return items.join(", ");
}

const minutesLeft = ({ minutes }, tongue) =>
  minutes === undefined ? "" : sayIn(tongue, "minutes-left", { minutes });

const sentences = (...texts) => texts.filter(Boolean).join(". ");
