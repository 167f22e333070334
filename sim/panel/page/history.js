// Shows the game's postings as sentences, newest first. The server sends them in parts: the newest
// ones, then what is added; older ones when the reader asks for them.

import { send } from "./connection.js";
import { byId, html } from "./element.js";
import { nameOf, withName } from "./names.js";
import { language, say } from "./words.js";

const POT = 99;
const OTHERS = { 0: "the-bank", [POT]: "the-pot" }; // accounts without a card
const CLOCK = new Intl.DateTimeFormat(language, {
  hour: "2-digit", minute: "2-digit", hourCycle: "h23",
});

let items = new Map(); // what an item shows → the item, so that a long list is not built anew

// Returns the server's message with all postings that are known; before: the last result, or null.
// In both, after is the game's last posting before them, or 0.
export function withKnownPostings(message, before) {
  const known = before?.game === message.game ? before.postings : [];
  const last = known.at(-1)?.id ?? 0;
  if (!known.length || message.after > last) return message;
  const added = message.postings.filter((posting) => posting.id > last);
  return { ...message, after: before.after, postings: [...known, ...added] };
}

// Returns the ledger with the postings of an answer before its own, if they belong there.
export function withOlderPostings({ game, after, postings }, ledger) {
  const fit = ledger?.game === game && ledger.after > 0 && postings.at(-1)?.id === ledger.after;
  return fit ? { ...ledger, after, postings: [...postings, ...ledger.postings] } : ledger;
}

export function setUpHistory() {
  byId("older").onclick = () => send({ do: "older", before: Number(byId("older").dataset.before) });
}

export function showHistory({ after, postings }) {
  const reversed = new Set(postings.map((posting) => posting.reverses));
  const entries = [...(after ? postings : grouped(postings))].reverse();
  const before = items;
  items = new Map(entries.map((entry) => {
    const isReversed = reversed.has(entry.id);
    const names = [entry.payer, entry.payee].map((account) => nameOf(account, entry.id));
    const key = JSON.stringify([entry, isReversed, names]);
    return [key, before.get(key) ?? item(entry, isReversed)];
  }));
  replaceItems(items.size ? [...items.values()] : [html("li", {}, say("no-history"))]);
  showButton(after, postings[0]?.id);
}

// Leaves the items that stay where they are.
function replaceItems(wanted) {
  const list = byId("postings");
  const staying = new Set(wanted);
  for (const shown of [...list.children]) if (!staying.has(shown)) shown.remove();
  let next = list.firstElementChild;
  for (const one of wanted) {
    if (one === next) next = next.nextElementSibling;
    else list.insertBefore(one, next);
  }
}

function showButton(after, first) {
  const button = byId("older");
  if (!after && document.activeElement === button) byId("postings").focus();
  button.hidden = !after;
  button.dataset.before = first;
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
