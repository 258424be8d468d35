import assert from "node:assert/strict";
import test from "node:test";

import { CicadaClient, SENTENCES, SignInNeededError, TIMINGS } from "../../clients/javascript/index.js";
import { FakeClock, FakeNetwork, settled } from "./fakes.mjs";

function setUp(options = {}) {
  const clock = new FakeClock();
  const network = new FakeNetwork();
  const tokens = [];
  const client = new CicadaClient({
    url: "ws://127.0.0.1:1/stage",
    token: async ({ fresh }) => {
      tokens.push(fresh);
      return `token-${tokens.length}`;
    },
    WebSocket: network.WebSocket,
    clock,
    random: () => 1,
    newId: () => `request-${(setUp.ids = (setUp.ids ?? 0) + 1)}`,
    ...options,
  });
  return { client, clock, network, tokens };
}

async function connected(options) {
  const all = setUp(options);
  all.client.connect();
  await settled();
  all.network.last.open();
  return all;
}

/** A request that has been accepted, with the socket it came over. */
async function asking(options) {
  const all = await connected(options);
  const request = all.client.ask({ message: "Who is there?" });
  const event = (seq, fields) => ({ requestId: request.requestId, seq, ...fields });
  all.network.last.deliver(event(1, { type: "accepted", sessionId: "s" }));
  return { ...all, request, event };
}

const sentBy = (network, action) => network.commands.filter((command) => command.action === action);

test("a question is sent and its answer arrives", async () => {
  const { client, network, request, event } = await asking();
  const changes = [];
  client.addEventListener("request", ({ detail }) => changes.push(detail.text));
  assert.equal(sentBy(network, "sendMessage")[0].message, "Who is there?");
  network.last.deliver(event(2, { type: "status", stage: "answering" }));
  network.last.deliver(event(3, { type: "chunk", content: "Nay, answer me." }));
  network.last.deliver(event(4, { type: "complete" }));
  assert.equal(request.text, "Nay, answer me.");
  assert.equal(request.stage, "answering");
  assert.equal(request.outcome, "complete");
  assert.equal(request.sessionId, "s");
  assert.equal(changes.at(-1), "Nay, answer me.");
});

test("only a question that begins a session names the page's knowledge base", async () => {
  const { client, network } = await asking({ knowledgeBase: "shop" });
  client.ask({ message: "And then?", sessionId: "s" });
  client.ask({ message: "And elsewhere?", sessionId: "s", knowledgeBase: "contracts" });
  const named = sentBy(network, "sendMessage").map(({ knowledgeBase }) => knowledgeBase);
  assert.deepEqual(named, ["shop", undefined, "contracts"]);
});

test("the token goes into the query string, or into the subprotocol", async () => {
  const query = await connected({ tokenIn: "query" });
  assert.equal(query.network.last.url, "ws://127.0.0.1:1/stage?token=token-1");
  assert.equal(query.network.last.protocols, undefined);
  const subprotocol = await connected({ tokenIn: "subprotocol" });
  assert.equal(subprotocol.network.last.url, "ws://127.0.0.1:1/stage");
  assert.deepEqual(subprotocol.network.last.protocols, ["cicada.v1", "token-1"]);
});

test("a question asked before the connection stands is sent when it does", async () => {
  const { client, network } = setUp();
  client.ask({ message: "Who is there?" });
  client.connect();
  await settled();
  assert.equal(network.commands.length, 0);
  network.last.open();
  assert.equal(sentBy(network, "sendMessage").length, 1);
});

test("after a lost connection the answer is resumed where it broke off", async () => {
  const { clock, network, request, event } = await asking();
  network.last.deliver(event(2, { type: "chunk", content: "Nay, " }));
  network.last.cut();
  await clock.advance(500);
  network.last.open();
  assert.deepEqual(network.last.sent, [{ action: "resume", requestId: request.requestId, afterSeq: 2 }]);
  network.last.deliver(event(2, { type: "chunk", content: "Nay, " }));
  network.last.deliver(event(3, { type: "chunk", content: "answer me." }));
  assert.equal(request.text, "Nay, answer me.");
});

test("a question that was never accepted is sent again under the same id", async () => {
  const { client, clock, network } = await connected();
  const { requestId } = client.ask({ message: "Who is there?" });
  network.last.cut();
  await clock.advance(500);
  network.last.open();
  assert.equal(network.last.sent[0].action, "sendMessage");
  assert.equal(network.last.sent[0].requestId, requestId);
});

test("a question that stays unaccepted on a living connection is sent again, ever more rarely", async () => {
  const { client, clock, network } = await connected();
  client.ask({ message: "Who is there?" });
  let sent = 1;
  for (const wait of [8_000, 16_000, 32_000, 60_000, 60_000]) {
    for (let left = wait - 1; left > 0; left -= 4_000) {
      await clock.advance(Math.min(4_000, left));
      network.last.deliver({ type: "pong" });
    }
    assert.equal(sentBy(network, "sendMessage").length, sent);
    await clock.advance(1);
    assert.equal(sentBy(network, "sendMessage").length, ++sent);
  }
});

test("the time between attempts to connect doubles up to a limit, and a frame resets it", async () => {
  const { client, clock, network } = setUp();
  client.connect();
  const waits = [];
  for (let attempt = 0; attempt < 8; attempt++) {
    await settled();
    const count = network.sockets.length;
    network.last.cut();
    let waited = 0;
    for (; network.sockets.length === count; waited += 250) await clock.advance(250);
    waits.push(waited);
  }
  assert.deepEqual(waits, [500, 1000, 2000, 4000, 8000, 16000, 30000, 30000]);
  network.last.open();
  network.last.deliver({ type: "pong" });
  network.last.cut();
  const count = network.sockets.length;
  await clock.advance(500);
  assert.equal(network.sockets.length, count + 1);
});

test("the wait before an attempt is drawn at random", async () => {
  const { client, clock, network } = setUp({ random: () => 0.5 });
  client.connect();
  await settled();
  network.last.cut();
  await clock.advance(249);
  assert.equal(network.sockets.length, 1);
  await clock.advance(1);
  assert.equal(network.sockets.length, 2);
});

test("a gap that stays is resumed after a second, though later events keep coming", async () => {
  const { clock, network, request, event } = await asking();
  network.last.deliver(event(3, { type: "chunk", content: "b" }));
  for (let seq = 4; seq < 8; seq++) {
    await clock.advance(240);
    network.last.deliver(event(seq, { type: "chunk", content: "." }));
  }
  assert.equal(sentBy(network, "resume").length, 0);
  await clock.advance(40);
  assert.deepEqual(sentBy(network, "resume"), [{ action: "resume", requestId: request.requestId, afterSeq: 1 }]);
});

test("a gap that closes is not resumed", async () => {
  const { clock, network, event } = await asking();
  network.last.deliver(event(3, { type: "chunk", content: "b" }));
  await clock.advance(900);
  network.last.deliver(event(2, { type: "chunk", content: "a" }));
  await clock.advance(5_000);
  assert.equal(sentBy(network, "resume").length, 0);
});

test("a silent answer is resumed after twenty seconds", async () => {
  const { clock, network } = await asking();
  await clock.advance(9_999);
  assert.equal(sentBy(network, "resume").length, 0);
  await clock.advance(1);
  assert.equal(sentBy(network, "resume").length, 1);
});

test("an answer that has ended is left alone", async () => {
  const { clock, network, event } = await asking();
  network.last.deliver(event(2, { type: "complete" }));
  await clock.advance(120_000);
  network.last.cut();
  await clock.advance(1_000);
  network.last.open();
  assert.equal(sentBy(network, "resume").length, 0);
});

test("a connection that answers no ping is given up", async () => {
  const { clock, network } = await asking();
  await clock.advance(10_000);
  assert.equal(sentBy(network, "ping").length, 1);
  await clock.advance(10_000);
  await clock.advance(500);
  assert.equal(network.sockets.length, 2);
});

test("an idle connection is pinged every five minutes", async () => {
  const { clock, network } = await connected();
  for (let minutes = 0; minutes < 15; minutes += 5) {
    await clock.advance(300_000);
    network.last.deliver({ type: "pong" });
  }
  assert.equal(sentBy(network, "ping").length, 3);
  assert.equal(network.sockets.length, 1);
});

test("a connection that does not open in time is given up", async () => {
  const { client, clock, network } = setUp();
  client.connect();
  await clock.advance(10_000);
  await clock.advance(500);
  assert.equal(network.sockets.length, 2);
});

test("offline drops the connection and tries nothing; online goes on at once", async () => {
  const { client, clock, network, request } = await asking();
  client.offline();
  assert.equal(client.state, "offline");
  await clock.advance(600_000);
  assert.equal(network.sockets.length, 1);
  client.online();
  await settled();
  network.last.open();
  assert.deepEqual(network.last.sent, [{ action: "resume", requestId: request.requestId, afterSeq: 1 }]);
});

test("who is offline when the token comes does not connect", async () => {
  let give;
  const { client, network } = setUp({ token: () => new Promise((resolve) => (give = resolve)) });
  client.connect();
  await settled();
  client.offline();
  give("t");
  await settled();
  assert.equal(network.sockets.length, 0);
  assert.equal(client.state, "offline");
});

test("who starts offline connects when the network comes", async () => {
  const { client, network } = setUp();
  client.offline();
  client.connect();
  await settled();
  assert.equal(network.sockets.length, 0);
  client.online();
  await settled();
  assert.equal(network.sockets.length, 1);
});

test("the late close of an abandoned connection does not touch the next one", async () => {
  const { client, network } = await asking();
  const first = network.last;
  client.offline();
  client.online();
  await settled();
  network.last.open();
  first.onclose?.({ code: 1006 });
  assert.equal(client.state, "open");
});

test("online cuts a long wait short", async () => {
  const { client, network } = setUp();
  client.connect();
  await settled();
  network.last.cut();
  assert.equal(client.state, "waiting");
  client.online();
  await settled();
  assert.equal(network.sockets.length, 2);
});

test("an expired token leads to a new connection with a fresh one, and the question is sent again", async () => {
  const { client, clock, network, tokens } = await connected();
  const request = client.ask({ message: "Who is there?" });
  network.last.deliver({ type: "error", requestId: request.requestId, code: "token_expired", error: "Expired.", retryable: true });
  assert.equal(request.outcome, null);
  await clock.advance(500);
  network.last.open();
  assert.deepEqual(tokens, [false, true]);
  assert.equal(network.last.sent[0].requestId, request.requestId);
});

test("the fresh token is used again, not renewed at each loss", async () => {
  const { clock, network, request, tokens } = await asking();
  network.last.deliver({ type: "error", requestId: request.requestId, code: "token_expired", error: "Expired.", retryable: true });
  await clock.advance(500);
  network.last.open();
  network.last.deliver({ type: "pong" });
  network.last.cut();
  await clock.advance(500);
  assert.deepEqual(tokens, [false, true, false]);
});

test("tokens that expire at once do not make the client hammer the server", async () => {
  const { client, clock, network } = await connected();
  const { requestId } = client.ask({ message: "Who is there?" });
  network.onCommand = (socket) => socket.deliver({ type: "error", requestId, code: "token_expired", error: "Expired.", retryable: true });
  network.last.deliver({ type: "error", requestId, code: "token_expired", error: "Expired.", retryable: true });
  for (let second = 0; second < 60; second++) {
    await clock.advance(1_000);
    if (network.last.readyState === 0) network.last.open();
  }
  assert.ok(network.sockets.length <= 8, `${network.sockets.length} connections in a minute`);
});

test("after two failed handshakes a fresh token is tried, once", async () => {
  const { client, clock, network, tokens } = setUp();
  client.connect();
  for (let attempt = 0; attempt < 5; attempt++) {
    await settled();
    network.last.cut();
    await clock.advance(30_000);
  }
  assert.deepEqual(tokens.slice(0, 5), [false, false, true, false, false]);
});

test("when only the user can help, the client stops and says so", async () => {
  const states = [];
  const { client, clock, network } = setUp({
    token: async () => {
      throw new SignInNeededError("Sign in again.");
    },
  });
  client.addEventListener("connection", ({ detail }) => states.push(detail));
  client.connect();
  await clock.advance(60_000);
  assert.deepEqual(states, ["connecting", "signedOut"]);
  assert.equal(network.sockets.length, 0);
});

test("a token provider that fails for now is asked again", async () => {
  let calls = 0;
  const { client, clock, network } = setUp({
    token: async () => {
      if (++calls < 3) throw new TypeError("network");
      return "t";
    },
  });
  client.connect();
  await clock.advance(2_000);
  assert.equal(calls, 3);
  assert.equal(network.sockets.length, 1);
});

test("cancel is sent, and the server has the last word", async () => {
  const { client, network, request, event } = await asking();
  client.cancel(request.requestId);
  assert.ok(request.cancelling);
  assert.equal(request.outcome, null);
  assert.equal(sentBy(network, "cancel").length, 1);
  network.last.deliver(event(2, { type: "cancelled" }));
  assert.equal(request.outcome, "cancelled");
});

test("cancel before the question is accepted waits for that, lest it overtake the question", async () => {
  const { client, network } = await connected();
  const request = client.ask({ message: "Who is there?" });
  client.cancel(request.requestId);
  assert.equal(sentBy(network, "cancel").length, 0);
  network.last.deliver({ type: "accepted", requestId: request.requestId, seq: 1, sessionId: "s" });
  assert.equal(sentBy(network, "cancel").length, 1);
});

test("an answer of an earlier visit can be cancelled before its events have come", async () => {
  const { client, network } = await connected();
  client.follow("old");
  client.cancel("old");
  assert.deepEqual(sentBy(network, "cancel"), [{ action: "cancel", requestId: "old" }]);
});

test("cancel without a connection is sent when there is one", async () => {
  const { client, clock, network, request } = await asking();
  network.last.cut();
  client.cancel(request.requestId);
  await clock.advance(500);
  network.last.open();
  assert.deepEqual(network.last.sent.map(({ action }) => action), ["resume", "cancel"]);
});

test("a question that was never sent is withdrawn here", () => {
  const { client, network } = setUp();
  const request = client.ask({ message: "Who is there?" });
  client.cancel(request.requestId);
  assert.equal(request.outcome, "cancelled");
  assert.equal(network.commands.length, 0);
});

test("a refused question ends with the server's sentence and can be tried again under its id", async () => {
  const { client, network } = await connected();
  const request = client.ask({ message: "Who is there?" });
  const refusal = { type: "error", requestId: request.requestId, code: "rate_limited", error: "Wait.", retryable: true };
  network.last.deliver(refusal);
  assert.equal(request.outcome, "error");
  assert.equal(request.failure.error, "Wait.");
  client.retry(request.requestId);
  assert.equal(request.outcome, null);
  assert.equal(sentBy(network, "sendMessage").filter(({ requestId }) => requestId === request.requestId).length, 2);
});

test("a resume that fails for now does not end the answer", async () => {
  const { clock, network, request } = await asking();
  await clock.advance(10_000);
  network.last.deliver({ type: "pong" });
  network.last.deliver({ type: "error", requestId: request.requestId, code: "dependency_throttled", error: "Busy.", retryable: true });
  assert.equal(request.outcome, null);
  await clock.advance(10_000);
  assert.equal(sentBy(network, "resume").length, 2);
});

test("a resume that is refused for its rate is not repeated before the server wants it", async () => {
  const { clock, network, request } = await asking();
  await clock.advance(10_000);
  network.last.deliver({ type: "pong" });
  const refusal = { type: "error", requestId: request.requestId, code: "rate_limited", error: "Wait.", retryable: true };
  network.last.deliver({ ...refusal, retryAfterSeconds: 30 });
  await clock.advance(29_000);
  assert.equal(sentBy(network, "resume").length, 1);
  await clock.advance(1_000);
  assert.equal(sentBy(network, "resume").length, 2);
});

test("a client whose connection was closed for a newer one connects again only for its user", async () => {
  const { client, clock, network, request } = await asking();
  const reason = "You have more than 10 connections open; this one was closed for a newer one.";
  network.last.deliver({ type: "error", code: "too_many_connections", error: reason, retryable: false });
  assert.equal(client.state, "idle");
  assert.equal(request.failure.error, reason);
  await clock.advance(600_000);
  assert.equal(client.state, "idle");
  client.retry(request.requestId);
  assert.equal(client.state, "connecting");
});

test("the server says when to resume again, unless news come before", async () => {
  const { clock, network, request, event } = await asking();
  const pending = (retryAfterSeconds) => network.last.deliver({ type: "pending", requestId: request.requestId, retryAfterSeconds });
  const resumed = () => sentBy(network, "resume").length;
  await clock.advance(10_000);
  network.last.deliver({ type: "pong" });
  pending(12.5);
  await clock.advance(12_499);
  assert.equal(resumed(), 1);
  await clock.advance(1);
  assert.equal(resumed(), 2);
  network.last.deliver({ type: "pong" });
  pending(3);
  network.last.deliver(event(2, { type: "chunk", content: "a" }));
  await clock.advance(9_999);
  assert.equal(resumed(), 2);
  await clock.advance(1);
  assert.equal(resumed(), 3);
});

test("a gap is not waited for as long as the server says, and a reply without a time changes nothing", async () => {
  const { clock, network, request, event } = await asking();
  const pending = (retryAfterSeconds) => network.last.deliver({ type: "pending", requestId: request.requestId, retryAfterSeconds });
  for (const wait of [undefined, "soon", -1, 1e300]) pending(wait);
  network.last.deliver(event(3, { type: "chunk", content: "c" }));
  pending(15);
  await clock.advance(1_000);
  assert.equal(sentBy(network, "resume").length, 1);
});

test("a request that the server does not know any more ends with its sentence", async () => {
  const { client, network } = await connected();
  const request = client.follow("old");
  assert.deepEqual(network.last.sent, [{ action: "resume", requestId: "old", afterSeq: 0 }]);
  network.last.deliver({ type: "error", requestId: "old", code: "request_not_found", error: "Gone.", retryable: false });
  assert.equal(request.failure.error, "Gone.");
});

test("frames of other requests and frames that are none disturb nothing", async () => {
  const { network, request } = await asking();
  for (const frame of [{ requestId: "other", seq: 2, type: "chunk", content: "x" }, "not json", "null", "7", "[]", { message: "Internal server error" }]) {
    network.last.deliver(frame);
  }
  assert.equal(request.text, "");
  assert.equal(request.outcome, null);
});

test("lists are asked for one at a time and each goes to who asked for it", async () => {
  const { client, network } = await connected();
  const sessions = client.history({ limit: 5 });
  const turns = client.history({ sessionId: "s" });
  assert.equal(sentBy(network, "history").length, 1);
  network.last.deliver({ type: "history", sessionId: null, sessions: [{ sessionId: "s" }], turns: [], before: null });
  assert.equal((await sessions).sessions[0].sessionId, "s");
  network.last.deliver({ type: "history", sessionId: "s", sessions: [], turns: [{ requestId: "r" }], before: null });
  assert.equal((await turns).turns[0].requestId, "r");
});

test("a list that comes too late is not taken for the next one", async () => {
  const { client, clock, network } = await connected();
  await Promise.all([assert.rejects(client.history({ sessionId: "a" })), clock.advance(10_000)]);
  const page = client.history({ sessionId: "b" });
  network.last.deliver({ type: "history", sessionId: "a", turns: [{ requestId: "of a" }] });
  network.last.deliver({ type: "history", sessionId: "b", turns: [{ requestId: "of b" }] });
  assert.equal((await page).turns[0].requestId, "of b");
});

test("a list is asked for again after a lost connection", async () => {
  const { client, clock, network } = await connected();
  const page = client.history();
  network.last.cut();
  await clock.advance(500);
  network.last.open();
  assert.equal(network.last.sent[0].action, "history");
  network.last.deliver({ type: "history", sessions: [], turns: [] });
  assert.deepEqual((await page).sessions, []);
});

test("a list that is refused or does not come is a failure, never an empty list", async () => {
  const { client, clock, network } = await connected();
  const refused = assert.rejects(client.history(), { code: "dependency_failed", retryable: true, message: "Busy." });
  network.last.deliver({ type: "error", code: "dependency_failed", error: "Busy.", retryable: true });
  await refused;
  const late = assert.rejects(client.history(), { code: "timeout" });
  await clock.advance(10_000);
  await late;
});

test("close ends the connection for good", async () => {
  const { client, clock, network } = await asking();
  client.close();
  await clock.advance(600_000);
  assert.equal(network.sockets.length, 1);
  assert.equal(client.state, "idle");
});

/** A request of one client and the same as another client of the user overhears it. */
async function overheard() {
  const [one, other] = [await connected(), await connected()];
  one.client.addEventListener("event", ({ detail }) => other.client.hear(detail));
  const { requestId } = one.client.ask({ message: "Who is there?" });
  const heard = other.client.overhear(requestId);
  const event = (seq, fields) => one.network.last.deliver({ requestId, seq, ...fields });
  event(1, { type: "accepted", sessionId: "s" });
  return { heard, event, other };
}

test("what one client receives another one hears, without asking the server", async () => {
  const { heard, event, other } = await overheard();
  event(2, { type: "chunk", content: "Nay, " });
  event(3, { type: "chunk", content: "answer me." });
  assert.deepEqual([heard.text, heard.sessionId, heard.outcome], ["Nay, answer me.", "s", null]);
  event(4, { type: "complete" });
  await other.clock.advance(60_000);
  assert.deepEqual([heard.outcome, sentBy(other.network, "resume")], ["complete", []]);
});

test("a request that is overheard is resumed when nothing is heard of it any more", async () => {
  const { heard, event, other } = await overheard();
  event(2, { type: "chunk", content: "Nay, " });
  await other.clock.advance(TIMINGS.silence);
  assert.deepEqual(sentBy(other.network, "resume").map(({ afterSeq }) => afterSeq), [2]);
  other.network.last.deliver({ requestId: heard.requestId, seq: 3, type: "complete" });
  assert.equal(heard.outcome, "complete");
});

test("a client that is asked for another language says its sentences in it", async () => {
  const { client } = setUp({ sentences: { ...SENTENCES, unconnected: "Keine Verbindung." } });
  await assert.rejects(client.signOutEverywhere(), { message: "Keine Verbindung." });
});
