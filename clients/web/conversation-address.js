const NAME = "conversation";
const BASE = "knowledgeBase";
const DOCUMENTS = "documents";

/** The conversation that the page's address names, or null. */
export function conversationIn(search) {
  return new URLSearchParams(search).get(NAME) || null;
}

/** The knowledge base whose documents the page's address shows, or null. */
export function documentsIn(search) {
  return new URLSearchParams(search).get(DOCUMENTS) || null;
}

/** The page's address with this conversation, or with none, and with the `documents` of a base in front of it. */
export function addressWith(sessionId, { documents = null } = {}) {
  const fields = new URLSearchParams(location.search);
  fields.delete(NAME);
  fields.delete(DOCUMENTS);
  if (sessionId) fields.set(NAME, sessionId);
  if (documents) fields.set(DOCUMENTS, documents);
  return `${location.pathname}${fields.size ? `?${fields}` : ""}`;
}

/** The knowledge base that the page's address names for new conversations, or null. */
export function baseIn(search) {
  return new URLSearchParams(search).get(BASE) || null;
}

/** The page's address with a new conversation of this knowledge base. */
export function addressOfBase(name) {
  const fields = new URLSearchParams(location.search);
  fields.delete(NAME);
  fields.delete(DOCUMENTS);
  fields.set(BASE, name);
  return `${location.pathname}?${fields}`;
}

/**
 * Goes to a conversation's address, by a new entry of the browser's history unless it `replaces` the current one: then
 * documents that are shown stay.
 */
export function goTo(sessionId, { replaces = false } = {}) {
  const documents = documentsIn(location.search);
  if (conversationIn(location.search) === sessionId && (replaces || !documents)) return;
  if (replaces) history.replaceState(null, "", addressWith(sessionId, { documents }) + location.hash);
  else history.pushState(null, "", addressWith(sessionId) + location.hash);
}

/** Goes to the documents of a base, in front of the conversation; with null back to it. */
export function goToDocuments(documents) {
  history.pushState(null, "", addressWith(conversationIn(location.search), { documents }) + location.hash);
}
