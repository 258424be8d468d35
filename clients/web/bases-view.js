import { addressOfBase } from "./conversation-address.js";
import { openDialog } from "./dialog.js";
import { element } from "./element.js";
import { say } from "./words.js";

/** The knowledge bases that the user may ask: what the server says of them, and the dialog to choose one. */
export class BasesView {
  #client;
  #changed;
  #choose;
  #bases = [];
  #state = "loading";
  #failure = "";
  #visit = 0;
  #dialog = null;
  #list = element("div", { className: "bases" });

  /** `changed()`: the list has come, or has not. `choose(name)`: the user wants to ask this one. */
  constructor({ client, changed, choose }) {
    this.#client = client;
    this.#changed = changed;
    this.#choose = choose;
  }

  get failed() {
    return this.#state === "failed";
  }

  /** What is known of a base; null for one that is not listed. */
  of(name) {
    return this.#bases.find((each) => each.name === name) ?? null;
  }

  /** Counts are of this moment. */
  async load() {
    const visit = ++this.#visit;
    try {
      const bases = await this.#client.knowledgeBases();
      if (visit === this.#visit) [this.#bases, this.#state] = [bases, "loaded"];
    } catch (error) {
      if (visit === this.#visit) [this.#state, this.#failure] = ["failed", error.message];
    }
    if (visit !== this.#visit) return;
    this.#draw();
    this.#changed();
  }

  /** `asked`: the base of the open conversation. */
  show(asked) {
    this.#list.dataset.asked = asked ?? "";
    this.#draw();
    this.#dialog = openDialog({ id: "bases-title", title: say("bases.title") }, element("p", { className: "about" }, say("bases.choose")), this.#list);
    this.load();
  }

  remove() {
    this.#dialog?.remove();
  }

  /** Nothing of the user stays. */
  end() {
    this.#visit += 1;
    this.#bases = [];
    this.#list.replaceChildren();
    this.remove();
  }

  #draw() {
    const said = { loading: say("conversations.loading"), failed: this.#failure, loaded: this.#bases.length ? "" : say("bases.none") }[this.#state];
    const focused = this.#list.contains(document.activeElement) ? document.activeElement.dataset.base : null;
    this.#list.replaceChildren(...this.#bases.map((base) => this.#link(base)), ...(said ? [element("p", { className: "about", role: "status" }, said)] : []));
    if (focused) this.#list.querySelector(`[data-base="${CSS.escape(focused)}"]`)?.focus();
  }

  #link(base) {
    const chosen = (event) => {
      // With a key held down the browser opens the link elsewhere.
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      this.#dialog.close();
      this.#choose(base.name);
    };
    const link = element(
      "a",
      { href: addressOfBase(base.name), data: { base: base.name }, on: { click: chosen } },
      element("span", { className: "title" }, baseLine(base)),
      base.description ? element("span", { className: "about", dir: "auto" }, base.description) : null,
    );
    if (base.name === this.#list.dataset.asked) link.setAttribute("aria-current", "true");
    return link;
  }
}

/** `store · 125 documents`. */
export function baseLine({ name, documents }) {
  return say("bases.line", { name, count: documents });
}
