import { element } from "./element.js";

/** How an answer came about, from its `complete` event: folded away, for those who want to know. */
export function explanationOf({ usage, timings, path, confidence, plan }) {
  const rows = [...planRows(plan), ...courseRows({ usage, timings, path, confidence })].filter(([, value]) => value);
  if (!rows.length) return null;
  const list = element("dl", {}, ...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
  return element("details", { className: "how" }, element("summary", {}, "How this was answered"), list);
}

function planRows(plan) {
  if (!plan) return [];
  return [
    ["Strategy", wordsOf(plan.strategy)],
    ["Knowledge base", plan.knowledgeBase],
    ["Query", plan.query],
    ["Planned by", [plan.by?.replaceAll("_", " "), surenessOf(plan.confidence)].filter(Boolean).join(", ")],
    ["Filters", plan.filters?.join("; ")],
    ["Documents", typeof plan.documents === "number" ? plan.documents.toLocaleString("en") : null],
    // Only how many: what the user may not view has no name here.
    ["Withheld", plan.withheld ? plan.withheld.toLocaleString("en") : null],
  ];
}

function courseRows({ usage, timings, path, confidence }) {
  const after = (milliseconds) => (milliseconds === undefined ? null : `after ${(milliseconds / 1000).toFixed(1)} s`);
  return [
    ["First words", after(timings?.firstToken)],
    ["Whole", after(timings?.total)],
    ["Confidence", percentOf(confidence)],
    ["Path", path?.length ? path.join(" → ").replaceAll("_", " ") : null],
    ["Tokens", usage?.inputTokens ? `${usage.inputTokens} read, ${usage.outputTokens} written` : null],
  ];
}

function surenessOf(confidence) {
  const share = percentOf(confidence);
  return share && `${share} sure`;
}

function percentOf(share) {
  return typeof share === "number" ? `${Math.round(share * 100)} %` : null;
}

/** "MetadataOnly" as "Metadata only". */
function wordsOf(name) {
  return name?.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
