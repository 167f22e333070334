// The trainer: a task with its sentence, what the server says about it, and the buttons.

import { send } from "./connection.js";
import { byId } from "./element.js";
import { language, say } from "./words.js";

let lesson = null;
let recording = false;

const start = (task) => send({ do: "learn", task });
const isLast = () => lesson.number === lesson.count;

export function setUpLearning() {
  byId("learn").onclick = () => start(1);
  byId("lesson-hint").onclick = () => showSaid("hint", lesson.hint[language]);
  byId("lesson-again").onclick = () => start(lesson.number);
  byId("lesson-next").onclick = () => start(lesson.number + 1);
  byId("lesson-leave").onclick = () => start(0);
}

// A recording and a task exclude each other.
export function showLearnButton(table) {
  recording = table.recording;
  byId("learn").hidden = recording || lesson !== null;
}

// received: the task, or null outside of the trainer.
export function showLesson(received) {
  const before = lesson;
  const focused = document.activeElement;
  lesson = received;
  byId("lesson").hidden = !lesson;
  byId("learn").hidden = recording || lesson !== null;
  document.body.classList.toggle("learning", lesson !== null);
  if (lesson) showTask(before);
  keepFocus(focused);
}

function showTask(before) {
  const done = lesson.outcome === "done";
  // Writing the same text again would announce it again.
  write("lesson-number", say("lesson-number", lesson));
  write("lesson-title", lesson.title[language]);
  write("lesson-text", lesson.text[language]);
  // A hint stays until there is something else to say.
  if (before?.number !== lesson.number || said(before) !== said(lesson)) {
    showSaid(lesson.outcome, said(lesson));
  }
  byId("lesson-hint").hidden = done;
  byId("lesson-next").hidden = isLast();
  byId("lesson-next").textContent = say(done ? "lesson-next" : "lesson-skip");
  byId("lesson-next").classList.toggle("main", done);
  byId("lesson-leave").classList.toggle("main", done && isLast());
}

function said({ said: sentence, outcome, number, count }) {
  const end = outcome === "done" && number === count ? ` ${say("lesson-last")}` : "";
  return sentence ? sentence[language] + end : "";
}

function showSaid(outcome, text) {
  byId("lesson-said").dataset.outcome = outcome;
  write("lesson-said", text);
}

// The focus must not be lost with a control that is hidden now.
function keepFocus(focused) {
  if (focused === document.body || focused.checkVisibility()) return;
  if (focused.id === "learn") byId("lesson-title").focus();
  else if (focused.closest("#lesson")) byId(lesson ? "lesson-title" : "learn").focus();
}

function write(id, text) {
  if (byId(id).textContent !== text) byId(id).textContent = text;
}
