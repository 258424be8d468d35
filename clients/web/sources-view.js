import { citedNumbers } from "./answer-text.js";
import { documentLink } from "./document-link.js";
import { element } from "./element.js";

/** How many passages are shown while the answer cites none; the others are folded away. */
const SHOWN_UNCITED = 3;

/** The passages beside one answer. */
export class SourcesView {
  root = element("section", { className: "sources", hidden: true, aria: { label: "Passages" } });

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
   * `highlight(n, on)`: the pointer enters or leaves card n. `showCitation(n)`: the user asks where n is cited.
   * `knowledgeBase()`: the one that the sources are from.
   */
  constructor(requestId, { highlight, showCitation, knowledgeBase }) {
    this.#idPrefix = `source-${requestId}-`;
    this.#highlight = highlight;
    this.#showCitation = showCitation;
    this.#knowledgeBase = knowledgeBase;
    this.root.append(element("h3", {}, "Passages"), this.#list, this.#more);
  }

  /** Returns whether the sources have changed. Once the answer has ended, the sources that it does not cite are folded. */
  show(sources, text, ended) {
    const changed = sources.length !== this.#sources.length || sources.some((source, index) => source !== this.#sources[index]);
    if (changed) this.#replace(sources);
    this.root.hidden = sources.length === 0;
    this.#sort(citedNumbers(text), ended);
    return changed;
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
        aria: { label: `Passage ${n}: ${nameOf(source)}` },
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

  #replace(sources) {
    this.#sources = sources;
    this.#cards = new Map(sources.map((source) => [source.n, this.#card(source)]));
    this.#list.replaceChildren();
    this.#rest.replaceChildren();
  }

  #sort(cited, ended) {
    const numbers = [...this.#cards.keys()];
    const uncited = ended && numbers.some((n) => cited.has(n)) ? [] : numbers.slice(0, SHOWN_UNCITED);
    for (const [n, card] of this.#cards) {
      card.classList.toggle("cited", cited.has(n));
      card.querySelector(".number").disabled = !cited.has(n);
      const list = cited.has(n) || uncited.includes(n) ? this.#list : this.#rest;
      if (card.parentElement !== list) insertInOrder(list, card);
    }
    const hidden = this.#rest.childElementCount;
    this.#more.hidden = hidden === 0;
    this.#restTitle.textContent = hidden === 1 ? "1 more passage" : `${hidden} more passages`;
  }

  #card(source) {
    const { n, excerpt, locator } = source;
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
        { className: "number", type: "button", aria: { label: `Passage ${n}, back to the text` }, on: { click: () => this.#showCitation(n) } },
        String(n),
      ),
      element("h4", {}, element("span", {}, source.title || source.documentId), source.withheld ? null : relevanceOf(source.relevance)),
      fieldsOf(source.fields ?? {}),
      ...locatorOf(source),
      excerptOf(excerpt, locator.speakers ?? []),
      this.#opening(source),
    );
  }

  #opening({ documentId, passage, title, withheld, n }) {
    const knowledgeBase = this.#knowledgeBase();
    if (withheld || !knowledgeBase) return null;
    return documentLink({ knowledgeBase, documentId, passage }, "Open", { label: `Open ${title || documentId} at passage ${n}` });
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

function insertInOrder(list, card) {
  const next = [...list.children].find((each) => Number(each.dataset.n) > Number(card.dataset.n));
  list.insertBefore(card, next ?? null);
}

function chapterOf({ locator, title }) {
  const episode = locator.episode && locator.episode !== title ? locator.episode : null;
  return [episode, locator.chapter, ...(locator.section ?? [])].filter(Boolean).join(" · ");
}

function nameOf(source) {
  return [source.title, chapterOf(source)].filter(Boolean).join(", ");
}

function locatorOf(source) {
  const { messages, speakers } = source.locator;
  const range = messages && (messages[0] === messages[1] ? `Message ${messages[0]}` : `Messages ${messages[0]}–${messages[1]}`);
  const chapter = chapterOf(source);
  return [
    chapter ? element("p", { className: "chapter" }, chapter) : null,
    range || speakers?.length
      ? element("p", { className: "place" }, [range, speakers?.join(", ")].filter(Boolean).join(" · "))
      : null,
  ];
}

/** What the knowledge base shows of the document's metadata, such as its status. */
function fieldsOf(fields) {
  const labels = Object.entries(fields).map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, String(value))),
  );
  return labels.length ? element("dl", { className: "fields" }, ...labels) : null;
}

/** The lines of a text; a speaker's name at the beginning of a line is bold. */
function lines(text, speakers) {
  return text.split("\n").map((line) => {
    const speaker = speakers.find((name) => line.startsWith(`${name}: `));
    const said = speaker ? [element("b", {}, speaker), line.slice(speaker.length + 1)] : [line];
    return element("span", {}, said);
  });
}

/** The first lines of a text, and a button that shows all of them. */
function excerptOf(text, speakers) {
  const quote = element("blockquote", {}, lines(text, speakers));
  const button = element("button", { className: "link fold", type: "button", aria: { expanded: "false" } }, "Read on");
  button.addEventListener("click", () => {
    const open = quote.classList.toggle("open");
    button.setAttribute("aria-expanded", String(open));
    button.textContent = open ? "Less" : "Read on";
  });
  // Whether there is more to read depends on the width, which is known once the card is laid out.
  new ResizeObserver(() => {
    if (!quote.classList.contains("open")) button.hidden = quote.scrollHeight <= quote.clientHeight + 1;
  }).observe(quote);
  return element("div", { className: "excerpt" }, quote, button);
}

/** A bar from 0 to 1; null means that no text was ranked. */
function relevanceOf(relevance) {
  if (relevance === null) return element("span", { className: "unranked" }, "not ranked");
  const label = `Relevance ${Math.round(relevance * 100)} %`;
  const bar = element("span", { className: "relevance", role: "img", title: label, aria: { label } });
  bar.style.setProperty("--relevance", String(Math.min(1, Math.max(0, relevance))));
  return bar;
}
