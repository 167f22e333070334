// What this browser remembers of the page: folded panels and the sound. A browser that keeps
// nothing (private windows, blocked storage) gets the defaults each time.

export function recall(name, otherwise) {
  try {
    return localStorage.getItem(`tellerbox.${name}`) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function remember(name, value) {
  try {
    localStorage.setItem(`tellerbox.${name}`, value);
  } catch {
    // Then it is forgotten; nothing depends on it.
  }
}
