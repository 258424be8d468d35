import { element } from "./element.js";

/** A table that is wider than the text scrolls by itself; the keyboard can scroll it too. */
export function wide(label, table) {
  const box = element("div", { className: "wide", tabIndex: 0, aria: { label } }, table);
  box.setAttribute("role", "group");
  return box;
}
