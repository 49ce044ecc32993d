// The connection to the seat: pictures in, actions out, and again when it breaks.

const IN_FLIGHT = 4; // actions sent and not yet answered; those behind them wait here, where they can be merged
const MOST_TEXT = 1000; // characters of one action: the picture stands still while it is typed
const LONGEST_WAIT = 5000;
const WAITING = 500; // actions; a seat that is so far behind will not catch up

const MOST_TRIES = 8; // without a word from the server, each later than the last

export class Link {
  // `on` has a function for each kind of news: hello, frame, cursor, trouble, control, refused, clipboard, state. `probe` is an
  // address that says, when the connection was lost, whether it may be had again.
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
        // The next picture comes when this one has been drawn: pictures never pile up.
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

  // What was not sent before a break is not sent after it: it was meant for what was seen then.
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
    // A new connection forgets all of it, and the server lets go what was held.
    if (this.outbox.length > WAITING) this.socket?.close();
    else this.flush();
  }

  type(text) {
    const characters = Array.from(text);
    for (let at = 0; at < characters.length; at += MOST_TEXT) {
      this.act({ kind: "type", text: characters.slice(at, at + MOST_TEXT).join("") });
    }
  }

  // Asks for what was copied in the seat, once all before it was done.
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

// Two actions that wait one behind the other as one, or null.
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
