// The names of cards (N6), which stand beside their numbers.

let cards = new Map(); // number → its account, with the card's name

export function learnNames(accounts) {
  cards = new Map(accounts.map((account) => [account.number, account]));
}

// The name of the card that has this number, or an empty text. At a posting: none, if another card
// had the number then.
export function nameOf(number, posting = Infinity) {
  const { name = "", after = 0 } = cards.get(number) ?? {};
  return posting > after ? name : "";
}

// A text that ends with a card's number, and the card's name after it.
export function withName(text, number, posting = Infinity) {
  const name = nameOf(number, posting);
  return name ? `${text} (${name})` : text;
}

// The same for a control: what it shows, the number and the name below it, must be in its label.
export function labelWithName(text, number) {
  return `${text} ${nameOf(number)}`.trim();
}
