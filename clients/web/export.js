import { CicadaError } from "../javascript/index.js";

/**
 * Conversations as files. `cli/user/export.py` makes the same of the same frames, and a test compares both.
 */

/** The conversation with all of its turns, oldest first, each with its whole answer. Rejects with a `CicadaError`. */
export async function exported(client, sessionId) {
  const { title, knowledgeBase = null, shared = false } = await patiently(() => client.changeSession({ sessionId }));
  const turns = [];
  for (let before; before !== null; ) {
    const page = await patiently(() => client.history({ sessionId, before, limit: 50 }));
    turns.unshift(...page.turns.reverse());
    before = page.before;
  }
  const answered = [];
  // One after the other: each answer is replayed whole.
  for (const turn of turns) answered.push(answerOf(turn, await patiently(() => ended(client, turn.requestId))));
  return { sessionId, title, knowledgeBase, shared, turns: answered };
}

/**
 * All of the user's conversations, each as `exported` gives it, as they are listed. `told(done, of)` is called before each.
 */
export async function allExported(client, told) {
  const found = new Set();
  for (let before; before !== null; ) {
    const page = await patiently(() => client.history({ before, limit: 50 }));
    // One that is asked meanwhile moves up, and is not listed twice.
    for (const { sessionId } of page.sessions) found.add(sessionId);
    before = page.before;
  }
  const all = [];
  for (const sessionId of found) {
    told(all.length, found.size);
    all.push(await exported(client, sessionId));
  }
  return all;
}

/** What `work` resolves to; it is done again when the server says, where it was refused for coming too fast. */
export async function patiently(work) {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (error.code !== "rate_limited" || !(error.retryAfterSeconds > 0)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1000 * error.retryAfterSeconds));
    }
  }
}

/**
 * The same as a text to read. Questions and passages are quoted, so that their lines are no headings or lists. Titles are
 * text: whoever wrote a document wrote its title.
 */
export function markdownOf({ title, knowledgeBase, shared, turns }) {
  const head = [`# ${plain(title)}`, ...(knowledgeBase ? [`Knowledge base: ${knowledgeBase}`] : []), ...(shared ? ["Shared by a link with your tenant."] : [])];
  return `${[...head, ...turns.flatMap(blocksOf)].join("\n\n")}\n`;
}

function blocksOf({ createdAt, message, status, text, sources, documents }) {
  const ending = status === "complete" ? [] : [`(${status})`];
  const cited = sources.map(({ n, title, excerpt }) => `[${n}] ${plain(title)}\n\n${quoted(excerpt)}`);
  const listed = documents.length ? [documents.map(({ title, documentId }) => `- ${plain(title || documentId)}`).join("\n")] : [];
  return [`## ${createdAt.slice(0, 16).replace("T", " ")}`, quoted(message), ...(text.trim() ? [text.trim()] : []), ...ending, ...listed, ...cited];
}

function plain(text) {
  return text.replace(/[\r\n\v\f\x85\u2028\u2029]+/g, " ").replace(/[\\`*_[\]<>#]/g, "\\$&");
}

function quoted(text) {
  return text.trim().split(/\r\n|\r|\n/).map((line) => `> ${line}`.trimEnd()).join("\n");
}

function answerOf({ requestId, createdAt, message }, request) {
  const status = { complete: "complete", cancelled: "cancelled", error: "failed" }[request.outcome];
  const sources = request.sources.map(({ n, documentId, title, excerpt }) => ({ n, documentId, title, excerpt }));
  const documents = (request.listing?.documents ?? []).map(({ documentId, title, fields }) => ({ documentId, title, fields }));
  return { requestId, createdAt, message, status, text: request.text, sources, documents };
}

/** The request when its answer is whole. A refusal is none: the file would lack the answer. */
function ended(client, requestId) {
  return new Promise((resolve, reject) => {
    const changed = ({ detail }) => detail.requestId === requestId && settle(detail);
    const settle = (request) => {
      if (!request.outcome) return;
      client.removeEventListener("request", changed);
      if (request.refusal) reject(new CicadaError(request.refusal.error, request.refusal));
      else resolve(request);
    };
    client.addEventListener("request", changed);
    settle(client.follow(requestId));
  });
}
