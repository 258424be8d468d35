import { Composer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { SessionsView } from "./sessions-view.js";

/** A signed-in user's view: the list of conversations, the one that is open, and where the next question is written. */
export class ChatView {
  #place;
  #client;
  #conversation;
  #sessions;
  #composer;
  #connection;
  #everOpen = false;
  #leave = new AbortController();

  /** `signOut()`, `sessionEnded()`: the user wants to leave; the tokens have run out for good. */
  constructor({ place, client, memory, user, examples, signOut, sessionEnded }) {
    this.#place = place;
    this.#client = client;
    this.#connection = place.querySelector("#connection");
    this.#sessions = new SessionsView({ place: place.querySelector("#sessions"), client, open: (id) => this.#open(id) });
    this.#composer = new Composer({
      form: place.querySelector("#composer"),
      ask: (message) => this.#conversation.ask(message),
      stop: () => this.#conversation.stop(),
      signal: this.#leave.signal,
    });
    this.#conversation = new Conversation({
      client,
      memory,
      place: place.querySelector("#conversation"),
      scroll: place.querySelector("#scroll"),
      examples,
      changed: () => this.#changed(),
      accepted: (session) => this.#sessions.touch(session),
    });
    place.querySelector("#user-name").textContent = user;
    this.#listen(signOut, sessionEnded);
  }

  start() {
    this.#place.hidden = false;
    this.#composer.clear();
    this.#network();
    this.#client.connect();
    this.#conversation.restore();
    this.#sessions.load();
    this.#composer.focus();
  }

  end() {
    this.#leave.abort();
    this.#client.close();
    this.#showRail(false);
    this.#place.hidden = true;
  }

  #listen(signOut, sessionEnded) {
    const on = (target, type, listener) => target.addEventListener(type, listener, { signal: this.#leave.signal });
    const find = (id) => this.#place.querySelector(id);
    on(this.#client, "connection", ({ detail }) => (detail === "signedOut" ? sessionEnded() : this.#tellConnection()));
    on(find("#sign-out"), "click", signOut);
    on(find("#new-conversation"), "click", () => this.#startNew());
    on(find("#bar-new"), "click", () => this.#startNew());
    on(find("#open-rail"), "click", () => this.#showRail(true));
    on(find("#veil"), "click", () => this.#showRail(false));
    on(window, "online", () => this.#network());
    on(window, "offline", () => this.#network());
    on(document, "visibilitychange", () => document.hidden || this.#network());
    on(document, "keydown", (event) => event.key === "Escape" && this.#escape());
  }

  #startNew() {
    this.#showRail(false);
    this.#conversation.startNew();
    this.#composer.focus();
  }

  async #open(sessionId) {
    this.#showRail(false);
    this.#composer.focus();
    await this.#conversation.open(sessionId);
  }

  #escape() {
    if (this.#place.dataset.rail === "open") this.#showRail(false);
    else this.#conversation.stop();
  }

  /** On a narrow screen the list lies over the conversation. */
  #showRail(open) {
    const wasOpen = this.#place.dataset.rail === "open";
    this.#place.dataset.rail = open ? "open" : "closed";
    this.#place.querySelector("#veil").hidden = !open;
    this.#place.querySelector(".stage").inert = open;
    const opener = this.#place.querySelector("#open-rail");
    opener.setAttribute("aria-expanded", String(open));
    if (open) this.#place.querySelector("#new-conversation").focus();
    else if (wasOpen) opener.focus();
  }

  #network() {
    if (navigator.onLine) this.#client.online();
    else this.#client.offline();
  }

  #changed() {
    this.#composer.answering = this.#conversation.answering;
    this.#sessions.select(this.#conversation.sessionId);
    this.#tellConnection();
  }

  #tellConnection() {
    const { state } = this.#client;
    this.#everOpen ||= state === "open";
    this.#place.dataset.connection = state;
    this.#connection.textContent = this.#sentence(state);
  }

  #sentence(state) {
    if (state === "open" || state === "idle") return "";
    if (state !== "offline") return this.#everOpen ? "Reconnecting…" : "Connecting…";
    return this.#conversation.answering
      ? "Offline — the answer goes on when you are back."
      : "Offline — what you ask is sent when you are back.";
  }
}
