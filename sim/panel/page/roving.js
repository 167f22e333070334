// One tab stop for a group of controls: the arrow keys move the focus inside the group.
// It is the roving tabindex of the WAI-ARIA practices. Tab comes back to the control that had it.

// The tabindex of a new control: the first one of its group is the tab stop.
export const firstTabIndex = (index) => (index === 0 ? 0 : -1);

// Let the tab stop follow the focus; items(): the controls of the group, row by row.
export function keepTabStop(group, items) {
  group.addEventListener("focusin", ({ target }) => {
    const at = items().find((item) => item === target);
    if (at) for (const item of items()) item.setAttribute("tabindex", item === at ? 0 : -1);
  });
}

// Move the focus, if the key does that; returns whether it does. In a grid, Home and End reach the
// ends of the row, and those of the grid with Ctrl.
export function moveFocus(event, items, isGrid = false) {
  const { key, ctrlKey } = event;
  if (event.altKey || event.metaKey || event.shiftKey) return false;
  if (ctrlKey && !(isGrid && ["Home", "End"].includes(key))) return false;
  const rows = rowsOf(items);
  const row = rows.findIndex((each) => each.includes(event.target));
  if (row < 0) return false;
  const at = items.indexOf(event.target);
  const ends = isGrid && !ctrlKey ? rows[row] : items;
  const targets = {
    ArrowLeft: items[at - 1], ArrowRight: items[at + 1],
    ArrowUp: nearest(event.target, rows[row - 1]), ArrowDown: nearest(event.target, rows[row + 1]),
    Home: ends[0], End: ends.at(-1),
  };
  if (!(key in targets)) return false;
  event.preventDefault();
  targets[key]?.focus();
  return true;
}

// The controls as they are laid out now.
function rowsOf(items) {
  const rows = [];
  let top = -Infinity;
  for (const item of items) {
    const { y, height } = item.getBoundingClientRect();
    if (y > top + height / 2) {
      rows.push([]);
      top = y;
    }
    rows.at(-1).push(item);
  }
  return rows;
}

function nearest(item, row = []) {
  const distance = (other) =>
    Math.abs(other.getBoundingClientRect().x - item.getBoundingClientRect().x);
  return [...row].sort((a, b) => distance(a) - distance(b))[0];
}
