import { citedNumbers } from "./answer-text.js";
import { documentLink } from "./document-link.js";
import { messagesOf } from "./document-text.js";
import { element } from "./element.js";
import { sourceText } from "./source-text.js";
import { say } from "./words.js";

/** How many passages are shown while the answer cites none; the others are folded away. */
const SHOWN_UNCITED = 3;

/** The passages beside one answer, those of one document below its title and metadata. */
export class SourcesView {
  root = element("section", { className: "sources", hidden: true });

  #idPrefix;
  #sources = [];
  #cards = new Map();
  #list = element("ol", { className: "cards" });
  #rest = element("ol", { className: "cards" });
  #restTitle = element("summary");
  #more = element("details", { className: "more-sources", hidden: true }, this.#restTitle, this.#rest);
  #highlight;
  #showCitation;
  #knowledgeBase;

  /**
   * `name`: of the turn. `highlight(n, on)`: the pointer enters or leaves card n. `showCitation(n)`: the user asks where n is cited.
   * `knowledgeBase()`: the one that the sources are from.
   */
  constructor({ requestId, name }, { highlight, showCitation, knowledgeBase }) {
    this.root.setAttribute("aria-label", say("passages.of", { question: name }));
    this.#idPrefix = `source-${requestId}-`;
    this.#highlight = highlight;
    this.#showCitation = showCitation;
    this.#knowledgeBase = knowledgeBase;
    this.root.append(element("h3", {}, say("passages.title")), this.#list, this.#more);
  }

  /**
   * Returns whether there are other cards, so that citations lead elsewhere. Once the answer has ended, the sources that
   * it does not cite are folded.
   */
  show(sources, text, ended) {
    const replaced = !this.#isSame(sources);
    if (replaced) this.#replace(sources);
    else this.#showTexts(sources);
    this.root.hidden = sources.length === 0;
    this.#sort(citedNumbers(text), ended);
    return replaced;
  }

  /** A link to card n, or null if there is none. */
  citation(n) {
    const source = this.#sources.find((each) => each.n === n);
    if (!source) return null;
    return element(
      "a",
      {
        className: "citation",
        href: `#${this.#idPrefix}${n}`,
        data: { n },
        aria: { label: say("passages.cited", { n, place: nameOf(source) }) },
        on: {
          click: (event) => this.#go(event, n),
          mouseenter: () => this.#mark(n, true),
          mouseleave: () => this.#mark(n, false),
          focus: () => this.#mark(n, true),
          blur: () => this.#mark(n, false),
        },
      },
      element("span", { className: "bracket" }, "["),
      String(n),
      element("span", { className: "bracket" }, "]"),
    );
  }

  /** A line for each source that the text cites, to be copied with it. */
  citedBy(text) {
    const cited = citedNumbers(text);
    return this.#sources.filter(({ n }) => cited.has(n)).map((source) => `[${source.n}] ${placeOf(source)}`);
  }

  #isSame(sources) {
    return sources.length === this.#sources.length && sources.every((source, at) => isSame(source, this.#sources[at]));
  }

  #replace(sources) {
    this.#sources = sources;
    this.#cards = new Map(sources.map((source) => [source.n, this.#card(source)]));
    this.#list.replaceChildren();
    this.#rest.replaceChildren();
  }

  /** Where only the text of a source is another, its card stays, so that what the user does in it goes on. */
  #showTexts(sources) {
    const others = sources.filter((source, at) => source !== this.#sources[at]);
    this.#sources = sources;
    for (const source of others) {
      const card = this.#cards.get(source.n);
      const shown = card.querySelector(".excerpt");
      const text = sourceText(source, Boolean(shown?.querySelector(".open")));
      const hadFocus = shown?.contains(document.activeElement);
      if (shown && text) shown.replaceWith(text);
      else if (text) card.insertBefore(text, card.querySelector(":scope > a"));
      else shown?.remove();
      if (hadFocus) text?.querySelector(".fold").focus();
    }
  }

  #sort(cited, ended) {
    const numbers = [...this.#cards.keys()];
    const uncited = ended && numbers.some((n) => cited.has(n)) ? [] : numbers.slice(0, SHOWN_UNCITED);
    for (const source of this.#sources) {
      const [n, card] = [source.n, this.#cards.get(source.n)];
      card.classList.toggle("cited", cited.has(n));
      card.querySelector(".number").disabled = !cited.has(n);
      this.#place(source, card, cited.has(n) || uncited.includes(n) ? this.#list : this.#rest);
    }
    for (const group of this.#rest.children) hideFields(group, this.#list);
    const hidden = this.#rest.querySelectorAll(".card").length;
    this.#more.hidden = hidden === 0;
    this.#restTitle.textContent = say("passages.more", { count: hidden });
  }

  /** Puts the card into the list, below its document, which has the place of its first card. */
  #place(source, card, list) {
    const former = card.closest(".document");
    if (former?.parentElement === list) return;
    const same = [...list.children].find((each) => each.dataset.documentId === source.documentId);
    const group = same ?? documentOf(source);
    insertInOrder(group.lastElementChild, card);
    insertInOrder(list, group);
    if (!former) return;
    if (former.querySelector(".card")) insertInOrder(former.parentElement, former);
    else former.remove();
  }

  #card(source) {
    const { n } = source;
    return element(
      "li",
      {
        id: this.#idPrefix + n,
        className: source.withheld ? "card withheld" : "card",
        tabIndex: -1,
        data: { n },
        on: { mouseenter: () => this.#highlight(n, true), mouseleave: () => this.#highlight(n, false) },
      },
      element(
        "button",
        { className: "number", type: "button", aria: { label: say("passages.back", { n }) }, on: { click: () => this.#showCitation(n) } },
        String(n),
      ),
      ...locatorOf(source),
      sourceText(source),
      this.#opening(source),
    );
  }

  #opening({ documentId, passage, title, withheld, n }) {
    const knowledgeBase = this.#knowledgeBase();
    if (withheld || !knowledgeBase) return null;
    return documentLink({ knowledgeBase, documentId, passage }, say("act.open"), { label: say("passages.open", { title: title || documentId, n }) });
  }

  #mark(n, on) {
    this.#cards.get(n)?.classList.toggle("lit", on);
  }

  #go(event, n) {
    event.preventDefault();
    const card = this.#cards.get(n);
    if (card.closest("details")) this.#more.open = true;
    card.scrollIntoView({ block: "nearest", behavior: calm() ? "auto" : "smooth" });
    card.focus({ preventScroll: true });
  }
}

const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Inserts a card, or a document with cards, by the number of its first card. */
function insertInOrder(list, item) {
  const next = [...list.children].find((each) => each !== item && numberOf(each) > numberOf(item));
  if (item.parentElement !== list || item.nextElementSibling !== (next ?? null)) list.insertBefore(item, next ?? null);
}

function numberOf(item) {
  return Number((item.dataset.n ? item : item.querySelector(".card")).dataset.n);
}

/** Whether two sources have the same card but for its text. */
function isSame(source, other) {
  const withoutText = (each) => JSON.stringify({ ...each, excerpt: null, spans: null });
  return source === other || withoutText(source) === withoutText(other);
}

/** The metadata of a document that stands in another list too is shown there. */
function hideFields(group, other) {
  const fields = group.querySelector(".fields");
  if (fields) fields.hidden = [...other.children].some((each) => each.dataset.documentId === group.dataset.documentId);
}

function documentOf(source) {
  return element(
    "li",
    { className: "document", data: { documentId: source.documentId } },
    element("h4", { dir: "auto" }, source.title || source.documentId),
    fieldsOf(source.fields ?? {}),
    element("ol", { className: "passages" }),
  );
}

function chapterOf({ locator, title }) {
  const episode = locator.episode && locator.episode !== title ? locator.episode : null;
  return [episode, locator.chapter, ...(locator.section ?? [])].filter(Boolean).join(" · ");
}

function nameOf(source) {
  return [source.title, chapterOf(source)].filter(Boolean).join(", ");
}

function placeOf(source) {
  const { messages } = source.locator;
  return [nameOf(source) || source.documentId, messages && messagesOf(messages)].filter(Boolean).join(", ");
}

function locatorOf(source) {
  const { messages, speakers } = source.locator;
  const range = messages && messagesOf(messages);
  const relevance = source.withheld ? null : relevanceOf(source.relevance);
  return [
    element("div", { className: "head" }, element("p", { className: "chapter", dir: "auto" }, chapterOf(source)), relevance),
    range || speakers?.length
      ? element("p", { className: "place" }, range, range && speakers?.length ? " · " : null, element("bdi", {}, (speakers ?? []).join(", ")))
      : null,
  ];
}

/** What the knowledge base shows of the document's metadata, such as its status. */
function fieldsOf(fields) {
  const labels = Object.entries(fields).map(([name, value]) =>
    element("div", {}, element("dt", {}, element("bdi", {}, name)), element("dd", { dir: "auto" }, String(value))),
  );
  return labels.length ? element("dl", { className: "fields" }, ...labels) : null;
}

/** A bar from 0 to 1; null means that no text was ranked, undefined that nothing is said of it. */
function relevanceOf(relevance) {
  if (relevance === undefined) return null;
  if (relevance === null) return element("span", { className: "unranked" }, say("passages.notRanked"));
  const label = say("passages.relevance", { percent: Math.round(relevance * 100) });
  const bar = element("span", { className: "relevance", role: "img", title: label, aria: { label } });
  bar.style.setProperty("--relevance", String(Math.min(1, Math.max(0, relevance))));
  return bar;
}
