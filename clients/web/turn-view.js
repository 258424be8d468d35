import { AnswerText } from "./answer-text.js";
import { choicesOf } from "./choices.js";
import { copyButton } from "./copy-button.js";
import { element } from "./element.js";
import { explanationOf } from "./explanation.js";
import { FeedbackView } from "./feedback-view.js";
import { foldButton } from "./fold-button.js";
import { followUpButtons } from "./follow-ups.js";
import { DEFAULT_KNOWLEDGE_BASE } from "./knowledge-base.js";
import { ListingView } from "./listing-view.js";
import { SourcesView } from "./sources-view.js";
import { SpokenAnswer } from "./spoken-answer.js";
import { say } from "./words.js";

const STAGES = ["planning", "searching", "ranking", "answering", "agent"];

/** What is said of a shared answer that is not whole. */
const SHARED_STATUS = { queued: "shared.underWay", processing: "shared.underWay", cancelled: "answer.stopped", failed: "shared.failed" };

const LONGEST_NAME = 80;
/** The message that asks for the next page of the documents that the answer lists. */
const NEXT_PAGE = "next page";

/**
 * One question and its answer, with the listed documents below it and the passages beside it.
 *
 * The actions are `retry()`, `loadSources()`, `ask(message)` (as a new turn), `again()` (the same), `edit()` (the question, to ask
 * it otherwise), `more(offset)` (rows of its list), `leaveOut(place, condition)` (of its list's) and `rate(rating)`, called when
 * the user asks for them. A turn that somebody shares has none: it is read and copied.
 */
export class TurnView {
  root;

  #settled;
  #status = element("p", { className: "status", role: "status" });
  #answer = element("div", { className: "answer", tabIndex: -1, aria: { busy: "true" } });
  /** Null where no answer is awaited, as in a conversation that is opened again. */
  #spoken = null;
  #foot = element("div", { className: "foot" });
  /** Asks the question as a new turn, or puts it back into the field. */
  #repeats;
  #listing;
  #sources;
  #text;
  #actions;
  #feedback;
  #shownText = "";
  #knowledgeBase = null;

  /**
   * `withheld`: how many documents of the answer were removed since, or may not be read by the user any more. `owner`: who
   * shares the turn; null for one of the user's own.
   */
  constructor({ requestId, message, answer = null, withheld = 0, rating = null, owner = null }, actions) {
    this.#actions = actions;
    this.#feedback = new FeedbackView(rating, (chosen) => this.#actions.rate(chosen));
    this.#settled = answer !== null;
    const name = shortened(message);
    this.#repeats = [
      linkButton(say("answer.askAgain"), name, () => this.#actions.again()),
      linkButton(say("answer.edit"), name, () => this.#actions.edit()),
    ];
    this.#sources = new SourcesView({ requestId, name }, {
      highlight: (n, on) => this.#citations(n).forEach((link) => link.classList.toggle("lit", on)),
      showCitation: (n) => this.#citations(n)[0]?.focus(),
      knowledgeBase: () => this.#knowledgeBase,
    });
    this.#listing = new ListingView(name, {
      more: (offset) => this.#actions.more(offset),
      askMore: () => this.#actions.ask(NEXT_PAGE),
      leaveOut: owner === null ? (place, condition) => this.#actions.leaveOut(place, condition) : null,
      knowledgeBase: () => this.#knowledgeBase,
    });
    this.#text = new AnswerText(this.#answer, (n) => this.#sources.citation(n));
    this.root = element(
      "article",
      { className: "turn", tabIndex: -1, data: { requestId }, aria: { label: name } },
      questionLine(message, owner ?? say("answer.you")),
      element("div", { className: "line reply" }, element("h3", { className: "speaker" }, "Cicada"), this.#answer, withheldNote(withheld), this.#listing.root, this.#status, this.#foot),
      this.#sources.root,
    );
    if (this.#settled) this.#settle(answer);
  }

  /** Shows the state of the request. An answer from the history stays until the request has brought it again. */
  show(request) {
    if (this.#settled && !request.outcome) return;
    if (this.#settled && request.refusal) return this.#foot.replaceChildren(note(request.refusal.error));
    this.#knowledgeBase = request.assembly.knowledgeBase;
    const changed = this.#sources.show(request.sources, request.text, Boolean(request.outcome));
    this.#listing.show(request.listing, Boolean(request.outcome), request.assembly.end?.plan);
    // A table may be as wide as text and passages together.
    this.root.classList.toggle("listed", request.listing !== null && request.sources.length === 0);
    this.#showText(request.text, { unsupported: request.assembly.end?.unsupported ?? [], growing: !request.outcome });
    if (changed) this.#text.refresh();
    this.#say(request);
    this.#showStatus(request);
    this.root.classList.toggle("running", !request.outcome);
    this.#answer.setAttribute("aria-busy", String(!request.outcome));
    if (request.outcome) this.#foot.replaceChildren(...this.#ending(request));
    else this.#foot.replaceChildren();
  }

  /** Shows a turn that somebody shares, as `openShared` gives it. */
  showShared({ status, answer, withheld, truncated, knowledgeBase, sources = [], documents = [] }) {
    this.#knowledgeBase = knowledgeBase;
    // How they were ranked among what the owner may read is not told.
    this.#sources.show(sources.map(({ relevance, ...source }) => source), answer, true);
    this.#listing.show(documents.length ? { documents, total: documents.length, shared: true } : null, true);
    this.root.classList.toggle("listed", documents.length > 0 && sources.length === 0);
    this.#showText(withheld ? "" : answer);
    this.#answer.setAttribute("aria-busy", "false");
    this.#status.hidden = true;
    const notes = [withheld ? "shared.withheld" : SHARED_STATUS[status], truncated ? "shared.truncated" : null];
    const copy = this.#shownText ? this.#copyButton() : null;
    this.#foot.replaceChildren(...[...notes.filter(Boolean).map((key) => note(say(key))), baseOf({ knowledgeBase }), copy].filter(Boolean));
  }

  /** Puts the focus on the answer. */
  focusAnswer() {
    this.#answer.focus({ preventScroll: true });
    this.#answer.scrollIntoView({ block: "nearest" });
  }

  copy() {
    this.#foot.querySelector(".copy")?.click();
  }

  #say({ outcome }) {
    if (!outcome && !this.#spoken) {
      this.#spoken = new SpokenAnswer();
      this.root.append(this.#spoken.root);
    }
    this.#spoken?.say(this.#answer, Boolean(outcome));
  }

  #settle(answer) {
    this.#showText(answer);
    this.#answer.setAttribute("aria-busy", "false");
    this.#status.hidden = true;
    const load = element("button", { className: "link", type: "button" }, say("answer.details"));
    load.addEventListener("click", () => {
      load.disabled = true;
      this.#actions.loadSources();
    });
    this.#foot.replaceChildren(...[this.#copyButton(), ...this.#repeats, load, this.#feedback.root].filter(Boolean));
  }

  #showText(text, state) {
    this.#shownText = text;
    this.#text.show(text, state);
  }

  #showStatus(request) {
    this.#status.hidden = Boolean(request.outcome);
    const sentence = statusOf(request);
    if (request.outcome || this.#status.dataset.sentence === sentence) return;
    this.#status.dataset.sentence = sentence;
    const song = element("span", { className: "song", aria: { hidden: "true" } }, ...Array.from({ length: 5 }, () => element("i")));
    this.#status.replaceChildren(song, element("bdi", {}, sentence));
  }

  #ending(request) {
    if (request.outcome === "cancelled") return [note(say("answer.stopped")), this.#shownText ? this.#copyButton() : null, ...this.#repeats].filter(Boolean);
    if (request.outcome === "error") return [this.#failure(request.failure), ...this.#repeats];
    const { end, listing } = request.assembly;
    const choices = choicesOf(end, listing, { name: this.root.ariaLabel, choose: (reply) => this.#actions.ask(reply) });
    const next = followUpButtons(end.plan, listing, { name: this.root.ariaLabel, ask: (message) => this.#actions.ask(message) });
    return [choices, next, baseOf(end.plan), this.#copyButton(), ...this.#repeats, this.#feedback.root, explanationOf(end)].filter(Boolean);
  }

  #failure({ error, retryable }) {
    const button = element("button", { className: "secondary", type: "button", on: { click: () => this.#actions.retry() } }, say("act.again"));
    return element("div", { className: "failure", role: "alert" }, element("p", { dir: "auto" }, error), retryable ? button : null);
  }

  /** Copies the answer with a list of the sources that it cites. */
  #copyButton() {
    return copyButton(() => {
      const sources = this.#sources.citedBy(this.#shownText);
      return sources.length ? `${this.#shownText}\n\n${say("answer.sources")}\n${sources.join("\n")}` : this.#shownText;
    });
  }

  #citations(n) {
    return [...this.#answer.querySelectorAll(`.citation[data-n="${n}"]`)];
  }
}

/** `label`: what it does, with the turn's name for those who do not see where it stands. */
function linkButton(label, name, click) {
  return element("button", { className: "link", type: "button", aria: { label: say("answer.about", { act: label, question: name }) }, on: { click } }, label);
}

/** A question is the heading of its turn; a long one is folded. */
function questionLine(message, speaker) {
  const text = element("p", { dir: "auto", aria: { level: 2 } }, message);
  text.setAttribute("role", "heading");
  return element("div", { className: "line question" }, element("span", { className: "speaker" }, element("bdi", {}, speaker)), text, foldButton(text));
}

/** A name for what belongs to a question, which may be long. */
function shortened(message) {
  const letters = [...message.replace(/\s+/g, " ")];
  return letters.length > LONGEST_NAME ? `${letters.slice(0, LONGEST_NAME).join("")}…` : letters.join("");
}

function note(sentence) {
  return element("p", { className: "note", dir: "auto" }, sentence);
}

/** In the words of the terminal (`cli/user/rendering.py`). */
function withheldNote(documents) {
  return documents ? note(say("answer.withheld", { count: documents })) : null;
}

/** The knowledge base that was asked, where it is not the default. */
function baseOf(plan) {
  const name = plan?.knowledgeBase;
  return !name || name === DEFAULT_KNOWLEDGE_BASE ? null : note(say("answer.base", { name }));
}

function statusOf(request) {
  if (request.cancelling) return say("answer.stopping");
  if (!request.accepted && request.command) return say("answer.sending");
  if (request.assembly.resetReason && !request.text) return request.assembly.resetReason;
  const sentence = say(`answer.${STAGES.includes(request.stage) ? request.stage : "waiting"}`);
  return request.assembly.detail ? `${sentence} ${request.assembly.detail}` : sentence;
}
