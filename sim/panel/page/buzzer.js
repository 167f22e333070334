// The buzzer: plays the firmware's melodies, if this page may sound, and shows that it does.

import { byId } from "./element.js";
import { recall, remember } from "./memory.js";

const GAIN = [0, 0.015, 0.045, 0.12]; // by volume: each step about as much louder to the ear
const SEEN_AT_LEAST = 180;
const MAKE_AFTER = 300;

let melodies = {};
let audio = null;
let playing = null;
let seen = 0;
let heard = recall("sound", "on") === "on";

export function learn(table) {
  melodies = table;
}

export function buzz(sound, volume) {
  const notes = melodies[sound] ?? [];
  showFor(Math.max(SEEN_AT_LEAST, notes.reduce((sum, [, length]) => sum + length, 0)));
  if (heard && audio?.state === "running" && volume > 0) play(notes, GAIN[volume]);
}

function showFor(length) {
  byId("buzzer").classList.add("sounds");
  clearTimeout(seen);
  seen = setTimeout(() => byId("buzzer").classList.remove("sounds"), length);
}

// One melody at a time: a new one takes the place of the old, as on the box.
function play(notes, loudness) {
  playing?.stop();
  const wave = new OscillatorNode(audio, { type: "square" });
  const gain = new GainNode(audio, { gain: 0 });
  wave.connect(gain).connect(audio.destination);
  let at = audio.currentTime + 0.005;
  wave.start(at);
  for (const [pitch, length] of notes) {
    if (pitch > 0) wave.frequency.setValueAtTime(pitch, at);
    gain.gain.setTargetAtTime(pitch > 0 ? loudness : 0, at, 0.001);
    at += length / 1000;
  }
  gain.gain.setTargetAtTime(0, at, 0.003);
  wave.stop(at + 0.05);
  playing = wave;
}

export function armBuzzer() {
  const button = byId("sound");
  const show = () => button.setAttribute("aria-pressed", heard);
  button.onclick = () => {
    heard = !heard;
    remember("sound", heard ? "on" : "off");
    if (!heard) playing?.stop();
    show();
  };
  show();
  // A browser lets a page sound only after somebody has touched it. The context is made before
  // that: it takes a tenth of a second, and would keep the first key waiting.
  if (window.AudioContext) setTimeout(() => (audio = new AudioContext()), MAKE_AFTER);
  const wake = () => audio?.state === "suspended" && audio.resume();
  for (const gesture of ["pointerdown", "pointerup", "keydown"]) {
    addEventListener(gesture, wake, { capture: true });
  }
}
