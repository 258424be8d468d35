import { sharedIn } from "./conversation-address.js";
import { element } from "./element.js";

/** The fields behind "#" that name a document. */
export const FIELDS = ["document", "in", "passage"];
/** No id is longer, and a longer command would close the connection. */
const LONGEST = 1024;

/**
 * The part of the page's address that opens a document. It stays in the browser: what follows "#" is not sent.
 *
 * `passage`: as a source has it; without one the document opens at its beginning. `shared`: the shared conversation that it
 * opens beside, or null.
 */
export function addressOf({ knowledgeBase, documentId, passage, shared = null }) {
  const fields = new URLSearchParams({ ...(shared && { shared }), document: documentId, in: knowledgeBase });
  if (passage) fields.set("passage", passage);
  return `#${fields}`;
}

/** The document that an address opens, `{knowledgeBase, documentId, passage}`; null for an address of none. */
export function referenceIn(hash) {
  const fields = new URLSearchParams(hash.slice(1));
  const [documentId, knowledgeBase] = [fields.get("document"), fields.get("in")];
  const passage = fields.get("passage") ?? undefined;
  const fits = [documentId, knowledgeBase, passage].every((each) => (each?.length ?? 0) <= LONGEST);
  return documentId && knowledgeBase && fits ? { knowledgeBase, documentId, passage } : null;
}

/** A link that opens the document beside the conversation; the text alone where its knowledge base is not known. */
export function documentLink(reference, text, { label } = {}) {
  if (!reference.knowledgeBase || !reference.documentId) return text;
  return element("a", { className: "open-document", href: addressOf({ ...reference, shared: sharedIn(location.hash) }), aria: label ? { label } : {} }, text);
}
