// The line to the box: a WebSocket that comes back by itself.

const FIRST_DELAY = 300;
const LONGEST_DELAY = 3000;
const SILENCE = 40_000; // the server is heard every 15 s; after this the line is dead
const NO_ANSWER = 5_000; // whatever is done is answered at once; after this the line is dead

let socket = null;
let delay = FIRST_DELAY;
let silence = 0;
let again = 0;
let unanswered = 0;
let giveUp = null;

// True when the line is there to take it. Says when it was done: what a line that hung brings
// too late, the server leaves undone.
export function send(message) {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify({ ...message, at: Math.round(performance.now()) }));
  if (message.do !== "beat") unanswered ||= setTimeout(giveUp, NO_ANSWER);
  return true;
}

// told: hear(message), see(frame), lose().
export function open(told) {
  const address = new URL("box", location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  const line = new WebSocket(address);
  socket = line;
  giveUp = () => lose(line, told);
  line.binaryType = "arraybuffer";
  watch(line, told);
  line.onmessage = ({ data }) => {
    watch(line, told);
    if (typeof data !== "string") return told.see(data);
    const message = JSON.parse(data);
    if (message.hello) delay = FIRST_DELAY;
    if (message.hello || message.beat) send({ do: "beat" });
    if (!message.beat) told.hear(message);
  };
  line.onclose = () => lose(line, told);
}

function watch(line, told) {
  clearTimeout(silence);
  clearTimeout(unanswered);
  unanswered = 0;
  silence = setTimeout(() => lose(line, told), SILENCE);
}

function lose(line, told) {
  if (line !== socket) return;
  socket = null;
  clearTimeout(silence);
  clearTimeout(unanswered);
  clearTimeout(again);
  unanswered = 0;
  line.onclose = line.onmessage = null;
  line.close();
  told.lose();
  again = setTimeout(() => retry(told), delay);
  delay = Math.min(delay * 1.7, LONGEST_DELAY);
}

// A server that answers with its code page, or refuses, has forgotten this visitor.
async function retry(told) {
  try {
    const answer = await fetch("./", { cache: "no-store" });
    const refused = [401, 403].includes(answer.status);
    if (refused || (await answer.text()).includes("data-wrong")) return location.reload();
  } catch {
    // Nobody there yet; the socket will find out the same.
  }
  open(told);
}
