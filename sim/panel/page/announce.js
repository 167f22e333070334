// The screen as text, for who hears the page: in the box's language, and politely.

import { byId } from "./element.js";
import { say, sayIn } from "./words.js";

export function announce(screen, table, tongue) {
  const text = inWords(screen, table, tongue);
  const region = byId("announce");
  const glass = byId("glass");
  for (const element of [region, glass]) element.setAttribute("lang", tongue);
  glass.setAttribute("aria-label", text);
  if (region.textContent !== text) region.textContent = text;
  const why = darkness(screen, table);
  byId("state").textContent = why ? say(why) : "";
}

// Why the glass is dark, if it is; written beside it, for all kinds of darkness look the same.
function darkness(screen, table) {
  if (!table.power) return "no-power";
  if (screen.lit) return null;
  return table.faults.includes("screen") && !screen.asleep ? "unplugged" : "asleep";
}

function inWords(screen, table, tongue) {
  const why = darkness(screen, table);
  if (why) return sayIn(tongue, why);
  const { card } = screen;
  const field = card === null ? screen.field : sayIn(tongue, "screen-card", { card });
  return [field, screen.message].filter(Boolean).join(". ");
}
