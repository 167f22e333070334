// The books as this page knows them: the postings of the game so far, told bit by bit.

let game = null;
let postings = [];

// Take in what the server tells, and give it back with all postings of the game.
export function keepBooks(told) {
  const key = `${told.game}/${told.from}`;
  if (key !== game) postings = [];
  game = key;
  const last = postings.at(-1)?.id ?? 0;
  postings = postings.concat(told.postings.filter((posting) => posting.id > last));
  return { ...told, postings };
}

export function forgetBooks() {
  game = null;
}
