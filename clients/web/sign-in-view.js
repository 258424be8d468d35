import { element } from "./element.js";
import { NewPasswordView } from "./new-password-view.js";

/** The sign-in form, and at a first sign-in that for a new password. `users` are sample users (`{name, password}`) with which it can be filled in. */
export class SignInView {
  #root;
  #form;
  #notice;
  #button;
  #newPassword = null;

  constructor({ root, signIn, users, signedIn }) {
    this.#root = root;
    this.#form = root.querySelector("form");
    this.#notice = root.querySelector("#sign-in-notice");
    this.#button = this.#form.querySelector("[type=submit]");
    this.#form.addEventListener("submit", (event) => this.#submit(event, signIn, signedIn));
    this.#showSamples(root.querySelector("#sample-users"), users);
  }

  show(sentence = "") {
    this.#newPassword?.remove();
    this.#form.hidden = false;
    this.#root.hidden = false;
    this.#showNotice(sentence);
    this.#form.elements.username.focus();
  }

  hide() {
    this.#root.hidden = true;
    this.#newPassword?.remove();
    this.#form.reset();
  }

  async #submit(event, signIn, signedIn) {
    event.preventDefault();
    const { username, password } = this.#form.elements;
    this.#busy(true);
    try {
      await signIn.signIn(username.value.trim(), password.value);
      if (signIn.needsNewPassword) {
        this.#askForNewPassword(username.value.trim(), signIn, signedIn);
        return;
      }
    } catch (error) {
      this.#showNotice(error.message);
      password.select();
      return;
    } finally {
      this.#busy(false);
    }
    signedIn();
  }

  #askForNewPassword(user, signIn, signedIn) {
    const choose = async (password) => {
      try {
        await signIn.chooseNewPassword(password);
      } catch (error) {
        if (signIn.needsNewPassword) throw error;
        this.show(error.message);
        return;
      }
      signedIn();
    };
    this.#form.reset();
    this.#form.hidden = true;
    this.#newPassword = new NewPasswordView({ user, choose, back: () => this.show() });
    this.#newPassword.show(this.#root);
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
