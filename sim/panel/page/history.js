// Shows the game's postings as sentences, newest first. The server sends them in parts.

import { byId, html } from "./element.js";
import { withName } from "./names.js";
import { language, say } from "./words.js";

const MAX_SHOWN = 200;
const POT = 99;
const OTHERS = { 0: "the-bank", [POT]: "the-pot" }; // accounts without a card
const CLOCK = new Intl.DateTimeFormat(language, {
  hour: "2-digit", minute: "2-digit", hourCycle: "h23",
});

// Returns the server's message with all postings of the game; before: the last result, or null.
export function withAllPostings(message, before) {
  const sameGame = before?.game === message.game && before.from === message.from;
  const known = sameGame ? before.postings : [];
  const last = known.at(-1)?.id ?? 0;
  const added = message.postings.filter((posting) => posting.id > last);
  return { ...message, postings: [...known, ...added] };
}

export function showHistory({ postings }) {
  const reversed = new Set(postings.map((posting) => posting.reverses));
  const entries = grouped(postings).slice(-MAX_SHOWN).reverse();
  const items = entries.map((entry) => item(entry, reversed.has(entry.id)));
  byId("postings").replaceChildren(...(items.length ? items : [html("li", {}, say("no-history"))]));
}

// The openings become one line if all amounts are equal.
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
  const text = sentence(posting);
  const what = isReversed ? [html("s", {}, text), ` ${say("reversed")}`] : [text];
  return html("li", { "data-posting": posting.id }, clock, html("span", {}, ...what));
}

function sentence({ id, payer, payee, written, purpose, count }) {
  const values = { payer: owner(payer, id), payee: owner(payee, id), amount: written, count };
  const what = purpose === "pot" && payee === POT ? "into-the-pot" : purpose;
  const name = purpose === "opening" && count ? "openings" : `purpose-${what}`;
  const text = say(name, values);
  return text[0].toUpperCase() + text.slice(1);
}

const owner = (account, posting) =>
  account in OTHERS
    ? say(OTHERS[account])
    : withName(say("the-card", { card: account }), account, posting);
