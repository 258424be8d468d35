const NAME = "conversation";
const BASE = "knowledgeBase";
const DOCUMENTS = "documents";
const ADMINISTRATION = "administration";
const SHARED = "shared";
const QUESTION = "question";
/** The service takes no longer id of a share, and none that it gives is as long. */
const LONGEST_SHARE = 128;

/** The conversation that the page's address names, or null. */
export function conversationIn(search) {
  return new URLSearchParams(search).get(NAME) || null;
}

/** The knowledge base whose documents the page's address shows, or null. */
export function documentsIn(search) {
  return new URLSearchParams(search).get(DOCUMENTS) || null;
}

/** The id of the shared conversation that the page's address opens, or null. It stands behind "#", which is not sent. */
export function sharedIn(hash) {
  return new URLSearchParams(hash.slice(1)).get(SHARED)?.slice(0, LONGEST_SHARE) || null;
}

/** The id of the question that the page's address leads to in its conversation, or null. */
export function turnIn(hash) {
  return new URLSearchParams(hash.slice(1)).get(QUESTION) || null;
}

/** The link by which others open a conversation that is shared. */
export function linkTo(shareId) {
  return `${location.origin}${location.pathname}#${new URLSearchParams({ [SHARED]: shareId })}`;
}

/** What stands behind "#" without the fields of these names. */
export function hashWithout(hash, names) {
  const fields = new URLSearchParams(hash.slice(1));
  for (const name of names) fields.delete(name);
  return fields.size ? `#${fields}` : "";
}

/** The page's address shows the administration. */
export function isAdministration(search) {
  return new URLSearchParams(search).has(ADMINISTRATION);
}

/**
 * The page's address with this conversation, or with none, with the `documents` of a base or the `administration` in front of it, or
 * at a `question` of it.
 */
export function addressWith(sessionId, { documents = null, administration = false, question = null } = {}) {
  const fields = new URLSearchParams(location.search);
  for (const name of [NAME, DOCUMENTS, ADMINISTRATION]) fields.delete(name);
  if (sessionId) fields.set(NAME, sessionId);
  if (documents) fields.set(DOCUMENTS, documents);
  if (administration) fields.set(ADMINISTRATION, "");
  return `${location.pathname}${fields.size ? `?${fields}` : ""}${question ? `#${new URLSearchParams({ [QUESTION]: question })}` : ""}`;
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
 * Goes to the address of a conversation of the user's own, by a new entry of the browser's history unless it `replaces` the
 * current one: then the screen in front of it stays.
 */
export function goTo(sessionId, { replaces = false } = {}) {
  const [documents, administration] = [documentsIn(location.search), isAdministration(location.search)];
  const isThere = conversationIn(location.search) === sessionId && sharedIn(location.hash) === null;
  if (isThere && (replaces || !(documents || administration))) return;
  const hash = hashWithout(location.hash, [SHARED, QUESTION]);
  if (replaces) history.replaceState(null, "", addressWith(sessionId, { documents, administration }) + hash);
  else history.pushState(null, "", addressWith(sessionId) + hash);
}

/** Goes to a screen in front of the conversation, as `addressWith` has it; without one back to it. */
export function goToScreen(screen = {}) {
  history.pushState(null, "", addressWith(conversationIn(location.search), screen) + location.hash);
}
