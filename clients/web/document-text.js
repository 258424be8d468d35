import { element } from "./element.js";
import { say } from "./words.js";

/** Who speaks, at the beginning of a script's line. */
const SPEAKER = /^[^:()[\]]{1,40}: /;
const DIRECTION = /^\(.*\)$/;

/** A page of a document as elements: its headings where they change, and its blocks. `before`: the place above it. */
export function blocksOf(page, before) {
  let above = before ?? [];
  const elements = [];
  for (const block of page.blocks) {
    const place = placeOf(block, page.title);
    elements.push(...headingsOf(place, above), blockOf(block));
    above = place;
  }
  showPlace(elements, page.blocks);
  return { elements, place: above };
}

/** The headings above a block, outermost first; a first one that is the document's title is left out. */
function placeOf({ locator }, title) {
  const path = locator.section ?? (locator.chapter ? [locator.chapter] : []);
  return path[0] === title && path.length > 1 ? path.slice(1) : path;
}

function headingsOf(place, above) {
  const same = place.findIndex((heading, depth) => heading !== above[depth]);
  if (same < 0) return [];
  return place.slice(same).map((heading, depth) => element("h3", { className: same + depth ? "deeper" : "", dir: "auto" }, heading));
}

function blockOf({ number, locator, text, marked }) {
  const lines = linesOf(text, locator.messages !== undefined, marked);
  return element("div", { className: "block", data: { number } }, lines);
}

/** Above the first marked line, the messages of the marked passage. */
function showPlace(elements, blocks) {
  const messages = blocks.findLast(({ marked }) => marked)?.locator.messages;
  const first = elements.map((each) => each.querySelector("mark")).find(Boolean);
  if (messages && first) first.closest("p").before(element("p", { className: "place" }, messagesOf(messages)));
}

/** The numbers of a passage's first and last message, in words. */
export function messagesOf([first, last]) {
  return first === last ? say("passages.message", { n: first }) : say("passages.messages", { first, last });
}

/** `marked`: from which character to before which one, counted as Unicode does. */
function linesOf(text, isScript, [from, to] = [0, 0]) {
  let start = 0;
  return text.split("\n").map((line) => {
    const letters = [...line];
    const [first, last] = [from - start, to - start].map((at) => Math.min(Math.max(at, 0), letters.length));
    start += letters.length + 1;
    return lineOf(line, letters, isScript, first, last);
  });
}

function lineOf(line, letters, isScript, first, last) {
  const speaker = isScript ? (SPEAKER.exec(line)?.[0] ?? "") : "";
  const spoken = [...speaker].length;
  const className = isScript && DIRECTION.test(line) ? "direction" : "";
  const said = piecesOf(letters.slice(spoken), Math.max(0, first - spoken), Math.max(0, last - spoken));
  return element("p", { className, dir: "auto" }, speaker ? element("b", {}, speaker.slice(0, -2)) : null, speaker ? " " : null, ...said);
}

function piecesOf(letters, first, last) {
  const [before, marked, after] = [letters.slice(0, first), letters.slice(first, last), letters.slice(last)].map((each) => each.join(""));
  return marked ? [before, element("mark", {}, marked), after] : [letters.join("")];
}
