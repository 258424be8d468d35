import { element } from "./element.js";
import { numberOf, say } from "./words.js";

/** How an answer came about, from its `complete` event: folded away, for those who want to know. */
export function explanationOf({ usage, timings, path, confidence, plan }) {
  const rows = [...planRows(plan), ...courseRows({ usage, timings, path, confidence })].filter(([, value]) => value);
  if (!rows.length) return null;
  const list = element("dl", {}, ...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", { dir: "auto" }, value)]));
  return element("details", { className: "how" }, element("summary", {}, say("how.title")), list);
}

function planRows(plan) {
  if (!plan) return [];
  return [
    [say("how.strategy"), wordsOf(plan.strategy)],
    [say("how.base"), plan.knowledgeBase],
    [say("how.query"), plan.query],
    [say("how.plannedBy"), [plan.by?.replaceAll("_", " "), surenessOf(plan.confidence)].filter(Boolean).join(", ")],
    [say("how.filters"), plan.filters?.join("; ")],
    [say("how.documents"), typeof plan.documents === "number" ? numberOf(plan.documents) : null],
    // Only how many: what the user may not view has no name here.
    [say("how.withheld"), plan.withheld ? numberOf(plan.withheld) : null],
  ];
}

function courseRows({ usage, timings, path, confidence }) {
  const after = (milliseconds) => (milliseconds === undefined ? null : say("how.after", { seconds: numberOf(milliseconds / 1000, { minimumFractionDigits: 1, maximumFractionDigits: 1 }) }));
  return [
    [say("how.firstWords"), after(timings?.firstToken)],
    [say("how.whole"), after(timings?.total)],
    [say("how.confidence"), percentOf(confidence)],
    [say("how.path"), path?.length ? path.join(" → ").replaceAll("_", " ") : null],
    [say("how.tokens"), usage?.inputTokens ? say("how.tokensUsed", { read: usage.inputTokens, written: usage.outputTokens }) : null],
  ];
}

function surenessOf(confidence) {
  return typeof confidence === "number" ? say("how.sure", { percent: Math.round(confidence * 100) }) : null;
}

function percentOf(share) {
  return typeof share === "number" ? say("how.percent", { percent: Math.round(share * 100) }) : null;
}

/** "MetadataOnly" as "Metadata only". */
function wordsOf(name) {
  return name?.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
