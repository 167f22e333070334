// The accounts: what each card has, as a bar and as the box writes it, and who is out.

import { colourOf } from "./cards.js";
import { byId, html } from "./element.js";
import { say } from "./words.js";

export function showAccounts({ accounts, bank, pot }) {
  const most = Math.max(1, ...accounts.map((account) => account.balance));
  byId("balances").replaceChildren(
    ...accounts.map((account) => row(account, most)),
    ...(pot ? [other("in-the-pot", pot)] : []),
    other("bank", bank));
}

const other = (name, { written }) =>
  html("li", { class: name },
    html("span", { class: "who" }, say(name)),
    html("span", { class: "amount" }, written.replace("-", "−")));

function row({ number, card, out, balance, written }, most) {
  const bar = html("span", { class: "bar", "data-colour": colourOf(card) });
  bar.style.width = `${(100 * balance) / most}%`;
  const track = html("span", { class: "track", "aria-hidden": "true" }, bar);
  const who = html("span", { class: "who" }, say("card", { card: number }));
  if (card !== null && card !== number) {
    who.append(" ", html("small", {}, say("of-card", { card })));
  }
  return html("li", { "data-account": number }, who,
    out ? html("span", { class: "out" }, say("out")) : track,
    html("span", { class: "amount" }, written));
}
