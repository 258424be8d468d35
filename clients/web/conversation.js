import { messageWithout } from "./conditions.js";
import { element } from "./element.js";
import { TurnView } from "./turn-view.js";
import { say } from "./words.js";

/** The conversation on the screen: its turns, and the question that is being answered. */
export class Conversation {
  sessionId = null;
  /** The one that is asked; null until an answer says so. */
  knowledgeBase = null;
  /** `{shareId, owner, title}` of the conversation that is read here and somebody shares, both unknown at first; else null. */
  shared = null;

  #client;
  #memory;
  #root;
  #scroll;
  #opening;
  #newBase;
  #turns = new Map();
  #running = null;
  #visit = 0;
  /** What asks for the turns before those on the screen, or null. */
  #earlier = null;
  #dirty = new Set();
  #changed;
  #ended;
  #accepted;
  #wanted;
  #edit;
  #listener = ({ detail }) => this.#requestChanged(detail);

  /**
   * `opening()`: what a new conversation begins with: `trouble`, what is wrong with the page's address, or null; `about`, what
   * is asked; `questions`. `newBase()`: the knowledge base that it asks, undefined for the server's default. `changed()`: another session is open, or an answer has begun
   * or ended, or which knowledge base is asked is known. `ended()`: an answer has ended here, and the next question may follow.
   * `accepted({requestId, sessionId, title, knowledgeBase})`: a question of this conversation has been accepted. `wanted(message, {without})`: a button at
   * a turn is to ask this. `edit(message)`: a question is to be asked otherwise.
   */
  constructor({ client, memory, root, scroll, opening, newBase, changed, ended, accepted, wanted, edit }) {
    this.#client = client;
    this.#memory = memory;
    this.#root = root;
    this.#scroll = scroll;
    this.#opening = opening;
    this.#newBase = newBase;
    this.#changed = changed;
    this.#ended = ended;
    this.#accepted = accepted;
    this.#wanted = wanted;
    this.#edit = edit;
    client.addEventListener("request", this.#listener);
  }

  get answering() {
    return this.#running !== null;
  }

  /** `without`: as the client has it. */
  ask(message, { without } = {}) {
    if (this.#turns.size === 0) this.#root.replaceChildren();
    const request = this.#ask({ message, without });
    this.#run(request, message, { without });
    const view = this.#add({ requestId: request.requestId, message, without });
    view.show(request);
    this.#scrollTo(view.root);
  }

  #ask({ message, requestId, without, sessionId = this.sessionId }) {
    return this.#client.ask({ message, requestId, without, sessionId: sessionId ?? undefined, knowledgeBase: sessionId ? undefined : this.#newBase() });
  }

  /** Puts the focus on the newest answer; returns whether there is one. */
  focusNewest() {
    const view = this.#shown().at(-1);
    view?.focusAnswer();
    return Boolean(view);
  }

  copyNewest() {
    this.#shown().at(-1)?.copy();
  }

  /** Puts the focus on the question so many turns further, from the one that has it or else from the end. */
  focusQuestion(step) {
    const views = this.#shown();
    const from = views.findIndex(({ root }) => root.contains(document.activeElement));
    const view = views[from < 0 ? views.length - (step < 0 ? 1 : 0) : Math.max(0, from + step)];
    view?.root.focus({ preventScroll: true });
    this.#scrollTo(view?.root);
  }

  /** The turns in their order on the screen. */
  #shown() {
    return [...this.#root.querySelectorAll(".turn")].map(({ dataset }) => this.#turns.get(dataset.requestId).view);
  }

  stop() {
    if (this.#running) this.#client.cancel(this.#running.requestId);
  }

  startNew() {
    this.#leave(null);
    this.#root.append(element("section", { className: "welcome", id: "opening" }));
    this.drawOpening();
  }

  /** What is known of the base may come after the page, and only then is there more to say. */
  drawOpening() {
    const place = this.#root.querySelector("#opening");
    if (!place) return;
    const { trouble, about, questions } = this.#opening();
    const asked = place.contains(document.activeElement) ? document.activeElement.textContent : null;
    const examples = questions.map((text) =>
      element("button", { type: "button", className: "example", dir: "auto", on: { click: () => this.ask(text) } }, text),
    );
    place.replaceChildren(
      element("h1", {}, say("conversation.welcome")),
      ...(trouble ? [element("p", { role: "alert", dir: "auto" }, trouble)] : []),
      ...(about ? [element("p", { className: "about", dir: "auto" }, about)] : []),
      ...(examples.length ? [element("div", { className: "examples" }, examples)] : []),
    );
    examples.find((each) => each.textContent === asked)?.focus();
  }

  /** Shows a session of the list, at its end or at the question with this id. */
  async open(sessionId, question = null) {
    this.#leave(sessionId);
    const visit = this.#visit;
    await this.#load();
    while (question && !this.#turns.has(question) && this.#earlier && visit === this.#visit) await this.#load(this.#earlier, 50);
    if (visit !== this.#visit) return;
    const root = this.#turns.get(question)?.view.root;
    root?.focus({ preventScroll: true });
    this.#scrollTo(root ?? this.#root.lastElementChild);
  }

  /** Shows what somebody shares, to be read. */
  async openShared(shareId) {
    this.#leave(null, { shareId, owner: null, title: null });
    await this.#load();
    this.#scrollTo(this.#root.lastElementChild);
  }

  /** Restores the state of the tab before it was reloaded. */
  async restore() {
    const { sessionId, running } = this.#memory;
    if (!running) return sessionId ? this.open(sessionId) : this.startNew();
    this.#leave(sessionId);
    const request = this.#resumed(running);
    this.#run(request, running.message, running);
    this.#add(running).show(request);
    if (sessionId) await this.#load();
    this.#scrollTo(this.#root.lastElementChild);
  }

  /** Asking again with the same id is harmless, and necessary if the question was never accepted. */
  #resumed({ requestId, message, without, sessionId, accepted }) {
    if (accepted) return this.#client.follow(requestId);
    return this.#ask({ requestId, message, without, sessionId });
  }

  /** Shows a question that another tab has asked in this conversation. */
  hear({ requestId, message }) {
    if (this.#turns.has(requestId)) return;
    const request = this.#client.overhear(requestId);
    if (!this.#running) this.#run(request, message, { accepted: true });
    const view = this.#add({ requestId, message });
    view.show(request);
    if (document.hidden) this.#scrollTo(view.root);
  }

  /** It was deleted in another tab. */
  gone() {
    this.#visit += 1;
    this.#running = null;
    this.#turns.clear();
    this.#memory.save({ running: null });
    this.#sayMissing();
  }

  /** Forgets the turns. */
  end() {
    this.#visit += 1;
    this.#running = null;
    this.#turns.clear();
    this.#dirty.clear();
    this.#client.removeEventListener("request", this.#listener);
  }

  // ---- turns ----

  #add(turn, before = null) {
    const { requestId, message, without } = turn;
    const view = new TurnView(turn, {
      retry: () => this.#retry(requestId),
      loadSources: () => this.#follow(requestId),
      rate: (rating) => this.#client.rate({ requestId, rating: rating ?? undefined }),
      ask: (next) => this.#wanted(next),
      again: () => this.#wanted(message, { without }),
      edit: () => this.#edit(message),
      more: (offset) => this.#client.listMore({ answer: requestId, offset }),
      leaveOut: (condition, words) => this.#wanted(messageWithout(message, words), { without: { requestId, condition } }),
    });
    this.#turns.set(requestId, { view, message, without });
    this.#root.insertBefore(view.root, before);
    return view;
  }

  #follow(requestId) {
    const request = this.#client.follow(requestId);
    this.#turns.get(requestId).view.show(request);
    return request;
  }

  #retry(requestId) {
    const { view, message, without } = this.#turns.get(requestId);
    const known = this.#client.follow(requestId);
    if (known.outcome !== "error") return this.#run(known, message, { without });
    const request = this.#ask({ message, without });
    this.#run(request, message, { without });
    this.#turns.delete(requestId);
    this.#add({ requestId: request.requestId, message, without }, view.root).show(request);
    view.root.remove();
  }

  #run(request, message, { sessionId = this.sessionId, accepted = request.accepted, without } = {}) {
    this.#running = request;
    this.#memory.save({ running: { requestId: request.requestId, message, without, sessionId, accepted } });
    this.#changed();
  }

  #requestChanged(request) {
    if (request === this.#running) this.#noteProgress(request);
    // What is shared may be the user's own, and under way.
    if (this.shared || !this.#turns.has(request.requestId)) return;
    this.#noteBase(request.assembly.asked);
    // Several events may arrive between two animation frames; they are drawn once.
    if (this.#dirty.size === 0) requestAnimationFrame(() => this.#draw());
    this.#dirty.add(request);
  }

  #noteBase(asked) {
    if (!asked || this.knowledgeBase) return;
    this.knowledgeBase = asked;
    this.#changed();
  }

  #draw() {
    const requests = [...this.#dirty];
    this.#dirty.clear();
    for (const request of requests) this.#turns.get(request.requestId)?.view.show(request);
  }

  #noteProgress(request) {
    const { running } = this.#memory;
    if (request.accepted && running && !running.accepted) {
      this.sessionId = request.sessionId;
      this.#memory.save({ sessionId: request.sessionId, running: { ...running, accepted: true } });
      this.#accepted({ requestId: request.requestId, sessionId: request.sessionId, title: running.message, knowledgeBase: request.assembly.asked ?? undefined });
      this.#changed();
    }
    if (!request.outcome) return;
    this.#running = null;
    this.#memory.save({ running: null });
    // After a refusal the next question would be refused too.
    if (!request.refusal) this.#ended();
    this.#changed();
  }

  // ---- sessions ----

  /** A running answer goes on at the server; opening its session shows it again. */
  #leave(sessionId, shared = null) {
    this.#visit += 1;
    this.sessionId = sessionId;
    this.shared = shared;
    this.knowledgeBase = null;
    this.#running = null;
    this.#turns.clear();
    this.#root.replaceChildren();
    this.#memory.save({ sessionId, running: null });
    this.#changed();
  }

  async #load(before = undefined, limit = 10) {
    const visit = this.#visit;
    this.#earlier = null;
    this.#root.querySelector(".earlier")?.remove();
    const wait = element("p", { className: "loading", role: "status" }, say("conversation.opening"));
    this.#root.prepend(wait);
    try {
      const page = await this.#page(before, limit);
      if (visit === this.#visit) this.#prepend(page);
      if (visit === this.#visit && this.#turns.size === 0 && !this.shared) this.#sayMissing();
    } catch (error) {
      if (visit === this.#visit) this.#fail(error, before);
    } finally {
      wait.remove();
    }
  }

  #page(before, limit) {
    if (this.shared) return this.#client.openShared({ shareId: this.shared.shareId, before, limit });
    return this.#client.history({ sessionId: this.sessionId, before, limit });
  }

  /** What is not shared any more does not stay on the screen either. */
  #fail(error, before) {
    if (error.code !== "share_not_found") return this.#offerRetry(error, () => this.#load(before));
    this.#turns.clear();
    this.shared = { shareId: this.shared.shareId, owner: null, title: null };
    this.#say(say("shared.missing"), error.message);
    this.#changed();
  }

  /** A question that is asked here begins a new conversation. */
  #sayMissing() {
    this.#memory.moveDraft(this.sessionId, null);
    this.sessionId = null;
    this.#memory.save({ sessionId: null });
    this.#say(say("conversation.missing"), say("conversation.missingWhy"));
    this.#changed();
  }

  /** Instead of turns. */
  #say(title, why) {
    this.#root.replaceChildren(element("section", { className: "welcome" }, element("h1", {}, title), element("p", { role: "alert", dir: "auto" }, why)));
  }

  #prepend(page) {
    if (this.shared) this.#noteShared(page);
    const newest = page.turns[0]?.requestId;
    for (const turn of page.turns) {
      if (this.#turns.has(turn.requestId)) continue;
      if (this.shared) this.#addShared(turn);
      else this.#addEarlier(turn, turn.requestId === newest && !this.#running);
    }
    this.#earlier = page.before;
    if (page.before) this.#offerEarlier(page.before);
  }

  #noteShared({ owner, title }) {
    this.shared = { ...this.shared, owner, title };
    this.#changed();
  }

  #addShared(turn) {
    const { requestId, message } = turn;
    this.#add({ requestId, message, owner: this.shared.owner }, this.#root.querySelector(".turn")).showShared(turn);
  }

  #addEarlier(turn, isNewest) {
    const going = turn.status === "queued" || turn.status === "processing";
    this.#add({ ...turn, answer: going ? null : turn.answer }, this.#root.querySelector(".turn"));
    if (!going && !turn.truncated && !isNewest && turn.status !== "failed") return;
    const request = this.#follow(turn.requestId);
    if (going && isNewest && !request.outcome) this.#run(request, turn.message, { accepted: true });
  }

  #offerEarlier(before) {
    const button = element("button", { className: "secondary earlier", type: "button" }, say("conversation.earlierTurns"));
    button.addEventListener("click", () => this.#load(before));
    this.#root.prepend(button);
  }

  #offerRetry(error, again) {
    const button = element("button", { className: "secondary", type: "button" }, say("act.again"));
    const failure = element("div", { className: "failure", role: "alert" }, element("p", { dir: "auto" }, error.message), button);
    button.addEventListener("click", () => {
      failure.remove();
      again();
    });
    this.#root.prepend(failure);
  }

  /** Scrolls the question to the top, so that its answer grows below it and the text that is read does not move. */
  #scrollTo(turn) {
    if (!turn) return;
    const by = turn.getBoundingClientRect().top - this.#scroll.getBoundingClientRect().top;
    this.#scroll.scrollBy({ top: by, behavior: "instant" });
  }
}
