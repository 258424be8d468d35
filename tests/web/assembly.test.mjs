import assert from "node:assert/strict";
import test from "node:test";

import { Assembly } from "../../clients/javascript/index.js";
import { seeded } from "./fakes.mjs";

const source = (n, title = `Passage ${n}`) => ({ n, title, documentId: "d", locator: {}, excerpt: "", relevance: 0.5 });
const chunk = (seq, content) => ({ type: "chunk", seq, content });

test("events in order add up to the text", () => {
  const assembly = new Assembly();
  assembly.take({ type: "accepted", seq: 1, sessionId: "s" });
  assembly.take(chunk(2, "The queen, "));
  assembly.take(chunk(3, "my lord, is dead."));
  assembly.take({ type: "complete", seq: 4, path: [], timings: {}, usage: {}, confidence: null });
  assert.equal(assembly.text, "The queen, my lord, is dead.");
  assert.equal(assembly.sessionId, "s");
  assert.equal(assembly.end.type, "complete");
});

test("an event counts once, and only when all before it have come", () => {
  const assembly = new Assembly();
  assert.equal(assembly.take(chunk(2, "b")), false);
  assert.equal(assembly.text, "");
  assert.ok(assembly.gap);
  assert.equal(assembly.take(chunk(1, "a")), true);
  assert.equal(assembly.text, "ab");
  assert.ok(!assembly.gap);
  assert.equal(assembly.take(chunk(1, "a")), false);
  assert.equal(assembly.take(chunk(2, "other")), false);
  assert.equal(assembly.text, "ab");
});

test("a reset discards the text and the sources so far", () => {
  const assembly = new Assembly();
  assembly.take({ type: "sources", seq: 1, sources: [source(1)] });
  assembly.take(chunk(2, "half an ans"));
  assembly.take({ type: "reset", seq: 3, reason: "The stream broke off." });
  assert.deepEqual([assembly.text, assembly.sources], ["", []]);
  assert.equal(assembly.resetReason, "The stream broke off.");
  assembly.take(chunk(4, "whole"));
  assert.equal(assembly.text, "whole");
});

test("sources that come in several events are one list", () => {
  const assembly = new Assembly();
  assembly.take({ type: "sources", seq: 1, sources: [source(1), source(2)] });
  assembly.take({ type: "sources", seq: 2, sources: [source(3)] });
  assert.deepEqual(assembly.sources.map(({ n }) => n), [1, 2, 3]);
});

test("listings that come in several events are one, and a reset discards it", () => {
  const assembly = new Assembly();
  const page = { type: "listing", total: 57, offset: 20, nextOffset: 23 };
  const aggregates = [{ op: "sum", name: "Value, sum", figure: { value: "7", number: 7 }, documents: 2, field: "value" }];
  const groups = [{ values: ["draft"], documents: 7, figures: [{ value: "7", number: 7 }] }];
  const numbers = { columns: ["Status"], aggregates, groupedBy: ["Status"], groups, groupCount: 1 };
  assert.equal(assembly.listing, null);
  assembly.take({ ...page, seq: 1, documents: [{ documentId: "wrong" }] });
  assembly.take({ type: "reset", seq: 2, reason: "The stream broke off." });
  assert.equal(assembly.listing, null);
  assembly.take({ ...page, seq: 3, documents: [{ documentId: "a" }, { documentId: "b" }], ...numbers });
  assembly.take({ ...page, seq: 4, documents: [{ documentId: "c" }] });
  const documents = [{ documentId: "a" }, { documentId: "b" }, { documentId: "c" }];
  assert.deepEqual(assembly.listing, { total: 57, documents, offset: 20, nextOffset: 23, ...numbers });
});

test("counts of an earlier server are groups", () => {
  const assembly = new Assembly();
  const counts = [{ value: "draft", count: 7 }];
  assembly.take({ type: "listing", seq: 1, total: 7, offset: 0, nextOffset: null, documents: [], countedBy: "Status", counts });
  const { groupedBy, groups, groupCount } = assembly.listing;
  assert.deepEqual(groupedBy, ["Status"]);
  assert.deepEqual([groups, groupCount], [[{ values: ["draft"], documents: 7, figures: [] }], 1]);
});

test("nothing counts after the end", () => {
  const assembly = new Assembly();
  assembly.take(chunk(3, "late"));
  assembly.take({ type: "cancelled", seq: 2 });
  assembly.take({ type: "accepted", seq: 1, sessionId: "s" });
  assert.equal(assembly.text, "");
  assert.equal(assembly.end.type, "cancelled");
  assert.ok(!assembly.gap);
});

test("an event of a later protocol holds up nothing", () => {
  const assembly = new Assembly();
  assembly.take({ type: "applause", seq: 1 });
  assembly.take(chunk(2, "a"));
  assert.equal(assembly.text, "a");
});

test("a number that is none is ignored", () => {
  const assembly = new Assembly();
  for (const seq of [0, -1, 1.5, "1", null, Number.NaN]) assert.equal(assembly.take({ type: "chunk", seq, content: "x" }), false);
  assert.equal(assembly.text, "");
  assert.ok(!assembly.gap);
});

test("any order with any repeats gives the same answer", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = seeded(seed);
    const events = Array.from({ length: 1 + Math.floor(random() * 30) }, (_, index) =>
      random() < 0.1 ? { type: "reset", seq: index + 1, reason: "again" } : chunk(index + 1, `<${index}>`),
    );
    const inOrder = new Assembly();
    for (const event of events) inOrder.take(event);
    const disturbed = new Assembly();
    const deliveries = [...events, ...events.filter(() => random() < 0.4)];
    for (const event of deliveries.map((event) => [random(), event]).sort((a, b) => a[0] - b[0])) disturbed.take(event[1]);
    assert.equal(disturbed.text, inOrder.text, `seed ${seed}`);
    assert.equal(disturbed.lastSeq, events.length, `seed ${seed}`);
  }
});
