import { element } from "./element.js";
import { ReadersChoice } from "./readers-choice.js";

const KEPT = "What you have typed is still here.";

/** The fields and the readers of a document, to be changed by its editors. Several values of a field are on lines. */
export class DescriptionForm {
  root = element("form", { className: "description", aria: { label: "Fields and readers" } });
  #client;
  #place;
  #you;
  #saved;
  #closed;
  #version = "";
  #choice;
  #rows = element("div", { className: "fields" });
  #notice = element("p", { className: "notice", role: "alert", hidden: true });
  #save = element("button", { className: "primary", type: "submit" }, "Save");

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
    this.root.replaceChildren(element("p", { className: "loading", role: "status" }, "Opening …"));
    try {
      const said = await this.#client.describeDocument(this.#place);
      this.#draw(said);
    } catch (error) {
      const close = element("button", { className: "link", type: "button", on: { click: () => this.#closed() } }, "Close");
      this.root.replaceChildren(element("p", { className: "notice", role: "alert" }, error.message), close);
    }
  }

  #draw({ fields, readers, version }) {
    this.#version = version;
    this.#choice = new ReadersChoice({ you: this.#you, readers });
    this.#rows.replaceChildren(...Object.entries(fields).map(([name, values]) => this.#row(name, values)));
    const add = element("button", { className: "link", type: "button" }, "Add a field");
    add.addEventListener("click", () => {
      const row = this.#row("", []);
      this.#rows.append(row);
      row.querySelector("input").focus();
    });
    const cancel = element("button", { className: "secondary", type: "button", on: { click: () => this.#closed() } }, "Cancel");
    this.root.replaceChildren(this.#rows, add, this.#choice.root, this.#notice, element("p", { className: "acts" }, this.#save, cancel));
    (this.#rows.querySelector("textarea") ?? add).focus();
  }

  #row(name, values) {
    const field = element("input", { value: name, maxLength: 200, dir: "auto", aria: { label: "Field" }, placeholder: "Field" });
    const value = element("textarea", { value: values.join("\n"), rows: Math.max(1, values.length), dir: "auto", aria: { label: name ? `Value of ${name}` : "Value" }, placeholder: "Value; several on lines of their own" });
    const remove = element("button", { className: "link", type: "button", aria: { label: name ? `Remove the field ${name}` : "Remove the field" } }, "Remove");
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
      else this.#say(error.message, KEPT);
    } finally {
      this.#save.disabled = false;
    }
  }

  /** What somebody else has written; the next attempt is made over it. */
  async #showTheirs(changed) {
    try {
      const { fields, readers, version } = await this.#client.describeDocument(this.#place);
      this.#version = version;
      const said = Object.entries(fields).map(([name, values]) => `${name}: ${values.join(", ")}`);
      const theirs = [...said, readers.length ? `readers: ${readers.join(", ")}` : "no readers"].join("; ");
      this.#say(changed.message, `Now it says: ${theirs}. ${KEPT} To write it over that, save again.`);
    } catch (error) {
      this.#say(changed.message, error.message, KEPT);
    }
  }

  #say(...sentences) {
    this.#notice.textContent = sentences.join(" ");
    this.#notice.hidden = false;
  }
}
