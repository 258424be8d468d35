import { element } from "./element.js";

/** What the user pool asks of a password. */
const RULE = "At least 12 characters: lowercase, uppercase, numbers, symbols.";

/** The form for the first sign-in, with an initial password: the user chooses another one. */
export class NewPasswordView {
  #form;
  #notice = element("p", { className: "notice", role: "alert", hidden: true });
  #password = passwordField("password");
  #repeated = passwordField("repeated");
  #button = element("button", { className: "primary", type: "submit" }, "Save and sign in");
  #choose;

  /** `choose` takes the password and rejects with a sentence; `back` leaves without choosing. */
  constructor({ user, choose, back }) {
    this.#choose = choose;
    this.#password.setAttribute("aria-describedby", "password-rule");
    this.#form = element(
      "form",
      { className: "sign-in", autocomplete: "on", on: { submit: (event) => this.#submit(event) } },
      element("h1", { className: "step" }, "A new password"),
      element("p", { className: "lede" }, "You signed in with an initial password. Choose the one that you will use from now on."),
      this.#notice,
      // Password managers look for the name that a password belongs to.
      element("input", { name: "username", autocomplete: "username", value: user, hidden: true }),
      element("label", {}, "New password ", this.#password),
      element("p", { className: "rule", id: "password-rule" }, RULE),
      element("label", {}, "Repeat it ", this.#repeated),
      this.#button,
      element("button", { className: "link", type: "button", on: { click: back } }, "Back to sign-in"),
    );
  }

  /** Adds the form to the page. */
  show(root) {
    root.append(this.#form);
    this.#password.focus();
  }

  remove() {
    this.#form.remove();
  }

  async #submit(event) {
    event.preventDefault();
    if (this.#password.value !== this.#repeated.value) {
      this.#refuse("The two passwords differ. Type the same one twice.", this.#repeated);
      return;
    }
    this.#busy(true);
    try {
      await this.#choose(this.#password.value);
    } catch (error) {
      this.#refuse(error.message, this.#password);
    } finally {
      this.#busy(false);
    }
  }

  #refuse(sentence, field) {
    this.#notice.textContent = sentence;
    this.#notice.hidden = false;
    field.select();
  }

  #busy(busy) {
    this.#button.disabled = busy;
    this.#button.textContent = busy ? "Saving…" : "Save and sign in";
  }
}

function passwordField(name) {
  return element("input", { name, type: "password", autocomplete: "new-password", required: true });
}
