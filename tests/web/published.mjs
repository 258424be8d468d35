/**
 * What the web client makes of frames, and which commands it sends, for the test that compares both with the published
 * schemas. Reads `{frames, commands}` from standard input; writes `{read, sent}`, an entry for each.
 */
import { CicadaClient } from "../../clients/javascript/index.js";
import { FakeClock, FakeNetwork, settled } from "./fakes.mjs";

const RECONNECT = 30_000;

async function connected(options = {}) {
  const clock = new FakeClock();
  const network = new FakeNetwork();
  answerPings(network, { type: "pong" });
  const client = new CicadaClient({ url: "ws://127.0.0.1:1/stage", token: async () => "t", WebSocket: network.WebSocket, clock, random: () => 1, ...options });
  client.connect();
  await settled();
  network.last.open();
  return { client, clock, network };
}

/** Not before the client has gone on to wait for it. */
function answerPings(network, pong, noted = () => {}) {
  network.onCommand = (socket, command) => {
    noted(command);
    if (command.action === "ping") queueMicrotask(() => socket.deliver(pong));
  };
}

// ---- frames ----

const NO_NUMBERS = { columns: null, aggregates: null, groupedBy: null, groups: null, groupCount: null };
const LISTING = { total: 1, documents: [{ documentId: "0" }], offset: 0, nextOffset: 1, ...NO_NUMBERS };

/** An event behind all that come before it, of an answer that has a text, a source and a listed document already. */
async function readEvent(frame) {
  const { client, network } = await connected();
  const request = client.ask({ message: "Who is there?", requestId: frame.requestId });
  const { assembly } = request;
  Object.assign(assembly, { lastSeq: frame.seq - 1, text: "before", sources: [{ n: 0 }], listing: LISTING });
  network.last.deliver(frame);
  const { text, sources, listing, sessionId, stage, outcome, failure } = request;
  const { lastSeq, detail, resetReason } = assembly;
  return { lastSeq, text, sources, listing, sessionId, stage, detail, resetReason, outcome, failure };
}

async function readPage(frame) {
  const { client, network } = await connected();
  const page = client.history({ sessionId: frame.sessionId });
  network.last.deliver(frame);
  return page;
}

/** The milliseconds after which the client resumes. */
async function readPending(frame) {
  const { client, clock, network } = await connected();
  client.follow(frame.requestId);
  let resumedAt = null;
  answerPings(network, { type: "pong" }, ({ action }) => {
    if (action === "resume") resumedAt ??= clock.now;
  });
  network.last.deliver(frame);
  await clock.advance(1000 * frame.retryAfterSeconds + RECONNECT);
  return resumedAt;
}

async function readDocument(frame) {
  const { client, network } = await connected({ newId: () => frame.requestId });
  const page = client.openDocument({ knowledgeBase: frame.knowledgeBase, documentId: frame.documentId });
  network.last.deliver(frame);
  return page;
}

/** The reply to one of the commands on documents that names `frame`'s. */
async function readOfDocuments(frame) {
  const { client, network } = await connected({ newId: () => frame.requestId });
  const ask = { users: "listUsers", user: "addUser", use: "readUse", ratings: "readFeedback", failures: "readFailures", documents: "listDocuments", listingPage: "listMore", upload: "uploadDocument", description: "describeDocument", removed: "removeDocument" }[frame.type];
  const reply = client[ask]({});
  network.last.deliver(frame);
  return reply;
}

async function readSession(frame) {
  const { client, network } = await connected({ newId: () => frame.requestId });
  const session = client.changeSession({ sessionId: "s", pinned: true });
  network.last.deliver(frame);
  return session;
}

async function readFeedback(frame) {
  const { client, network } = await connected();
  const kept = client.rate({ requestId: frame.requestId });
  network.last.deliver(frame);
  return kept;
}

async function readBases(frame) {
  const { client, network } = await connected({ newId: () => frame.requestId });
  const bases = client.knowledgeBases();
  network.last.deliver(frame);
  return bases;
}

async function readErased(frame) {
  const { client, network } = await connected({ newId: () => frame.requestId });
  const erased = client.eraseMine();
  network.last.deliver(frame);
  return erased;
}

async function readShareId(frame) {
  const { client, network } = await connected({ newId: () => frame.requestId });
  const shareId = client.shareSession({ sessionId: frame.sessionId });
  network.last.deliver(frame);
  return shareId;
}

async function readShared(frame) {
  const { client, network } = await connected({ newId: () => frame.requestId });
  const page = client.openShared({ shareId: "a" });
  network.last.deliver(frame);
  return page;
}

async function readRefusal(frame) {
  const { client, network } = await connected();
  const told = ({ message, error, code, retryable }) => ({ error: error ?? message, code, retryable });
  if (!frame.requestId) {
    const refused = client.history().then(() => null, told);
    network.last.deliver(frame);
    return refused;
  }
  const request = client.ask({ message: "Who is there?", requestId: frame.requestId });
  network.last.deliver(frame);
  return request.failure && told(request.failure);
}

/** A connection that answers a ping is not given up. */
async function readPong(frame) {
  const { client, clock, network } = await connected();
  answerPings(network, frame);
  client.online();
  await clock.advance(RECONNECT);
  return network.sockets.length;
}

function read(frame) {
  if (frame.seq !== undefined) return readEvent(frame);
  const ofDocuments = { users: readOfDocuments, user: readOfDocuments, use: readOfDocuments, documents: readOfDocuments, listingPage: readOfDocuments, upload: readOfDocuments, description: readOfDocuments, removed: readOfDocuments };
  return { ...ofDocuments, history: readPage, document: readDocument, session: readSession, sessionShared: readShareId, shared: readShared, feedback: readFeedback, erased: readErased, knowledgeBases: readBases, pending: readPending, error: readRefusal, pong: readPong }[frame.type](frame);
}

// ---- commands ----

const senders = {
  sendMessage: ({ client }, { action, ...question }) => client.ask(question),
  resume: async ({ client, clock, network }, { requestId, afterSeq }) => {
    client.follow(requestId).assembly.lastSeq = afterSeq;
    network.last.cut();
    await clock.advance(RECONNECT);
    network.last.open();
  },
  cancel: ({ client }, { requestId }) => {
    client.follow(requestId);
    client.cancel(requestId);
  },
  history: ({ client }, { action, ...page }) => void client.history(page),
  changeSession: ({ client }, { action, requestId, ...change }) => void client.changeSession(change),
  deleteSession: ({ client }, { sessionId }) => void client.deleteSession({ sessionId }),
  shareSession: ({ client }, { sessionId }) => void client.shareSession({ sessionId }),
  unshareSession: ({ client }, { sessionId }) => void client.unshareSession({ sessionId }),
  openShared: ({ client }, { action, requestId, ...asked }) => void client.openShared(asked),
  eraseMine: ({ client }) => void client.eraseMine(),
  feedback: ({ client }, { action, ...said }) => void client.rate(said),
  openDocument: ({ client }, { action, requestId, ...place }) => void client.openDocument(place),
  listKnowledgeBases: ({ client }) => void client.knowledgeBases(),
  listDocuments: ({ client }, { action, requestId, ...asked }) => void client.listDocuments(asked),
  listMore: ({ client }, { action, requestId, ...asked }) => void client.listMore(asked),
  uploadDocument: ({ client }, { action, requestId, ...file }) => void client.uploadDocument(file),
  describeDocument: ({ client }, { action, requestId, ...said }) => void client.describeDocument(said),
  removeDocument: ({ client }, { action, requestId, ...place }) => void client.removeDocument(place),
  listUsers: ({ client }, { action, requestId, ...asked }) => void client.listUsers(asked),
  addUser: ({ client }, { action, requestId, ...user }) => void client.addUser(user),
  disableUser: ({ client }, { action, requestId, ...user }) => void client.disableUser(user),
  enableUser: ({ client }, { action, requestId, ...user }) => void client.enableUser(user),
  setGroups: ({ client }, { action, requestId, ...user }) => void client.setGroups(user),
  readUse: ({ client }, { action, requestId, ...asked }) => void client.readUse(asked),
  readFeedback: ({ client }, { action, requestId, ...asked }) => void client.readFeedback(asked),
  readFailures: ({ client }, { action, requestId, ...asked }) => void client.readFailures(asked),
  ping: ({ client }) => client.online(),
};

async function sent(command) {
  const all = await connected({ newId: () => command.requestId });
  await senders[command.action](all, command);
  return all.network.commands;
}

async function eachOf(items, work) {
  const results = [];
  for (const item of items) results.push(await work(item));
  return results;
}

let input = "";
for await (const part of process.stdin) input += part;
const { frames, commands } = JSON.parse(input);
process.stdout.write(JSON.stringify({ read: await eachOf(frames, read), sent: await eachOf(commands, sent) }));
