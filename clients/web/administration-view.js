import { copyButton } from "./copy-button.js";
import { element } from "./element.js";
import { GroupsForm } from "./groups-form.js";
import { UserRow } from "./user-row.js";
import { dateOf, numberOf, say } from "./words.js";

/** So many pages in which nobody of the tenant is are passed over before the user is asked. */
const EMPTY_PAGES = 5;
const DOLLARS = { style: "currency", currency: "USD" };
const MOMENT = { dateStyle: "short", timeStyle: "short" };
const REASONS = ["wrong", "incomplete", "unsupported", "outdated", "unrelated", "other"];

/** The screen of administrators: the accounts of their organisation, its use, ratings of its answers, and what failed. */
export class AdministrationView {
  #root;
  #client;
  #close;
  #visit = 0;
  #next = null;
  #list;
  #status;
  #more;
  #reports;
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
    this.#reports = REPORTS.map((report) => ({ ...report, root: element("div", { className: "report" }) }));
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
        this.#reports.flatMap(({ title, root }) => [element("h2", {}, say(title)), root]),
      ),
    );
    this.#root.hidden = false;
    title.focus();
    this.#load(null);
    for (const report of this.#reports) this.#report(report);
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

  async #report(report) {
    const visit = this.#visit;
    report.root.replaceChildren(element("p", { className: "loading", role: "status" }, say("documents.loading")));
    try {
      const found = await report.read(this.#client);
      if (visit === this.#visit) report.root.replaceChildren(...report.show(found));
    } catch (error) {
      if (visit === this.#visit) this.#fail(report.root, error, () => this.#report(report));
    }
  }

  #fail(place, error, retry) {
    const again = element("button", { className: "link", type: "button", on: { click: retry } }, say("act.again"));
    place.replaceChildren(element("span", { role: "alert", dir: "auto" }, error.message), " ", again);
  }
}

const REPORTS = [
  { title: "use.title", read: (client) => client.readUse(), show: useOf },
  { title: "ratings.title", read: (client) => client.readFeedback(), show: ratingsOf },
  { title: "failures.title", read: (client) => client.readFailures(), show: failuresOf },
];

function useOf({ days, limit, pricesOf }) {
  if (limit === null) return [element("p", {}, say("use.uncounted"))];
  const priced = days.some(({ dollars }) => dollars !== null);
  const head = [say("use.day"), say("use.tokens"), ...(priced ? [say("use.cost")] : [])];
  const rows = days.map(({ day, tokens, dollars }) => [day, numberOf(tokens), ...(priced ? [dollars === null ? "" : numberOf(dollars, DOLLARS)] : [])]);
  return [element("p", {}, say("use.limit", { limit })), table(say("use.title"), head, rows), ...(priced ? [hint(say("use.estimate", { day: pricesOf }))] : [])];
}

function ratingsOf({ days, latest, complete }) {
  if (!days.length) return [element("p", {}, say("ratings.none"))];
  const byDay = days.map(({ day, good, bad }) => [day, numberOf(good), numberOf(bad)]);
  const rows = latest.map((each) => [askedAt(each), say(`answer.${each.rating}`), why(each), baseOf(each), requestOf(each)]);
  return [
    table(say("ratings.title"), [say("use.day"), say("answer.good"), say("answer.bad")], byDay),
    ...(complete ? [] : [hint(say("reports.more"))]),
    element("h3", {}, say("ratings.latest")),
    hint(say("ratings.words")),
    table(say("ratings.latest"), [say("reports.asked"), say("ratings.rating"), say("ratings.why"), say("how.base"), say("reports.request")], rows),
  ];
}

function failuresOf({ days, latest, complete }) {
  if (!days.length) return [element("p", {}, say("failures.none"))];
  const byDay = days.map(({ day, code, requests }) => [day, element("code", {}, code), numberOf(requests)]);
  const rows = latest.map((each) => [askedAt(each), element("code", {}, each.code), baseOf(each), requestOf(each)]);
  return [
    table(say("failures.title"), [say("use.day"), say("failures.code"), say("failures.requests")], byDay),
    ...(complete ? [] : [hint(say("reports.more"))]),
    element("h3", {}, say("failures.latest")),
    table(say("failures.latest"), [say("reports.asked"), say("failures.code"), say("how.base"), say("reports.request")], rows),
  ];
}

function askedAt(request) {
  return dateOf(request.askedAt, MOMENT);
}

function baseOf({ knowledgeBase }) {
  return element("bdi", {}, knowledgeBase);
}

/** The reasons in the page's words, and the user's own below them. */
function why({ reasons, comment }) {
  const said = reasons.map((each) => say(`reason.${REASONS.includes(each) ? each : "other"}`)).join(", ");
  return element("div", {}, said, comment ? element("p", { className: "comment", dir: "auto" }, comment) : "");
}

/** Enough of the id to tell requests apart, and all of it to copy. */
function requestOf({ requestId }) {
  return element("span", { className: "request-id" }, element("code", { title: requestId }, requestId.slice(0, 8)), copyButton(() => requestId) ?? "");
}

function hint(text) {
  return element("p", { className: "hint" }, text);
}

/** A table that scrolls by itself where it is wider than the screen, by the keyboard too. */
function table(name, head, rows) {
  const cells = ([first, ...others]) => element("tr", {}, element("th", { scope: "row" }, element("bdi", {}, first)), ...others.map((each) => element("td", {}, each)));
  const heads = element("tr", {}, ...head.map((each) => element("th", { scope: "col" }, each)));
  return element("div", { className: "scrolled", role: "region", tabIndex: 0, aria: { label: name } }, element("table", { className: "use" }, element("thead", {}, heads), element("tbody", {}, ...rows.map(cells))));
}
