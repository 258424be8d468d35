import { element } from "./element.js";

/** The sign-in form. `users` are samples (`{name, password}`) that fill it in. */
export class SignInView {
  #place;
  #form;
  #notice;
  #button;

  constructor({ place, signIn, users, signedIn }) {
    this.#place = place;
    this.#form = place.querySelector("form");
    this.#notice = place.querySelector("#sign-in-notice");
    this.#button = this.#form.querySelector("[type=submit]");
    this.#form.addEventListener("submit", (event) => this.#submit(event, signIn, signedIn));
    this.#showSamples(place.querySelector("#sample-users"), users);
  }

  show(sentence = "") {
    this.#place.hidden = false;
    this.#tell(sentence);
    this.#form.elements.username.focus();
  }

  hide() {
    this.#place.hidden = true;
    this.#form.reset();
  }

  async #submit(event, signIn, signedIn) {
    event.preventDefault();
    const { username, password } = this.#form.elements;
    this.#busy(true);
    try {
      await signIn.signIn(username.value.trim(), password.value);
    } catch (error) {
      this.#tell(error.message);
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

  #tell(sentence) {
    this.#notice.textContent = sentence;
    this.#notice.hidden = !sentence;
  }

  #showSamples(place, users) {
    if (!users?.length) return;
    const buttons = users.map((user) =>
      element("button", { type: "button", className: "secondary", on: { click: () => this.#fill(user) } }, user.name),
    );
    place.append(element("p", {}, "This is a local stage. Its sample users:"), ...buttons);
    place.hidden = false;
  }

  #fill({ name, password }) {
    this.#form.elements.username.value = name;
    this.#form.elements.password.value = password;
    this.#button.focus();
  }
}
