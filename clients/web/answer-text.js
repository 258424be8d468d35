import { element } from "./element.js";
import { grow } from "./grow.js";
import { MARKS, MarkdownElements, blocksOf, decoded, withoutHalfMarks } from "./markdown.js";
import { say } from "./words.js";

const CITATION = /\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]/g;
// Two of `MARKS`; around a sentence that is underlined.
const BEGIN = "\ue000";
const END = "\ue001";
// Within the marks of Markdown, which would not be read as such beside a letter.
const OPENING = /^(?:[\s*_~`>|#]|(?:[-+]|\d{1,9}[.)]|\[[ xX]\])(?:\s|$))*/;
const CLOSING = /(?:(?<=(?:https?:|www\.)\S*)[.,;:!?]+)?[\s*_~|#]*$/;
/** Below the heading of the turn and that of its answer. */
const HEADING_LEVEL = 4;

/** The numbers that a text cites, each once. */
export function citedNumbers(text) {
  return new Set([...text.matchAll(CITATION)].flatMap(([, numbers]) => numbers.split(/[,;]/).map(Number)));
}

/** The text with its sentences `{start, end}`, in code points, between marks. */
function withMarks(text, sentences) {
  const letters = [...text.replace(MARKS, "\ufffd")];
  for (const { start, end } of [...sentences].sort((a, b) => b.start - a.start)) {
    const said = letters.slice(start, end).join("");
    const first = OPENING.exec(said)[0];
    if (first.length === said.length) continue;
    const last = CLOSING.exec(said)[0];
    letters.splice(start, end - start, first, BEGIN, said.slice(first.length, said.length - last.length), END, last);
  }
  return letters.join("");
}

/**
 * Renders a growing Markdown text with its citations. Blocks that have not changed are left alone, and the others grow,
 * so that a selection in the text stays while more text arrives.
 */
export class AnswerText {
  #root;
  #cite;
  #shown = [];
  #text = "";
  #marking = false;
  #marked = null;

  /** `cite(n)` returns the element for a citation of source n, or null if there is no such source. */
  constructor(root, cite) {
    this.#root = root;
    this.#cite = cite;
  }

  /**
   * `unsupported`: the sentences, `{start, end}`, that are underlined because no passage carries them. `growing`: more
   * text is to come.
   */
  show(text, { unsupported = [], growing = false } = {}) {
    const marked = withMarks(text, unsupported);
    this.#render(growing ? withoutHalfMarks(marked) : marked);
  }

  /** Renders all blocks again, because `cite` now returns other elements. */
  refresh() {
    this.#shown = [];
    this.#render(this.#text);
  }

  #render(text) {
    this.#text = text;
    const tokens = blocksOf(text);
    const highest = Math.min(6, ...tokens.filter(({ type }) => type === "heading").map(({ depth }) => depth));
    const elements = new MarkdownElements((source, kind) => this.#texts(source, kind), HEADING_LEVEL + 1 - highest);
    const blocks = tokens.map((token) => `${token.type === "heading" ? highest : ""}:${token.raw.trimEnd()}`);
    while (this.#root.childElementCount > blocks.length) this.#root.lastElementChild.remove();
    tokens.forEach((token, at) => blocks[at] === this.#shown[at] || this.#put(elements, token, at));
    this.#shown = blocks;
  }

  #put(elements, token, at) {
    const fresh = elements.block(token);
    this.#endMark();
    if (!fresh.dir) fresh.dir = "auto";
    const old = this.#root.children[at];
    if (old) grow(old, fresh);
    else this.#root.append(fresh);
  }

  /** Nodes for a run of text, of which what stands between the marks is underlined. */
  #texts(source, kind) {
    return source.split(/(?=[\ue000\ue001])/).flatMap((piece) => {
      if (piece[0] === BEGIN) this.#marking = true;
      if (piece[0] === END) this.#endMark();
      return this.#underlined(this.#cited(piece.replace(MARKS, ""), kind));
    });
  }

  #underlined(nodes) {
    if (!this.#marking || nodes.every((node) => typeof node === "string" && !node.trim())) return nodes;
    this.#marked = element("span", { className: "unsupported", title: say("answer.unsupported") }, nodes);
    return [this.#marked];
  }

  /** What ends where nothing is shown, such as in a cell that its table has no column for, ends with its block. */
  #endMark() {
    if (this.#marking) this.#marked?.append(element("span", { className: "unseen" }, ` (${say("answer.unsupported")}) `));
    this.#marking = false;
    this.#marked = null;
  }

  #cited(text, kind) {
    if (kind === "code") return text ? [text] : [];
    if (kind === "link") return [decoded(text)];
    const parts = [];
    let end = 0;
    for (const match of text.matchAll(CITATION)) {
      // A citation stays in the line of the word before it.
      const before = decoded(text.slice(end, match.index)).replace(/ $/, "\u00a0");
      parts.push(before, this.#citation(match));
      end = match.index + match[0].length;
    }
    return [...parts, decoded(text.slice(end))].filter((part) => part !== "");
  }

  #citation([whole, numbers]) {
    const links = numbers.split(/[,;]/).map((number) => this.#cite(Number(number)));
    return links.includes(null) ? whole : element("span", { className: "citations" }, links);
  }
}
