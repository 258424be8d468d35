import { element } from "./element.js";
import { GroupsForm } from "./groups-form.js";
import { listed, say } from "./words.js";

const STATES = ["active", "initial", "reset", "federated", "disabled"];

/** An account: its name, its state and its groups, and what an administrator can do with it. */
export class UserRow {
  root = element("li", { className: "document-row" });
  #client;
  #user;
  #below = element("div", { className: "below" });

  constructor(user, { client }) {
    this.#client = client;
    this.#show(user);
  }

  #show(user, said = "") {
    this.#user = user;
    this.#below.replaceChildren();
    this.root.replaceChildren(
      element("h3", { dir: "auto" }, user.name),
      element("p", { className: "facts" }, this.#facts().flatMap((fact, at) => [at ? " · " : null, element("bdi", {}, fact)])),
      ...(said ? [element("p", { className: "state", role: "status" }, said)] : []),
      this.#acts(),
      this.#below,
    );
  }

  #facts() {
    const { state, groups, email, you } = this.#user;
    const known = STATES.includes(state) ? state : "other";
    const facts = [say(`user.${known}`), groups.length ? say("user.groups", { groups: listed(groups) }) : say("user.noGroups")];
    if (email) facts.push(email);
    if (you) facts.push(say("document.you"));
    return facts;
  }

  #acts() {
    const { name, state, you } = this.#user;
    const act = (words, label, click) => element("button", { className: "link", type: "button", aria: { label: say(label, { name }) }, on: { click } }, say(words));
    const groups = act("user.changeGroups", "user.changeGroupsOf", () => this.#askForGroups());
    if (state === "disabled") return element("p", { className: "acts" }, groups, act("user.enable", "user.enableOf", () => this.#do(this.#client.enableUser({ name }))));
    const disable = you ? null : act("user.disable", "user.disableOf", () => this.#askToDisable());
    return element("p", { className: "acts" }, groups, disable);
  }

  #close() {
    this.#below.replaceChildren();
    this.root.querySelector(".acts .link").focus();
  }

  #askForGroups() {
    const { name, groups } = this.#user;
    const form = new GroupsForm({
      groups,
      save: say("act.save"),
      send: async (chosen) => {
        const { user } = await this.#client.setGroups({ name, ...chosen });
        this.#show(user, say("user.groupsCount"));
        this.root.querySelector(".acts .link").focus();
      },
      cancel: () => this.#close(),
    });
    form.root.setAttribute("aria-label", say("user.changeGroupsOf", { name }));
    this.#below.replaceChildren(form.root);
    form.focus();
  }

  #askToDisable() {
    const { name } = this.#user;
    const question = say("user.disableSure", { name });
    const keep = element("button", { className: "secondary", type: "button", on: { click: () => this.#close() } }, say("act.cancel"));
    const disable = element("button", { className: "primary", type: "button", on: { click: () => this.#do(this.#client.disableUser({ name })) } }, say("user.disable"));
    this.#below.replaceChildren(element("div", { className: "ask", role: "group", aria: { label: question } }, element("p", {}, question), element("p", { className: "acts" }, disable, keep)));
    keep.focus();
  }

  async #do(change) {
    this.#below.replaceChildren(element("p", { className: "loading", role: "status" }, say("users.changing")));
    try {
      const { user, closed } = await change;
      this.#show(user, closed === undefined ? "" : say("user.closed", { count: closed }));
      this.root.querySelector(".acts .link").focus();
    } catch (error) {
      this.#below.replaceChildren(element("p", { className: "failed", role: "alert", dir: "auto" }, error.message));
    }
  }
}
