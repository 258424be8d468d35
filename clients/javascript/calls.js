import { CicadaError } from "./errors.js";

/** Sends commands whose replies name them, such as `openDocument`, several at a time if need be. */
export class Calls {
  #waiting = new Map();
  #send;
  #clock;
  #timings;

  constructor(send, clock, timings) {
    this.#send = send;
    this.#clock = clock;
    this.#timings = timings;
  }

  /** `command`: with its requestId; another one with the same waits for the reply. `late`: what to say without a reply. */
  ask(command, late) {
    const again = () => this.ask(command, late);
    const before = this.#waiting.get(command.requestId);
    if (before) return before.reply.then(again, again);
    const asked = { command, timer: this.#clock.setTimeout(() => this.#overdue(command.requestId, late), this.#timings.document) };
    asked.reply = new Promise((resolve, reject) => Object.assign(asked, { resolve, reject }));
    this.#waiting.set(command.requestId, asked);
    this.#send(command);
    return asked.reply;
  }

  /** What is unanswered is sent again on the new connection. */
  opened() {
    for (const { command } of this.#waiting.values()) this.#send(command);
  }

  received(reply) {
    this.#finish(reply.requestId)?.resolve(reply);
  }

  /** Returns whether the error answers one of the commands. */
  refused(refusal) {
    const asked = this.#finish(refusal.requestId);
    asked?.reject(new CicadaError(refusal.error, refusal));
    return asked !== undefined;
  }

  failAll(error) {
    for (const requestId of [...this.#waiting.keys()]) this.#finish(requestId).reject(error);
  }

  #overdue(requestId, late) {
    this.#finish(requestId).reject(new CicadaError(late, { code: "timeout", retryable: true }));
  }

  #finish(requestId) {
    const asked = this.#waiting.get(requestId);
    this.#clock.clearTimeout(asked?.timer);
    this.#waiting.delete(requestId);
    return asked;
  }
}
