/** A network, a server and a clock for the tests of the protocol: everything that may go wrong, on purpose. */

export class FakeClock {
  now = 0;
  #timers = new Map();
  #nextId = 1;

  setTimeout = (action, delay) => {
    this.#timers.set(this.#nextId, { at: this.now + delay, action });
    return this.#nextId++;
  };

  clearTimeout = (id) => {
    this.#timers.delete(id);
  };

  /** How many timers are set. */
  get pending() {
    return this.#timers.size;
  }

  /** Lets the time pass, timer by timer, and what is awaited in between happen. */
  async advance(milliseconds) {
    const end = this.now + milliseconds;
    await settled();
    for (let due; (due = this.#due(end)); ) {
      this.now = Math.max(this.now, due.at);
      this.#timers.delete(due.id);
      due.action();
      await settled();
    }
    this.now = end;
  }

  #due(end) {
    let first = null;
    for (const [id, { at, action }] of this.#timers) {
      if (at <= end && (!first || at < first.at)) first = { id, at, action };
    }
    return first;
  }
}

export const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A seeded generator of numbers in [0, 1): mulberry32, public domain. */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** What a test does at the other end of the client's sockets. Opens nothing by itself. */
export class FakeNetwork {
  sockets = [];
  /** Called with (socket, command) for each frame that the client sends. */
  onCommand = () => {};

  constructor() {
    const network = this;
    this.WebSocket = class {
      readyState = 0;
      sent = [];

      constructor(url, protocols) {
        this.url = url;
        this.protocols = protocols;
        network.sockets.push(this);
      }

      send(text) {
        const command = JSON.parse(text);
        this.sent.push(command);
        network.onCommand(this, command);
      }

      close() {
        this.readyState = 3;
      }

      // ---- the server's side ----

      open() {
        this.readyState = 1;
        this.onopen?.();
      }

      deliver(frame) {
        if (this.readyState === 1) this.onmessage?.({ data: typeof frame === "string" ? frame : JSON.stringify(frame) });
      }

      cut() {
        this.readyState = 3;
        this.onclose?.({ code: 1006 });
      }
    };
  }

  get last() {
    return this.sockets.at(-1);
  }

  get commands() {
    return this.sockets.flatMap((socket) => socket.sent);
  }
}
