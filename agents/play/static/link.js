// The WebSocket: messages out, messages in, and back again when the line breaks.

const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;

export function connect(onmessage, onstate) {
  const token = new URLSearchParams(location.search).get("token") || "";
  const waiting = [];
  let socket = null;
  let wait = FIRST_WAIT;

  function open() {
    socket = new WebSocket(`ws://${location.host}/ws?token=${encodeURIComponent(token)}`);
    socket.onopen = () => {
      wait = FIRST_WAIT;
      onstate(true);
      while (waiting.length) socket.send(waiting.shift());
    };
    socket.onmessage = (event) => onmessage(JSON.parse(event.data));
    socket.onclose = () => {
      onstate(false);
      setTimeout(open, wait);
      wait = Math.min(LONGEST_WAIT, wait * 2);
    };
  }

  open();
  return (message) => {
    const text = JSON.stringify(message);
    if (socket.readyState === WebSocket.OPEN) socket.send(text);
    else if (waiting.length < 20) waiting.push(text);
  };
}
