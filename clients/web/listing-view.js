import { conditionChips } from "./conditions.js";
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
  /** The list with the rows that were fetched since. */
  #listing = null;
  #table = null;
  #button = null;
  #said = element("p", { className: "note", role: "status", dir: "auto" });
  #fetching = false;
  #actions;

  /**
   * `name`: of the turn. `more(offset)`: resolves to the rows from this number on, as `listMore` does. `askMore()`: the user
   * asks for what a search has found besides. `leaveOut(place, condition)`: for the same without a condition; null in a turn
   * that somebody shares. `knowledgeBase()`: the one that the documents are from.
   */
  constructor(name, actions) {
    this.root.setAttribute("aria-label", say("listing.of", { question: name }));
    this.#actions = actions;
  }

  /** Once the answer has ended, with its `plan`, more can be had. Of a `shared` list nobody says how it was ranked. */
  show(listing, ended, plan = null) {
    if (listing !== this.#shown) this.#replace(listing);
    if (this.#button) this.#button.hidden = !ended;
    if (listing && ended && !this.root.querySelector(".conditions")) this.root.prepend(...[conditionChips(plan, this.#actions.leaveOut)].filter(Boolean));
  }

  #replace(listing) {
    this.#shown = this.#listing = listing;
    this.root.hidden = listing === null;
    this.#table = listing?.documents.length ? this.#tableOf(listing) : null;
    this.#button = hasMore(listing) ? this.#more(listing) : null;
    this.#said.replaceChildren();
    this.root.replaceChildren(...(listing ? this.#parts(listing) : []));
  }

  #parts(listing) {
    return [
      numbersOf(listing).length ? wideTable(say("listing.numbers"), figuresOf(listing)) : null,
      listing.groups?.length ? wideTable(say("listing.byValue"), groupsOf(listing)) : null,
      this.#table,
      this.#button,
      this.#button && this.#said,
    ].filter(Boolean);
  }

  #tableOf(listing) {
    return wideTable(say("listing.matching"), documentsOf(listing, this.#actions.knowledgeBase()));
  }

  /** What a search has found is not read on by its number, but asked for: of the last answer alone. */
  #more(listing) {
    const asks = isFound(listing);
    const click = () => (asks ? this.#actions.askMore() : this.#fetch());
    return element("button", { className: `secondary show-more${asks ? " asks" : ""}`, type: "button", on: { click } }, say("listing.more"));
  }

  async #fetch() {
    const before = this.#listing;
    if (this.#fetching || !before) return;
    this.#setFetching(true);
    try {
      const page = await this.#actions.more(before.nextOffset);
      // The answer may have begun again meanwhile.
      if (this.#listing === before) this.#append(page);
    } catch (error) {
      if (this.#listing === before) this.#say(error.message, true);
    } finally {
      this.#setFetching(false);
    }
  }

  #setFetching(fetching) {
    this.#fetching = fetching;
    this.#button?.setAttribute("aria-busy", String(fetching));
    if (this.#button) this.#button.textContent = say(fetching ? "listing.fetching" : "listing.more");
  }

  #append(page) {
    const first = this.#listing.documents.length;
    this.#listing = { ...longer(this.#listing, page) };
    const table = this.#tableOf(this.#listing);
    this.#table.replaceWith(table);
    this.#table = table;
    this.#say(extentOf(this.#listing), false);
    if (hasMore(this.#listing)) return;
    // The focus was on the button, and goes on with what it has brought.
    const hadFocus = this.#button.contains(document.activeElement);
    this.#button.remove();
    const row = [...table.querySelectorAll("tbody tr:not(.why)")][Math.min(first, this.#listing.documents.length - 1)];
    if (hadFocus) (row?.querySelector("a, button") ?? table.querySelector(".wide")).focus({ preventScroll: true });
  }

  /** How many there are now stands in the table, for those who see it. */
  #say(sentence, isSeen) {
    this.#said.classList.toggle("unseen", !isSeen);
    this.#said.textContent = sentence;
  }
}

/** The list with the rows of one more page. */
export function longer(listing, page) {
  const columns = [...new Set([...(listing.columns ?? []), ...page.columns])];
  return { ...listing, columns, total: page.total, nextOffset: page.nextOffset, documents: [...listing.documents, ...page.documents] };
}

/** Whether the documents were searched for, and are not all that meet conditions. */
function isFound({ documents }) {
  return documents.some(({ excerpt }) => excerpt);
}

function hasMore(listing) {
  return typeof listing?.nextOffset === "number" && listing.documents.length > 0;
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
  const head = headOf([...groupedBy, say("listing.count"), ...numbers.map(({ name }) => name)]);
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
