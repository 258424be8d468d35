import { CicadaError } from "./errors.js";

/** Sends `openDocument` and `feedback`, several at a time if need be: each reply names the command that it answers. */
export class Openings {
  #waiting = new Map();
  #send;
  #clock;
  #timings;

  constructor(send, clock, timings) {
    this.#send = send;
    this.#clock = clock;
    this.#timings = timings;
  }

  /** `command`: with its requestId. */
  ask(command) {
    return new Promise((resolve, reject) => {
      const timer = this.#clock.setTimeout(() => this.#overdue(command.requestId), this.#timings.document);
      this.#waiting.set(command.requestId, { command, resolve, reject, timer });
      this.#send(command);
    });
  }

  /** What is unanswered is sent again on the new connection. */
  opened() {
    for (const { command } of this.#waiting.values()) this.#send(command);
  }

  received(page) {
    this.#finish(page.requestId)?.resolve(page);
  }

  /** Returns whether the error answers one of the commands. */
  refused({ requestId, error, code, retryable }) {
    const asked = this.#finish(requestId);
    asked?.reject(new CicadaError(error, { code, retryable }));
    return asked !== undefined;
  }

  failAll(error) {
    for (const requestId of [...this.#waiting.keys()]) this.#finish(requestId).reject(error);
  }

  #overdue(requestId) {
    this.#finish(requestId).reject(new CicadaError("No answer came; try again.", { code: "timeout", retryable: true }));
  }

  #finish(requestId) {
    const asked = this.#waiting.get(requestId);
    this.#clock.clearTimeout(asked?.timer);
    this.#waiting.delete(requestId);
    return asked;
  }
}
