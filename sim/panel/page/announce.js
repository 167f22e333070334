// Announces the screen to screen readers, in the box's language.

import { byId } from "./element.js";
import { say, sayIn } from "./words.js";

const NEXT_PAGE = "F"; // instead of an item: the key that turns the page

let announced = {};

export function announce(screen, table, language) {
  const reason = darkReason(screen, table);
  const text = reason ? sayIn(language, reason) : screenText(screen, language);
  const left = minutesLeft(screen, language);
  const region = byId("announce");
  const picture = byId("screen");
  for (const element of [region, picture]) element.setAttribute("lang", language);
  picture.setAttribute("aria-label", sentences(text, left));
  // Each minute is announced once, not again with every digit.
  const news = left === announced.left ? "" : left;
  if (text !== announced.text || news) region.textContent = sentences(text, news);
  announced = { text, left: left || announced.left };
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

const minutesLeft = ({ minutes }, language) =>
  minutes === undefined ? "" : sayIn(language, "minutes-left", { minutes });

const sentences = (...texts) => texts.filter(Boolean).join(". ");
