import { appearanceSection } from "./appearance.js";
import { SecondStep } from "./authenticator.js";
import { authenticatorForm } from "./authenticator-view.js";
import { openDialog } from "./dialog.js";
import { element } from "./element.js";
import { OwnData } from "./own-data.js";
import { say } from "./words.js";

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
  #notice = element("p", { className: "notice", role: "alert", dir: "auto", hidden: true });
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
    this.#dialog = openDialog(
      { id: "account-title", className: "settings", title: this.#signIn.user, properties: { dir: "auto" } },
      this.#notice,
      appearanceSection(),
      element("section", {}, element("h3", {}, say("keys.title")), this.#button(say("keys.all"), () => this.#goOn(this.#showKeys))),
      new OwnData(this.#client, { erased: this.#erased }).root,
      this.#mfa === "optional" ? this.#secondStep : null,
      element("section", {}, element("h3", {}, say("settings.thisDevice")), this.#button(say("act.signOut"), () => this.#goOn(this.#signOut))),
      element(
        "section",
        {},
        element("h3", {}, say("settings.allDevices")),
        element("p", {}, say("settings.signOutWhat")),
        this.#button(say("settings.signOutEverywhere"), () => this.#client.signOutEverywhere()),
      ),
    );
    if (this.#mfa === "optional") this.#try(() => this.#showSecondStep());
  }

  remove() {
    this.#dialog?.remove();
  }

  #goOn(action) {
    this.#dialog.close();
    action();
  }

  async #showSecondStep() {
    const step = new SecondStep(this.#signIn);
    const isOn = await step.isOn();
    this.#secondStep.replaceChildren(
      element("h3", {}, say("app.title")),
      element("p", {}, say(isOn ? "app.isOn" : "app.isOff")),
      isOn
        ? this.#button(say("app.turnOff"), () => this.#turnOff(step))
        : this.#button(say("app.add"), () => this.#add(step)),
    );
  }

  async #turnOff(step) {
    await step.turnOff();
    await this.#showSecondStep();
  }

  async #add(step) {
    const form = await authenticatorForm({
      authenticator: await step.begin(),
      lede: say("app.scan"),
      save: say("app.turnOn"),
      added: () => leave(),
      back: { label: say("app.notNow"), action: () => leave() },
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
