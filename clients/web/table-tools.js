import { copyButton } from "./copy-button.js";
import { element } from "./element.js";
import { collator, say } from "./words.js";

const NUMBER = /^[€$£]?\s*([-−+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-−+]?\d+(?:\.\d+)?)\s*[%\p{L}€$£°]*$/u;
/** What a spreadsheet would take for a formula; a negative number is none. */
const FORMULA = /^[=+@\t\r]|^-(?!\d[\d.,]*[ %]*$)/;

/** The table in a box that scrolls by itself, by the keyboard too; its columns can be sorted, and it can be copied. */
export function wideTable(label, table) {
  const box = element("div", { className: "wide", tabIndex: 0, aria: { label } }, table);
  box.setAttribute("role", "group");
  const isLong = table.tBodies[0]?.rows.length > 1;
  if (isLong) for (const head of table.tHead.rows[0].cells) addSorting(head);
  const copy = isLong && copyButton((button) => asCsv(button.closest(".table-box").querySelector("table")), say("table.copy"));
  return element("div", { className: "table-box" }, box, copy ? element("div", { className: "table-tools" }, copy) : null);
}

function addSorting(head) {
  const sort = element("button", { className: "sort", type: "button", aria: { label: say("table.sort", { column: textOf(head) }) } });
  sort.addEventListener("click", () => sortBy(sort.closest("th")));
  head.append(sort);
}

/** Ascending, and descending when asked again. */
function sortBy(head) {
  const table = head.closest("table");
  const order = head.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
  for (const each of head.parentElement.cells) each.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", order);
  table.dataset.sorted = order;
  const body = table.tBodies[0];
  const groups = groupsOf(body);
  const values = new Map(groups.map((group) => [group, textOf(group[0].cells[head.cellIndex])]));
  const compare = comparison([...values.values()]);
  groups.sort((a, b) => compare(values.get(a), values.get(b), order === "ascending" ? 1 : -1));
  body.append(...groups.flat());
}

/** Each row with those that explain it. */
function groupsOf(body) {
  const groups = [];
  for (const row of body.rows) {
    if (row.matches(".why")) groups.at(-1)?.push(row);
    else groups.push([row]);
  }
  return groups;
}

/** By their numbers if all are numbers, else as words; empty ones come last. */
function comparison(values) {
  const isEmpty = (value) => value === "" || value === "–";
  const areNumbers = values.every((value) => isEmpty(value) || NUMBER.test(value));
  const number = (value) => Number(NUMBER.exec(value)[1].replaceAll(",", "").replace("−", "-"));
  const compare = areNumbers ? (a, b) => number(a) - number(b) : collator().compare;
  return (a, b, sign) => (isEmpty(a) || isEmpty(b) ? isEmpty(a) - isEmpty(b) : sign * compare(a, b));
}

function asCsv(table) {
  const rows = [...table.rows].filter((row) => !row.matches(".why"));
  return rows.map((row) => [...row.cells].map((cell) => quoted(textOf(cell))).join(",")).join("\r\n");
}

function quoted(text) {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

function textOf(cell) {
  const copy = cell.cloneNode(true);
  for (const each of copy.querySelectorAll(".unseen, .sort")) each.remove();
  for (const each of copy.querySelectorAll("br")) each.replaceWith("\n");
  return copy.textContent.replaceAll("\u00a0", " ").trim();
}
