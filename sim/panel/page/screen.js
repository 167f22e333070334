// The glass: the firmware's 128×64 picture, pixel by pixel, as one path of lit runs. Where the
// bezel leaves room for it, each of them is a whole number of the display's own pixels wide.

import { byId } from "./element.js";

const WIDTH = 128;
const HEIGHT = 64;
const ROWS_A_PAGE = 8;
const HOME = { x: 50, y: 57, scale: 76 / WIDTH }; // the bezel's middle, in the box's drawing
const LEAST = 0.86;
const MOST = 1.06;

const lit = new Uint8Array(WIDTH * HEIGHT);
const rows = new Array(HEIGHT).fill("");

export const drawn = { pictures: 0 };

// A frame: which of the eight pages changed, then the columns of each, as the SSD1306 has them.
export function take(frame) {
  const bytes = new Uint8Array(frame);
  let at = 1;
  for (let page = 0; page < HEIGHT / ROWS_A_PAGE; page++) {
    if (!((bytes[0] >> page) & 1)) continue;
    const top = page * ROWS_A_PAGE;
    for (let x = 0; x < WIDTH; x++, at++) {
      for (let bit = 0; bit < ROWS_A_PAGE; bit++) {
        lit[(top + bit) * WIDTH + x] = (bytes[at] >> bit) & 1;
      }
    }
    for (let y = top; y < top + ROWS_A_PAGE; y++) rows[y] = runs(y);
  }
  show();
}

// Draw what is known; also after the box itself was drawn anew.
export function show() {
  byId("pixels").setAttribute("d", rows.join(""));
  drawn.pictures++;
}

// Lay the glass on the grid of the display; again whenever the box has another size or place.
export function fit() {
  const glass = byId("glass");
  const drawing = glass?.parentNode.getScreenCTM();
  if (!drawing?.a) return;
  const unit = drawing.a * devicePixelRatio;
  const natural = HOME.scale * unit;
  const ratio = Math.round(natural) / natural;
  const size = ratio >= LEAST && ratio <= MOST ? Math.round(natural) : natural;
  const onGrid = (middle, start, length) => {
    const origin = start * devicePixelRatio;
    return (Math.round(origin + middle * unit - (length * size) / 2) - origin) / unit;
  };
  const x = onGrid(HOME.x, drawing.e, WIDTH);
  const y = onGrid(HOME.y, drawing.f, HEIGHT);
  glass.setAttribute("transform", `translate(${x} ${y}) scale(${size / unit})`);
}

function runs(y) {
  let path = "";
  for (let x = 0; x < WIDTH; x++) {
    if (!lit[y * WIDTH + x]) continue;
    const start = x;
    while (x < WIDTH && lit[y * WIDTH + x]) x++;
    path += `M${start} ${y}h${x - start}v1h${start - x}z`;
  }
  return path;
}

// For tests: the picture as 64 lines of 0 and 1.
export function pixels() {
  return rows.map((_, y) => lit.subarray(y * WIDTH, (y + 1) * WIDTH).join(""));
}
