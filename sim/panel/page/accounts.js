// The balance of each account, as a bar and as the box writes it, its worth in the final count,
// and the chart of all.

import { byId, html, svg } from "./element.js";
import { labelWithName, nameOf, withName } from "./names.js";
import { openForm } from "./naming.js";
import { say } from "./words.js";

// Number → the row of that account, which is kept: the focus may be on its button.
let rows = new Map();

export function showAccounts({ accounts, winners, bank, pot, chart, moves }) {
  rows = new Map(accounts.map(({ number }) => [number, rows.get(number) ?? emptyRow(number)]));
  const most = Math.max(1, ...accounts.map((account) => account.balance));
  for (const account of accounts) {
    fill(rows.get(account.number), account, most, winners.includes(account.number));
  }
  replaceAround([...rows.values()],
    [...(pot ? [other("in-the-pot", pot)] : []), other("bank", bank)]);
  byId("chart").innerHTML = chart;
  byId("chart").hidden = !moves || !accounts.length;
  if (!byId("chart").hidden) describeChart(byId("chart"), accounts, moves);
}

// A row that is taken out and put back would lose the focus.
function replaceAround(kept, others) {
  const list = byId("balances");
  const shown = [...list.querySelectorAll("[data-account]")];
  const same = shown.length === kept.length && shown.every((row, at) => row === kept[at]);
  if (!same) return list.replaceChildren(...kept, ...others);
  for (const row of list.querySelectorAll("li:not([data-account])")) row.remove();
  list.append(...others);
}

const other = (name, { written }) =>
  html("li", { class: name },
    html("span", { class: "owner" }, say(name)),
    html("span", { class: "amount" }, written.replace("-", "−")));

function emptyRow(number) {
  const row = html("li", { "data-account": number });
  const button = html("button", { type: "button", id: `name-${number}`, class: "namer" });
  button.onclick = () => openForm(number, row, button);
  row.append(html("span", { class: "owner" }, button, html("span")),
    html("span", { class: "middle" }), html("span", { class: "amount" }));
  return row;
}

function fill(row, { number, card, out, balance, written, worth, missing }, most, hasWon) {
  const [owner, middle, amount] = row.children;
  const [button, notes] = owner.children;
  button.replaceChildren(
    html("span", {}, say("card", { card: number })), pencil(),
    ...(nameOf(number) ? note("small", nameOf(number)) : []));
  button.setAttribute("aria-label",
    say("rename", { card: labelWithName(say("card", { card: number }), number) }));
  notes.replaceChildren(
    ...(card !== null && card !== number ? note("small", say("of-card", { card })) : []),
    ...(hasWon ? note("span", say("winner"), { class: "winner" }) : []));
  middle.replaceChildren(
    out ? html("span", { class: "out" }, say("out")) : bar(number, balance, most));
  amount.replaceChildren(written,
    ...(worth !== null ? note("small", say("worth", { worth })) : []),
    ...(missing ? note("small", say("not-counted")) : []));
}

const note = (element, text, attributes = {}) => [" ", html(element, attributes, text)];

const pencil = () =>
  svg("svg", { class: "pencil", viewBox: "0 0 16 16", "aria-hidden": "true" },
    svg("path", { d: "M2 14l.8-3.6 7.9-7.9 2.8 2.8-7.9 7.9z" }));

function bar(number, balance, most) {
  const length = html("span", { class: "bar", "data-colour": number });
  length.style.width = `${(100 * balance) / most}%`;
  return html("span", { class: "track", "aria-hidden": "true" }, length);
}

// The server draws the chart; the page adds the texts in its own language.
function describeChart(chart, accounts, moves) {
  chart.querySelector(".caption").textContent = say("moves", { moves });
  const sorted = [...accounts].sort((a, b) => b.balance - a.balance);
  const [most, least] = [sorted[0], sorted.at(-1)];
  const card = ({ number }) => withName(say("a-card", { card: number }), number);
  chart.setAttribute("aria-label", say("chart", {
    moves,
    most: card(most), "most-amount": most.written,
    least: card(least), "least-amount": least.written,
  }));
}
