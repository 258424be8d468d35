import { SignInNeededError } from "./errors.js";

const SUBPROTOCOL = "cicada.v1";
const OPEN = 1;

/**
 * A reconnecting WebSocket: it connects again after a loss, with a fresh token if the old one has expired, and detects
 * connections that are dead without having been closed.
 *
 * States: "idle", "connecting", "open", "waiting" (before the next attempt), "offline", "signedOut".
 * `receiver` implements `opened()`, `received(frame)`, `lost()` and `stateChanged(state)`.
 */
export class ReconnectingConnection {
  state = "idle";

  #options;
  #receiver;
  #socket = null;
  #round = 0;
  #failures = 0;
  #wanted = false;
  #offline = false;
  #staleToken = false;
  #timers = new Map();

  constructor(options, receiver) {
    this.#options = options;
    this.#receiver = receiver;
  }

  start() {
    if (this.#wanted) return;
    this.#wanted = true;
    this.#failures = 0;
    this.#connect();
  }

  stop() {
    this.#wanted = false;
    this.#abandon();
    this.#change("idle");
  }

  /** The network is back, or the device woke up: connect now, or check that the connection is alive. */
  online() {
    this.#offline = false;
    if (!this.#wanted) return;
    if (this.state === "open") this.probe();
    else if (this.state !== "connecting") this.#connect();
  }

  /** The network is gone: close the socket, and do not connect until `online()`. */
  offline() {
    this.#offline = true;
    if (!this.#wanted || this.state === "signedOut") return;
    this.#abandon();
    this.#change("offline");
  }

  /** Connect again with a fresh token. */
  renew() {
    this.#staleToken = true;
    this.#again();
  }

  /** Returns false if there is no open connection. */
  send(command) {
    if (this.state !== "open" || this.#socket.readyState !== OPEN) return false;
    this.#socket.send(JSON.stringify(command));
    return true;
  }

  /** Sends a ping. A connection that does not answer is given up. */
  probe() {
    if (!this.send({ action: "ping" })) return;
    this.#arm("keepAlive", this.#options.timings.keepAlive, () => this.probe());
    if (!this.#timers.has("reply")) this.#arm("reply", this.#options.timings.reply, () => this.#again());
  }

  async #connect() {
    this.#abandon();
    if (this.#offline) return this.#change("offline");
    const round = this.#round;
    this.#change("connecting");
    try {
      // The handshake fails in the same way for a refused token as for anything else: after two failures, try a fresh token.
      const token = await this.#options.token({ fresh: this.#staleToken || this.#failures === 2 });
      if (round === this.#round) this.#open(token);
    } catch (error) {
      if (round !== this.#round) return;
      if (error instanceof SignInNeededError) this.#signedOut();
      else this.#again();
    }
  }

  #open(token) {
    const { url, tokenIn, WebSocket, timings } = this.#options;
    const socket =
      tokenIn === "subprotocol" ? new WebSocket(url, [SUBPROTOCOL, token]) : new WebSocket(withToken(url, token));
    this.#socket = socket;
    this.#arm("open", timings.open, () => this.#again());
    socket.onopen = () => this.#opened();
    socket.onmessage = ({ data }) => this.#received(data);
    socket.onclose = () => this.#again();
    // `onclose` follows and is enough; Node's `ws` throws errors that have no listener.
    socket.onerror = () => {};
  }

  #opened() {
    this.#disarm("open");
    this.#staleToken = false;
    this.#change("open");
    this.#arm("keepAlive", this.#options.timings.keepAlive, () => this.probe());
    this.#receiver.opened();
  }

  #received(data) {
    this.#disarm("reply");
    const frame = parse(data);
    if (!frame) return;
    // An error does not show that the connection works: a wrong clock can make the server refuse every command.
    if (frame.type !== "error") this.#failures = 0;
    this.#receiver.received(frame);
  }

  #again() {
    if (!this.#wanted) return;
    this.#abandon();
    const { timings, random } = this.#options;
    const limit = Math.min(timings.backoffCap, timings.backoffBase * 2 ** this.#failures);
    this.#failures += 1;
    this.#change(this.#offline ? "offline" : "waiting");
    if (!this.#offline) this.#arm("backoff", random() * limit, () => this.#connect());
  }

  #signedOut() {
    this.#wanted = false;
    this.#abandon();
    this.#change("signedOut");
  }

  /** Drops the socket and its timers. */
  #abandon() {
    this.#round += 1;
    for (const name of [...this.#timers.keys()]) this.#disarm(name);
    const socket = this.#socket;
    this.#socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
    if (this.state === "open") this.#receiver.lost();
  }

  #change(state) {
    if (state === this.state) return;
    this.state = state;
    this.#receiver.stateChanged(state);
  }

  #arm(name, delay, action) {
    this.#disarm(name);
    const run = () => {
      this.#timers.delete(name);
      action();
    };
    this.#timers.set(name, this.#options.clock.setTimeout(run, delay));
  }

  #disarm(name) {
    this.#options.clock.clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
  }
}

function withToken(url, token) {
  const address = new URL(url);
  address.searchParams.set("token", token);
  return address.href;
}

function parse(data) {
  try {
    const frame = JSON.parse(data);
    return typeof frame === "object" ? frame : null;
  } catch {
    return null;
  }
}
