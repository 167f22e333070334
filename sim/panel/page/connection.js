// The WebSocket to the box, which reconnects automatically.

const FIRST_DELAY = 300;
const LONGEST_DELAY = 3000;
const SILENCE = 40_000; // the server sends a heartbeat every 15 s
const NO_ANSWER = 5_000; // the server answers every action at once
const REPLACED = 4000; // the close code of a page that made room for another

let socket = null;
let delay = FIRST_DELAY;
let silence = 0;
let retryTimer = 0;
let unanswered = 0;
let giveUp = null;

// Returns whether the socket is open. The message includes the time, so that the server can refuse
// an action that arrives too late.
export function send(message) {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify({ ...message, at: Math.round(performance.now()) }));
  if (message.do !== "beat") unanswered ||= setTimeout(giveUp, NO_ANSWER);
  return true;
}

// handlers: onMessage(message), onPixels(frame), onLost(), onReplaced().
export function open(handlers) {
  const address = new URL("box", location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  const opened = new WebSocket(address);
  socket = opened;
  giveUp = () => close(opened, handlers);
  opened.binaryType = "arraybuffer";
  restartTimers(opened, handlers);
  opened.onmessage = ({ data }) => {
    restartTimers(opened, handlers);
    if (typeof data !== "string") return handlers.onPixels(data);
    const message = JSON.parse(data);
    if (message.hello) delay = FIRST_DELAY;
    if (message.hello || message.beat) send({ do: "beat" });
    if (!message.beat) handlers.onMessage(message);
  };
  opened.onclose = ({ code }) => (code === REPLACED ? leave : close)(opened, handlers);
}

function clearTimers() {
  for (const timer of [silence, unanswered, retryTimer]) clearTimeout(timer);
  unanswered = 0;
}

function restartTimers(opened, handlers) {
  clearTimers();
  silence = setTimeout(() => close(opened, handlers), SILENCE);
}

function drop(opened) {
  socket = null;
  clearTimers();
  opened.onclose = opened.onmessage = null;
  opened.close();
}

// Does not reconnect: that would replace another page, which would then reconnect.
function leave(opened, handlers) {
  if (opened !== socket) return;
  drop(opened);
  handlers.onReplaced();
}

function close(opened, handlers) {
  if (opened !== socket) return;
  drop(opened);
  handlers.onLost();
  retryTimer = setTimeout(() => retry(handlers), delay);
  delay = Math.min(delay * 1.7, LONGEST_DELAY);
}

// If the server refuses, or answers with its code page, the token is no longer valid.
async function retry(handlers) {
  try {
    const answer = await fetch("./", { cache: "no-store" });
    const refused = [401, 403].includes(answer.status);
    if (refused || (await answer.text()).includes("data-wrong")) return location.reload();
  } catch {
    // The server is not running yet. The socket will fail too, and retry.
  }
  open(handlers);
}
