// The history: every posting of the game in words, the newest first.

import { byId, html } from "./element.js";
import { language, say } from "./words.js";

const MOST_SHOWN = 200;
const OTHERS = { 0: "the-bank", 99: "the-pot" }; // accounts that are no card's
const CLOCK = new Intl.DateTimeFormat(language, {
  hour: "2-digit", minute: "2-digit", hourCycle: "h23",
});

export function showHistory({ postings }) {
  const reversed = new Set(postings.map((posting) => posting.reverses));
  const entries = grouped(postings).slice(-MOST_SHOWN).reverse();
  const items = entries.map((entry) => item(entry, reversed.has(entry.id)));
  byId("postings").replaceChildren(...(items.length ? items : [html("li", {}, say("no-history"))]));
}

// The openings at the start of a game are one line, when all cards open with as much.
function grouped(postings) {
  const first = postings.findIndex((posting) => posting.purpose !== "opening");
  const openings = postings.slice(0, first < 0 ? postings.length : first);
  const alike = openings.every((posting) => posting.amount === openings[0].amount);
  if (openings.length < 2 || !alike) return postings;
  return [{ ...openings[0], count: openings.length }, ...postings.slice(openings.length)];
}

function item(posting, isReversed) {
  const time = new Date(posting.at * 1000);
  const clock = html("time", { datetime: time.toISOString() }, CLOCK.format(time));
  const text = inWords(posting);
  const what = isReversed ? [html("s", {}, text), ` ${say("reversed")}`] : [text];
  return html("li", { "data-posting": posting.id }, clock, html("span", {}, ...what));
}

function inWords({ payer, payee, written, purpose, count }) {
  const values = { payer: who(payer), payee: who(payee), amount: written, count };
  const name = purpose === "opening" && count ? "openings" : purpose === "entry" ? "pays" : purpose;
  const text = say(name, values);
  return text[0].toUpperCase() + text.slice(1);
}

const who = (account) =>
  account in OTHERS ? say(OTHERS[account]) : say("the-card", { card: account });
