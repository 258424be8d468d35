import { element } from "./element.js";
import { say } from "./words.js";

/**
 * Shows a modal dialog under `title`, with a button that closes it; closed, it leaves the page.
 *
 * `id` names its heading; `properties` are those of the heading.
 */
export function openDialog({ id, className = "", title, properties = {} }, ...content) {
  const dialog = element(
    "dialog",
    // The event comes a moment after the dialog has closed, when another one may be open.
    { className: `account ${className}`.trim(), aria: { labelledby: id }, on: { close: () => dialog.remove() } },
    element("h2", { id, ...properties }, title),
    ...content,
    element("button", { className: "link", type: "button", on: { click: () => dialog.close() } }, say("act.close")),
  );
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
