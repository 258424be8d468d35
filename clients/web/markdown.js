import { copyButton } from "./copy-button.js";
import { element } from "./element.js";
import { wideTable } from "./table-tools.js";
import { say } from "./words.js";
import { Marked } from "marked";

/** Characters of private use that a text may have between its own: they are in no address. */
export const MARKS = /[\ue000\ue001]/g;
const SHORT = 12;
const LINE_BREAK = /^<br\s*\/?>/i;
const SCHEMES = ["http:", "https:", "mailto:"];
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi;
const NAMED = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0", ndash: "–", mdash: "—", hellip: "…", deg: "°", euro: "€", times: "×" };

/** HTML is text, except a line break, which tables need; and `[1]` is a citation, whatever follows it. */
export const markdown = new Marked({
  gfm: true,
  breaks: true,
  tokenizer: { html() {}, tag() {}, def() {}, reflink() {} },
  extensions: [
    {
      name: "br",
      level: "inline",
      start: (text) => text.match(/<br/i)?.index,
      tokenizer: (text) => (LINE_BREAK.test(text) ? { type: "br", raw: LINE_BREAK.exec(text)[0] } : undefined),
      renderer: () => "<br>",
    },
  ],
});

/** The blocks of a Markdown text, as tokens of the library; `raw` is a block's source. One that is nested too deep is text. */
export function blocksOf(text) {
  try {
    return markdown.lexer(text).filter(({ type }) => type !== "space");
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [{ type: "source", raw: text }];
  }
}

/** A text with its character references resolved. */
export function decoded(text) {
  return text.replace(ENTITY, (whole, decimal, hexadecimal, name) => {
    if (name) return NAMED[name] ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
  });
}

/**
 * Makes elements of tokens. No text becomes markup, and nothing is loaded: an image is a link to it.
 *
 * `texts(source, kind)` returns nodes for a run of text: `text`, `link` (inside one, so without links) or `code`.
 * `level` is that of the highest heading.
 */
export class MarkdownElements {
  #texts;
  #level;

  constructor(texts, level) {
    this.#texts = texts;
    this.#level = level;
  }

  block(token) {
    switch (token.type) {
      case "heading":
        return element(`h${Math.min(6, this.#level + token.depth - 1)}`, {}, this.#inlines(token.tokens));
      case "list":
        return this.#list(token);
      case "blockquote":
        return element("blockquote", {}, this.#blocks(token.tokens));
      case "code":
        return this.#code(token);
      case "table":
        return wideTable(say("table.table"), this.#table(token));
      case "hr":
        return element("hr");
      default:
        // What the library adds in later versions is shown as its source.
        return element("p", {}, token.tokens ? this.#inlines(token.tokens) : this.#texts(token.raw, "text"));
    }
  }

  #blocks(tokens) {
    return tokens.filter(({ type }) => type !== "space").map((token) => this.block(token));
  }

  #inlines(tokens, kind = "text") {
    return tokens.flatMap((token) => this.#inline(token, kind));
  }

  #inline(token, kind) {
    switch (token.type) {
      case "link":
      case "image":
        return this.#link(token, kind);
      case "strong":
      case "em":
      case "del":
        return element(token.type, {}, this.#inlines(token.tokens, kind));
      case "codespan":
        return element("code", {}, this.#texts(token.text, "code"));
      case "escape":
        return this.#texts(token.text, "code");
      case "br":
        return element("br");
      case "checkbox":
        return [taskBox(token.checked), " "];
      default:
        return token.tokens ? this.#inlines(token.tokens, kind) : this.#texts(token.raw, kind);
    }
  }

  /** Leads to the web or to a mailbox, else it is its source. The style sheet shows a host that the text hides. */
  #link(token, kind) {
    const url = kind === "link" ? null : addressOf(token.href);
    if (!url) return this.#texts(kind === "link" && token.type === "image" ? token.text : token.raw, kind);
    const label = token.type === "image" ? [token.text || url.pathname] : this.#inlines(token.tokens, "link");
    const link = element("a", { className: "outside", href: url.href, target: "_blank", rel: "noopener noreferrer nofollow" }, label);
    if (!link.textContent.includes(url.host)) link.dataset.host = url.host;
    return link;
  }

  #list({ ordered, start, items }) {
    const made = items.map(({ task, tokens }) => element("li", { className: task ? "task" : "" }, this.#item(tokens)));
    return element(ordered ? "ol" : "ul", ordered ? { start } : {}, made);
  }

  #item(tokens) {
    return tokens.flatMap((token) => (["text", "checkbox"].includes(token.type) ? this.#inline(token, "text") : this.#blocks([token])));
  }

  #code({ text, lang = "" }) {
    const copy = copyButton((button) => button.closest(".code").querySelector("code").textContent);
    const head = element("div", { className: "code-head" }, element("span", {}, this.#texts(lang.split(/\s/)[0], "code")), copy);
    return element("div", { className: "code", dir: "ltr" }, head, element("pre", { tabIndex: 0 }, element("code", {}, this.#texts(text, "code"))));
  }

  /** What is short, such as a date, stays on one line. */
  #cell(tag, { tokens, align, text }) {
    return element(tag, { className: `${align ?? ""} ${text.length <= SHORT ? "short" : ""}`.trim() }, this.#inlines(tokens));
  }

  #table({ header, rows }) {
    const cells = (tag, row) => row.map((cell) => this.#cell(tag, cell));
    const head = element("tr", {}, cells("th", header));
    const body = rows.map((row) => element("tr", {}, cells("td", row)));
    return element("table", {}, element("thead", {}, head), body.length ? element("tbody", {}, body) : null);
  }
}

function addressOf(href) {
  const address = decoded(href.replace(MARKS, ""));
  const url = URL.canParse(address) ? new URL(address) : null;
  return SCHEMES.includes(url?.protocol) ? url : null;
}

function taskBox(done) {
  const box = element("span", { className: "box", aria: { label: say(done ? "task.done" : "task.open") } }, done ? "☑" : "☐");
  box.setAttribute("role", "img");
  return box;
}

/**
 * A text that still grows, without the marks at its end that are only half there: they would be shown as characters for
 * a moment, or make a heading of the paragraph before.
 */
export function withoutHalfMarks(text) {
  if ((text.match(/^ {0,3}(?:```|~~~)/gm) ?? []).length % 2) return text;
  const lines = text.split("\n");
  if (/^[ \t]*(?:[-=*#>+|:`~ \t]+|\d{1,9}[.)]?)[ \t]*$/.test(lines.at(-1))) lines.pop();
  if (lines.at(-1)?.startsWith("|") && !lines.at(-2)?.startsWith("|")) lines.pop();
  const last = lines.pop() ?? "";
  return [...lines, closed(last.replace(/\[[\d,; ]*$/, "").replace(/!?\[([^[\]]*)\]\([^()\s]*$/, "$1"))].join("\n");
}

/** A line with bold text and code that begin in it ended. */
function closed(line) {
  const [, bullet, said, stars] = /^(\s*(?:[*+-]\s+)?)(.*?)(\**)$/s.exec(line);
  const isOdd = (text, mark) => text.match(mark)?.length % 2 === 1;
  const isItalic = isOdd(said.replaceAll("**", ""), /\*/g);
  const end = isOdd(said, /(?<=\S)\*\*|\*\*(?=\S)/g) ? "**" : isItalic && stars === "*" ? "*" : "";
  const code = isOdd(said, /`/g) ? "`" : "";
  return `${bullet}${code && said.endsWith(code) ? said.slice(0, -1) : said + code}`.trimEnd() + end;
}
