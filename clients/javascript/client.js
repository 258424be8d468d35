import { Calls } from "./calls.js";
import { ReconnectingConnection } from "./reconnecting-connection.js";
import { CicadaError } from "./errors.js";
import { HistoryQueue } from "./history.js";
import { Request } from "./request.js";
import { SENTENCES } from "./sentences.js";
import { TIMINGS } from "./timings.js";

// A timer with a longer delay fires at once.
const MAX_TIMER = 2 ** 31;
const CONNECTION_REFUSED = new Set(["token_expired", "unauthorized"]);
const SIGNED_OUT = "signed_out";
/** Replies that name their command. */
const REPLIES = new Set(["document", "documents", "listingPage", "upload", "description", "removed", "session", "sessionShared", "shared", "erased", "knowledgeBases", "feedback", "users", "user", "use", "ratings", "failures"]);

const platformClock = {
  setTimeout: (action, delay) => globalThis.setTimeout(action, delay),
  clearTimeout: (timer) => globalThis.clearTimeout(timer),
};

/**
 * Asks questions, and receives each answer whole, over as many connections as necessary.
 *
 * Events: "connection" (detail: the state, see `ReconnectingConnection`), "request" (detail: the changed `Request`) and
 * "event" (detail: the frame of a request as the server sent it, for other clients of the user to `hear`).
 *
 * `knowledgeBase` is used for questions that begin a session and name none; without it the default of the server is used.
 * `token({fresh})` is called at each connect and resolves to an access token, or to `{token, validMs}` where the client
 * knows how long it is still valid: then a connection is replaced before its token expires. `fresh` demands a new one. It
 * rejects with `SignInNeededError` if the user must sign in again; after any other failure it is called again.
 * `sentences` are what the client says itself, as `SENTENCES` has them.
 */
export class CicadaClient extends EventTarget {
  #connection;
  #requests = new Map();
  #watches = new Map();
  #history;
  #calls;
  #signingOut = null;
  #clock;
  #timings;
  #newId;
  #knowledgeBase;
  #sentences;
  #resting = false;

  constructor({
    url,
    token,
    tokenIn = "query",
    knowledgeBase = undefined,
    WebSocket = globalThis.WebSocket,
    clock = platformClock,
    random = Math.random,
    newId = () => crypto.randomUUID(),
    timings = {},
    sentences = SENTENCES,
  }) {
    super();
    this.#clock = clock;
    this.#timings = { ...TIMINGS, ...timings };
    this.#newId = newId;
    this.#knowledgeBase = knowledgeBase;
    this.#sentences = sentences;
    const options = { url, token, tokenIn, WebSocket, clock, random, timings: this.#timings };
    this.#connection = new ReconnectingConnection(options, {
      opened: () => this.#opened(),
      received: (frame) => this.#received(frame),
      lost: () => this.#lost(),
      stateChanged: (state) => this.#stateChanged(state),
    });
    const send = (command) => this.#connection.send(command);
    this.#history = new HistoryQueue(send, clock, this.#timings, sentences.noList);
    this.#calls = new Calls(send, clock, this.#timings);
  }

  get state() {
    return this.#connection.state;
  }

  /** Why there is no connection: see `ReconnectingConnection`. */
  get trouble() {
    return this.#connection.trouble;
  }

  /** Whether the server has ended the user's sign-in. */
  signedOut = false;

  connect() {
    this.#connection.start();
  }

  /** Closes the connection, and forgets the requests; they go on at the server and can be followed later. */
  close() {
    this.#connection.stop();
    this.#lost();
    this.#requests.clear();
    const error = new CicadaError(this.#sentences.closed);
    this.#history.failAll(error);
    this.#calls.failAll(error);
    this.#settleSignOut(error);
  }

  /** Ends all sign-ins of the user, on all devices. Rejects with a `CicadaError` if that may not be complete. */
  signOutEverywhere() {
    if (!this.#connection.send({ action: "signOutEverywhere" })) {
      return Promise.reject(new CicadaError(this.#sentences.unconnected, { retryable: true }));
    }
    return new Promise((resolve, reject) => {
      const late = new CicadaError(this.#sentences.unsure, { code: "timeout", retryable: true });
      const timer = this.#clock.setTimeout(() => this.#settleSignOut(late), this.#timings.reply);
      this.#signingOut = { resolve, reject, timer };
    });
  }

  online() {
    this.#connection.online();
  }

  offline() {
    this.#connection.offline();
  }

  /**
   * Asks a question. Asking again with the requestId of an earlier visit is harmless.
   * In a session that exists, a question that names no knowledge base asks the one that the session began with.
   * `without`: `{requestId, condition}`, to list what that answer listed but for the condition of this place in its plan's
   * `removable`, whatever the message says.
   */
  ask({ message, sessionId, knowledgeBase, scope, without, requestId = this.#newId() }) {
    if (knowledgeBase === undefined && !sessionId) knowledgeBase = this.#knowledgeBase;
    const command = { action: "sendMessage", requestId, message, sessionId, knowledgeBase, scope, without };
    return this.#add(new Request(requestId, command));
  }

  /** The whole answer to a request of an earlier visit. */
  follow(requestId) {
    const known = this.#requests.get(requestId);
    if (known) return known.refusal ? this.retry(requestId) : known;
    return this.#add(new Request(requestId, null));
  }

  /** A request that another client of the user follows, which tells what it hears; it is resumed when that stays out. */
  overhear(requestId) {
    const known = this.#requests.get(requestId);
    if (known) return known;
    const request = new Request(requestId, null);
    this.#requests.set(requestId, request);
    this.#watch(request);
    return request;
  }

  /** Takes the frame of an "event" of another client. */
  hear(frame) {
    const request = this.#requests.get(frame.requestId);
    if (request) this.#event(frame, request);
  }

  /** Repeats a refused request with the same id. A request that ended with an error needs a new id instead. */
  retry(requestId) {
    const request = this.#requests.get(requestId);
    request.refusal = null;
    request.attempts = 0;
    this.#wake();
    this.#advance(request);
    this.#changed(request);
    return request;
  }

  cancel(requestId) {
    const request = this.#requests.get(requestId);
    if (!request || request.outcome || request.cancelling) return;
    request.cancelling = true;
    request.withdrawn = Boolean(request.command) && !request.sent;
    if (!request.withdrawn) this.#sendCancel(request);
    this.#changed(request);
  }

  /**
   * A page of the user's sessions, or of one session's turns, newest first; with `search` only sessions whose titles have
   * its words. Rejects with a `CicadaError`.
   */
  history({ sessionId, before, limit, search } = {}) {
    this.#wake();
    return this.#history.ask({ action: "history", sessionId, before, limit, search });
  }

  /**
   * Says what the user thinks of an answer that has ended: `rating` is "good" or "bad", and without it the earlier one is
   * taken back. Rejects with a `CicadaError`.
   */
  rate({ requestId, rating, reasons, comment }) {
    this.#wake();
    return this.#calls.ask({ action: "feedback", requestId, rating, reasons, comment }, this.#sentences.noRating);
  }

  /**
   * A page of a document's text: number `page`, else the one with `passage` (as a source has it), else the first; with
   * `original: true` also an address of its file. Rejects with a `CicadaError`.
   */
  openDocument({ knowledgeBase, documentId, passage, page, original }) {
    const place = { knowledgeBase, documentId, passage, page, original };
    return this.#call({ action: "openDocument", ...place }, this.#sentences.noDocument);
  }

  /** The knowledge bases that the user may ask: `{name, documents, description?, questions}`. Rejects with a `CicadaError`. */
  async knowledgeBases() {
    return (await this.#call({ action: "listKnowledgeBases" }, this.#sentences.noBases)).bases;
  }

  /**
   * Documents of a base that the user may read, from number `offset` on; `search`, `sort` and `documentId` as the protocol
   * has them. Rejects with a `CicadaError`, as do the three below, which are for editors.
   */
  listDocuments({ knowledgeBase, search, sort, offset, documentId, filters }) {
    return this.#call({ action: "listDocuments", knowledgeBase, search, sort, offset, documentId, filters }, this.#sentences.noList);
  }

  /**
   * The rows of the list in an answer, from number `offset` on: `{total, documents, offset, nextOffset, columns}`. `answer`:
   * its requestId. Rejects with a `CicadaError`.
   */
  listMore({ answer, offset }) {
    return this.#call({ action: "listMore", answer, offset }, this.#sentences.noList);
  }

  /** A form by which the file may be sent. */
  uploadDocument({ knowledgeBase, name, size, readers, replace }) {
    return this.#call({ action: "uploadDocument", knowledgeBase, name, size, readers, replace }, this.#sentences.noAnswer);
  }

  /** What is said of a document, and with `fields` what is said from now on, over the `version` that was shown. */
  describeDocument({ knowledgeBase, documentId, fields, readers, version }) {
    return this.#call({ action: "describeDocument", knowledgeBase, documentId, fields, readers, version }, this.#sentences.noDescription);
  }

  /** Takes a document away; again, once it is searchable no more, takes what is left of it. */
  removeDocument({ knowledgeBase, documentId }) {
    return this.#call({ action: "removeDocument", knowledgeBase, documentId }, this.#sentences.noAnswer);
  }

  /** Accounts of the user's tenant, for administrators, as are the seven below. Each rejects with a `CicadaError`. */
  listUsers({ after } = {}) {
    return this.#call({ action: "listUsers", after }, this.#sentences.noList);
  }

  /** Resolves to the account with its initial password, which is shown once. */
  addUser({ name, groups, createGroups }) {
    return this.#call({ action: "addUser", name, groups, createGroups }, this.#sentences.noAnswer);
  }

  disableUser({ name }) {
    return this.#call({ action: "disableUser", name }, this.#sentences.noAnswer);
  }

  enableUser({ name }) {
    return this.#call({ action: "enableUser", name }, this.#sentences.noAnswer);
  }

  /** Gives a user these groups and no others. */
  setGroups({ name, groups, createGroups }) {
    return this.#call({ action: "setGroups", name, groups, createGroups }, this.#sentences.noAnswer);
  }

  /** The tokens that the tenant has used, by day, with an estimate of their cost. */
  readUse({ days } = {}) {
    return this.#call({ action: "readUse", days }, this.#sentences.noList);
  }

  /** What users of the tenant think of their answers, by day, and of the latest ones. */
  readFeedback({ days } = {}) {
    return this.#call({ action: "readFeedback", days }, this.#sentences.noList);
  }

  /** Which questions of the tenant ended in an error, by day, and the latest ones. */
  readFailures({ days } = {}) {
    return this.#call({ action: "readFailures", days }, this.#sentences.noList);
  }

  /** Gives a session a title, pins it or takes the pin away. Resolves to what the session is now. */
  async changeSession({ sessionId, title, pinned }) {
    return (await this.#call({ action: "changeSession", sessionId, title, pinned }, this.#sentences.noAnswer)).session;
  }

  /** Deletes a session with its questions and answers, for good. */
  async deleteSession({ sessionId }) {
    await this.#call({ action: "deleteSession", sessionId }, this.#sentences.notDeleted);
  }

  /** Shares a session with the user's tenant. Resolves to the id by which the others open it; it stays the same while it is shared. */
  async shareSession({ sessionId }) {
    return (await this.#call({ action: "shareSession", sessionId }, this.#sentences.noAnswer)).shareId;
  }

  /** Stops sharing a session, at once. */
  async unshareSession({ sessionId }) {
    await this.#call({ action: "unshareSession", sessionId }, this.#sentences.noAnswer);
  }

  /**
   * A page of a session that somebody of the user's tenant shares, newest first: `{owner, title, turns, before}`, each turn
   * with its `sources` and `documents`. Rejects with a `CicadaError`, of the code `share_not_found` where nothing is shared.
   */
  openShared({ shareId, before, limit }) {
    return this.#call({ action: "openShared", shareId, before, limit }, this.#sentences.noList);
  }

  /**
   * Deletes all of the user's conversations, profiles and theories, for good. Resolves to how many there were; to be asked
   * again while something is `left`.
   */
  async eraseMine() {
    const { conversations, questions, entries, left } = await this.#call({ action: "eraseMine" }, this.#sentences.notErased);
    return { conversations, questions, entries, left };
  }

  #call({ action, ...fields }, late) {
    this.#wake();
    return this.#calls.ask({ action, requestId: this.#newId(), ...fields }, late);
  }

  #add(request) {
    this.#requests.set(request.requestId, request);
    this.#wake();
    this.#advance(request);
    this.#changed(request);
    return request;
  }

  #opened() {
    for (const request of this.#requests.values()) {
      if (request.outcome) continue;
      request.attempts = 0;
      this.#advance(request);
    }
    this.#history.opened();
    this.#calls.opened();
  }

  #lost() {
    for (const requestId of [...this.#watches.keys()]) this.#unwatch(requestId);
    this.#history.lost();
  }

  /** Sends the next command of the request, and repeats it if nothing comes of it. */
  #advance(request) {
    if (!this.#connection.send(request.nextCommand)) return;
    request.sent = true;
    this.#sendCancel(request);
    this.#watch(request);
  }

  #sendCancel(request) {
    // Before the request is accepted, the cancel could overtake it.
    if (!request.cancelling || !(request.accepted || !request.command)) return;
    this.#connection.send({ action: "cancel", requestId: request.requestId });
  }

  #received(frame) {
    const request = this.#requests.get(frame.requestId);
    if (frame.type === "history") this.#history.received(frame);
    else if (REPLIES.has(frame.type)) this.#calls.received(frame);
    else if (frame.type === "error" && frame.seq === undefined) this.#refused(frame, request);
    else if (request && frame.type === "pending") this.#pending(frame, request);
    else if (request && frame.seq !== undefined) {
      this.#event(frame, request);
      this.dispatchEvent(new CustomEvent("event", { detail: frame }));
    }
  }

  /** The server says when to resume again; a gap is resumed earlier. */
  #pending({ retryAfterSeconds }, request) {
    const wait = 1000 * retryAfterSeconds;
    if (request.outcome || request.assembly.gap || !(wait >= 0 && wait < MAX_TIMER)) return;
    this.#watch(request, Math.max(this.#timings.gap, wait));
  }

  #event(frame, request) {
    const wasAccepted = request.accepted;
    const wasGap = request.assembly.gap;
    const wentOn = request.assembly.take(frame);
    if (wentOn) {
      request.refusal = null;
      request.attempts = 0;
      if (!wasAccepted) this.#sendCancel(request);
      this.#changed(request);
    }
    if (request.outcome) this.#unwatch(request.requestId);
    // An event after a gap does not close it, and must not postpone the resume.
    else if (wentOn || !wasGap) this.#watch(request);
  }

  #refused(frame, request) {
    if (CONNECTION_REFUSED.has(frame.code)) return this.#connection.renew();
    if (frame.code === SIGNED_OUT) return this.#wasSignedOut();
    if (!frame.requestId && this.#signingOut) return this.#settleSignOut(new CicadaError(frame.error, frame));
    if (frame.code === "too_many_connections") return this.#rest(frame);
    if (!frame.requestId) return this.#history.refused(frame);
    if (this.#calls.refused(frame)) return;
    if (!request || request.outcome) return;
    // A resume or a cancel failed temporarily: the timer repeats it, not before the server wants it.
    if (request.accepted && frame.retryable) return this.#postpone(frame, request);
    request.refusal = frame;
    this.#unwatch(request.requestId);
    this.#changed(request);
  }

  #stateChanged(state) {
    // The frame that says so may have been lost with the connection.
    if (state === "signedOut" && this.#signingOut) this.signedOut = true;
    this.dispatchEvent(new CustomEvent("connection", { detail: state }));
  }

  #wasSignedOut() {
    this.signedOut = true;
    this.#settleSignOut();
    this.#connection.signOut();
  }

  #settleSignOut(error) {
    if (!this.#signingOut) return;
    const { resolve, reject, timer } = this.#signingOut;
    this.#signingOut = null;
    this.#clock.clearTimeout(timer);
    if (error) reject(error);
    else resolve();
  }

  /** A newer connection took this one's place: connect again when the user wants something, not before. */
  #rest(frame) {
    this.#resting = true;
    this.#connection.stop();
    this.#history.failAll(new CicadaError(frame.error, frame));
    this.#calls.failAll(new CicadaError(frame.error, frame));
    for (const request of this.#requests.values()) {
      if (request.outcome) continue;
      request.refusal = frame;
      this.#changed(request);
    }
  }

  #wake() {
    if (!this.#resting) return;
    this.#resting = false;
    this.#connection.start();
  }

  #postpone({ retryAfterSeconds }, request) {
    const wait = 1000 * retryAfterSeconds;
    if (wait >= 0 && wait < MAX_TIMER) this.#watch(request, Math.max(this.#patience(request), wait));
  }

  #watch(request, patience = this.#patience(request)) {
    this.#unwatch(request.requestId);
    const timer = this.#clock.setTimeout(() => this.#overdue(request), patience);
    this.#watches.set(request.requestId, timer);
  }

  #patience(request) {
    const { gap, accept, acceptLimit, silence } = this.#timings;
    const times = 2 ** request.attempts;
    if (request.assembly.gap) return Math.min(silence, gap * times);
    return request.accepted ? silence : Math.min(acceptLimit, accept * times);
  }

  #overdue(request) {
    request.attempts += 1;
    this.#advance(request);
    this.#connection.probe();
  }

  #unwatch(requestId) {
    this.#clock.clearTimeout(this.#watches.get(requestId));
    this.#watches.delete(requestId);
  }

  #changed(request) {
    this.dispatchEvent(new CustomEvent("request", { detail: request }));
  }
}
