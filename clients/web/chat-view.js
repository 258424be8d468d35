import { AccountView } from "./account-view.js";
import { AdministrationView } from "./administration-view.js";
import { BasesView, baseLine } from "./bases-view.js";
import { Composer } from "./composer.js";
import { addressOfBase, addressWith, baseIn, conversationIn, documentsIn, goTo, goToScreen, isAdministration, turnIn, sharedIn } from "./conversation-address.js";
import { Conversation } from "./conversation.js";
import { DocumentsView } from "./documents-view.js";
import { element } from "./element.js";
import { DEFAULT_KNOWLEDGE_BASE, troubleWith } from "./knowledge-base.js";
import { ReadingView } from "./reading-view.js";
import { SessionsView } from "./sessions-view.js";
import { Shortcuts } from "./shortcuts.js";
import { Tabs } from "./tabs.js";
import { say } from "./words.js";

/** Where an open document covers the conversation, as in style.css. */
const COVERED = matchMedia("(max-width: 899px)");
/** The view of a signed-in user: the list of conversations, the open one, and the field for the next question. */
export class ChatView {
  #root;
  #client;
  #memory;
  #conversation;
  #sessions;
  #composer;
  #connection;
  #account;
  #reading;
  #documents;
  #administration;
  #shortcuts;
  #federated;
  #bases;
  #tabs;
  #examples;
  #everOpen = false;
  /** Why something was not asked during the answer that is under way, of the catalogue, or null. */
  #refused = null;
  /** The conversation whose draft is in the field; null for a new one. */
  #drafted;
  #leave = new AbortController();

  /**
   * `signOut()`: the user signs out. `sessionEnded(signedOut)`: the server has ended the sign-in, or the tokens have
   * expired and cannot be renewed. `administers`: the user may be shown the administration.
   */
  constructor({ root, client, memory, signIn, mfa, administers = false, examples, signOut, sessionEnded }) {
    this.#root = root;
    this.#client = client;
    this.#memory = memory;
    this.#federated = signIn.federated;
    this.#examples = examples;
    this.#connection = root.querySelector("#connection");
    this.#sessions = new SessionsView({
      root: root.querySelector("#sessions"),
      search: root.querySelector("#session-search"),
      client,
      open: (...place) => this.#open(...place),
      changed: (session) => this.#tabs.tell("changed", session),
      removed: (id) => this.#removed(id),
      drawn: () => this.#entitle(),
      signal: this.#leave.signal,
    });
    this.#composer = new Composer({
      form: root.querySelector("#composer"),
      ask: (message, extras) => this.#conversation.ask(message, extras),
      stop: () => this.#conversation.stop(),
      refused: (why) => this.#refuse(why),
      typed: (text) => memory.keepDraft(this.#conversation.sessionId, text),
      signal: this.#leave.signal,
    });
    this.#conversation = new Conversation({
      client,
      memory,
      root: root.querySelector("#conversation"),
      scroll: root.querySelector("#scroll"),
      opening: () => this.#opening(),
      newBase: () => baseIn(location.search) ?? undefined,
      changed: () => this.#changed(),
      ended: () => this.#composer.answered(),
      accepted: (session) => {
        goTo(session.sessionId, { replaces: true });
        if (this.#drafted !== session.sessionId) memory.moveDraft(this.#drafted, session.sessionId);
        this.#drafted = session.sessionId;
        this.#sessions.touch(session);
        this.#tabs.tell("asked", session);
      },
      wanted: (message, extras) => this.#composer.ask(message, extras),
      edit: (message) => this.#composer.edit(message),
    });
    this.#bases = new BasesView({
      client,
      changed: () => {
        this.#entitle();
        this.#conversation.drawOpening();
      },
      choose: (name) => this.#newIn(name),
    });
    this.#reading = new ReadingView({
      root: root.querySelector("#reading"),
      client,
      changed: () => this.#showReading(),
      signal: this.#leave.signal,
    });
    this.#documents = new DocumentsView({ root: root.querySelector("#documents"), client, close: () => this.#goToScreen() });
    this.#administration = administers ? new AdministrationView({ root: root.querySelector("#administration"), client, close: () => this.#goToScreen() }) : null;
    root.querySelector("#open-administration").hidden = !administers;
    this.#account = new AccountView({
      signIn,
      mfa,
      client,
      signOut,
      showKeys: () => this.#shortcuts.show(),
      erased: () => {
        this.#erased();
        this.#tabs.tell("erased");
      },
    });
    this.#tabs = new Tabs(signIn.user, {
      asked: (session) => this.#hearAsked(session),
      event: (frame) => client.hear(frame),
      changed: (session) => this.#sessions.hearChanged(session),
      deleted: (sessionId) => this.#hearDeleted(sessionId),
      erased: () => this.#erased(),
    });
    this.#shortcuts = new Shortcuts({ keys: this.#keys(), signal: this.#leave.signal });
    root.querySelector("#user-name").textContent = signIn.user;
    this.#listen(signOut, sessionEnded);
  }

  start() {
    this.#root.hidden = false;
    this.#network();
    this.#client.connect();
    this.#comeTo(conversationIn(location.search), sharedIn(location.hash));
    this.#sessions.load();
    this.#bases.load();
    this.#composer.focus();
    this.#reading.sync();
    this.#showScreen();
  }

  /** Nothing of the session stays in the document. */
  end() {
    this.#leave.abort();
    this.#tabs.end();
    this.#client.close();
    this.#account.remove();
    this.#shortcuts.remove();
    this.#bases.end();
    this.#reading.end();
    this.#documents.end();
    this.#administration?.hide();
    this.#showReading();
    this.#conversation.end();
    this.#sessions.end();
    this.#composer.show("");
    this.#showRail(false);
    this.#connection.replaceChildren();
    for (const id of ["#conversation", "#user-name", "#asked"]) this.#root.querySelector(id).replaceChildren();
    this.#root.querySelector("#bases").hidden = true;
    this.#root.hidden = true;
    document.title = "Cicada";
  }

  #listen(signOut, sessionEnded) {
    const on = (target, type, listener) => target.addEventListener(type, listener, { signal: this.#leave.signal });
    const find = (id) => this.#root.querySelector(id);
    on(this.#client, "connection", ({ detail }) => (detail === "signedOut" ? sessionEnded(this.#client.signedOut) : this.#connectionChanged()));
    on(this.#client, "event", ({ detail }) => this.#tabs.tell("event", detail));
    on(this.#connection, "click", ({ target }) => this.#answerTrouble(target.dataset.answer, signOut));
    on(find("#account"), "click", () => this.#account.show());
    on(find("#sign-out"), "click", signOut);
    on(find("#bases"), "click", () => this.#bases.show(this.#asked));
    on(find("#shortcuts"), "click", () => this.#shortcuts.show());
    on(find("#skip"), "click", () => this.#conversation.focusNewest() || this.#composer.focus());
    on(find("#new-conversation"), "click", () => this.#startNew());
    on(find("#bar-new"), "click", () => this.#startNew());
    on(find("#ask-own"), "click", () => this.#startNew());
    on(find("#open-rail"), "click", () => this.#showRail(true));
    on(find("#veil"), "click", () => this.#showRail(false));
    on(window, "online", () => this.#network());
    on(window, "offline", () => this.#network());
    on(document, "visibilitychange", () => document.hidden || this.#network());
    on(window, "popstate", () => this.#goneTo(conversationIn(location.search), sharedIn(location.hash)));
    const follow = (id, screen) =>
      on(find(id), "click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        this.#goToScreen(screen());
      });
    follow("#open-documents", () => ({ documents: this.#base }));
    follow("#open-administration", () => ({ administration: true }));
    on(COVERED, "change", () => this.#showReading());
    on(document, "keydown", (event) => event.key === "Escape" && this.#escape());
  }

  #keys() {
    return [
      { key: "/", what: "keys.question", act: () => this.#root.querySelector("#question").focus() },
      { key: "a", what: "keys.newest", act: () => this.#conversation.focusNewest() },
      { key: "j", what: "keys.next", act: () => this.#conversation.focusQuestion(1) },
      { key: "k", what: "keys.before", act: () => this.#conversation.focusQuestion(-1) },
      { key: "c", what: "keys.copy", act: () => this.#conversation.copyNewest() },
      { key: "n", what: "keys.new", act: () => this.#startNew() },
    ];
  }

  /** What the tab was at before a reload, unless the address names another conversation. */
  #comeTo(sessionId, shareId) {
    if (shareId) return this.#openShared(shareId);
    const question = this.#memory.running ? null : turnIn(location.hash);
    if (sessionId && (question || sessionId !== this.#memory.sessionId)) return this.#conversation.open(sessionId, question);
    goTo(this.#memory.sessionId, { replaces: true });
    return this.#conversation.restore();
  }

  /** Back or forward in the browser's history, perhaps only to another document. */
  #goneTo(sessionId, shareId) {
    this.#showScreen();
    const { shared } = this.#conversation;
    if (shareId) {
      if (shareId !== shared?.shareId) this.#openShared(shareId);
    } else if (sessionId) {
      if (sessionId !== this.#conversation.sessionId) this.#conversation.open(sessionId);
    } else if (this.#conversation.sessionId === null && !shared) {
      // Perhaps of another knowledge base.
      this.#entitle();
      this.#conversation.drawOpening();
    } else this.#conversation.startNew();
  }

  #openShared(shareId) {
    this.#conversation.openShared(shareId);
    this.#root.querySelector("#scroll").focus({ preventScroll: true });
  }

  #startNew() {
    goTo(null);
    this.#showScreen();
    this.#showRail(false);
    this.#conversation.startNew();
    this.#composer.focus();
  }

  /** A new conversation of another knowledge base. */
  #newIn(name) {
    history.pushState(null, "", addressOfBase(name));
    this.#startNew();
  }

  get #newBase() {
    return baseIn(location.search) ?? DEFAULT_KNOWLEDGE_BASE;
  }

  /** The knowledge base that the open conversation asks, if that is known. */
  get #asked() {
    const { sessionId, knowledgeBase, shared } = this.#conversation;
    if (shared) return null;
    return this.#sessions.baseOf(sessionId) ?? knowledgeBase ?? (sessionId === null ? this.#newBase : null);
  }

  /** What a new conversation begins with: the stage's own examples where the address names no base, else the base's. */
  #opening() {
    const base = this.#bases.of(this.#newBase);
    const own = baseIn(location.search) === null ? this.#examples : [];
    return {
      trouble: troubleWith(this.#newBase),
      about: base?.description ?? "",
      questions: own.length ? own : (base?.questions ?? []),
    };
  }

  #connectionChanged() {
    if (this.#client.state === "open" && this.#bases.failed) this.#bases.load();
    this.#showConnection();
  }

  /** `question`: the id of the one to come to. */
  async #open(sessionId, question = null) {
    goTo(sessionId);
    this.#showScreen();
    this.#showRail(false);
    this.#composer.focus();
    await this.#conversation.open(sessionId, question);
  }

  /** The focus was in the row that is gone. */
  #removed(sessionId) {
    this.#memory.keepDraft(sessionId, "");
    this.#tabs.tell("deleted", sessionId);
    if (sessionId === this.#conversation.sessionId) this.#startNew();
    else this.#root.querySelector("#new-conversation").focus();
  }

  #hearAsked({ requestId, sessionId, title, knowledgeBase }) {
    this.#sessions.hearAsked({ sessionId, title, knowledgeBase });
    if (sessionId === this.#conversation.sessionId) this.#conversation.hear({ requestId, message: title });
  }

  #hearDeleted(sessionId) {
    this.#sessions.hearDeleted(sessionId);
    if (sessionId === this.#conversation.sessionId) this.#conversation.gone();
    else this.#memory.keepDraft(sessionId, "");
  }

  /** Nothing is kept of the user any more. */
  #erased() {
    this.#memory.forgetDrafts();
    goTo(null, { replaces: true });
    this.#conversation.startNew();
    this.#sessions.clear();
    this.#sessions.load();
  }

  #escape() {
    if (document.querySelector("dialog[open]")) return;
    if (this.#root.dataset.rail === "open") this.#showRail(false);
    else if (this.#reading.isOpen) this.#reading.close();
    // What is typed there would be lost.
    else if (this.#documents.base || this.#administration?.isOpen) document.activeElement.matches("input, textarea, select") || this.#goToScreen();
    else if (this.#conversation.answering) this.#conversation.stop();
    // Out of the question field, where keys are letters.
    else this.#root.querySelector("#scroll").focus({ preventScroll: true });
  }

  /** Opens or closes the list, which covers the conversation on a narrow screen. */
  #showRail(open) {
    const wasOpen = this.#root.dataset.rail === "open";
    this.#root.dataset.rail = open ? "open" : "closed";
    this.#root.querySelector("#veil").hidden = !open;
    this.#showReading();
    const opener = this.#root.querySelector("#open-rail");
    opener.setAttribute("aria-expanded", String(open));
    if (open) this.#root.querySelector("#new-conversation").focus();
    else if (wasOpen) opener.focus();
  }

  /** The documents of a base or the administration, in place of the conversation; without either the conversation again. */
  #goToScreen(screen = {}) {
    goToScreen(screen);
    this.#showRail(false);
    this.#showScreen();
    if (!screen.documents && !screen.administration) this.#composer.focus();
  }

  /** What the page's address says. */
  #showScreen() {
    const base = documentsIn(location.search);
    const administers = base === null && this.#administration !== null && isAdministration(location.search);
    for (const id of ["#scroll", "#composer"]) this.#root.querySelector(id).hidden = base !== null || administers;
    this.#root.querySelector("#open-documents").ariaCurrent = base ? "page" : null;
    this.#root.querySelector("#open-administration").ariaCurrent = administers ? "page" : null;
    if (base) this.#documents.show(base);
    else this.#documents.hide();
    if (administers) this.#administration.show();
    else this.#administration?.hide();
    this.#entitle();
  }

  /** An open document stands beside the conversation, and covers it on a narrow screen. */
  #showReading() {
    const { isOpen } = this.#reading;
    this.#root.dataset.reading = isOpen ? "open" : "closed";
    const listed = this.#root.dataset.rail === "open";
    this.#root.querySelector(".stage").inert = listed || (isOpen && COVERED.matches);
    this.#root.querySelector("#reading").inert = listed;
  }

  #network() {
    if (navigator.onLine) this.#client.online();
    else this.#client.offline();
  }

  /** Says why nothing is asked, or that no more. */
  #refuse(why) {
    this.#refused = why;
    this.#showConnection();
  }

  #changed() {
    this.#composer.answering = this.#conversation.answering;
    if (!this.#conversation.answering) this.#refused = null;
    this.#showDraft();
    this.#showShared();
    this.#sessions.select(this.#conversation.sessionId);
    this.#entitle();
    this.#showConnection();
  }

  /** What is typed belongs to the conversation that it was typed in. */
  #showDraft() {
    const { sessionId } = this.#conversation;
    if (sessionId === this.#drafted) return;
    this.#drafted = sessionId;
    this.#composer.show(this.#memory.draftOf(sessionId));
  }

  /** What somebody shares is read: in place of the field stands whose it is. */
  #showShared() {
    const { shared } = this.#conversation;
    for (const each of [".composer .field", ".keys"]) this.#root.querySelector(each).hidden = shared !== null;
    this.#root.querySelector("#shared").hidden = shared === null;
    this.#root.querySelector("#shared-by").textContent = shared?.owner ? say("shared.by", shared) : "";
    const heading = this.#root.querySelector("#conversation-title");
    heading.textContent = shared?.title || say("conversation.title");
    heading.classList.toggle("unseen", !shared?.title);
  }

  /** A bookmark and the list of tabs say which conversation it is, and the line above it which base it asks. */
  #entitle() {
    const { sessionId, shared } = this.#conversation;
    const documentsOf = this.#documents.base;
    const administers = this.#administration?.isOpen;
    const asked = documentsOf || administers ? null : this.#asked;
    const base = this.#bases.of(asked);
    this.#root.querySelector("#asked").textContent = base ? baseLine(base) : (asked ?? "");
    this.#root.querySelector("#bases").hidden = !asked;
    this.#root.querySelector("#open-documents").href = addressWith(sessionId, { documents: this.#base });
    this.#root.querySelector("#open-administration").href = addressWith(sessionId, { administration: true });
    const ofScreen = documentsOf ? say("documents.tab", { base: documentsOf }) : administers ? say("administration.title") : null;
    const title = ofScreen ?? shared?.title ?? this.#sessions.titleOf(sessionId);
    document.title = title ? `${title} · Cicada` : "Cicada";
  }

  /** The base whose documents are shown when they are asked for. */
  get #base() {
    return this.#asked ?? this.#newBase;
  }

  #showConnection() {
    const { state } = this.#client;
    this.#everOpen ||= state === "open";
    this.#root.dataset.connection = state;
    const trouble = state === "connecting" || state === "waiting" ? this.#client.trouble : null;
    // The identity provider lets in whom the service does not know.
    const unknown = this.#federated && !this.#everOpen && trouble === "refused";
    if (trouble) this.#showTrouble(say(`connection.${unknown ? "unknownUser" : trouble}`));
    else this.#connection.textContent = this.#sentence(state);
  }

  /** The same sentence is not said again at each further attempt. */
  #showTrouble(sentence) {
    if (this.#connection.firstChild?.textContent === sentence) return;
    const button = (answer, label) => element("button", { className: "link", type: "button", data: { answer } }, label);
    const again = say("connection.byItself");
    this.#connection.replaceChildren(element("span", {}, sentence), ` ${again} `, button("now", say("connection.tryNow")), " ", button("signIn", say("connection.signInAgain")));
  }

  #answerTrouble(answer, signOut) {
    if (answer === "now") this.#network();
    else if (answer === "signIn") signOut();
  }

  #sentence(state) {
    if (state === "open" || state === "idle") return this.#refused ? say(this.#refused) : "";
    if (state !== "offline") return say(this.#everOpen ? "connection.reconnecting" : "connection.connecting");
    return say(this.#conversation.answering ? "connection.offlineAnswer" : "connection.offline");
  }
}
