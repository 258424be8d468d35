import { AnswerText } from "./answer-text.js";
import { element } from "./element.js";
import { explanationOf } from "./explanation.js";
import { FeedbackView } from "./feedback-view.js";
import { ListingView } from "./listing-view.js";
import { SourcesView } from "./sources-view.js";

const STAGES = {
  planning: "Reading the question…",
  searching: "Searching…",
  ranking: "Weighing the passages…",
  answering: "Answering…",
  agent: "Working on it…",
};

/** The base that the server asks by default, `default_knowledge_base` of its settings; others are named. */
const DEFAULT_KNOWLEDGE_BASE = "scripts";

/**
 * One question and its answer, with the listed documents below it and the passages beside it.
 *
 * The actions are `retry()`, `loadSources()`, `showMore()` (the next page of the listing) and `rate(rating)`, called when
 * the user asks for them.
 */
export class TurnView {
  root;

  #settled;
  #status = element("p", { className: "status", role: "status" });
  #answer = element("div", { className: "answer", aria: { live: "polite", busy: "true" } });
  #foot = element("div", { className: "foot" });
  #listing;
  #sources;
  #text;
  #actions;
  #feedback;
  #shownText = "";
  #knowledgeBase = null;

  /** `withheld`: how many documents of the answer were removed since, or may not be read by the user any more. */
  constructor({ requestId, message, answer = null, withheld = 0, rating = null }, actions) {
    this.#actions = actions;
    this.#feedback = new FeedbackView(rating, (chosen) => this.#actions.rate(chosen));
    this.#settled = answer !== null;
    this.#sources = new SourcesView(requestId, {
      highlight: (n, on) => this.#citations(n).forEach((link) => link.classList.toggle("lit", on)),
      showCitation: (n) => this.#citations(n)[0]?.focus(),
      knowledgeBase: () => this.#knowledgeBase,
    });
    this.#listing = new ListingView({ showMore: () => this.#actions.showMore(), knowledgeBase: () => this.#knowledgeBase });
    this.#text = new AnswerText(this.#answer, (n) => this.#sources.citation(n));
    this.root = element(
      "article",
      { className: "turn", data: { requestId } },
      element("div", { className: "line question" }, element("h2", { className: "speaker" }, "You"), element("p", {}, message)),
      element("div", { className: "line reply" }, element("h2", { className: "speaker" }, "Cicada"), this.#answer, withheldNote(withheld), this.#listing.root, this.#status, this.#foot),
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
    this.#listing.show(request.listing, Boolean(request.outcome));
    // A table may be as wide as text and passages together.
    this.root.classList.toggle("listed", request.listing !== null && request.sources.length === 0);
    this.#showText(request.text, request.assembly.end?.unsupported);
    if (changed) this.#text.refresh();
    this.#showStatus(request);
    this.root.classList.toggle("running", !request.outcome);
    this.#answer.setAttribute("aria-busy", String(!request.outcome));
    if (request.outcome) this.#foot.replaceChildren(...this.#ending(request));
    else this.#foot.replaceChildren();
  }

  #settle(answer) {
    this.#showText(answer);
    this.#answer.setAttribute("aria-busy", "false");
    this.#status.hidden = true;
    const load = element("button", { className: "link", type: "button" }, "Show the details");
    load.addEventListener("click", () => {
      load.disabled = true;
      this.#actions.loadSources();
    });
    this.#foot.replaceChildren(load, this.#feedback.root);
  }

  #showText(text, unsupported) {
    this.#shownText = text;
    this.#text.show(text, unsupported);
  }

  #showStatus(request) {
    this.#status.hidden = Boolean(request.outcome);
    const sentence = statusOf(request);
    if (request.outcome || this.#status.dataset.sentence === sentence) return;
    this.#status.dataset.sentence = sentence;
    const song = element("span", { className: "song", aria: { hidden: "true" } }, ...Array.from({ length: 5 }, () => element("i")));
    this.#status.replaceChildren(song, sentence);
  }

  #ending(request) {
    if (request.outcome === "cancelled") return [note("Stopped.")];
    if (request.outcome === "error") return [this.#failure(request.failure)];
    return [baseOf(request.assembly.end.plan), this.#copyButton(), this.#feedback.root, explanationOf(request.assembly.end)].filter(Boolean);
  }

  #failure({ error, retryable }) {
    const button = element("button", { className: "secondary", type: "button", on: { click: () => this.#actions.retry() } }, "Try again");
    return element("div", { className: "failure", role: "alert" }, element("p", {}, error), retryable ? button : null);
  }

  #copyButton() {
    if (!navigator.clipboard) return null;
    const button = element("button", { className: "link", type: "button" }, "Copy");
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(this.#shownText);
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 1_500);
    });
    return button;
  }

  #citations(n) {
    return [...this.#answer.querySelectorAll(`.citation[data-n="${n}"]`)];
  }
}

function note(sentence) {
  return element("p", { className: "note" }, sentence);
}

/** In the words of the terminal (`cli/user/rendering.py`). */
function withheldNote(documents) {
  if (!documents) return null;
  const one = documents === 1;
  const what = one ? "A document of this answer was" : `${documents} documents of this answer were`;
  return note(`${what} removed, or you may not read ${one ? "it" : "them"} any more.`);
}

/** The knowledge base that was asked, where it is not the default. */
function baseOf(plan) {
  const name = plan?.knowledgeBase;
  return !name || name === DEFAULT_KNOWLEDGE_BASE ? null : note(`Knowledge base: ${name}`);
}

function statusOf(request) {
  if (request.cancelling) return "Stopping…";
  if (!request.accepted && request.command) return "Sending…";
  if (request.assembly.resetReason && !request.text) return request.assembly.resetReason;
  const sentence = STAGES[request.stage] ?? "Waiting for its turn…";
  return request.assembly.detail ? `${sentence} ${request.assembly.detail}` : sentence;
}
