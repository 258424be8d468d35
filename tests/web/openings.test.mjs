/** Opening documents: each page reaches who asked for it, also over a lost connection; a refusal is an error. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { hashWithout, sharedIn } from "../../clients/web/conversation-address.js";
import { addressOf, FIELDS, referenceIn } from "../../clients/web/document-link.js";
import { CicadaClient, TIMINGS } from "../../clients/javascript/index.js";
import { FakeClock, FakeNetwork, settled } from "./fakes.mjs";

const PLACE = { knowledgeBase: "scripts", documentId: "macbeth.json" };

async function connected() {
  const clock = new FakeClock();
  const network = new FakeNetwork();
  const client = new CicadaClient({ url: "ws://127.0.0.1:1/stage", token: async () => "t", WebSocket: network.WebSocket, clock, random: () => 0 });
  client.connect();
  await settled();
  network.last.open();
  return { client, clock, network };
}

const openings = (network) => network.commands.filter(({ action }) => action === "openDocument");

test("pages that come in another order reach those who asked for them", async () => {
  const { client, network } = await connected();
  const pages = [client.openDocument({ ...PLACE, page: 1 }), client.openDocument({ ...PLACE, page: 2, passage: "9@v1" })];
  const [first, second] = openings(network);
  assert.deepEqual([first.page, second.page, second.passage], [1, 2, "9@v1"]);
  for (const { requestId, page } of [second, first]) network.last.deliver({ type: "document", requestId, page });
  assert.deepEqual((await Promise.all(pages)).map(({ page }) => page), [1, 2]);
});

test("a page is asked for again by the same command after a lost connection", async () => {
  const { client, clock, network } = await connected();
  const page = client.openDocument(PLACE);
  network.last.cut();
  await clock.advance(1000);
  network.last.open();
  const [before, after] = openings(network);
  assert.deepEqual(after, before);
  network.last.deliver({ type: "document", requestId: after.requestId, page: 1 });
  assert.equal((await page).page, 1);
});

test("a refusal is an error of who was refused", async () => {
  const { client, network } = await connected();
  const refused = assert.rejects(client.openDocument(PLACE), { code: "document_not_found", message: "Gone.", retryable: false });
  const [{ requestId }] = openings(network);
  network.last.deliver({ type: "error", requestId, code: "document_not_found", error: "Gone.", retryable: false });
  await refused;
});

test("a page that does not come, and a client that is closed, are errors too", async () => {
  const { client, clock } = await connected();
  const late = assert.rejects(client.openDocument(PLACE), { code: "timeout", retryable: true });
  await clock.advance(TIMINGS.document);
  await late;
  const closed = assert.rejects(client.openDocument(PLACE), { message: "The connection was closed." });
  client.close();
  await closed;
});

test("two ratings of one answer are sent one after the other, and each gets its own reply", async () => {
  const { client, network } = await connected();
  const ratings = () => network.commands.filter(({ action }) => action === "feedback").map(({ rating }) => rating);
  const [good, bad] = ["good", "bad"].map((rating) => client.rate({ requestId: "r1", rating }));
  assert.deepEqual(ratings(), ["good"]);
  network.last.deliver({ type: "feedback", requestId: "r1", rating: "good" });
  assert.equal((await good).rating, "good");
  assert.deepEqual(ratings(), ["good", "bad"]);
  network.last.deliver({ type: "feedback", requestId: "r1", rating: "bad" });
  assert.equal((await bad).rating, "bad");
});

test("an address opens a document unless it is longer than any id", () => {
  const reference = { knowledgeBase: "store", documentId: "a b.md", passage: "3@v1" };
  assert.deepEqual(referenceIn(addressOf(reference)), reference);
  assert.equal(referenceIn(addressOf({ ...reference, documentId: "a".repeat(1025) })), null);
  assert.equal(referenceIn("#"), null);
});

test("an address opens a document beside a conversation that somebody shares, and each goes without the other", () => {
  const reference = { knowledgeBase: "store", documentId: "a b.md", passage: "3@v1" };
  const both = addressOf({ ...reference, shared: "2kXr0jP9" });
  assert.deepEqual([referenceIn(both), sharedIn(both)], [reference, "2kXr0jP9"]);
  assert.equal(hashWithout(both, FIELDS), "#shared=2kXr0jP9");
  assert.equal(hashWithout(both, ["shared"]), addressOf(reference));
  assert.equal(hashWithout("#shared=2kXr0jP9", ["shared"]), "");
  assert.deepEqual([sharedIn(""), sharedIn("#shared="), sharedIn(`#shared=${"a".repeat(5000)}`)], [null, null, "a".repeat(128)]);
});
