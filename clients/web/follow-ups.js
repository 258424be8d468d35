import { element } from "./element.js";
import { say } from "./words.js";

/** A shorter list is read at a glance. */
const FEWEST_DOCUMENTS = 4;
const MOST_VALUES = 6;
/** A value that is a name, and neither a number, a day nor a list of values. */
const NAME = /^\p{L}[^,;]{0,40}$/u;

/**
 * What can be asked next of documents that were listed by their metadata: at most three messages, each of which the rules of
 * the planner understand as a follow-up, in any knowledge base. Empty for all other answers.
 */
export function followUps(plan, listing) {
  if (plan?.strategy !== "MetadataOnly" || !(listing?.total >= FEWEST_DOCUMENTS)) return [];
  if (listing.groups?.length) return listing.groupedBy.length === 1 ? ofGroups(listing) : [];
  const fields = fieldsOf(listing);
  const counts = fields.slice(0, 2).map(({ name }) => `How many are there by ${name}?`);
  return [...counts, ...fields.slice(-1).map(({ name, value }) => `Only those with ${name} ${value}`)];
}

/** `ask(message)`: the user wants to ask this. The style sheet hides the buttons of earlier answers, which they do not mean. */
export function followUpButtons(plan, listing, { name, ask }) {
  const buttons = followUps(plan, listing).map((text) => element("button", { className: "follow-up", type: "button", dir: "auto", on: { click: () => ask(text) } }, text));
  return buttons.length ? element("div", { className: "follow-ups", role: "group", aria: { label: say("answer.askNext", { question: name }) } }, buttons) : null;
}

function ofGroups({ total, groups, groupedBy: [field] }) {
  const named = groups.filter(({ values: [value], documents }) => NAME.test(value ?? "") && documents < total);
  return named.slice(0, 2).map(({ values: [value] }) => `Only those with ${field} ${value}`);
}

/** The columns by whose values the shown documents can be told apart, each with its commonest value. */
function fieldsOf({ columns, documents }) {
  const found = (columns ?? []).map((name) => ({ name, counts: countsOf(documents, name) }));
  return found.filter(({ counts }) => tellsApart(counts, documents.length)).map(({ name, counts }) => ({ name, value: commonest(counts) }));
}

function countsOf(documents, name) {
  const counts = new Map();
  for (const { fields } of documents) if (fields?.[name]) counts.set(fields[name], (counts.get(fields[name]) ?? 0) + 1);
  return counts;
}

function tellsApart(counts, documents) {
  const values = [...counts.keys()];
  return values.length > 1 && values.length <= Math.min(MOST_VALUES, documents / 2) && values.every((value) => NAME.test(value));
}

function commonest(counts) {
  return [...counts].reduce((best, each) => (each[1] > best[1] ? each : best))[0];
}
