// Plays the firmware's melodies, unless the page is muted, and animates the buzzer.

import { byId } from "./element.js";
import { load, save } from "./storage.js";

const GAIN = [0, 0.015, 0.045, 0.12]; // by volume, in about equal steps of loudness
const MIN_ANIMATION = 180;
const CREATE_AFTER = 300;

let melodies = {};
let audio = null;
let playing = null;
let animation = 0;
let audible = load("sound", "on") === "on";

export function setMelodies(received) {
  melodies = received;
}

export function buzz(sound, volume) {
  const notes = melodies[sound] ?? [];
  animate(Math.max(MIN_ANIMATION, notes.reduce((sum, [, length]) => sum + length, 0)));
  if (audible && audio?.state === "running" && volume > 0) play(notes, GAIN[volume]);
}

function animate(length) {
  byId("buzzer").classList.add("sounds");
  clearTimeout(animation);
  animation = setTimeout(() => byId("buzzer").classList.remove("sounds"), length);
}

// A new melody replaces the old one, as on the box.
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

function createAudio() {
  audio = new AudioContext();
  // On the body: on a slow machine the box is drawn later than this.
  const showState = () => (document.body.dataset.audio = audio.state);
  audio.onstatechange = showState;
  showState();
}

export function setUpBuzzer() {
  const button = byId("sound");
  const show = () => button.setAttribute("aria-pressed", audible);
  button.onclick = () => {
    audible = !audible;
    save("sound", audible ? "on" : "off");
    if (!audible) playing?.stop();
    show();
  };
  show();
  // A browser plays sound only after a user gesture. The context is created before that, because
  // it takes a tenth of a second and would delay the first key.
  if (window.AudioContext) setTimeout(createAudio, CREATE_AFTER);
  const resume = () => audio?.state === "suspended" && audio.resume();
  for (const gesture of ["pointerdown", "pointerup", "keydown"]) {
    addEventListener(gesture, resume, { capture: true });
  }
}
