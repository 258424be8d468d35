import { element } from "./element.js";
import { say } from "./words.js";

/**
 * A form that takes the place of the sign-in form for one step. `send()` resolves when the step is done, and rejects with
 * a sentence, which is shown; the field that `send` names in `error.field`, or else the first, is selected then.
 */
export class StepForm {
  root;

  #notice = element("p", { className: "notice", role: "alert", dir: "auto", hidden: true });
  #button;
  #labels;
  #first;
  #send;

  constructor({ title, lede, content, first, labels: [label, busy], send, back }) {
    this.#send = send;
    this.#first = first;
    this.#labels = [label, busy];
    this.#button = element("button", { className: "primary", type: "submit" }, label);
    this.root = element(
      "form",
      { className: "sign-in", autocomplete: "on", on: { submit: (event) => this.#submit(event) } },
      element("h1", { className: "step" }, title),
      element("p", { className: "lede" }, lede),
      this.#notice,
      ...content,
      this.#button,
      element("button", { className: "link", type: "button", on: { click: back.action } }, back.label),
    );
  }

  /** Adds the form to the page. */
  show(parent) {
    parent.append(this.root);
    this.#first.focus();
  }

  remove() {
    this.root.remove();
  }

  async #submit(event) {
    event.preventDefault();
    this.#busy(true);
    try {
      await this.#send();
    } catch (error) {
      this.#notice.textContent = error.message;
      this.#notice.hidden = false;
      (error.field ?? this.#first).select();
    } finally {
      this.#busy(false);
    }
  }

  #busy(busy) {
    this.#button.disabled = busy;
    this.#button.textContent = this.#labels[busy ? 1 : 0];
  }
}

const CODE = { name: "code", inputMode: "numeric", autocomplete: "one-time-code", pattern: "[0-9]{6}", maxLength: 6, required: true };

/** The field for the six digits of an authenticator app. */
export function codeField() {
  return element("input", { ...CODE, title: say("code.digits") });
}
