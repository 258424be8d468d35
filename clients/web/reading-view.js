import { hashWithout } from "./conversation-address.js";
import { FIELDS, referenceIn } from "./document-link.js";
import { blocksOf } from "./document-text.js";
import { element } from "./element.js";
import { say } from "./words.js";

/** The reading pane: the document that the page's address names, at the place of a passage, beside the conversation. */
export class ReadingView {
  #root;
  #client;
  #changed;
  #reference = null;
  #opener = null;
  #visit = 0;
  #version = null;
  #first = 0;
  #last = 0;
  #pages = 0;
  /** The headings above what comes after the last page. */
  #place = [];
  #text = element("div", { className: "document-text" });
  #earlier = element("button", { className: "secondary", type: "button", hidden: true }, say("reading.earlier"));
  #further = element("button", { className: "secondary", type: "button", hidden: true }, say("reading.further"));
  #status = element("p", { className: "loading", role: "status" });
  #outline = element("ol");
  #fold = element("details", { className: "outline", hidden: true }, element("summary", {}, say("reading.outline")), element("nav", { aria: { label: say("reading.outline") } }, this.#outline));
  #original = element("button", { className: "secondary original", type: "button", hidden: true }, say("reading.original"));
  #title = element("h2", { id: "reading-title", tabIndex: -1, dir: "auto" });
  #scroll;
  #nearEnd;

  /** `changed(open)`: the pane was opened or closed. `signal` ends it with the view of the user. */
  constructor({ root, client, changed, signal }) {
    this.#root = root;
    this.#client = client;
    this.#changed = changed;
    const close = element("button", { className: "icon", type: "button", aria: { label: say("reading.close") }, on: { click: () => this.close() } }, "✕");
    this.#scroll = element("div", { className: "pages", tabIndex: 0, role: "region", aria: { labelledby: "reading-title" } }, this.#earlier, this.#text, this.#status, this.#further);
    root.replaceChildren(element("header", {}, this.#title, this.#original, close), this.#fold, this.#scroll);
    this.#earlier.addEventListener("click", () => this.#load(this.#first - 1));
    this.#further.addEventListener("click", () => this.#load(this.#last + 1));
    this.#original.addEventListener("click", () => this.#saveOriginal());
    this.#nearEnd = new IntersectionObserver(([{ isIntersecting }]) => isIntersecting && this.#loadFurther(), { root: this.#scroll, rootMargin: "300px" });
    this.#nearEnd.observe(this.#further);
    window.addEventListener("hashchange", () => this.sync(), { signal });
  }

  get isOpen() {
    return this.#reference !== null;
  }

  /** Shows what the page's address names. */
  sync() {
    const reference = referenceIn(location.hash);
    if (!reference) return this.#hide();
    if (!this.isOpen) this.#opener = document.activeElement;
    this.#show(reference);
  }

  /** The user closes the pane. The way back opens it again. */
  close() {
    history.pushState(null, "", location.pathname + location.search + hashWithout(location.hash, FIELDS));
    this.#hide();
  }

  /** Nothing of the document stays. */
  end() {
    this.#visit += 1;
    this.#reference = null;
    this.#nearEnd.disconnect();
    this.#root.replaceChildren();
    this.#root.hidden = true;
  }

  #hide() {
    if (!this.isOpen) return;
    this.#visit += 1;
    this.#reference = null;
    this.#root.hidden = true;
    this.#clear();
    this.#changed(false);
    if (this.#opener?.isConnected) this.#opener.focus();
    this.#opener = null;
  }

  async #show(reference) {
    this.#reference = reference;
    this.#title.textContent = "";
    this.#root.hidden = false;
    this.#changed(true);
    this.#title.focus();
    await this.#openAt(reference.page);
  }

  #clear() {
    this.#text.replaceChildren();
    this.#outline.replaceChildren();
    for (const each of [this.#fold, this.#earlier, this.#further, this.#original]) each.hidden = true;
    [this.#first, this.#last, this.#pages, this.#version, this.#place] = [0, 0, 0, null, []];
  }

  /** Begins with one page: number `page`, or the one with the passage. */
  async #openAt(page, note = "") {
    this.#clear();
    const shown = await this.#ask(page);
    if (!shown) return;
    this.#version = shown.version;
    [this.#first, this.#last, this.#pages] = [shown.page, shown.page, shown.pages];
    this.#title.textContent = shown.title || shown.documentId;
    this.#original.hidden = !shown.originals;
    this.#showOutline(shown.outline ?? []);
    const { elements, place } = blocksOf(shown, null);
    this.#place = place;
    const missing = this.#reference.passage && !page && !shown.blocks.some(({ marked }) => marked);
    const remark = note || (missing ? say("reading.gone") : "");
    this.#text.replaceChildren(...(remark ? [element("p", { className: "note", role: "status" }, remark)] : []), ...elements);
    this.#loaded();
    this.#goTo(this.#text.querySelector("mark") ?? this.#text.firstElementChild);
  }

  #loadFurther() {
    if (!this.#further.hidden && !this.#further.disabled) this.#load(this.#last + 1);
  }

  /** The page before the first one, or the one after the last. */
  async #load(number) {
    const page = await this.#ask(number);
    if (!page) return;
    if (page.version !== this.#version) return this.#openAt(undefined, say("reading.changed"));
    const isNext = number > this.#last;
    const { elements, place } = blocksOf(page, isNext ? this.#place : null);
    if (isNext) {
      this.#text.append(...elements);
      [this.#last, this.#place] = [number, place];
    } else {
      const { scrollHeight, scrollTop } = this.#scroll;
      this.#text.prepend(...elements);
      this.#first = number;
      this.#scroll.scrollTop = scrollTop + this.#scroll.scrollHeight - scrollHeight;
    }
    this.#loaded();
  }

  /** The page, or null if it cannot be shown, which is said, or is not wanted any more. */
  async #ask(page) {
    const visit = (this.#visit += 1);
    this.#status.textContent = say("reading.opening");
    this.#earlier.disabled = this.#further.disabled = true;
    try {
      const shown = await this.#client.openDocument({ ...this.#reference, page });
      return visit === this.#visit ? shown : null;
    } catch (error) {
      if (visit === this.#visit) this.#fail(error, page);
      return null;
    }
  }

  #loaded() {
    this.#earlier.disabled = this.#further.disabled = false;
    this.#earlier.hidden = this.#first <= 1;
    this.#further.hidden = this.#last >= this.#pages;
    const [first, last, pages] = [this.#first, this.#last, this.#pages];
    this.#status.textContent = first === last ? say("reading.page", { page: first, pages }) : say("reading.pages", { first, last, pages });
    // A page that does not reach the end is followed by the next one without any scrolling.
    this.#nearEnd.unobserve(this.#further);
    this.#nearEnd.observe(this.#further);
  }

  /** What may not be read any more does not stay on the screen either. */
  #fail(error, page) {
    this.#status.textContent = "";
    const begun = this.#last > 0 && error.retryable;
    if (!begun) this.#clear();
    if (!begun) this.#title.textContent = say("reading.notShown");
    const again = () => {
      failure.remove();
      if (begun) this.#load(page);
      else this.#openAt(page);
    };
    const button = element("button", { className: "secondary", type: "button", on: { click: again } }, say("act.again"));
    const failure = element("div", { className: "failure", role: "alert" }, element("p", { dir: "auto" }, error.message), error.retryable ? button : null);
    this.#text.append(failure);
  }

  /** Saves the document's file, from an address that is good for a minute. */
  async #saveOriginal() {
    const reference = this.#reference;
    try {
      const { original } = await this.#client.openDocument({ ...reference, original: true });
      if (reference !== this.#reference) return;
      if (original?.startsWith("http")) element("a", { href: original, target: "_blank", rel: "noopener noreferrer" }).click();
      else this.#status.textContent = say("reading.noFile");
    } catch (error) {
      if (reference === this.#reference) this.#status.textContent = error.message;
    }
  }

  #showOutline(entries) {
    let above = [];
    const items = entries.map((entry) => {
      const path = entry.heading.split(" · ");
      const depth = path.findIndex((each, at) => each !== above[at]);
      above = path;
      const button = element("button", { className: "link", type: "button", dir: "auto", on: { click: () => this.#follow(entry) } }, path.slice(Math.max(0, depth)).join(" · "));
      return element("li", { className: depth > 0 ? "deeper" : "" }, button);
    });
    this.#outline.replaceChildren(...items);
    this.#fold.hidden = entries.length < 2;
  }

  async #follow({ page, number }) {
    const outline = [...this.#outline.children];
    if (page < this.#first || page > this.#last) {
      await this.#openAt(page);
      this.#outline.replaceChildren(...outline);
      this.#fold.hidden = false;
    }
    const block = this.#text.querySelector(`[data-number="${number}"]`);
    this.#goTo(block?.previousElementSibling?.tagName === "H3" ? block.previousElementSibling : block);
    this.#scroll.focus({ preventScroll: true });
  }

  #goTo(place) {
    if (place) this.#scroll.scrollTop += place.getBoundingClientRect().top - this.#scroll.getBoundingClientRect().top - 48;
  }
}
