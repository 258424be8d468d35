import { element } from "./element.js";

const CITATION = /\s*\[[\d,; ]+\]/g;
const NOT_SPOKEN = ".unseen, .copy, .sort, .table-tools, .code pre";
const BLOCKS = "p, li, h4, h5, h6, blockquote, pre, td, th, tr, br, .code-head";

/** Says a growing answer to screen readers, sentence by sentence as they are complete, and not what was said before. */
export class SpokenAnswer {
  root = element("div", { className: "unseen spoken", aria: { live: "polite" } });

  #sentences = new Intl.Segmenter(undefined, { granularity: "sentence" });
  #said = 0;

  /** `answer`: the element with the text so far. What is said leaves nothing behind that is read a second time. */
  say(answer, ended) {
    const all = [...this.#sentences.segment(spokenText(answer).replace(CITATION, ""))].map(({ segment }) => segment.trim()).filter(Boolean);
    const complete = ended ? all : all.slice(0, -1);
    if (complete.length < this.#said) this.#said = 0;
    const fresh = complete.slice(this.#said);
    this.#said = complete.length;
    if (fresh.length) this.root.replaceChildren(element("p", { dir: "auto" }, fresh.join(" ")));
    else if (ended) this.root.replaceChildren();
  }
}

/** The text without citations and code; blocks and cells end in a line break, which ends a sentence. */
function spokenText(node) {
  if (node.nodeType === Node.TEXT_NODE) return node.data;
  if (node.matches(NOT_SPOKEN)) return "";
  const within = [...node.childNodes].map(spokenText).join("");
  return node.matches(BLOCKS) ? `${within}\n` : within;
}
