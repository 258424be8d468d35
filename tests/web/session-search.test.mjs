/** A search goes through all conversations page by page, and a link leads to each question. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { addressWith, turnIn } from "../../clients/web/conversation-address.js";
import { searchPages, together } from "../../clients/web/session-search.js";

const session = (sessionId, ...asked) => ({ sessionId, asked: asked.map((requestId) => ({ requestId })) });

/** The pages of a service by the place that each is asked for with, and the commands that it got. */
function service(pages) {
  const commands = [];
  const history = async (command) => {
    commands.push(command);
    return pages[command.before ?? ""];
  };
  return { history, commands };
}

async function all(pages) {
  const found = [];
  for await (const page of pages) found.push(page);
  return found;
}

test("a search goes on over pages without anything, to the end or until enough is found", async () => {
  const pages = { "": { sessions: [], before: "a" }, a: { sessions: [session("1", "q", "r"), { sessionId: "2" }], before: "b" }, b: { sessions: [session("3", "s")], before: null } };
  const whole = service(pages);
  assert.equal((await all(searchPages(whole.history, { search: "x", wanted: 20 }))).length, 3);
  assert.deepEqual(whole.commands.map(({ before, limit }) => [before, limit]), [[undefined, 20], ["a", 20], ["b", 17]]);
  const enough = service(pages);
  assert.equal((await all(searchPages(enough.history, { search: "x", before: "a", wanted: 3 }))).length, 1);
});

test("a conversation that comes again has the questions of both pages, and keeps its place", () => {
  const found = together([session("1", "d", "c"), session("2", "x")], [session("1", "b", "a"), session("3")]);
  assert.deepEqual(found.map(({ sessionId, asked }) => [sessionId, asked.map(({ requestId }) => requestId).join("")]), [["1", "dcba"], ["2", "x"], ["3", ""]]);
  assert.deepEqual(together([{ sessionId: "1" }], []), [{ sessionId: "1", asked: [] }]);
});

test("the address of a question in its conversation says which", () => {
  globalThis.location = new URL("http://127.0.0.1:1/?documents=shop#shared=x");
  const address = new URL(addressWith("s-1", { question: "r&1" }), location);
  assert.deepEqual([address.search, turnIn(address.hash)], ["?conversation=s-1", "r&1"]);
  assert.deepEqual([addressWith("s-1"), turnIn("#shared=x")], ["/?conversation=s-1", null]);
  delete globalThis.location;
});
