/** Whatever the network does, the client ends with exactly the text and the sources that the server generated. */
import assert from "node:assert/strict";
import test from "node:test";

import { CicadaClient } from "../../clients/javascript/index.js";
import { FakeClock, FakeNetwork, seeded } from "./fakes.mjs";

/** The server's side of the promise: stores, then sends to where the request points; resume points, then replays. */
class LossyServer {
  log = new Map();
  text = "";
  sources = [];
  calm = false;

  constructor(random, clock, network) {
    Object.assign(this, { random, clock, network });
    network.onCommand = (socket, command) => this.later(() => this.handle(socket, command));
  }

  handle(socket, { action, requestId, afterSeq = 0 }) {
    if (!this.calm && this.random() < 0.15) return; // the command was lost
    if (action === "ping") return this.post(socket, { type: "pong" });
    this.pointer = socket;
    if (action === "sendMessage" && !this.requestId) return this.answer(requestId);
    for (const event of this.log.values()) if (event.seq > afterSeq) this.post(socket, event);
  }

  answer(requestId) {
    this.requestId = requestId;
    this.store({ type: "accepted", sessionId: "s" });
    const count = 1 + Math.floor(this.random() * 25);
    let time = 0;
    for (let index = 0; index < count; index++) this.clock.setTimeout(() => this.step(index), (time += this.random() * 800));
    this.clock.setTimeout(() => this.store({ type: "complete" }), time + 1);
  }

  step(index) {
    const kind = this.random();
    if (kind < 0.08) {
      [this.text, this.sources] = ["", []];
      this.store({ type: "reset", reason: "again" });
    } else if (kind < 0.2) {
      this.sources = [...this.sources, this.sources.length + 1];
      this.store({ type: "sources", sources: [{ n: this.sources.length }] });
    } else {
      this.text += `<${index}>`;
      this.store({ type: "chunk", content: `<${index}>` });
    }
  }

  store(event) {
    const stored = { requestId: this.requestId, seq: this.log.size + 1, ...event };
    this.log.set(stored.seq, stored);
    this.post(this.pointer, stored);
  }

  /** Late, out of order, twice or never. */
  post(socket, frame) {
    if (!this.calm && this.random() < 0.12) return;
    const copies = !this.calm && this.random() < 0.15 ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) this.later(() => socket.deliver(frame));
  }

  later(action) {
    this.clock.setTimeout(action, this.random() * (this.calm ? 5 : 1_500));
  }
}

async function play(seed) {
  const random = seeded(seed);
  const clock = new FakeClock();
  const network = new FakeNetwork();
  const server = new LossyServer(random, clock, network);
  const client = new CicadaClient({
    url: "ws://127.0.0.1:1/",
    token: async () => "t",
    WebSocket: network.WebSocket,
    clock,
    random,
    newId: () => "the-request",
  });
  client.connect();
  const request = client.ask({ message: "?" });
  for (let tick = 0; tick < 60; tick++) {
    await clock.advance(random() * 700);
    disturb(random, client, network);
  }
  server.calm = true;
  client.online();
  for (let tick = 0; tick < 120 && !request.outcome; tick++) {
    await clock.advance(1_000);
    if (network.last.readyState === 0) network.last.open();
  }
  return { server, request };
}

function disturb(random, client, network) {
  const chance = random();
  if (network.last?.readyState === 0) {
    if (chance < 0.7) network.last.open();
    else if (chance < 0.85) network.last.cut();
  } else if (chance < 0.05) network.last?.cut();
  else if (chance < 0.08) client.offline();
  else if (chance < 0.25) client.online();
}

test("the text is exact through losses, repeats, disorder, cut and dead connections", async () => {
  for (let seed = 1; seed <= 250; seed++) {
    const { server, request } = await play(seed);
    assert.equal(request.outcome, "complete", `seed ${seed}`);
    assert.equal(request.text, server.text, `seed ${seed}`);
    assert.deepEqual(request.sources.map(({ n }) => n), server.sources, `seed ${seed}`);
    assert.equal(request.assembly.lastSeq, server.log.size, `seed ${seed}`);
  }
});
