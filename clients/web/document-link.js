import { element } from "./element.js";

/**
 * The part of the page's address that opens a document. It stays in the browser: what follows "#" is not sent.
 *
 * `passage`: as a source has it; without one the document opens at its beginning.
 */
export function addressOf({ knowledgeBase, documentId, passage }) {
  const fields = new URLSearchParams({ document: documentId, in: knowledgeBase });
  if (passage) fields.set("passage", passage);
  return `#${fields}`;
}

/** The document that an address opens, `{knowledgeBase, documentId, passage}`; null for an address of none. */
export function referenceIn(hash) {
  const fields = new URLSearchParams(hash.slice(1));
  const [documentId, knowledgeBase] = [fields.get("document"), fields.get("in")];
  return documentId && knowledgeBase ? { knowledgeBase, documentId, passage: fields.get("passage") ?? undefined } : null;
}

/** A link that opens the document beside the conversation; the text alone where its knowledge base is not known. */
export function documentLink(reference, text, { label } = {}) {
  if (!reference.knowledgeBase || !reference.documentId) return text;
  return element("a", { className: "open-document", href: addressOf(reference), aria: label ? { label } : {} }, text);
}
