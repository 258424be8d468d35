import { element } from "./element.js";

/** What the service keeps of a conversation's first message, in characters (`adapters/dynamodb/request_items.py`). */
const TITLE_LENGTH = 80;

/** The user's earlier conversations, newest first. */
export class SessionsView {
  #root;
  #client;
  #open;
  #current = null;
  #rows = [];
  #before = null;
  #state = "loading";
  #failure = null;
  #ended = false;

  /** `open(sessionId)` is called when the user selects a conversation. */
  constructor({ root, client, open }) {
    this.#root = root;
    this.#client = client;
    this.#open = open;
  }

  /** Forgets the list. */
  end() {
    this.#ended = true;
    this.#rows = [];
    this.#root.replaceChildren();
  }

  async load(before = undefined) {
    this.#state = "loading";
    this.#draw();
    try {
      const page = await this.#client.history({ before, limit: 20 });
      // Keep the conversations that were begun on this page; take the titles from the server.
      const known = new Set(page.sessions.map(({ sessionId }) => sessionId));
      const kept = this.#rows.filter(({ sessionId }) => !known.has(sessionId));
      this.#rows = before ? [...kept, ...page.sessions] : [...kept.filter(({ isNew }) => isNew), ...page.sessions];
      this.#before = page.before;
      this.#state = "loaded";
    } catch (error) {
      [this.#state, this.#failure] = ["failed", error];
    }
    this.#draw();
  }

  /** Moves a session to the top: one of its questions has just been accepted. */
  touch({ sessionId, title }) {
    const known = this.#rows.find((row) => row.sessionId === sessionId);
    const row = { ...(known ?? { sessionId, title: beginning(title), isNew: true }), lastAt: new Date().toISOString() };
    this.#rows = [row, ...this.#rows.filter((each) => each !== known)];
    this.#draw();
  }

  select(sessionId) {
    this.#current = sessionId;
    this.#draw();
  }

  #draw() {
    if (this.#ended) return;
    const items = this.#rows.map((row) => element("li", {}, this.#button(row)));
    const list = items.length ? [element("ul", {}, items)] : [];
    this.#root.replaceChildren(...list, ...this.#below());
  }

  #button({ sessionId, title, lastAt, knowledgeBase }) {
    const button = element(
      "button",
      { type: "button", title: knowledgeBase ? `${title} (${knowledgeBase})` : title, on: { click: () => this.#open(sessionId) } },
      element("span", { className: "title" }, title),
      element("time", { dateTime: lastAt }, dayOf(lastAt)),
    );
    if (sessionId === this.#current) button.setAttribute("aria-current", "true");
    return button;
  }

  #below() {
    if (this.#state === "loading") return this.#rows.length ? [] : [element("p", { className: "hint" }, "Loading…")];
    if (this.#state === "failed") return [this.#failed()];
    if (!this.#rows.length) return [element("p", { className: "hint" }, "Your conversations will be listed here.")];
    if (!this.#before) return [];
    return [element("button", { type: "button", className: "link", on: { click: () => this.load(this.#before) } }, "More")];
  }

  #failed() {
    const again = element("button", { type: "button", className: "link", on: { click: () => this.load() } }, "Try again");
    return element("p", { className: "hint", role: "alert" }, this.#failure.message, " ", again);
  }
}

function beginning(text) {
  return [...text].slice(0, TITLE_LENGTH).join("");
}

function dayOf(moment) {
  const date = new Date(moment);
  const days = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(date).setHours(0, 0, 0, 0)) / 86_400_000);
  if (days <= 0) return date.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
  if (days === 1) return "Yesterday";
  return date.toLocaleDateString(undefined, { day: "numeric", month: "short", year: days > 300 ? "numeric" : undefined });
}
