import { element } from "./element.js";
import { daysAgo, SessionRow } from "./session-row.js";
import { searchPages, together } from "./session-search.js";
import { dayOf, say } from "./words.js";

/** What the service makes of a conversation's first message is at most as long, in characters (`conversation/titles.py`). */
const TITLE_LENGTH = 80;
/** A search waits for so long after the last letter, milliseconds. */
const TYPING = 300;
/** So many conversations, or questions of a search, are shown before the user asks for more. */
const SHOWN = 20;
const GROUPS = {
  pinned: () => say("conversations.pinned"),
  today: () => dayOf(0),
  yesterday: () => dayOf(1),
  lastDays: () => say("conversations.lastDays"),
  older: () => say("conversations.older"),
};

/** The user's earlier conversations by day, newest first; or those of which a title or a question has the words that are searched for. */
export class SessionsView {
  #root;
  #field;
  #client;
  #open;
  #changed;
  #removed;
  #drawn;
  #current = null;
  #rows = [];
  #before = null;
  #state = "loading";
  #failure = null;
  #visit = 0;
  #typing = null;

  /**
   * `open(sessionId, requestId)` is called when the user selects a conversation, or a question in it, `changed(session)` when one is renamed, pinned or shared,
   * `removed(sessionId)` when one is deleted, and `drawn()` when the list has changed. `signal` removes the event listeners.
   */
  constructor({ root, search, client, open, changed, removed, drawn, signal }) {
    this.#root = root;
    this.#field = search;
    this.#client = client;
    this.#open = open;
    this.#changed = changed;
    this.#removed = removed;
    this.#drawn = drawn;
    search.addEventListener("input", () => this.#typed(), { signal });
  }

  /** Forgets the list. */
  clear() {
    clearTimeout(this.#typing);
    this.#rows = [];
    this.#field.value = "";
    this.#root.replaceChildren();
  }

  end() {
    this.#visit = -1;
    this.clear();
  }

  async load(before = undefined) {
    const visit = ++this.#visit;
    [this.#state, this.#before] = ["loading", before ?? null];
    this.#draw();
    try {
      for await (const page of this.#pages(before)) {
        if (visit !== this.#visit) return;
        this.#around(() => this.#take(page));
      }
      this.#state = "loaded";
    } catch (error) {
      if (visit !== this.#visit) return;
      [this.#state, this.#failure] = ["failed", error];
    }
    this.#around(() => this.#draw());
  }

  async *#pages(before) {
    const history = (command) => this.#client.history(command);
    if (this.#words) yield* searchPages(history, { search: this.#words, before, wanted: SHOWN });
    else yield await history({ before, limit: SHOWN });
  }

  #take(page) {
    // Keep the conversations that were begun on this page; take the titles from the server.
    const known = new Set(page.sessions.map(({ sessionId }) => sessionId));
    const kept = this.#rows.filter(({ sessionId, isNew }) => !known.has(sessionId) && (this.#before || isNew));
    this.#rows = this.#words ? together(this.#before ? this.#rows : [], page.sessions) : [...kept, ...page.sessions];
    this.#before = page.before;
    this.#draw();
  }

  /** Moves a session up: one of its questions has just been accepted. */
  touch({ sessionId, title, knowledgeBase }) {
    const known = this.#rows.find((row) => row.sessionId === sessionId);
    this.#put({ ...(known ?? { sessionId, title: titleOf(title), knowledgeBase, isNew: true }), lastAt: new Date().toISOString() });
  }

  /** Another tab has asked in a conversation. */
  hearAsked(session) {
    this.#around(() => this.touch(session));
  }

  /** Another tab has given a conversation another title or pin, or shares it or not. */
  hearChanged(session) {
    const known = this.#rows.some(({ sessionId }) => sessionId === session.sessionId);
    if (known) this.#around(() => this.#put({ pinned: false, ...session }));
  }

  /** Another tab has deleted a conversation. */
  hearDeleted(sessionId) {
    this.#around(() => this.#drop(sessionId));
  }

  select(sessionId) {
    if (this.#current === sessionId) return;
    this.#current = sessionId;
    this.#draw();
  }

  /** What a conversation is called, if it is in the list. */
  titleOf(sessionId) {
    return this.#rows.find((row) => row.sessionId === sessionId)?.title ?? null;
  }

  /** The knowledge base that a conversation began with, if the list says it. */
  baseOf(sessionId) {
    return this.#rows.find((row) => row.sessionId === sessionId)?.knowledgeBase ?? null;
  }

  get #words() {
    return this.#field.value.trim();
  }

  #typed() {
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => {
      this.#rows = [];
      this.load();
    }, TYPING);
  }

  #put(row) {
    const others = this.#rows.filter(({ sessionId }) => sessionId !== row.sessionId);
    this.#rows = [...others, row].sort((a, b) => Date.parse(b.lastAt) - Date.parse(a.lastAt));
    this.#draw();
  }

  #drop(sessionId) {
    this.#rows = this.#rows.filter((row) => row.sessionId !== sessionId);
    this.#draw();
  }

  #remove(sessionId) {
    this.#drop(sessionId);
    this.#removed(sessionId);
  }

  /** What another tab changes leaves the user's focus alone, and a row in which something is being done. */
  #around(change) {
    const focused = this.#root.contains(document.activeElement) ? document.activeElement : null;
    const row = this.#root.querySelector("[data-session]:has(.session-actions)") ?? focused?.closest("[data-session]");
    change();
    const now = row && this.#root.querySelector(`[data-session="${CSS.escape(row.dataset.session)}"]`);
    if (!now) return;
    if (row.querySelector(".session-actions")) {
      now.replaceWith(row);
      focused?.focus();
    } else now.querySelector(focused.matches(".more") ? ".more" : ".open-session").focus();
  }

  #draw() {
    if (this.#visit < 0) return;
    const lists = Object.keys(GROUPS).flatMap((name) => this.#group(name));
    this.#root.replaceChildren(...lists, ...this.#below());
    this.#drawn();
  }

  #group(name) {
    const rows = this.#rows.filter((row) => groupOf(row) === name);
    if (!rows.length) return [];
    const id = `sessions-${name}`;
    return [element("h2", { id }, GROUPS[name]()), element("ul", { aria: { labelledby: id } }, rows.map((row) => this.#row(row)))];
  }

  #row(session) {
    const { sessionId } = session;
    return new SessionRow(session, {
      client: this.#client,
      current: sessionId === this.#current,
      open: (requestId) => this.#open(sessionId, requestId),
      changed: (now) => {
        this.#put({ pinned: false, ...now });
        this.#changed(now);
        this.#root.querySelector(`[data-session="${CSS.escape(sessionId)}"] .more`)?.focus();
      },
      shared: (now) => {
        this.#rows = this.#rows.map((row) => (row.sessionId === sessionId ? now : row));
        this.#changed(now);
      },
      deleted: () => this.#remove(sessionId),
    }).root;
  }

  #below() {
    if (this.#state === "loading") return this.#loading();
    if (this.#state === "failed") return [this.#failed()];
    if (!this.#rows.length) return [hint(say(this.#words ? "conversations.noneFound" : "conversations.none"))];
    if (!this.#before) return [];
    return [element("button", { type: "button", className: "link", on: { click: () => this.load(this.#before) } }, say("conversations.more"))];
  }

  #loading() {
    if (this.#words) return [hint(say("conversations.searching"))];
    return this.#rows.length ? [] : [hint(say("conversations.loading"))];
  }

  #failed() {
    const again = element("button", { type: "button", className: "link", on: { click: () => this.load(this.#before ?? undefined) } }, say("act.again"));
    return element("p", { className: "hint", role: "alert" }, element("bdi", {}, this.#failure.message), " ", again);
  }
}

function hint(sentence) {
  return element("p", { className: "hint", role: "status" }, sentence);
}

function groupOf({ pinned, lastAt }) {
  if (pinned) return "pinned";
  const days = daysAgo(lastAt);
  if (days <= 0) return "today";
  if (days === 1) return "yesterday";
  return days <= 7 ? "lastDays" : "older";
}

/** What it is called until the list is loaded again, by the server's rule (`conversation/titles.py`), so that it stays. */
export function titleOf(message) {
  const line = message.trim().replace(/\s+/g, " ");
  const letters = [...line];
  if (letters.length <= TITLE_LENGTH) return line;
  const isShort = (sentence) => sentence.endsWith("?") && [...sentence].length <= TITLE_LENGTH;
  const cut = letters.slice(0, TITLE_LENGTH - 1).join("");
  const words = letters[TITLE_LENGTH - 1] === " " ? cut : cut.slice(0, Math.max(cut.lastIndexOf(" "), 0));
  return line.split(/(?<=[.?!]) /).find(isShort) ?? `${words || cut}…`;
}
