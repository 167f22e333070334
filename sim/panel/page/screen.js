// Draws the firmware's 128×64 picture as one SVG path of lit runs. If the bezel has room for it,
// each pixel is a whole number of the display's own pixels wide.

import { byId } from "./element.js";

const WIDTH = 128;
const HEIGHT = 64;
const ROWS_A_PAGE = 8;
const CENTRE = { x: 50, y: 57, scale: 76 / WIDTH }; // of the bezel, in the box's drawing
const MIN_SCALE = 0.86;
const MAX_SCALE = 1.06;

const rows = new Array(HEIGHT).fill(""); // as parts of the path

// A frame: a bit mask of the changed pages, then the columns of each, as in the SSD1306.
export function receivePixels(frame) {
  const bytes = new Uint8Array(frame);
  let at = 1;
  for (let page = 0; page < HEIGHT / ROWS_A_PAGE; page++) {
    if (!((bytes[0] >> page) & 1)) continue;
    const columns = bytes.subarray(at, (at += WIDTH));
    for (let bit = 0; bit < ROWS_A_PAGE; bit++) {
      const y = page * ROWS_A_PAGE + bit;
      rows[y] = litRuns((x) => (columns[x] >> bit) & 1, y);
    }
  }
  showPixels();
}

export function showPixels() {
  byId("pixels").setAttribute("d", rows.join(""));
}

// Align the picture to the display's pixel grid; call it whenever the box is resized or moved.
export function fit() {
  const screen = byId("screen");
  const drawing = screen?.parentNode.getScreenCTM();
  if (!drawing?.a) return;
  const unit = drawing.a * devicePixelRatio;
  const natural = CENTRE.scale * unit;
  const ratio = Math.round(natural) / natural;
  const size = ratio >= MIN_SCALE && ratio <= MAX_SCALE ? Math.round(natural) : natural;
  const onGrid = (middle, start, length) => {
    const origin = start * devicePixelRatio;
    return (Math.round(origin + middle * unit - (length * size) / 2) - origin) / unit;
  };
  const x = onGrid(CENTRE.x, drawing.e, WIDTH);
  const y = onGrid(CENTRE.y, drawing.f, HEIGHT);
  screen.setAttribute("transform", `translate(${x} ${y}) scale(${size / unit})`);
}

function litRuns(isLit, y) {
  let path = "";
  for (let x = 0; x < WIDTH; x++) {
    if (!isLit(x)) continue;
    const start = x;
    while (x < WIDTH && isLit(x)) x++;
    path += `M${start} ${y}h${x - start}v1h${start - x}z`;
  }
  return path;
}
