// The page's settings in local storage: folded panels and the sound. Without storage (private
// windows, blocked storage) the defaults apply.

export function load(name, otherwise) {
  try {
    return localStorage.getItem(`tellerbox.${name}`) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function save(name, value) {
  try {
    localStorage.setItem(`tellerbox.${name}`, value);
  } catch {
    // It is not saved; nothing depends on it.
  }
}
