// The accounts: what each card has, as a bar and as the box writes it.

import { colourOf } from "./cards.js";
import { byId, html } from "./element.js";
import { say } from "./words.js";

export function showAccounts({ accounts, bank }) {
  const most = Math.max(1, ...accounts.map((account) => account.balance));
  byId("balances").replaceChildren(
    ...accounts.map((account) => row(account, most)),
    html("li", { class: "bank" },
      html("span", { class: "who" }, say("bank")),
      html("span", { class: "amount" }, bank.written.replace("-", "−"))));
}

function row({ number, card, balance, written }, most) {
  const bar = html("span", { class: "bar", "data-colour": colourOf(card) });
  bar.style.width = `${(100 * balance) / most}%`;
  const who = html("span", { class: "who" }, say("card", { card: number }));
  if (card !== null && card !== number) {
    who.append(" ", html("small", {}, say("of-card", { card })));
  }
  return html("li", { "data-account": number }, who,
    html("span", { class: "track", "aria-hidden": "true" }, bar),
    html("span", { class: "amount" }, written));
}
