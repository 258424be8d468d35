import { BrowserStorage } from "./browser-storage.js";
import { openDialog } from "./dialog.js";
import { element } from "./element.js";
import { say } from "./words.js";

/** Where the browser remembers that single keys do nothing: speech input may type them by accident (WCAG 2.1.4). */
const OFF = "cicada.single-keys-off";
const storage = new BrowserStorage(() => localStorage);
const FIELDS = "input, textarea, select, [contenteditable]";
const ALWAYS = [
  { key: "Enter", what: "keys.ask" },
  { key: "Shift Enter", what: "keys.newLine" },
  { key: "Esc", what: "keys.stop" },
];

/** Single keys outside of fields, and the dialog that lists them. */
export class Shortcuts {
  #keys;
  #dialog = null;

  /** `keys`: `{key, what, act()}`; `what` is said in the list. `signal` removes the event listener. */
  constructor({ keys, signal }) {
    this.#keys = [...keys, { key: "?", what: "keys.list", act: () => this.show() }];
    document.addEventListener("keydown", (event) => this.#press(event), { signal });
  }

  show() {
    const rows = [...ALWAYS, ...this.#keys].flatMap(({ key, what }) => [element("dt", {}, ...keysOf(key)), element("dd", {}, say(what))]);
    this.#dialog = openDialog({ id: "shortcuts-title", className: "shortcuts", title: say("keys.title") }, element("dl", {}, rows), this.#choice());
  }

  remove() {
    this.#dialog?.remove();
  }

  #choice() {
    const box = element("input", { type: "checkbox", checked: areOn() });
    box.addEventListener("change", () => (box.checked ? storage.removeItem(OFF) : storage.setItem(OFF, "yes")));
    return element("label", { className: "choice" }, box, " ", say("keys.single"));
  }

  #press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.target.closest(FIELDS)) return;
    const found = this.#keys.find(({ key }) => key === event.key);
    if (!found || !areOn() || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    found.act();
  }
}

function areOn() {
  return storage.getItem(OFF) === null;
}

function keysOf(key) {
  return key.split(" ").flatMap((each) => [element("kbd", {}, each), " "]);
}
