// The chart: every player's balance over the game, one step for each posting.

import { colourOf } from "./cards.js";
import { byId, svg } from "./element.js";
import { say } from "./words.js";

const WIDTH = 340;
const HEIGHT = 170;
const FRAME = { left: 42, right: WIDTH - 26, top: 10, bottom: HEIGHT - 22 };
const LABEL_HEIGHT = 13;

export function showChart({ accounts, postings, ticks }) {
  const moves = postings.filter((posting) => posting.purpose !== "opening").length;
  const lines = accounts.map((account) => ({ ...account, ...history(account.number, postings) }));
  const most = Math.max(1, ...lines.map((line) => line.peak), ...ticks.map((tick) => tick.amount));
  // Half a step more than there are moves, so that what the last one came to is seen.
  const x = (at) => FRAME.left + ((FRAME.right - FRAME.left) * at) / (moves + 0.5);
  const y = (amount) => FRAME.bottom - ((FRAME.bottom - FRAME.top) * amount) / most;

  const chart = byId("chart");
  chart.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  chart.setAttribute("aria-label", inWords(accounts, moves));
  chart.replaceChildren(
    ...ticks.flatMap((tick) => [
      svg("path", { class: "tick", d: `M${FRAME.left} ${y(tick.amount)}H${FRAME.right}` }),
      svg("text", { class: "tick-label", x: FRAME.left - 5, y: y(tick.amount) + 4 }, tick.written),
    ]),
    svg("path", { class: "base", d: `M${FRAME.left} ${FRAME.bottom}H${FRAME.right}` }),
    ...lines.map((line) => {
      const d = steps(line.points, x, y);
      return svg("path", { class: "line", "data-colour": colourOf(line.card), d });
    }),
    ...spread(lines, y).map(({ line, at }) => label(line, at)),
    svg("text", { class: "axis", x: FRAME.right, y: HEIGHT - 4 }, say("moves", { moves })));
}

// An account's balance after each posting that changed it: [posting's place, balance].
function history(number, postings) {
  let balance = 0;
  let at = 0;
  let peak = 0;
  const points = [];
  for (const { payer, payee, amount, purpose } of postings) {
    if (purpose !== "opening") at++;
    if (payer !== number && payee !== number) continue;
    balance += payee === number ? amount : -amount;
    peak = Math.max(peak, balance);
    points.push([at, balance]);
  }
  return { points, peak };
}

function steps(points, x, y) {
  if (!points.length) return "";
  const [[first, balance], ...rest] = points;
  const further = rest.map(([at, amount]) => `H${x(at)}V${y(amount)}`).join("");
  return `M${x(first)} ${y(balance)}${further}H${FRAME.right}`;
}

const label = ({ number, card }, at) =>
  svg("g", { class: "line-label", "data-colour": colourOf(card) },
    svg("rect", { x: FRAME.right + 4, y: at - 6, width: 18, height: 12, rx: 3 }),
    svg("text", { x: FRAME.right + 13, y: at + 3.8 }, String(number)));

// Labels at the lines' ends, moved apart where lines end at the same height.
function spread(lines, y) {
  const labels = lines.map((line) => ({ line, at: y(line.balance) })).sort((a, b) => a.at - b.at);
  let highest = 0;
  for (const each of labels) {
    each.at = Math.max(each.at, highest);
    highest = each.at + LABEL_HEIGHT;
  }
  let lowest = FRAME.bottom + 6;
  for (const each of labels.reverse()) {
    each.at = Math.min(each.at, lowest);
    lowest = each.at - LABEL_HEIGHT;
  }
  return labels;
}

function inWords(accounts, moves) {
  if (!moves || !accounts.length) return say("chart-new");
  const sorted = [...accounts].sort((a, b) => b.balance - a.balance);
  const [most, least] = [sorted[0], sorted.at(-1)];
  return say("chart", {
    moves,
    most: say("a-card", { card: most.number }), "most-amount": most.written,
    least: say("a-card", { card: least.number }), "least-amount": least.written,
  });
}
