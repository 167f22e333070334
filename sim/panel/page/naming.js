// Names a card: a form below its account. Enter saves, Esc cancels. The server decides what is a
// name, and writes it to the ledger; the form closes when the ledger has it.

import { html } from "./element.js";
import { send } from "./connection.js";
import { nameOf } from "./names.js";
import { toast } from "./toast.js";
import { say } from "./words.js";

let letters = 0; // of the longest name
let opened = null; // { number, form, input, error, button }
let wanted = null; // the name that was sent, until it is written or refused

export function setUpNaming(longest) {
  letters = longest;
}

export function openForm(number, row, button) {
  closeForm();
  const attributes = {
    id: "new-name", type: "text", maxlength: letters, value: nameOf(number),
    autocomplete: "off", spellcheck: "false", enterkeyhint: "done", "aria-describedby": "name-hint",
    oninput: () => showError(""),
  };
  const input = html("input", attributes);
  const error = html("p", { class: "error", role: "alert" });
  const form = html("form", { class: "naming", onsubmit: save, onkeydown: onKeyDown },
    html("label", { for: "new-name" }, say("name-of", { card: number })),
    input,
    html("button", { type: "submit" }, say("save-name")),
    html("button", { type: "button", onclick: closeForm }, say("cancel")),
    html("p", { id: "name-hint" }, say("name-hint", { letters })),
    error);
  opened = { number, form, input, error, button };
  row.append(form);
  input.focus();
  input.select();
}

export function closeForm() {
  if (!opened) return;
  const { form, button } = opened;
  const hadFocus = form.contains(document.activeElement);
  opened = wanted = null;
  form.remove();
  if (hadFocus && button.isConnected) button.focus();
}

// No key may reach the box or the cards.
function onKeyDown(event) {
  event.stopPropagation();
  if (event.key !== "Escape" || event.isComposing) return;
  event.preventDefault();
  closeForm();
}

function save(event) {
  event.preventDefault();
  const { number, input } = opened;
  // What a phone's keyboard makes of it: a space at the end, a curved apostrophe.
  const name = input.value.trim().replaceAll("’", "'").normalize("NFC");
  if (name === nameOf(number)) closeForm();
  else if (send({ do: "name", number, name })) wanted = name;
}

// The names of the ledger may have changed, and with them the accounts.
export function namesChanged() {
  if (!opened) return;
  const { number, form } = opened;
  if (wanted !== null && wanted === nameOf(number)) {
    toast(say(wanted ? "named" : "unnamed", { card: number, name: wanted }));
    closeForm();
  } else if (!form.isConnected) {
    closeForm();
  }
}

// Returns whether it was a name that was refused.
export function nameRefused(why) {
  if (wanted === null) return false;
  wanted = null;
  showError(say(`refused-${why}`, { letters }));
  opened.input.focus();
  return true;
}

function showError(text) {
  opened.error.textContent = text;
  opened.input.setAttribute("aria-invalid", Boolean(text));
}
