// The front panel: lays the table, and passes on what the line to the box tells.

import { showAccounts } from "./accounts.js";
import { announce } from "./announce.js";
import { forgetBooks, keepBooks } from "./books.js";
import { drawBox } from "./box.js";
import { armBuzzer, buzz, learn } from "./buzzer.js";
import { armCards, layOut, showCards } from "./cards.js";
import { showChart } from "./chart.js";
import { layControls, showControls } from "./controls.js";
import { byId } from "./element.js";
import { drawn, fit, pixels, show as showGlass, take } from "./glass.js";
import { showHistory } from "./history.js";
import { armKeys, letAllGo, showKeys } from "./keys.js";
import { open } from "./line.js";
import { layPanels } from "./panels.js";
import { armRecording, forgetScript, showRecording, showScript } from "./recording.js";
import { toast } from "./toast.js";
import { fill, say } from "./words.js";

let tongue = "en"; // the box's language
let table = null;
let screen = null;
let books = null;
let later = 0;
const AFTER_A_FRAME = 40;

function onHello(hello) {
  focused ??= mark(document.activeElement);
  tongue = hello.language;
  table = screen = null;
  forgetBooks();
  forgetScript();
  const edition = hello.board === "virtual" ? "edition-virtual" : "edition";
  byId("edition").textContent = say(edition, { edition: hello.edition });
  drawBox(hello, fit);
  showGlass();
  layOut(hello.cards);
  layControls(hello);
  learn(hello.melodies);
  showLost(false);
}

function onTable(told) {
  table = told;
  showCards(table);
  showKeys(table.down);
  showControls(table);
  showRecording(table);
  if (screen) announce(screen, table, tongue);
}

function onScreen(told) {
  screen = told;
  tellerbox.took = screen.took;
  if (table) announce(screen, table, tongue);
}

// What lies beside the box may wait until the pixels of the same move have been seen.
function onBooks(told) {
  books = keepBooks(told);
  later ||= setTimeout(showBooks, AFTER_A_FRAME);
}

function showBooks() {
  later = 0;
  showAccounts(books);
  showChart(books);
  showHistory(books);
}

function hear(message) {
  if (message.hello) onHello(message.hello);
  else if (message.table) onTable(message.table);
  else if (message.screen) onScreen(message.screen);
  else if (message.sound) buzz(message.sound, message.volume);
  else if (message.books) onBooks(message.books);
  else if (message.script) showScript(message.script);
  else if (message.refused) toast(say(`refused-${message.refused}`));
}

// While the line is down nothing can be done; afterwards the focus is where it was, though the
// control itself may have been made anew.
const MARKS = ["id", "data-card", "data-key", "data-pace", "data-fault"];
let focused = null;

function mark(element) {
  const name = MARKS.find((each) => element.hasAttribute(each));
  return name ? `[${name}="${element.getAttribute(name)}"]` : null;
}

function showLost(lost) {
  if (lost) focused ??= mark(document.activeElement);
  byId("lost").hidden = !lost;
  byId("lost").textContent = lost ? say("lost") : "";
  for (const part of document.querySelectorAll("main > *, aside > *")) part.inert = lost;
  document.body.classList.toggle("alone", lost);
  if (!lost && focused) {
    document.querySelector(focused)?.focus();
    focused = null;
  }
}

function lose() {
  letAllGo();
  showLost(true);
}

// A click must not take the focus: Enter stays the GO key. Tab still goes everywhere.
document.addEventListener("mousedown", (event) => {
  if (!event.target.closest("a, button, summary, [role=button]")) return;
  event.preventDefault();
  if (document.activeElement !== document.body) document.activeElement.blur();
});

// For tests and the bench only.
const tellerbox = { pixels, took: 0, get changes() { return drawn.pictures; } };
window.tellerbox = tellerbox;

fill(document);
layPanels();
armBuzzer();
armCards();
armKeys();
armRecording();
new ResizeObserver(fit).observe(byId("stage"));
addEventListener("resize", fit);
open({ hear, see: take, lose });
