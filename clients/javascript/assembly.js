const TERMINAL = new Set(["complete", "cancelled", "error"]);

/**
 * The answer that the events of a request make up. Events may arrive in any order and any number of times; each is
 * applied once, after all events with smaller numbers.
 */
export class Assembly {
  /** The number of the last applied event; `resume` asks for those after it. */
  lastSeq = 0;
  sessionId = null;
  stage = null;
  detail = null;
  text = "";
  sources = [];
  /** The knowledge base that is asked; null if the server does not say. */
  asked = null;
  /** The one that the sources and the listed documents are from; null if the server does not say. */
  knowledgeBase = null;
  /**
   * The documents and numbers that were asked for, `{total, documents, offset, nextOffset, columns, aggregates,
   * groupedBy, groups, groupCount}`; null if the answer is no list. The last five are null unless they were asked for.
   */
  listing = null;
  /** Why the answer was started again; null during the first attempt. */
  resetReason = null;
  /** The final event; null until it has arrived. */
  end = null;

  #early = new Map();

  /** Whether a later event has arrived, but not the next one. */
  get gap() {
    return this.#early.size > 0;
  }

  /** Takes an event with a `seq`. Returns whether at least one event was applied. */
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
    this.knowledgeBase = event.knowledgeBase ?? this.knowledgeBase;
    if (event.type === "accepted") [this.sessionId, this.asked] = [event.sessionId, event.knowledgeBase ?? null];
    else if (event.type === "status") [this.stage, this.detail] = [event.stage, event.detail ?? null];
    else if (event.type === "sources") this.#addSources(event.sources);
    else if (event.type === "listing") this.#addListing(event);
    else if (event.type === "chunk") this.text += event.content;
    else if (event.type === "reset") this.#startAgain(event.reason);
    else if (TERMINAL.has(event.type)) this.end = event;
    // An event of an unknown type, from a later protocol: its number counts, its content is ignored.
  }

  #startAgain(reason) {
    [this.text, this.sources, this.listing, this.resetReason] = ["", [], null, reason];
  }

  #addListing(event) {
    const { total, documents, offset, nextOffset } = event;
    const before = this.listing ?? { documents: [], offset, ...beforeDocuments(event) };
    this.listing = { ...before, total, documents: [...before.documents, ...documents], nextOffset };
  }

  #addSources(sources) {
    const byNumber = new Map([...this.sources, ...sources].map((source) => [source.n, source]));
    this.sources = [...byNumber.values()].sort((a, b) => a.n - b.n);
  }
}

/** What is shown before the documents. An earlier server counts by one field: that is read as groups. */
function beforeDocuments({ columns = null, aggregates = null, groupedBy = null, groups = null, groupCount = null, countedBy, counts }) {
  if (groups || !counts) return { columns, aggregates, groupedBy, groups, groupCount };
  const counted = counts.map(({ value, count }) => ({ values: [value], documents: count, figures: [] }));
  return { columns, aggregates, groupedBy: [countedBy || "Value"], groups: counted, groupCount: counted.length };
}
