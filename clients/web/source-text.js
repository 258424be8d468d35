import { element } from "./element.js";
import { foldButton } from "./fold-button.js";

const SENTENCE_END = /[.!?…]["'”’)]*\s+/g;

/**
 * The text of a source, with what the answer rests on marked, and a button that shows all of it. Folded it begins with
 * the sentence of the first mark. A speaker's name at the beginning of a line is bold.
 */
export function sourceText({ excerpt, spans, locator }, open = false) {
  if (!excerpt.trim()) return null;
  const letters = [...excerpt];
  const text = new MarkedText(letters, usable(spans, letters.length));
  const quote = element("blockquote", { className: open ? "open" : "" }, text.lines(locator.speakers ?? []));
  return element("div", { className: "excerpt" }, quote, foldButton(quote));
}

/** A text on one line with its spans marked. */
export function markedLine({ excerpt, spans }) {
  const letters = [...excerpt];
  return new MarkedText(letters, usable(spans, letters.length)).whole;
}

/** Spans count characters, not UTF-16 units; of those that overlap the first is used. */
function usable(spans, length) {
  let end = 0;
  return (Array.isArray(spans) ? spans : []).filter(([from, to] = []) => {
    const fits = Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= end && from < to && to <= length;
    if (fits) end = to;
    return fits;
  });
}

class MarkedText {
  #letters;
  #spans;
  /** Where the sentence of the first mark begins. */
  #first = 0;

  constructor(letters, spans) {
    this.#letters = letters;
    this.#spans = spans;
    if (spans.length) this.#first = this.#sentenceStart(spans[0][0]);
  }

  get whole() {
    return this.#marked(0, this.#letters.length);
  }

  lines(speakers) {
    let from = 0;
    return this.#text(0, this.#letters.length)
      .split("\n")
      .map((line) => {
        const to = from + [...line].length;
        const shown = element("span", { className: to < this.#first ? "before" : "" }, this.#line(line, from, to, speakers));
        from = to + 1;
        return shown;
      });
  }

  #line(line, from, to, speakers) {
    const speaker = speakers.find((name) => line.startsWith(`${name}: `));
    const named = from + (speaker ? [...speaker].length : 0);
    const start = speaker ? named + 1 : from;
    const parts = speaker ? [element("b", {}, this.#marked(from, named))] : [];
    const isFirst = this.#first > 0 && from <= this.#first && this.#first <= to;
    if (!isFirst) return [...parts, ...this.#marked(start, to)];
    const sentence = Math.max(this.#first, start);
    return [...parts, this.#cut(start, sentence), ...this.#marked(sentence, to)];
  }

  /** What comes before the first mark's sentence in its line; folded there is an ellipsis instead. */
  #cut(from, to) {
    return element("span", { className: "cut" }, element("span", {}, this.#text(from, to)));
  }

  #marked(from, to) {
    const parts = [];
    let at = from;
    for (const [start, end] of this.#spans.filter(([start, end]) => start < to && end > from)) {
      const [first, last] = [Math.max(start, from), Math.min(end, to)];
      parts.push(this.#text(at, first), element("mark", {}, this.#text(first, last)));
      at = last;
    }
    return [...parts, this.#text(at, to)];
  }

  #sentenceStart(at) {
    const before = this.#text(0, at);
    const line = before.slice(before.lastIndexOf("\n") + 1);
    const sentence = line.slice([...line.matchAll(SENTENCE_END)].reduce((_, found) => found.index + found[0].length, 0));
    return at - [...sentence].length;
  }

  #text(from, to) {
    return this.#letters.slice(from, to).join("");
  }
}
