import { element } from "./element.js";
import { say } from "./words.js";

/**
 * The documents of which the answer asks which one is meant, as buttons; null for an answer that asks nothing back.
 *
 * `choose(reply)` is called with a document's number: the reply that says which one, and asks the question of it. It means
 * the documents of the last answer, so the style sheet hides the buttons of earlier ones.
 */
export function choicesOf({ plan }, listing, { name, choose }) {
  if (plan?.strategy !== "NeedsClarification" || !listing?.documents.length) return null;
  const buttons = listing.documents.flatMap(({ title, documentId, withheld }, place) => {
    if (withheld) return [];
    const reply = String(place + 1);
    return [element("button", { className: "example", type: "button", dir: "auto", on: { click: () => choose(reply) } }, `${reply}. ${title || documentId}`)];
  });
  return element("div", { className: "choices", role: "group", aria: { label: say("answer.whichOne", { question: name }) } }, buttons);
}
