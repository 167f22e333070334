// The screen as text, for who hears the page: in the box's language, and politely.

import { byId } from "./element.js";
import { sayIn } from "./words.js";

export function announce(screen, table, tongue) {
  const text = inWords(screen, table, tongue);
  const region = byId("announce");
  const glass = byId("glass");
  for (const element of [region, glass]) element.setAttribute("lang", tongue);
  glass.setAttribute("aria-label", text);
  if (region.textContent !== text) region.textContent = text;
}

function inWords(screen, table, tongue) {
  if (!table.power) return sayIn(tongue, "no-power");
  if (screen.asleep) return sayIn(tongue, "asleep");
  if (!screen.lit) return sayIn(tongue, table.faults.includes("screen") ? "unplugged" : "asleep");
  const { card } = screen;
  const field = card === null ? screen.field : sayIn(tongue, "screen-card", { card });
  return [field, screen.message].filter(Boolean).join(". ");
}
