import { documentLink } from "./document-link.js";
import { element } from "./element.js";
import { wideTable } from "./table-tools.js";
import { joined, numberOf, say } from "./words.js";

/** Cells of so many characters are not broken. */
const SHORT = 12;
const NONE = "–";

/** What an answer lists: numbers, groups and documents, each in a table. */
export class ListingView {
  root = element("section", { className: "listing", hidden: true });

  #shown = null;
  #showMore;
  #knowledgeBase;

  /**
   * `name`: of the turn. `showMore()`: the user asks for the next page. `knowledgeBase()`: the one that the documents are
   * from.
   */
  constructor(name, { showMore, knowledgeBase }) {
    this.root.setAttribute("aria-label", say("listing.of", { question: name }));
    this.#showMore = showMore;
    this.#knowledgeBase = knowledgeBase;
  }

  /** Once the answer has ended, the next page can be asked for. Of a `shared` list nobody says how it was ranked. */
  show(listing, ended) {
    if (listing !== this.#shown) this.#replace(listing);
    const more = this.root.querySelector(".show-more");
    if (more) more.hidden = !ended;
  }

  #replace(listing) {
    this.#shown = listing;
    this.root.hidden = listing === null;
    this.root.replaceChildren(...(listing ? this.#parts(listing) : []));
  }

  #parts(listing) {
    return [
      numbersOf(listing).length ? wideTable(say("listing.numbers"), figuresOf(listing)) : null,
      listing.groups?.length ? wideTable(say("listing.byValue"), groupsOf(listing)) : null,
      listing.documents.length ? wideTable(say("listing.matching"), documentsOf(listing, this.#knowledgeBase())) : null,
      listing.nextOffset === null || listing.nextOffset === undefined ? null : this.#more(),
    ].filter(Boolean);
  }

  #more() {
    const button = element("button", { className: "secondary show-more", type: "button" }, say("listing.more"));
    button.addEventListener("click", () => this.#showMore());
    return button;
  }
}

function documentsOf(listing, knowledgeBase) {
  const names = listing.columns ?? [...new Set(listing.documents.flatMap(({ fields }) => Object.keys(fields ?? {})))];
  const rows = listing.documents.flatMap((document) => rowsOf(document, names, knowledgeBase));
  const ranked = listing.shared || listing.documents.some(({ relevance }) => typeof relevance === "number");
  const caption = element("caption", {}, extentOf(listing), " ", ranked ? null : element("span", { className: "unranked" }, say("passages.notRanked")));
  return element("table", {}, caption, headOf([say("listing.title"), ...names]), element("tbody", {}, rows));
}

/** A document's row; of documents about a subject one more, with what matched and sentences of the best passage. */
function rowsOf({ documentId, title, fields, excerpt, reason, withheld }, names, knowledgeBase) {
  const named = title || documentId;
  const head = withheld ? named : documentLink({ knowledgeBase, documentId }, named);
  const row = element("tr", {}, rowHead(head), ...names.map((name) => cell(fields?.[name] ?? "")));
  if (!excerpt) return [row];
  const why = element("div", {}, element("span", { className: "reason", dir: "auto" }, reason), element("q", { dir: "auto" }, excerpt));
  return [row, element("tr", { className: "why" }, element("td", { colSpan: names.length + 1 }, why))];
}

/** The aggregates with their places. How many documents match is in the sentence. */
function numbersOf({ aggregates }) {
  return (aggregates ?? []).map((each, place) => ({ ...each, place })).filter(({ field }) => field !== undefined);
}

function figuresOf(listing) {
  const rows = numbersOf(listing).map(({ name, figure }) =>
    element("tr", {}, rowHead(name), number(figure.value ?? say("listing.notComputed"))),
  );
  return element("table", { className: "counts" }, element("caption", {}, say("listing.numbers")), headOf([say("listing.number"), say("listing.value")]), element("tbody", {}, rows));
}

function groupsOf(listing) {
  const { groupedBy, groups, groupCount } = listing;
  const numbers = numbersOf(listing);
  const rows = groups.map(({ values: [first, ...others], documents, figures }) =>
    element(
      "tr",
      {},
      rowHead(first ?? NONE),
      ...others.map((value) => cell(value ?? NONE)),
      number(numberOf(documents)),
      ...numbers.map(({ place }) => number(figures[place]?.value ?? NONE)),
    ),
  );
  const named = groups.filter(({ values }) => !values.includes(null)).length;
  const by = say(named < groupCount ? "listing.byFirst" : "listing.by", { fields: joined(groupedBy), shown: named, all: groupCount });
  const caption = element("caption", {}, by);
  const head = headOf([...groupedBy, say("listing.documents"), ...numbers.map(({ name }) => name)]);
  return element("table", { className: "counts" }, caption, head, element("tbody", {}, rows));
}

function number(text) {
  return element("td", { className: "number" }, text);
}

function headOf(names) {
  return element("thead", {}, element("tr", {}, names.map((name) => element("th", { scope: "col" }, element("bdi", {}, name)))));
}

/** A date or a word stays on one line. */
function cell(text) {
  return element("td", { className: text.length <= SHORT ? "short" : "" }, element("bdi", {}, text));
}

function rowHead(text) {
  return element("th", { scope: "row" }, element("bdi", {}, text));
}

/** Which of the documents these are, such as "21–40 of 57". */
function extentOf({ total, documents, offset = 0 }) {
  const [first, last] = [offset + 1, offset + documents.length];
  return say(first < last ? "listing.range" : "listing.one", { first, last, all: total });
}
