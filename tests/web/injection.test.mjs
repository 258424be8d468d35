import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { AnswerText } from "../../clients/web/answer-text.js";

const ATTACKS = JSON.parse(readFileSync(new URL("../injection/attacks.json", import.meta.url), "utf8"));
const ALLOWED = new Set(["p", "ul", "ol", "li", "strong", "em", "span"]);
const PROPERTIES = new Set(["className", "start"]);

/** As much of the DOM as the rendering uses; it keeps which elements were made and what was set on them. */
function withDocument(made, run) {
  globalThis.document = {
    createElement(tag) {
      const node = { tag, dataset: {}, children: [], append: (...some) => node.children.push(...some) };
      node.setAttribute = (name) => made.push({ attribute: name });
      node.addEventListener = (type) => made.push({ listener: type });
      made.push(node);
      return node;
    },
  };
  try {
    return run();
  } finally {
    delete globalThis.document;
  }
}

function rendered(text, unsupported) {
  const made = [];
  const root = { children: [], append: (...some) => root.children.push(...some), childElementCount: 0 };
  withDocument(made, () => new AnswerText(root, () => null).show(text, unsupported));
  return { made, root };
}

const words = (node) => (typeof node === "string" ? node : node.children.map(words).join(""));

for (const { family, text } of ATTACKS) {
  test(`an answer that repeats an attack becomes text alone: ${family}: ${JSON.stringify(text).slice(0, 60)}`, () => {
    const { made, root } = rendered(`The document says:\n\n${text}\n\n- ${text}\n\n**${text}**`);
    assert.deepEqual(
      made.filter((node) => !ALLOWED.has(node.tag)),
      [],
    );
    for (const node of made) {
      const own = Object.keys(node).filter((name) => !["tag", "dataset", "children", "append", "setAttribute", "addEventListener"].includes(name));
      assert.deepEqual(
        own.filter((name) => !PROPERTIES.has(name)),
        [],
      );
    }
    assert.match(words(root), /ZQXMARK/);
  });
}

test("a sentence that no passage carries is underlined, and says so to screen readers", () => {
  const { made } = rendered("🏠 Yes.\n\n- The rent is **9** EUR.\n- So\ue000 it is\ue001.", [{ start: 10, end: 32 }]);
  const marked = made.filter((node) => node.className === "unsupported");
  assert.deepEqual(marked.map(words), ["The rent is 9 EUR. (Not supported by the passages) "]);
  assert.equal(marked[0].title, "Not supported by the passages");
});
