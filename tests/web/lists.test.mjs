/** Lists that grow, the same list without a condition, and the question that waits, without a page. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { messageWithout } from "../../clients/web/conditions.js";
import { rangeOf } from "../../clients/web/document-filters.js";
import { longer } from "../../clients/web/listing-view.js";
import { WaitingQuestion } from "../../clients/web/waiting-question.js";
import { words as arabic } from "../../clients/web/words/ar.js";
import { words as english } from "../../clients/web/words/en.js";
import { speak } from "../../clients/web/words.js";

test("a list grows by the rows of a page, and by the columns that only these have", () => {
  const listing = { total: 3, documents: [{ documentId: "a" }], offset: 0, nextOffset: 1, columns: ["Status"], groups: [] };
  const page = { total: 4, documents: [{ documentId: "b" }], offset: 1, nextOffset: null, columns: ["Status", "Owner"] };
  assert.deepEqual(longer(listing, page), { total: 4, documents: [{ documentId: "a" }, { documentId: "b" }], offset: 0, nextOffset: null, columns: ["Status", "Owner"], groups: [] });
  assert.deepEqual(listing.columns, ["Status"]);
});

test("a range of days or numbers is one filter or two, with one sentence, from whichever end it is given", () => {
  const days = rangeOf("Due", "date", "2026-12-31", "2026-01-01");
  assert.deepEqual([days.words, days.filters], ["Due: 2026-01-01–2026-12-31", [{ field: "Due", op: "gte", value: "2026-01-01" }, { field: "Due", op: "lte", value: "2026-12-31" }]]);
  const numbers = rangeOf("Value", "number", "9", "1000.5");
  assert.deepEqual([numbers.words, numbers.filters.map(({ op, value }) => [op, value])], ["Value: 9–1000.5", [["gte", 9], ["lte", 1000.5]]]);
  assert.deepEqual(rangeOf("Value", "number", "-2", "").filters, [{ field: "Value", op: "gte", value: -2 }]);
  assert.deepEqual([rangeOf("Due", "date", "", "2026-01-01").words, rangeOf("Due", "date", "2026-01-01", "2026-01-01").words], ["Due: to 2026-01-01", "Due: 2026-01-01"]);
});

test("a message without a condition names both, and nothing that nobody sees", () => {
  assert.equal(messageWithout("List the SOPs", "Status: approved"), "List the SOPs – without “Status: approved”");
  speak("ar", arabic);
  assert.equal(/[\u2066-\u2069]/.test(messageWithout("List the SOPs", "Status: approved")), false);
  speak("en", english);
});

test("a message without a condition is never longer than a message may be", () => {
  for (const length of [7_960, 8_000]) assert.ok(messageWithout("x".repeat(length), "Status: approved").length <= 8_000);
  assert.ok(messageWithout("x".repeat(8_000), "Status: approved").endsWith(" – without “Status: approved”"));
  assert.ok(messageWithout("x", "y".repeat(9_000)).length <= 8_000);
});

test("one question waits, and is given away once", () => {
  const waiting = new WaitingQuestion();
  assert.deepEqual([waiting.put("first"), waiting.put("second")], [true, false]);
  assert.deepEqual([waiting.take(), waiting.take()], ["first", null]);
  assert.equal(waiting.put("second"), true);
});

test("what waits is kept above what is typed, until it is given away", () => {
  const waiting = new WaitingQuestion();
  assert.equal(waiting.keptWith("typed"), "typed");
  waiting.put("waits");
  assert.deepEqual([waiting.keptWith("typed"), waiting.keptWith("")], ["waits\ntyped", "waits"]);
  waiting.take();
  assert.equal(waiting.keptWith(""), "");
});
