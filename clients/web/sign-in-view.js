import { authenticatorForm, codeForm } from "./authenticator-view.js";
import { element } from "./element.js";
import { newPasswordForm } from "./new-password-view.js";
import { say } from "./words.js";

/**
 * The sign-in form, and the forms of the steps that may follow it. `users` are sample users (`{name, password}`) with which
 * it can be filled in. `device`: what may keep the sign-in, see `KeptSignIn`.
 */
export class SignInView {
  #root;
  #form;
  #notice;
  #button;
  #signIn;
  #signedIn;
  #step = null;

  constructor({ root, signIn, users, device, signedIn }) {
    this.#root = root;
    this.#signIn = signIn;
    this.#signedIn = signedIn;
    this.#form = root.querySelector("form");
    this.#notice = root.querySelector("#sign-in-notice");
    this.#button = this.#form.querySelector("[type=submit]");
    this.#form.addEventListener("submit", (event) => this.#submit(event));
    this.#form.elements.keep.addEventListener("change", ({ target }) => refuseImpossible(target, device));
    this.#showProvider(root.querySelector("#provider"));
    this.#showSamples(root.querySelector("#sample-users"), users);
  }

  show(sentence = "") {
    this.#step?.remove();
    this.#form.hidden = false;
    this.#root.hidden = false;
    this.#showNotice(sentence);
    this.#form.elements.username.focus();
  }

  hide() {
    this.#root.hidden = true;
    this.#step?.remove();
    this.#form.reset();
  }

  async #submit(event) {
    event.preventDefault();
    const { username, password, keep } = this.#form.elements;
    this.#busy(true);
    try {
      await this.#signIn.signIn(username.value.trim(), password.value, { keep: keep.checked });
      await this.#goOn(username.value.trim());
    } catch (error) {
      this.#showNotice(error.message);
      password.select();
    } finally {
      this.#busy(false);
    }
  }

  /** The form of the next step, or the end. */
  async #goOn(user) {
    if (!this.#signIn.step) return this.#signedIn();
    const form = await this.#formOf(this.#signIn.step, user);
    this.#step?.remove();
    this.#form.reset();
    this.#form.hidden = true;
    this.#step = form;
    form.show(this.#root);
  }

  async #formOf(step, user) {
    const back = () => this.show();
    const then = (action) => (value) => this.#unlessOver(() => action(value), user);
    if (step === "newPassword") return newPasswordForm({ user, back, choose: then((password) => this.#signIn.chooseNewPassword(password)) });
    if (step === "code") return codeForm({ back, enter: then((code) => this.#signIn.enterCode(code)) });
    const authenticator = await this.#signIn.addAuthenticator();
    const confirm = then((code) => authenticator.confirm(code));
    return authenticatorForm({
      authenticator: { secret: authenticator.secret, address: authenticator.address, confirm },
      lede: say("app.needed"),
      save: say("signIn.saveAndGo"),
      added: () => {},
      back: { label: say("signIn.back"), action: back },
    });
  }

  /** An error is shown beside its step, unless sign-in has to begin anew. */
  async #unlessOver(action, user) {
    try {
      await action();
    } catch (error) {
      if (this.#signIn.step) throw error;
      return this.show(error.message);
    }
    await this.#goOn(user);
  }

  #busy(busy) {
    this.#button.disabled = busy;
    this.#button.textContent = say(busy ? "signIn.busy" : "signIn.go");
  }

  #showNotice(sentence) {
    this.#notice.textContent = sentence;
    this.#notice.hidden = !sentence;
  }

  #showProvider(root) {
    const { provider } = this.#signIn;
    if (!provider) return;
    const go = async () => location.assign(await this.#signIn.beginAtProvider(location.search + location.hash, { keep: this.#form.elements.keep.checked }));
    root.append(element("button", { type: "button", className: "secondary", on: { click: go } }, say("signIn.with", { provider })));
    root.hidden = false;
  }

  #showSamples(root, users) {
    if (!users?.length) return;
    const buttons = users.map((user) =>
      element("button", { type: "button", className: "secondary", on: { click: () => this.#fill(user) } }, user.name),
    );
    root.append(element("p", {}, say("signIn.samples")), ...buttons);
    root.hidden = false;
  }

  #fill({ name, password }) {
    this.#form.elements.username.value = name;
    this.#form.elements.password.value = password;
    this.#button.focus();
  }
}

/** Says at once that a browser does not keep the sign-in, and not when it is gone. */
async function refuseImpossible(box, device) {
  if (!box.checked || (await device.isPossible())) return;
  box.checked = false;
  box.disabled = true;
  box.form.querySelector("#keep-hint").textContent = say("signIn.keepRefused");
}
