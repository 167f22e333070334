// The balance of each account, as a bar and as the box writes it, and their chart.

import { byId, html } from "./element.js";
import { say } from "./words.js";

export function showAccounts({ accounts, winners, bank, pot, chart, moves }) {
  const most = Math.max(1, ...accounts.map((account) => account.balance));
  byId("balances").replaceChildren(
    ...accounts.map((account) => row(account, most, winners.includes(account.number))),
    ...(pot ? [other("in-the-pot", pot)] : []),
    other("bank", bank));
  byId("chart").innerHTML = chart;
  byId("chart").hidden = !moves || !accounts.length;
  if (!byId("chart").hidden) describeChart(byId("chart"), accounts, moves);
}

const other = (name, { written }) =>
  html("li", { class: name },
    html("span", { class: "owner" }, say(name)),
    html("span", { class: "amount" }, written.replace("-", "−")));

function row({ number, card, out, balance, written }, most, hasWon) {
  const bar = html("span", { class: "bar", "data-colour": number });
  bar.style.width = `${(100 * balance) / most}%`;
  const track = html("span", { class: "track", "aria-hidden": "true" }, bar);
  const owner = html("span", { class: "owner" }, say("card", { card: number }));
  if (card !== null && card !== number) {
    owner.append(" ", html("small", {}, say("of-card", { card })));
  }
  if (hasWon) owner.append(" ", html("span", { class: "winner" }, say("winner")));
  return html("li", { "data-account": number }, owner,
    out ? html("span", { class: "out" }, say("out")) : track,
    html("span", { class: "amount" }, written));
}

// The server draws the chart; the page adds the texts in its own language.
function describeChart(chart, accounts, moves) {
  chart.querySelector(".caption").textContent = say("moves", { moves });
  const sorted = [...accounts].sort((a, b) => b.balance - a.balance);
  const [most, least] = [sorted[0], sorted.at(-1)];
  chart.setAttribute("aria-label", say("chart", {
    moves,
    most: say("a-card", { card: most.number }), "most-amount": most.written,
    least: say("a-card", { card: least.number }), "least-amount": least.written,
  }));
}
