// The connection to the seat: receives images, sends actions, reconnects.

const IN_FLIGHT = 4; // maximum number of unanswered actions; further ones are queued here, where they can be merged
const MOST_TEXT = 1000; // maximum characters per action, because no images arrive while text is typed
const LONGEST_WAIT = 5000;
const WAITING = 500; // maximum number of queued actions; a seat that is further behind will not catch up

const MOST_TRIES = 8; // reconnection attempts without a response, with backoff

export class Link {
  // `on` has a callback per message type: hello, frame, cursor, trouble, control, refused, clipboard, state. `probe` is a
  // URL that tells whether a lost connection may be opened again.
  constructor(address, on, probe = "") {
    this.address = address;
    this.probe = probe;
    this.on = on;
    this.tries = 0;
    this.next = 1;
    this.wait = 250;
    this.over = false;
    this.clear();
  }

  clear() {
    this.outbox = [];
    this.flying = new Set();
  }

  open() {
    if (this.over) return;
    const address = new URL(this.address, location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const socket = this.socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    socket.onmessage = (event) => this.read(event.data);
    socket.onclose = (event) => this.closed(event);
  }

  async read(data) {
    if (data instanceof ArrayBuffer) {
      try {
        await this.on.frame(new Uint8Array(data, 4));
      } finally {
        // The server sends the next image after this one is drawn, so images never queue up.
        this.say({ type: "drawn" });
      }
      return;
    }
    const news = JSON.parse(data);
    if (news.type === "hello") {
      this.wait = 250;
      this.tries = 0;
      this.on.state("live");
      this.on.hello(news);
    } else if (news.type === "done" || news.type === "refused") {
      this.flying.delete(news.id);
      if (news.type === "refused") this.on.refused(news);
      this.flush();
    } else if (news.type === "bye") {
      this.over = true;
      this.on.state("over");
    } else {
      this.on[news.type]?.(news);
    }
  }

  // Actions that were not sent before a disconnect are dropped: they were meant for the earlier screen.
  async closed(event) {
    this.clear();
    if (this.over || event.code === 1012) return this.on.state("over");
    if (event.code === 4404) return this.on.state("over");
    if (event.code === 4429) return this.on.state("full");
    this.on.state("lost");
    const status = this.probe && await fetch(this.probe).then((answer) => answer.status, () => 0);
    if (status === 403 || status === 400 || (!this.probe && ++this.tries > MOST_TRIES)) return this.on.state("stale");
    setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
  }

  close() {
    this.over = true;
    this.socket?.close();
  }

  say(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  control(on) {
    this.outbox = [];
    this.say({ type: "control", on });
  }

  act(action) {
    const last = this.outbox.at(-1);
    const merged = last && merge(last, action);
    if (merged) this.outbox[this.outbox.length - 1] = merged;
    else this.outbox.push(action);
    // A new connection starts empty, and the server releases held keys and buttons.
    if (this.outbox.length > WAITING) this.socket?.close();
    else this.flush();
  }

  type(text) {
    const characters = Array.from(text);
    for (let at = 0; at < characters.length; at += MOST_TEXT) {
      this.act({ kind: "type", text: characters.slice(at, at + MOST_TEXT).join("") });
    }
  }

  // Requests the seat's clipboard text after all earlier actions are done.
  copy() {
    this.outbox.push({ kind: "copy" });
    this.flush();
  }

  flush() {
    while (this.outbox.length && this.flying.size < IN_FLIGHT && this.socket?.readyState === WebSocket.OPEN) {
      if (this.outbox[0].kind === "copy") {
        this.say({ type: this.outbox.shift().kind });
        continue;
      }
      const id = this.next++;
      this.flying.add(id);
      this.say({ type: "act", id, action: this.outbox.shift() });
    }
  }
}

// Merges two consecutive queued actions, or returns null.
function merge(first, second) {
  if (first.kind !== second.kind || String(first.modifiers) !== String(second.modifiers)) return null;
  if (first.kind === "move") return second;
  if (first.kind === "type" && first.text.length + second.text.length <= MOST_TEXT) {
    return { kind: "type", text: first.text + second.text };
  }
  if (first.kind === "scroll" && first.unit === second.unit && String(first.point) === String(second.point)) {
    return { ...first, dx: first.dx + second.dx, dy: first.dy + second.dy };
  }
  return null;
}
