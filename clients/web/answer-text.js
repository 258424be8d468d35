import { element } from "./element.js";

const CITATION = /\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]/;
// Of private use; around a sentence that is underlined.
const BEGIN = "\ue000";
const END = "\ue001";
const INLINE = new RegExp(`${CITATION.source}|\\*\\*(\\S(?:[^*]*\\S)?)\\*\\*|(?<![*\\w])\\*(\\S(?:[^*\\n]*\\S)?)\\*(?![*\\w])|${BEGIN}([^${END}]*)${END}`, "g");
const ITEM = /^\s*(?:[-*•]|\d{1,3}[.)])\s+/;

/** The numbers that a text cites, each once. */
export function citedNumbers(text) {
  const found = text.matchAll(new RegExp(CITATION.source, "g"));
  return new Set([...found].flatMap(([, numbers]) => numbers.split(/[,;]/).map(Number)));
}

const UNSUPPORTED = "Not supported by the passages";

/** The text with its sentences `{start, end}`, in code points, between marks. */
function withMarks(text, sentences) {
  const letters = [...text.replace(/[\ue000\ue001]/g, "\ufffd")];
  for (const { start, end } of [...sentences].sort((a, b) => b.start - a.start)) {
    letters.splice(end, 0, END);
    letters.splice(start, 0, BEGIN);
  }
  return letters.join("");
}

/**
 * Renders a growing text: paragraphs, lists, bold, italics and citations; everything else is plain text. Only blocks
 * that have changed are rendered again, so that a selection in the text stays while more text arrives.
 */
export class AnswerText {
  #root;
  #cite;
  #shown = [];

  /** `cite(n)` returns the element for a citation of source n, or null if there is no such source. */
  constructor(root, cite) {
    this.#root = root;
    this.#cite = cite;
  }

  /** `unsupported`: the sentences, `{start, end}`, that are underlined because no passage carries them. */
  show(text, unsupported = []) {
    this.#render(withMarks(text, unsupported));
  }

  #render(text) {
    const blocks = text.split(/\n{2,}/).filter((block) => block.trim());
    const same = blocks.findIndex((block, index) => block !== this.#shown[index]);
    const from = same === -1 ? blocks.length : same;
    while (this.#root.childElementCount > from) this.#root.lastElementChild.remove();
    for (const block of blocks.slice(from)) this.#root.append(this.#block(block));
    this.#shown = blocks;
  }

  /** Renders all blocks again, because `cite` now returns other elements. */
  refresh() {
    const text = this.#shown.join("\n\n");
    this.#shown = [];
    this.#render(text);
  }

  #block(source) {
    const lines = source.split("\n");
    if (!lines.every((line) => ITEM.test(line))) return element("p", {}, this.#inline(source.replace(/^#{1,6}\s+/, "")));
    const ordered = /^\s*\d/.test(lines[0]);
    const items = lines.map((line) => element("li", {}, this.#inline(line.replace(ITEM, ""))));
    return element(ordered ? "ol" : "ul", ordered ? { start: Number.parseInt(lines[0], 10) } : {}, items);
  }

  #inline(text) {
    const parts = [];
    let end = 0;
    for (const match of text.matchAll(INLINE)) {
      const before = text.slice(end, match.index);
      // A citation stays in the line of the word before it.
      parts.push(match[1] ? before.replace(/ $/, "\u00a0") : before, ...this.#marked(match));
      end = match.index + match[0].length;
    }
    return [...parts, text.slice(end)];
  }

  #marked([whole, numbers, bold, italic, unsupported]) {
    if (unsupported) {
      const said = element("span", { className: "unseen" }, ` (${UNSUPPORTED}) `);
      return [element("span", { className: "unsupported", title: UNSUPPORTED }, this.#inline(unsupported), said)];
    }
    if (bold) return [element("strong", {}, this.#inline(bold))];
    if (italic) return [element("em", {}, this.#inline(italic))];
    const links = numbers.split(/[,;]/).map((number) => this.#cite(Number(number)));
    return links.includes(null) ? [whole] : [element("span", { className: "citations" }, links)];
  }
}
