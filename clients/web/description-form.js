import { element } from "./element.js";
import { ReadersChoice } from "./readers-choice.js";
import { listed, say } from "./words.js";

/** The fields and the readers of a document, to be changed by its editors. Several values of a field are on lines. */
export class DescriptionForm {
  root = element("form", { className: "description", aria: { label: say("document.describe") } });
  #client;
  #place;
  #you;
  #saved;
  #closed;
  #version = "";
  #choice;
  #rows = element("div", { className: "fields" });
  #notice = element("p", { className: "notice", role: "alert", dir: "auto", hidden: true });
  #save = element("button", { className: "primary", type: "submit" }, say("act.save"));

  /** `place`: `{knowledgeBase, documentId}`. `saved()` and `closed()` are called when the form is done. */
  constructor({ client, place, you, saved, closed }) {
    this.#client = client;
    this.#place = place;
    this.#you = you;
    this.#saved = saved;
    this.#closed = closed;
    this.root.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#write();
    });
  }

  async load() {
    this.root.replaceChildren(element("p", { className: "loading", role: "status" }, say("document.opening")));
    try {
      const said = await this.#client.describeDocument(this.#place);
      this.#draw(said);
    } catch (error) {
      const close = element("button", { className: "link", type: "button", on: { click: () => this.#closed() } }, say("act.close"));
      this.root.replaceChildren(element("p", { className: "notice", role: "alert", dir: "auto" }, error.message), close);
    }
  }

  #draw({ fields, readers, version }) {
    this.#version = version;
    this.#choice = new ReadersChoice({ you: this.#you, readers });
    this.#rows.replaceChildren(...Object.entries(fields).map(([name, values]) => this.#row(name, values)));
    const add = element("button", { className: "link", type: "button" }, say("fields.add"));
    add.addEventListener("click", () => {
      const row = this.#row("", []);
      this.#rows.append(row);
      row.querySelector("input").focus();
    });
    const cancel = element("button", { className: "secondary", type: "button", on: { click: () => this.#closed() } }, say("act.cancel"));
    this.root.replaceChildren(this.#rows, add, this.#choice.root, this.#notice, element("p", { className: "acts" }, this.#save, cancel));
    (this.#rows.querySelector("textarea") ?? add).focus();
  }

  #row(name, values) {
    const field = element("input", { value: name, maxLength: 200, dir: "auto", aria: { label: say("fields.name") }, placeholder: say("fields.name") });
    const value = element("textarea", { value: values.join("\n"), rows: Math.max(1, values.length), dir: "auto", aria: { label: name ? say("fields.valueOf", { field: name }) : say("fields.value") }, placeholder: say("fields.valueHint") });
    const remove = element("button", { className: "link", type: "button", aria: { label: name ? say("fields.removeNamed", { field: name }) : say("fields.remove") } }, say("act.remove"));
    const row = element("div", { className: "field-row" }, field, value, remove);
    remove.addEventListener("click", () => row.remove());
    return row;
  }

  get #fields() {
    const rows = [...this.#rows.children].map((row) => [row.querySelector("input").value.trim(), row.querySelector("textarea").value]);
    const given = rows.map(([name, text]) => [name, text.split("\n").map((line) => line.trim()).filter(Boolean)]);
    return Object.fromEntries(given.filter(([name, values]) => name && values.length));
  }

  async #write() {
    this.#save.disabled = true;
    this.#notice.hidden = true;
    try {
      await this.#client.describeDocument({ ...this.#place, fields: this.#fields, readers: this.#choice.readers, version: this.#version });
      this.#saved();
    } catch (error) {
      if (error.code === "document_changed") await this.#showTheirs(error);
      else this.#say(error.message, say("fields.kept"));
    } finally {
      this.#save.disabled = false;
    }
  }

  /** What somebody else has written; the next attempt is made over it. */
  async #showTheirs(changed) {
    try {
      const { fields, readers, version } = await this.#client.describeDocument(this.#place);
      this.#version = version;
      const said = Object.entries(fields).map(([name, values]) => `${name}: ${listed(values)}`);
      const theirs = [...said, readers.length ? say("fields.readers", { readers: listed(readers) }) : say("fields.noReaders")].join("; ");
      this.#say(changed.message, say("fields.theirs", { theirs }));
    } catch (error) {
      this.#say(changed.message, error.message, say("fields.kept"));
    }
  }

  #say(...sentences) {
    this.#notice.textContent = sentences.join(" ");
    this.#notice.hidden = false;
  }
}
