// The front panel: sets up the page, and dispatches the server's messages.

import { showAccounts } from "./accounts.js";
import { announce } from "./announce.js";
import { drawBox } from "./box.js";
import { buzz, setMelodies, setUpBuzzer } from "./buzzer.js";
import { createRack, markCards, setUpCards, showCards } from "./cards.js";
import { open } from "./connection.js";
import { createControls, showControls } from "./controls.js";
import { byId } from "./element.js";
import {
  setUpHistory, showHistory, withKnownPostings, withOlderPostings,
} from "./history.js";
import { abandonAll, expectHold, setUpKeys, showKeys } from "./keys.js";
import { setUpLearning, showLearnButton, showLesson } from "./learn.js";
import { learnNames } from "./names.js";
import { nameRefused, namesChanged, setUpNaming } from "./naming.js";
import { setUpPanels } from "./panels.js";
import { setUpRecording, showRecording, showScript } from "./recording.js";
import { fit, receivePixels, showPixels } from "./screen.js";
import { toast } from "./toast.js";
import { fill, learnPurposes, say } from "./words.js";

let boxLanguage = "en";
let table = null;
let screen = null;
let ledger = null;
let ledgerTimer = 0;
const AFTER_A_FRAME = 40;

function onHello(hello) {
  focused ??= selectorOf(document.activeElement);
  boxLanguage = hello.language;
  learnPurposes(hello.purposes);
  setUpNaming(hello.longest_name);
  learnNames([]);
  table = screen = ledger = null;
  showScript({ from: 0, lines: [] });
  const edition = hello.board === "virtual" ? "edition-virtual" : "edition";
  byId("edition").textContent = say(edition, { edition: hello.edition });
  drawBox(hello, fit);
  showPixels();
  createRack(hello.cards);
  createControls(hello);
  setMelodies(hello.melodies);
  showLost(null);
}

function onTable(message) {
  table = message;
  showCards(table);
  showKeys(table.down);
  showControls(table);
  showRecording(table);
  showLearnButton(table);
  if (screen) announce(screen, table, boxLanguage);
}

function onScreen(message) {
  screen = message;
  expectHold(screen.hold ?? false);
  if (table) announce(screen, table, boxLanguage);
}

// The ledger is drawn later, so that the pixels of the same move come first.
function onLedger(message) {
  ledger = withKnownPostings(message, ledger);
  ledgerTimer ||= setTimeout(showLedger, AFTER_A_FRAME);
}

function onOlder(message) {
  ledger = withOlderPostings(message, ledger);
  ledgerTimer ||= setTimeout(showLedger, AFTER_A_FRAME);
}

function showLedger() {
  ledgerTimer = 0;
  if (!ledger) return; // the page was set up anew meanwhile
  learnNames(ledger.accounts);
  showAccounts(ledger);
  markCards(ledger.accounts);
  showHistory(ledger);
  namesChanged();
}

function onRefused(why) {
  if (!nameRefused(why)) toast(say(`refused-${why}`));
}

function onMessage(message) {
  if (message.hello) onHello(message.hello);
  else if (message.table) onTable(message.table);
  else if (message.screen) onScreen(message.screen);
  else if (message.sound) buzz(message.sound, message.volume);
  else if (message.ledger) onLedger(message.ledger);
  else if (message.older) onOlder(message.older);
  else if (message.script) showScript(message.script);
  else if ("lesson" in message) showLesson(message.lesson);
  else if (message.refused) onRefused(message.refused);
}

// While the connection is lost the page is inert. Afterwards the focus is restored, by selector,
// because the control may have been created anew.
const IDENTIFYING = ["id", "data-card", "data-key", "data-pace", "data-fault"];
let focused = null;

function selectorOf(element) {
  const name = IDENTIFYING.find((each) => element.hasAttribute(each));
  return name ? `[${name}="${element.getAttribute(name)}"]` : null;
}

function showLost(why) {
  const lost = Boolean(why);
  if (lost) focused ??= selectorOf(document.activeElement);
  byId("lost").hidden = !lost;
  byId("lost").textContent = lost ? say(why) : "";
  for (const part of document.querySelectorAll("main > *, aside > *, #lesson")) part.inert = lost;
  document.body.classList.toggle("disconnected", lost);
  if (!lost && focused) {
    document.querySelector(focused)?.focus();
    focused = null;
  }
}

function onLost(why) {
  abandonAll();
  showLost(why);
}

// A click must not move the focus: the next Enter or Space would repeat it.
document.addEventListener("mousedown", (event) => {
  if (!event.target.closest("a, button, summary, [role=button]")) return;
  event.preventDefault();
  if (document.activeElement !== document.body) document.activeElement.blur();
});

fill(document);
setUpPanels();
setUpBuzzer();
setUpCards();
setUpHistory();
setUpKeys();
setUpRecording();
setUpLearning();
new ResizeObserver(fit).observe(byId("stage"));
addEventListener("resize", fit);
open({
  onMessage, onPixels: receivePixels, onLost: () => onLost("lost"), onReplaced: () => onLost("replaced"),
});
