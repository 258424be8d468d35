import { copyButton } from "./copy-button.js";
import { element } from "./element.js";
import { GroupsForm } from "./groups-form.js";
import { UserRow } from "./user-row.js";
import { numberOf, say } from "./words.js";

/** So many pages in which nobody of the tenant is are passed over before the user is asked. */
const EMPTY_PAGES = 5;

/** The screen of administrators: the accounts of their organisation, and the tokens that it has used. */
export class AdministrationView {
  #root;
  #client;
  #close;
  #visit = 0;
  #next = null;
  #list;
  #status;
  #more;
  #use;
  #added;

  /** `close()`: the user goes back to the conversation. */
  constructor({ root, client, close }) {
    this.#root = root;
    this.#client = client;
    this.#close = close;
  }

  get isOpen() {
    return !this.#root.hidden;
  }

  show() {
    if (this.isOpen) return;
    const title = element("h1", { id: "administration-title", tabIndex: -1 }, say("administration.title"));
    const back = element("button", { className: "link", type: "button", on: { click: () => this.#close() } }, say("documents.back"));
    this.#list = element("ul", { className: "document-rows", aria: { labelledby: "users-title" } });
    this.#status = element("p", { className: "loading", role: "status" });
    this.#more = element("button", { className: "secondary", type: "button", hidden: true, on: { click: () => this.#load(this.#next) } }, say("users.more"));
    this.#added = element("div", { className: "added", role: "status" });
    this.#use = element("div", {});
    this.#root.replaceChildren(
      element(
        "div",
        { className: "documents-page" },
        element("header", {}, title, back, element("p", { className: "lede" }, say("administration.lede"))),
        element("h2", { id: "users-title" }, say("users.title")),
        this.#adding(),
        this.#added,
        this.#list,
        this.#status,
        this.#more,
        element("h2", {}, say("use.title")),
        this.#use,
      ),
    );
    this.#root.hidden = false;
    title.focus();
    this.#load(null);
    this.#loadUse();
  }

  /** Nothing of the session stays. */
  hide() {
    this.#visit += 1;
    this.#next = null;
    this.#root.replaceChildren();
    this.#root.hidden = true;
  }

  #adding() {
    const name = element("input", { name: "name", required: true, maxLength: 128, autocomplete: "off", autocapitalize: "none", spellcheck: false, dir: "auto" });
    const form = new GroupsForm({
      before: element("label", {}, say("users.name"), " ", name),
      save: say("users.add"),
      send: async (groups) => {
        const { user, initialPassword } = await this.#client.addUser({ name: name.value.trim(), ...groups });
        this.#tell(user, initialPassword);
        this.#list.prepend(this.#row(user));
        name.value = "";
        form.clear();
      },
    });
    form.root.setAttribute("aria-label", say("users.addTitle"));
    return form.root;
  }

  /** The password stands there until the screen is left, and nowhere else. */
  #tell(user, password) {
    const shown = element("code", {}, password);
    this.#added.replaceChildren(
      element("p", {}, say("users.added", { name: user.name })),
      element("p", {}, shown, " ", copyButton(() => password) ?? ""),
      element("p", { className: "hint" }, say("users.passwordOnce")),
    );
  }

  async #load(after) {
    const visit = (this.#visit += after ? 0 : 1);
    this.#status.textContent = say("documents.loading");
    this.#more.hidden = true;
    try {
      for (let tries = 0; tries < EMPTY_PAGES; tries += 1) {
        const page = await this.#client.listUsers({ after: after ?? undefined });
        if (visit !== this.#visit) return;
        this.#list.append(...page.users.map((user) => this.#row(user)));
        after = this.#next = page.next;
        if (page.users.length || !after) break;
      }
      this.#more.hidden = !this.#next;
      this.#status.textContent = this.#next ? "" : say("users.count", { count: this.#list.children.length });
    } catch (error) {
      if (visit === this.#visit) this.#fail(this.#status, error, () => this.#load(after));
    }
  }

  #row(user) {
    return new UserRow(user, { client: this.#client }).root;
  }

  async #loadUse() {
    const visit = this.#visit;
    this.#use.replaceChildren(element("p", { className: "loading", role: "status" }, say("documents.loading")));
    try {
      const { days, limit } = await this.#client.readUse();
      if (visit !== this.#visit) return;
      if (limit === null) return this.#use.replaceChildren(element("p", {}, say("use.uncounted")));
      const rows = days.map(({ day, tokens }) => element("tr", {}, element("th", { scope: "row" }, element("bdi", {}, day)), element("td", {}, numberOf(tokens))));
      const head = element("tr", {}, element("th", { scope: "col" }, say("use.day")), element("th", { scope: "col" }, say("use.tokens")));
      this.#use.replaceChildren(element("p", {}, say("use.limit", { limit })), element("table", { className: "use" }, element("thead", {}, head), element("tbody", {}, rows)));
    } catch (error) {
      if (visit === this.#visit) this.#fail(this.#use, error, () => this.#loadUse());
    }
  }

  #fail(place, error, retry) {
    const again = element("button", { className: "link", type: "button", on: { click: retry } }, say("act.again"));
    place.replaceChildren(element("span", { role: "alert", dir: "auto" }, error.message), " ", again);
  }
}
