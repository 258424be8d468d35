import { element } from "./element.js";

/** The sign-in form. `users` are sample users (`{name, password}`) with which it can be filled in. */
export class SignInView {
  #root;
  #form;
  #notice;
  #button;

  constructor({ root, signIn, users, signedIn }) {
    this.#root = root;
    this.#form = root.querySelector("form");
    this.#notice = root.querySelector("#sign-in-notice");
    this.#button = this.#form.querySelector("[type=submit]");
    this.#form.addEventListener("submit", (event) => this.#submit(event, signIn, signedIn));
    this.#showSamples(root.querySelector("#sample-users"), users);
  }

  show(sentence = "") {
    this.#root.hidden = false;
    this.#showNotice(sentence);
    this.#form.elements.username.focus();
  }

  hide() {
    this.#root.hidden = true;
    this.#form.reset();
  }

  async #submit(event, signIn, signedIn) {
    event.preventDefault();
    const { username, password } = this.#form.elements;
    this.#busy(true);
    try {
      await signIn.signIn(username.value.trim(), password.value);
    } catch (error) {
      this.#showNotice(error.message);
      password.select();
      return;
    } finally {
      this.#busy(false);
    }
    signedIn();
  }

  #busy(busy) {
    this.#button.disabled = busy;
    this.#button.textContent = busy ? "Signing in…" : "Sign in";
  }

  #showNotice(sentence) {
    this.#notice.textContent = sentence;
    this.#notice.hidden = !sentence;
  }

  #showSamples(root, users) {
    if (!users?.length) return;
    const buttons = users.map((user) =>
      element("button", { type: "button", className: "secondary", on: { click: () => this.#fill(user) } }, user.name),
    );
    root.append(element("p", {}, "This is a local stage. Its sample users:"), ...buttons);
    root.hidden = false;
  }

  #fill({ name, password }) {
    this.#form.elements.username.value = name;
    this.#form.elements.password.value = password;
    this.#button.focus();
  }
}
