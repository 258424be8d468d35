const TERMINAL = new Set(["complete", "cancelled", "error"]);

/**
 * The answer that a request's events add up to. Events may come in any order and any number of times; each number
 * counts once, and only when all smaller ones have.
 */
export class Assembly {
  /** The last event that counts; what `resume` asks to go on after. */
  lastSeq = 0;
  sessionId = null;
  stage = null;
  detail = null;
  text = "";
  sources = [];
  /** Why the answer was begun again, null while this is the first attempt. */
  resetReason = null;
  /** The terminal event, null while there is more to come. */
  end = null;

  #early = new Map();

  /** Something later has come, so something is missing. */
  get gap() {
    return this.#early.size > 0;
  }

  /** Takes an event with a `seq`; true if the answer went on by it. */
  take(event) {
    const { seq } = event;
    if (!Number.isSafeInteger(seq) || seq <= this.lastSeq || this.end) return false;
    this.#early.set(seq, event);
    const before = this.lastSeq;
    for (let next; !this.end && (next = this.#early.get(this.lastSeq + 1)); ) {
      this.#early.delete(next.seq);
      this.lastSeq = next.seq;
      this.#apply(next);
    }
    if (this.end) this.#early.clear();
    return this.lastSeq > before;
  }

  #apply(event) {
    if (event.type === "accepted") this.sessionId = event.sessionId;
    else if (event.type === "status") [this.stage, this.detail] = [event.stage, event.detail ?? null];
    else if (event.type === "sources") this.#addSources(event.sources);
    else if (event.type === "chunk") this.text += event.content;
    else if (event.type === "reset") [this.text, this.sources, this.resetReason] = ["", [], event.reason];
    else if (TERMINAL.has(event.type)) this.end = event;
    // A type of a later protocol: its number counts, its content does not.
  }

  #addSources(sources) {
    const byNumber = new Map([...this.sources, ...sources].map((source) => [source.n, source]));
    this.sources = [...byNumber.values()].sort((a, b) => a.n - b.n);
  }
}
