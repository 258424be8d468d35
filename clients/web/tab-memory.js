const STORED_AS = "cicada.tab";
/** The drafts' key of the conversation that has not begun yet. */
const NEW = "";

/**
 * What a reload of the page must restore: the open session, the question under way
 * (`{requestId, message, without, sessionId, accepted}`), and what was typed in each session and not asked. It is lost when the tab is
 * closed or another user signs in.
 */
export class TabMemory {
  #storage;
  #saved;

  constructor(user, storage) {
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

  /** What was typed in a session, or with null in the one that has not begun yet. */
  draftOf(sessionId) {
    const name = sessionId ?? NEW;
    return Object.hasOwn(this.#drafts, name) ? this.#drafts[name] : "";
  }

  keepDraft(sessionId, text) {
    const { [sessionId ?? NEW]: _, ...others } = this.#drafts;
    this.save({ drafts: text ? { ...others, [sessionId ?? NEW]: text } : others });
  }

  forgetDrafts() {
    this.save({ drafts: {} });
  }

  /** A session has begun, or is not there any more. */
  moveDraft(from, to) {
    const moved = [this.draftOf(to), this.draftOf(from)].filter(Boolean).join("\n");
    this.keepDraft(from, "");
    this.keepDraft(to, moved);
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

  get #drafts() {
    return this.#saved.drafts ?? {};
  }
}
