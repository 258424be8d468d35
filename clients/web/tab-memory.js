const STORED_AS = "cicada.tab";

/**
 * What a reload of the page must not lose: which session is open, and the question under way
 * (`{requestId, message, sessionId, accepted}`). It ends with the tab, and another user does not get it.
 */
export class TabMemory {
  #storage;
  #kept;

  constructor(user, storage = sessionStorage) {
    this.#storage = storage;
    const stored = JSON.parse(storage.getItem(STORED_AS) ?? "null");
    this.#kept = stored?.user === user ? stored : { user, sessionId: null, running: null };
  }

  get sessionId() {
    return this.#kept.sessionId;
  }

  get running() {
    return this.#kept.running;
  }

  keep(changes) {
    this.#kept = { ...this.#kept, ...changes };
    this.#storage.setItem(STORED_AS, JSON.stringify(this.#kept));
  }
}
