const NAME = "conversation";
const BASE = "knowledgeBase";

/** The conversation that the page's address names, or null. */
export function conversationIn(search) {
  return new URLSearchParams(search).get(NAME) || null;
}

/** The page's address with this conversation, or with none; the rest of it stays. */
export function addressWith(sessionId) {
  const fields = new URLSearchParams(location.search);
  fields.delete(NAME);
  if (sessionId) fields.set(NAME, sessionId);
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
  fields.set(BASE, name);
  return `${location.pathname}?${fields}`;
}

/** Goes to a conversation's address, by a new entry of the browser's history unless it `replaces` the current one. */
export function goTo(sessionId, { replaces = false } = {}) {
  if (conversationIn(location.search) === sessionId) return;
  const address = addressWith(sessionId) + location.hash;
  if (replaces) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
}
