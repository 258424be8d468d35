import { DocumentFilters } from "./document-filters.js";
import { DocumentRow } from "./document-row.js";
import { element } from "./element.js";
import { ReadersChoice } from "./readers-choice.js";
import { UploadRow } from "./upload-row.js";
import { say } from "./words.js";

/** A search waits for so long after the last letter, milliseconds. */
const TYPING = 300;
/** In these a list can be put, each with its words. */
const ORDERS = [["title", "documents.byTitle"], ["id", "documents.byName"], ["-ingestedAt", "documents.newest"], ["-passages", "documents.longest"]];

/** The screen of a knowledge base's documents: a list to search and put in order, and for editors uploads. */
export class DocumentsView {
  #root;
  #client;
  #close;
  #base = null;
  #visit = 0;
  #typing = null;
  #next = null;
  #columns = "";
  /** Ends what is on the screen; uploads go on. */
  #leave = new AbortController();
  #end = new AbortController();
  /** The base that files are sent to. */
  #target = null;
  #title = element("h1", { id: "documents-title", tabIndex: -1 }, say("documents.title"));
  #lede = element("p", { className: "lede" });
  #search = element("input", { type: "search", className: "search", placeholder: say("documents.search"), maxLength: 100, autocomplete: "off", dir: "auto", aria: { label: say("documents.searchLabel") } });
  #order = element("select", {});
  #filters = new DocumentFilters(() => this.#load());
  #uploads = element("section", { className: "uploads", hidden: true, aria: { label: say("upload.title") } });
  #sent = element("ul", { className: "document-rows", aria: { label: say("upload.list") } });
  #list = element("ul", { className: "document-rows", aria: { labelledby: "documents-title" } });
  #status = element("p", { className: "loading", role: "status" });
  #more = element("button", { className: "secondary", type: "button", hidden: true }, say("documents.more"));

  /** `close()`: the user goes back to the conversation. */
  constructor({ root, client, close }) {
    this.#root = root;
    this.#client = client;
    this.#close = close;
    this.#search.addEventListener("input", () => {
      clearTimeout(this.#typing);
      this.#typing = setTimeout(() => this.#load(), TYPING);
    });
    this.#order.addEventListener("change", () => this.#load());
    this.#more.addEventListener("click", () => this.#load(this.#next));
  }

  get base() {
    return this.#base;
  }

  /** Shows the documents of this base. */
  show(base) {
    if (base === this.#base) return;
    this.hide();
    this.#base = base;
    this.#leave = new AbortController();
    const back = element("button", { className: "link", type: "button", on: { click: () => this.#close() } }, say("documents.back"));
    const tools = element("div", { className: "tools" }, this.#search, element("label", {}, say("documents.order"), " ", this.#order));
    this.#lede.textContent = say("documents.of", { base });
    this.#root.replaceChildren(element("div", { className: "documents-page" }, element("header", {}, this.#title, back, this.#lede), this.#uploads, tools, this.#filters.root, this.#sent, this.#list, this.#status, this.#more));
    this.#root.hidden = false;
    if (this.#target !== base) this.#sent.replaceChildren();
    this.#target = base;
    this.#title.focus();
    this.#load();
  }

  /** Nothing of the session stays. */
  end() {
    this.#end.abort();
    this.#sent.replaceChildren();
    this.hide();
  }

  hide() {
    this.#visit += 1;
    this.#base = null;
    this.#leave.abort();
    clearTimeout(this.#typing);
    this.#search.value = "";
    this.#columns = "";
    this.#filters.clear();
    for (const each of [this.#root, this.#list, this.#uploads, this.#order]) each.replaceChildren();
    this.#root.hidden = true;
    this.#uploads.hidden = true;
  }

  async #load(offset = 0) {
    const visit = (this.#visit += 1);
    this.#status.textContent = say("documents.loading");
    this.#more.hidden = true;
    try {
      const search = this.#search.value.trim() || undefined;
      const filters = this.#filters.asked;
      const page = await this.#client.listDocuments({ knowledgeBase: this.#base, search, sort: this.#order.value || undefined, offset: offset || undefined, filters });
      if (visit === this.#visit) this.#draw(page, offset, search || filters);
    } catch (error) {
      if (visit === this.#visit) this.#fail(error, offset);
    }
  }

  #draw(page, offset, narrowed) {
    this.#offerOrders(page.columns ?? []);
    this.#filters.offer(page, offset === 0);
    if (page.you) this.#offerUpload(page);
    if (!offset) this.#list.replaceChildren();
    this.#list.append(...page.documents.map((document) => this.#row(document, page.you).root));
    this.#next = page.nextOffset;
    this.#more.hidden = !page.nextOffset;
    const none = narrowed ? "documents.noneFound" : "documents.none";
    this.#status.textContent = say(page.total ? "documents.count" : none, { count: page.total });
  }

  #row(document, you) {
    const row = new DocumentRow(document, {
      client: this.#client,
      knowledgeBase: this.#base,
      you,
      signal: this.#leave.signal,
      gone: () => {
        row.root.remove();
        this.#status.textContent = say("documents.removed", { title: document.title || document.documentId });
      },
    });
    row.root.dataset.document = document.documentId;
    return row;
  }

  #fail(error, offset) {
    // What stands there is not what the filters say.
    if (error.code === "invalid_filter") this.#list.replaceChildren();
    const again = element("button", { className: "link", type: "button", on: { click: () => this.#load(offset) } }, say("act.again"));
    this.#status.replaceChildren(element("span", { role: "alert", dir: "auto" }, error.message), " ", again);
  }

  #offerOrders(columns) {
    if (this.#order.options.length && columns.join() === this.#columns) return;
    this.#columns = columns.join();
    const chosen = this.#order.value;
    const orders = [...ORDERS.map(([value, words]) => [value, say(words)]), ...columns.map((name) => [name, name])];
    this.#order.replaceChildren(...orders.map(([value, label]) => element("option", { value }, label)));
    this.#order.value = orders.some(([value]) => value === chosen) ? chosen : ORDERS[0][0];
  }

  // ---- uploads ----

  #offerUpload({ you, types, mostBytes }) {
    if (!this.#uploads.hidden) return;
    const choice = new ReadersChoice({ you });
    const input = element("input", { type: "file", multiple: true, accept: types.join(","), className: "unseen", tabIndex: -1, aria: { hidden: "true" } });
    const choose = element("button", { className: "primary", type: "button", on: { click: () => input.click() } }, say("upload.choose"));
    const take = (files) => this.#send([...files], choice.readers, you, { types, mostBytes });
    input.addEventListener("change", () => {
      take(input.files);
      input.value = "";
    });
    const zone = element("div", { className: "drop" }, choose, input, element("p", {}, say("upload.drop")), element("p", { className: "hint" }, say("upload.limits", { types: types.join(", "), megabytes: Math.floor(mostBytes / 1e6) })));
    for (const type of ["dragover", "dragleave", "drop"]) zone.addEventListener(type, (event) => dragged(event, zone, take));
    this.#uploads.replaceChildren(zone, choice.root);
    this.#uploads.hidden = false;
  }

  #send(files, readers, you, limits) {
    const knowledgeBase = this.#base;
    for (const file of files) {
      const row = new UploadRow(file, {
        client: this.#client,
        knowledgeBase,
        readers,
        limits,
        signal: this.#end.signal,
        done: (document) => {
          if (this.#base !== knowledgeBase) return;
          this.#list.querySelector(`[data-document="${CSS.escape(document.documentId)}"]`)?.remove();
          this.#list.prepend(this.#row(document, you).root);
        },
      });
      this.#sent.append(row.root);
    }
  }
}

function dragged(event, zone, take) {
  event.preventDefault();
  zone.classList.toggle("over", event.type === "dragover");
  if (event.type === "drop") take(event.dataTransfer.files);
}
