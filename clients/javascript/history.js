import { CicadaError } from "./errors.js";

/** Sends `history` commands one at a time, because their replies do not name a request. */
export class HistoryQueue {
  #waiting = [];
  #underWay = false;
  #timer = null;
  #send;
  #clock;
  #timings;
  #late;

  /** `late`: what to say without a reply. */
  constructor(send, clock, timings, late) {
    this.#send = send;
    this.#clock = clock;
    this.#timings = timings;
    this.#late = late;
  }

  ask(command) {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ command, resolve, reject });
      this.#next();
    });
  }

  opened() {
    this.#next();
  }

  /** The command under way is sent again on the next connection. */
  lost() {
    this.#underWay = false;
    this.#clock.clearTimeout(this.#timer);
  }

  received(page) {
    if (!this.#underWay || (page.sessionId ?? null) !== (this.#waiting[0].command.sessionId ?? null)) return;
    this.#finish().resolve(page);
  }

  refused(refusal) {
    if (this.#underWay) this.#finish().reject(new CicadaError(refusal.error, refusal));
  }

  failAll(error) {
    this.lost();
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  #next() {
    if (this.#underWay || !this.#waiting.length || !this.#send(this.#waiting[0].command)) return;
    this.#underWay = true;
    this.#timer = this.#clock.setTimeout(() => this.#overdue(), this.#timings.reply);
  }

  #overdue() {
    this.#finish().reject(new CicadaError(this.#late, { code: "timeout", retryable: true }));
  }

  #finish() {
    this.lost();
    const done = this.#waiting.shift();
    this.#next();
    return done;
  }
}
