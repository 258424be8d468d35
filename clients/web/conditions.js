import { element } from "./element.js";
import { say } from "./words.js";

const LONGEST_MESSAGE = 8000;
/** What keeps texts of two directions apart on the screen is no part of a message. */
const ISOLATES = /[\u2066-\u2069]/g;

/**
 * The conditions under which something was listed or counted; null where there are none. `leaveOut(place, condition)`: the
 * same is wanted without this one; null where nothing can be asked.
 */
export function conditionChips(plan, leaveOut) {
  const filters = plan?.filters ?? [];
  if (!filters.length) return null;
  const chips = filters.map((condition, place) => chip(condition, leaveOut && plan.removable?.includes(place) ? () => leaveOut(place, condition) : null));
  return element("ul", { className: "conditions", aria: { label: say("conditions.title") } }, ...chips);
}

function chip(condition, leaveOut) {
  const label = leaveOut && say("conditions.leaveOut", { condition });
  const button = leaveOut && element("button", { type: "button", title: label, aria: { label }, on: { click: leaveOut } }, "×");
  return element("li", { className: "condition" }, element("bdi", {}, condition), button);
}

/** The message of a turn that lists the same as `question` without a condition. A long question is cut. */
export function messageWithout(question, condition) {
  const said = (asked) => say("conditions.without", { question: asked, condition }).replace(ISOLATES, "");
  const room = LONGEST_MESSAGE - said("").length;
  return said(question.length > room ? question.slice(0, Math.max(0, room)) : question).slice(0, LONGEST_MESSAGE);
}
