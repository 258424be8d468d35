/** A connection is replaced before its token expires; it says why there is none; and the user signs out everywhere. */
import assert from "node:assert/strict";
import test from "node:test";

import { CicadaClient, SignInNeededError } from "../../clients/javascript/index.js";
import { FakeClock, FakeNetwork, settled } from "./fakes.mjs";

const VALID = 600_000;

/** A connected client whose tokens are valid for ten minutes. Pings are answered. */
async function connected(token = async () => ({ token: "t", validMs: VALID })) {
  const clock = new FakeClock();
  const network = new FakeNetwork();
  network.onCommand = (socket, { action }) => action === "ping" && queueMicrotask(() => socket.deliver({ type: "pong" }));
  const client = new CicadaClient({ url: "ws://127.0.0.1:1/stage", token, WebSocket: network.WebSocket, clock, random: () => 1, newId: () => "r" });
  const states = [];
  client.addEventListener("connection", ({ detail }) => states.push(detail));
  client.connect();
  await settled();
  network.last.open();
  states.length = 0;
  return { client, clock, network, states };
}

const open = (network) => network.sockets.filter(({ readyState }) => readyState === 1);

test("a minute before the token expires a second connection takes over, and the state stays open", async () => {
  const { client, clock, network, states } = await connected();
  const request = client.ask({ message: "Who is there?" });
  network.last.deliver({ requestId: "r", seq: 1, type: "accepted", sessionId: "s" });
  const [first] = network.sockets;
  await clock.advance(VALID - 61_000);
  assert.equal(network.sockets.length, 1);
  await clock.advance(1_000);
  assert.equal(network.sockets.length, 2);
  first.deliver({ requestId: "r", seq: 2, type: "chunk", content: "Nay, " });
  network.last.open();
  assert.deepEqual([open(network), states], [[network.last], []]);
  const sent = network.last.sent.filter(({ action }) => action !== "ping");
  assert.deepEqual(sent.map(({ action, afterSeq }) => [action, afterSeq]), [["resume", 2]]);
  network.last.deliver({ requestId: "r", seq: 3, type: "chunk", content: "answer me." });
  network.last.deliver({ requestId: "r", seq: 4, type: "complete" });
  assert.deepEqual([request.text, request.outcome], ["Nay, answer me.", "complete"]);
});

test("a list that was asked for just before is asked for again on the second connection", async () => {
  const { client, clock, network } = await connected();
  await clock.advance(VALID - 60_000);
  const lists = client.history({});
  network.last.open();
  assert.equal(network.last.sent.filter(({ action }) => action === "history").length, 1);
  network.last.deliver({ type: "history", sessions: [], before: null });
  assert.deepEqual((await lists).sessions, []);
});

test("a second connection that fails is tried again, and the first goes on", async () => {
  const { client, clock, network, states } = await connected();
  await clock.advance(VALID - 60_000);
  network.last.onclose();
  await clock.advance(19_000);
  assert.equal(network.sockets.length, 2);
  await clock.advance(1_000);
  assert.equal(network.sockets.length, 3);
  await clock.advance(10_000);
  assert.equal(network.last.readyState, 3);
  assert.deepEqual([open(network), states, client.state], [[network.sockets[0]], [], "open"]);
});

test("the second connection is replaced in its turn, and lost like any other", async () => {
  const { client, clock, network } = await connected();
  for (const number of [2, 3]) {
    await clock.advance(VALID - 60_000);
    network.last.open();
    assert.equal(network.sockets.length, number);
  }
  network.last.onclose();
  assert.equal(client.state, "waiting");
});

test("a client that is closed or offline opens no second connection", async () => {
  for (const end of ["close", "offline"]) {
    const { client, clock, network } = await connected();
    await clock.advance(VALID - 60_000);
    client[end]();
    assert.deepEqual(network.sockets.map(({ readyState }) => readyState), [3, 3]);
    await clock.advance(VALID);
    assert.equal(network.sockets.length, 2);
  }
});

test("when the sign-in has ended meanwhile, the client stops", async () => {
  const tokens = [{ token: "t", validMs: VALID }];
  const { client, clock } = await connected(async () => tokens.shift() ?? Promise.reject(new SignInNeededError("Sign in.")));
  await clock.advance(VALID - 60_000);
  assert.equal(client.state, "signedOut");
});

test("a handshake that fails with a fresh token is called refused, until one succeeds", async () => {
  const { client, clock, network } = await connected();
  for (const trouble of [null, null, "refused", "refused"]) {
    network.last.onclose();
    assert.equal(client.trouble, trouble);
    await clock.advance(4_500);
  }
  network.last.open();
  assert.equal(client.trouble, null);
});

test("that no token can be got is said too, after some attempts", async () => {
  let works = true;
  const token = async () => (works ? "t" : Promise.reject(new Error("the network")));
  const { client, clock, network } = await connected(token);
  works = false;
  network.last.onclose();
  assert.equal(client.trouble, null);
  await clock.advance(30_000);
  assert.equal(client.trouble, "noToken");
});

// ---- signing out everywhere ----

test("signing out everywhere is done when the server has ended the connection", async () => {
  const { client, network, states } = await connected();
  const done = client.signOutEverywhere();
  assert.equal(network.commands.at(-1).action, "signOutEverywhere");
  network.last.deliver({ type: "error", code: "signed_out", error: "You were signed out.", retryable: false });
  await done;
  assert.deepEqual([client.state, client.signedOut, states], ["signedOut", true, ["signedOut"]]);
});

test("a sign-out elsewhere ends the client too", async () => {
  const { client, network } = await connected();
  network.last.deliver({ type: "error", code: "signed_out", error: "You were signed out.", retryable: false });
  assert.deepEqual([client.state, client.signedOut], ["signedOut", true]);
});

test("signing out everywhere that failed, or may have, is said", async () => {
  const { client, clock, network } = await connected();
  const refused = client.signOutEverywhere();
  network.last.deliver({ type: "error", code: "internal", error: "Try again.", retryable: true });
  await assert.rejects(refused, { message: "Try again.", code: "internal" });
  const silent = assert.rejects(client.signOutEverywhere(), /may still be signed in elsewhere/);
  await clock.advance(10_000);
  await silent;
  network.last.onclose();
  await assert.rejects(client.signOutEverywhere(), /no connection/);
  assert.equal(client.signedOut, false);
});

test("a session that ends by itself is no sign-out", async () => {
  const { client, clock, network } = await connected(async ({ fresh }) => (fresh ? Promise.reject(new SignInNeededError("Sign in.")) : "t"));
  network.last.deliver({ type: "error", code: "token_expired", error: "Expired.", retryable: true });
  await clock.advance(1_000);
  assert.deepEqual([client.state, client.signedOut], ["signedOut", false]);
});

test("a closed client keeps no request, and no timer of one", async () => {
  const { client, clock, network } = await connected();
  const request = client.ask({ message: "Who is there?" });
  client.close();
  await clock.advance(VALID);
  assert.deepEqual([network.sockets.length, clock.pending], [1, 0]);
  assert.notEqual(client.follow("r"), request);
});
