import { SignInNeededError } from "./errors.js";

const SUBPROTOCOL = "cicada.v1";
const OPEN = 1;

/**
 * A reconnecting WebSocket: it connects again after a loss, with a fresh token if the old one has expired, detects
 * connections that are dead without having been closed, and replaces a connection before its token expires.
 *
 * States: "idle", "connecting", "open", "waiting" (before the next attempt), "offline", "signedOut".
 * `receiver` implements `opened()`, `received(frame)`, `lost()` and `stateChanged(state)`.
 */
export class ReconnectingConnection {
  state = "idle";
  /**
   * Why there has been no connection for several attempts: "refused" (the handshake failed with a fresh token: the server
   * lets this user not in, or does not answer), "noToken" (no token could be got), or null.
   */
  trouble = null;

  #options;
  #receiver;
  #socket = null;
  #second = null;
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

  /** The server has ended the user's sign-in. */
  signOut() {
    this.#signedOut();
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
    // The handshake fails in the same way for a refused token as for anything else: after two failures, try a fresh token.
    const fresh = this.#staleToken || this.#failures === 2;
    try {
      const offer = await this.#offer({ fresh });
      if (round === this.#round) this.#open(offer, fresh);
    } catch (error) {
      if (round !== this.#round) return;
      if (error instanceof SignInNeededError) this.#signedOut();
      else this.#again(this.#failures >= 2 ? "noToken" : null);
    }
  }

  /** The token to connect with, `{token, validMs}`; `validMs` is undefined if the provider does not say it. */
  async #offer(demand) {
    const found = await this.#options.token(demand);
    return typeof found === "string" ? { token: found } : found;
  }

  #open({ token, validMs }, fresh) {
    const socket = (this.#socket = this.#newSocket(token));
    const failed = () => this.#again(fresh && this.state === "connecting" ? "refused" : null);
    this.#arm("open", this.#options.timings.open, failed);
    socket.onopen = () => this.#opened(validMs);
    socket.onmessage = ({ data }) => this.#received(data);
    socket.onclose = failed;
  }

  #newSocket(token) {
    const { url, tokenIn, WebSocket } = this.#options;
    const socket =
      tokenIn === "subprotocol" ? new WebSocket(url, [SUBPROTOCOL, token]) : new WebSocket(withToken(url, token));
    // `onclose` follows and is enough; Node's `ws` throws errors that have no listener.
    socket.onerror = () => {};
    return socket;
  }

  #opened(validMs) {
    this.#disarm("open");
    this.#staleToken = false;
    this.trouble = null;
    this.#change("open");
    this.#arm("keepAlive", this.#options.timings.keepAlive, () => this.probe());
    if (validMs !== undefined) this.#replaceIn(Math.max(0, validMs - this.#options.timings.renewBefore));
    this.#receiver.opened();
  }

  // ---- a connection whose token is about to expire ----

  #replaceIn(delay) {
    this.#arm("replace", delay, () => this.#replace());
  }

  /** Opens a second connection with a fresh token, and then closes the first. */
  async #replace() {
    const { timings } = this.#options;
    const round = this.#round;
    // If the second one fails, the first is used until it ends; there is time for some more attempts.
    this.#replaceIn(timings.renewAgain + timings.open);
    try {
      const { token, validMs } = await this.#offer({ fresh: true });
      if (round === this.#round) this.#openSecond(token, validMs);
    } catch (error) {
      if (round === this.#round && error instanceof SignInNeededError) this.#signedOut();
    }
  }

  #openSecond(token, validMs) {
    const second = this.#newSocket(token);
    this.#dropSecond();
    this.#second = second;
    this.#arm("second", this.#options.timings.open, () => this.#dropSecond());
    second.onclose = () => this.#dropSecond();
    second.onopen = () => this.#takeSecond(validMs);
  }

  #dropSecond() {
    this.#disarm("second");
    this.#second = close(this.#second);
  }

  #takeSecond(validMs) {
    const second = this.#second;
    this.#second = null;
    for (const name of ["second", "reply"]) this.#disarm(name);
    // What the first still had to deliver is among what the requests' resume replays.
    this.#receiver.lost();
    close(this.#socket);
    this.#socket = second;
    second.onmessage = ({ data }) => this.#received(data);
    second.onclose = () => this.#again();
    this.#opened(validMs);
  }

  #received(data) {
    this.#disarm("reply");
    const frame = parse(data);
    if (!frame) return;
    // An error does not show that the connection works: a wrong clock can make the server refuse every command.
    if (frame.type !== "error") this.#failures = 0;
    this.#receiver.received(frame);
  }

  #again(trouble = null) {
    if (!this.#wanted) return;
    this.trouble = trouble ?? this.trouble;
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
    this.#dropSecond();
    const socket = this.#socket;
    this.#socket = close(socket);
    if (socket && this.state === "open") this.#receiver.lost();
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

/** Without another event of it. Returns null. */
function close(socket) {
  if (!socket) return null;
  socket.onopen = socket.onmessage = socket.onclose = null;
  socket.close();
  return null;
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
