const NAME = "conversation";
const BASE = "knowledgeBase";
const DOCUMENTS = "documents";
const ADMINISTRATION = "administration";

/** The conversation that the page's address names, or null. */
export function conversationIn(search) {
  return new URLSearchParams(search).get(NAME) || null;
}

/** The knowledge base whose documents the page's address shows, or null. */
export function documentsIn(search) {
  return new URLSearchParams(search).get(DOCUMENTS) || null;
}

/** The page's address shows the administration. */
export function isAdministration(search) {
  return new URLSearchParams(search).has(ADMINISTRATION);
}

/** The page's address with this conversation, or with none, and with the `documents` of a base or the `administration` in front of it. */
export function addressWith(sessionId, { documents = null, administration = false } = {}) {
  const fields = new URLSearchParams(location.search);
  for (const name of [NAME, DOCUMENTS, ADMINISTRATION]) fields.delete(name);
  if (sessionId) fields.set(NAME, sessionId);
  if (documents) fields.set(DOCUMENTS, documents);
  if (administration) fields.set(ADMINISTRATION, "");
  return `${location.pathname}${fields.size ? `?${fields}` : ""}`;
}

/** The knowledge base that the page's address names for new conversations, or null. */
export function baseIn(search) {
  return new URLSearchParams(search).get(BASE) || null;
}

/** The page's address with a new conversation of this knowledge base. */
export function addressOfBase(name) {
  const fields = new URLSearchParams(location.search);
  for (const each of [NAME, DOCUMENTS, ADMINISTRATION]) fields.delete(each);
  fields.set(BASE, name);
  return `${location.pathname}?${fields}`;
}

/**
 * Goes to a conversation's address, by a new entry of the browser's history unless it `replaces` the current one: then
 * the screen in front of it stays.
 */
export function goTo(sessionId, { replaces = false } = {}) {
  const [documents, administration] = [documentsIn(location.search), isAdministration(location.search)];
  if (conversationIn(location.search) === sessionId && (replaces || !(documents || administration))) return;
  if (replaces) history.replaceState(null, "", addressWith(sessionId, { documents, administration }) + location.hash);
  else history.pushState(null, "", addressWith(sessionId) + location.hash);
}

/** Goes to a screen in front of the conversation, as `addressWith` has it; without one back to it. */
export function goToScreen(screen = {}) {
  history.pushState(null, "", addressWith(conversationIn(location.search), screen) + location.hash);
}
