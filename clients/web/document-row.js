import { DescriptionForm } from "./description-form.js";
import { documentLink } from "./document-link.js";
import { watchDocument } from "./document-watch.js";
import { element } from "./element.js";
import { dateOf, listed, say } from "./words.js";

const STATES = ["waiting", "ingesting", "rejected", "leaving"];

/** Its fields, as a list of terms. */
function fieldsOf(fields) {
  const shown = Object.entries(fields).map(([name, value]) => element("div", {}, element("dt", {}, element("bdi", {}, name)), element("dd", { dir: "auto" }, value)));
  return shown.length ? [element("dl", { className: "fields" }, shown)] : [];
}

/** The other versions of a document; open where one of them is in force in its stead. */
function versionsOf({ standing, versions = [] }, knowledgeBase) {
  if (!versions.length) return [];
  const isReplaced = standing !== "inForce" && versions.some((each) => each.standing === "inForce");
  const lines = versions.map(({ documentId, title, version, standing: its }) => {
    const said = [documentId === title ? null : documentId, version, its && say(`document.${its}`)].filter(Boolean);
    return element("li", {}, documentLink({ knowledgeBase, documentId }, title || documentId), said.flatMap((each) => [" · ", element("bdi", {}, each)]));
  });
  return [element("details", { className: "versions", open: isReplaced }, element("summary", {}, say("document.versions", { count: versions.length })), element("ul", {}, lines))];
}

/** A document of the list: what it is called, its fields, its state, and for editors what can be done with it. */
export class DocumentRow {
  root = element("li", { className: "document-row" });
  #client;
  #place;
  #you;
  #signal;
  #gone;
  #now;
  #below = element("div", { className: "below" });
  #failed = "";

  /** `you`: an editor's names as a reader, else undefined. `gone()`: the document is no more. `signal` ends it. */
  constructor(document, { client, knowledgeBase, you, gone, signal }) {
    this.#client = client;
    this.#place = { knowledgeBase, documentId: document.documentId };
    this.#you = you;
    this.#gone = gone;
    this.#signal = signal;
    this.show(document);
    if (document.state === "leaving") this.#watchLeaving();
    else if (document.state && document.state !== "searchable" && document.state !== "rejected") this.#watch();
  }

  /** What the document is now. */
  show(document) {
    if (this.#now && JSON.stringify(document) === JSON.stringify(this.#now) && !this.#failed) return;
    const focused = globalThis.document.activeElement;
    this.#now = document;
    const { documentId, title, passages, fields } = document;
    const name = passages ? documentLink(this.#place, title || documentId) : title || documentId;
    const told = this.#told();
    this.root.replaceChildren(
      element("h2", { dir: "auto" }, name),
      element("p", { className: "facts" }, this.#facts().flatMap((fact, at) => [at ? " · " : null, element("bdi", {}, fact)])),
      ...fieldsOf(fields),
      ...versionsOf(document, this.#place.knowledgeBase),
      ...(told ? [element("p", { className: document.state === "rejected" ? "state failed" : "state", role: "status" }, told)] : []),
      ...(this.#you ? [this.#acts(), this.#below] : []),
    );
    if (this.#below.contains(focused)) focused.focus();
  }

  #facts() {
    const { documentId, title, passages, ingestedAt, readers, standing } = this.#now;
    const facts = standing ? [say(`document.${standing}`)] : [];
    if (title !== documentId) facts.push(documentId);
    if (passages) facts.push(say("document.passages", { count: passages }));
    if (ingestedAt) facts.push(dateOf(ingestedAt, { dateStyle: "medium" }));
    if (readers) facts.push(readers.length ? say("document.for", { readers: listed(readers.map((name) => this.#reader(name))) }) : say("document.forEverybody"));
    return facts;
  }

  #reader(name) {
    if (name.startsWith("group:")) return say("document.group", { name: name.slice(6) });
    return this.#you?.includes(name) ? say("document.you") : name;
  }

  #told() {
    const { state, said } = this.#now;
    const parts = [this.#failed, STATES.includes(state) ? say(`document.${state}`) : "", said].filter(Boolean);
    return parts.length ? parts.flatMap((part, at) => [at ? " " : null, element("bdi", {}, part)]) : null;
  }

  #acts() {
    if (this.#now.state === "leaving") return "";
    const title = this.#now.title || this.#now.documentId;
    const describe = element("button", { className: "link", type: "button", aria: { label: say("document.describeLabel", { title }) } }, say("document.describe"));
    const remove = element("button", { className: "link", type: "button", aria: { label: say("document.removeLabel", { title }) } }, say("act.remove"));
    describe.addEventListener("click", () => this.#describe());
    remove.addEventListener("click", () => this.#askToRemove(title));
    return element("p", { className: "acts" }, describe, remove);
  }

  #close() {
    this.#below.replaceChildren();
    this.root.querySelector(".acts .link")?.focus();
  }

  #describe() {
    const form = new DescriptionForm({
      client: this.#client,
      place: this.#place,
      you: this.#you,
      saved: () => {
        this.#close();
        this.show({ ...this.#now, state: "waiting", said: undefined });
        this.root.querySelector(".acts .link")?.focus();
        this.#watch();
      },
      closed: () => this.#close(),
    });
    this.#below.replaceChildren(form.root);
    form.load();
  }

  #askToRemove(title) {
    const keep = element("button", { className: "secondary", type: "button", on: { click: () => this.#close() } }, say("act.keep"));
    const remove = element("button", { className: "primary", type: "button", on: { click: () => this.#remove() } }, say("document.removeIt"));
    const question = say("document.removeSure", { title });
    this.#below.replaceChildren(element("div", { className: "ask", role: "group", aria: { label: question } }, element("p", {}, question), element("p", { className: "acts" }, remove, keep)));
    keep.focus();
  }

  async #remove() {
    this.#below.replaceChildren(element("p", { className: "loading", role: "status" }, say("document.removing")));
    this.#failed = "";
    try {
      const { gone } = await this.#client.removeDocument(this.#place);
      this.#below.replaceChildren();
      if (gone) return this.#gone();
      this.show({ ...this.#now, state: "leaving", said: undefined });
      this.#watchLeaving();
    } catch (error) {
      this.#below.replaceChildren();
      this.#failed = error.message;
      this.show(this.#now);
    }
  }

  #watch() {
    watchDocument({ client: this.#client, place: this.#place, signal: this.#signal, told: (document) => (document ? this.show(document) : undefined) });
  }

  /** What is left of a document is taken once nobody finds it any more. */
  #watchLeaving() {
    const told = async (document) => {
      if (document) return;
      try {
        await this.#client.removeDocument(this.#place);
      } catch {
        // Nothing was left.
      }
      this.#gone();
    };
    watchDocument({ client: this.#client, place: this.#place, leaving: true, signal: this.#signal, told });
  }
}
