import { element } from "./element.js";
import { say } from "./words.js";

/** A form with the groups of a user. Their names have no blanks, so blanks stand between them. */
export class GroupsForm {
  root;
  #groups;
  #create = element("input", { type: "checkbox" });
  #notice = element("p", { className: "failed", role: "alert", dir: "auto", hidden: true });
  #send;

  /**
   * `before`: what else is asked for. `send({groups, createGroups})`: rejects with what to tell. `cancel()`: the form is
   * given up; without it it stays.
   */
  constructor({ before = null, groups = [], save, send, cancel = null }) {
    this.#send = send;
    this.#groups = element("input", { value: groups.join(" "), autocomplete: "off", autocapitalize: "none", spellcheck: false, dir: "auto" });
    const submit = element("button", { className: "primary", type: "submit" }, save);
    const leave = cancel && element("button", { className: "secondary", type: "button", on: { click: cancel } }, say("act.cancel"));
    this.root = element(
      "form",
      { className: "ask user-form", on: { submit: (event) => this.#submit(event, submit) } },
      before,
      element("label", {}, say("users.groups"), " ", this.#groups),
      element("label", { className: "check" }, this.#create, " ", say("users.create")),
      this.#notice,
      element("p", { className: "acts" }, submit, leave),
    );
  }

  focus() {
    this.#groups.focus();
  }

  clear() {
    this.#groups.value = "";
    this.#create.checked = false;
  }

  async #submit(event, button) {
    event.preventDefault();
    button.disabled = true;
    this.#notice.hidden = true;
    try {
      await this.#send({ groups: this.#groups.value.split(/\s+/).filter(Boolean), createGroups: this.#create.checked });
    } catch (error) {
      this.#notice.textContent = error.message;
      this.#notice.hidden = false;
    }
    button.disabled = false;
  }
}
