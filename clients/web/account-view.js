import { appearanceSection } from "./appearance.js";
import { SecondStep } from "./authenticator.js";
import { authenticatorForm } from "./authenticator-view.js";
import { element } from "./element.js";
import { OwnData } from "./own-data.js";

const ADD = "Scan this with an authenticator app on your phone. From then on you sign in with your password and a code of the app.";

/**
 * The settings: how the page looks, its keys, the user's data, the second step of sign-in, where the pool lets users choose, and
 * signing out.
 */
export class AccountView {
  #dialog;
  #signIn;
  #mfa;
  #signOut;
  #showKeys;
  #client;
  #erased;
  #notice = element("p", { className: "notice", role: "alert", hidden: true });
  #secondStep = element("section", {});

  /** `mfa`: "off", "optional" or "required", as the pool has it. `erased()`: nothing of the user is kept any more. */
  constructor({ signIn, mfa, client, signOut, showKeys, erased }) {
    this.#signIn = signIn;
    this.#mfa = mfa;
    this.#client = client;
    this.#signOut = signOut;
    this.#showKeys = showKeys;
    this.#erased = erased;
  }

  show() {
    this.#dialog = element(
      "dialog",
      { className: "account settings", aria: { labelledby: "account-title" }, on: { close: () => this.remove() } },
      element("h2", { id: "account-title" }, this.#signIn.user),
      this.#notice,
      appearanceSection(),
      element("section", {}, element("h3", {}, "Keys"), this.#button("All keys", () => this.#goOn(this.#showKeys))),
      new OwnData(this.#client, { erased: this.#erased }).root,
      this.#mfa === "optional" ? this.#secondStep : null,
      element("section", {}, element("h3", {}, "This device"), this.#button("Sign out", () => this.#goOn(this.#signOut))),
      element(
        "section",
        {},
        element("h3", {}, "All devices"),
        element("p", {}, "Ends every sign-in of yours, here and elsewhere, and what is being answered."),
        this.#button("Sign out everywhere", () => this.#client.signOutEverywhere()),
      ),
      element("button", { className: "link", type: "button", on: { click: () => this.#dialog.close() } }, "Close"),
    );
    document.body.append(this.#dialog);
    this.#dialog.showModal();
    if (this.#mfa === "optional") this.#try(() => this.#showSecondStep());
  }

  remove() {
    this.#dialog?.remove();
    this.#dialog = null;
  }

  #goOn(action) {
    this.#dialog.close();
    action();
  }

  async #showSecondStep() {
    const step = new SecondStep(this.#signIn);
    const isOn = await step.isOn();
    this.#secondStep.replaceChildren(
      element("h3", {}, "Two-step sign-in"),
      element("p", {}, isOn ? "On: you sign in with your password and a code of your authenticator app." : "Off: your password alone signs you in."),
      isOn
        ? this.#button("Turn it off", () => this.#turnOff(step))
        : this.#button("Add an authenticator app", () => this.#add(step)),
    );
  }

  async #turnOff(step) {
    await step.turnOff();
    await this.#showSecondStep();
  }

  async #add(step) {
    const form = await authenticatorForm({
      authenticator: await step.begin(),
      lede: ADD,
      save: "Turn it on",
      added: () => leave(),
      back: { label: "Not now", action: () => leave() },
    });
    const [own, dialog] = [[...this.#dialog.children], this.#dialog];
    const leave = () => {
      form.remove();
      for (const each of own) each.hidden = false;
      this.#notice.hidden = true;
      this.#try(() => this.#showSecondStep());
    };
    for (const each of own) each.hidden = true;
    form.show(dialog);
  }

  #button(label, action) {
    const button = element("button", { className: "secondary", type: "button" }, label);
    button.addEventListener("click", async () => {
      button.disabled = true;
      await this.#try(action);
      button.disabled = false;
    });
    return button;
  }

  async #try(action) {
    this.#notice.hidden = true;
    try {
      await action();
    } catch (error) {
      this.#notice.textContent = error.message;
      this.#notice.hidden = false;
    }
  }
}
