const STORED_AS = "cicada.tab";

/**
 * What a reload of the page must restore: the open session, and the question under way
 * (`{requestId, message, sessionId, accepted}`). It is lost when the tab is closed or another user signs in.
 */
export class TabMemory {
  #storage;
  #saved;

  constructor(user, storage = sessionStorage) {
    this.#storage = storage;
    const stored = JSON.parse(storage.getItem(STORED_AS) ?? "null");
    this.#saved = stored?.user === user ? stored : { user, sessionId: null, running: null };
  }

  get sessionId() {
    return this.#saved.sessionId;
  }

  get running() {
    return this.#saved.running;
  }

  /** Nothing of the user is kept any more. */
  forget() {
    this.#saved = { user: null, sessionId: null, running: null };
    this.#storage.removeItem(STORED_AS);
  }

  save(changes) {
    this.#saved = { ...this.#saved, ...changes };
    this.#storage.setItem(STORED_AS, JSON.stringify(this.#saved));
  }
}
