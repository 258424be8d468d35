import { addressWith, linkTo } from "./conversation-address.js";
import { copied, copyButton } from "./copy-button.js";
import { element } from "./element.js";
import { exported, markdownOf } from "./export.js";
import { saveFile } from "./saved-file.js";
import { markedLine } from "./source-text.js";
import { dateOf, say } from "./words.js";

/** A conversation in the list: it opens, and below it what else can be done with it, if that is asked for. */
export class SessionRow {
  root;

  #session;
  #actions;
  #client;

  /**
   * `open(requestId)`: the user opens it, at this question if there is one. `changed(session)`: it has another title or pin now. `shared(session)`: it is shared now, or
   * not any more, which the row shows itself. `deleted()`: it is gone.
   */
  constructor(session, { client, current, open, changed, shared, deleted }) {
    this.#session = session;
    this.root = element("li", { data: { session: session.sessionId } });
    this.#client = client;
    this.#actions = { open, changed, shared, deleted };
    this.root.append(...this.#line(current));
    this.root.addEventListener("keydown", (event) => event.key === "Escape" && this.#escape(event));
  }

  #line(current) {
    const { title, asked = [] } = this.#session;
    // A title that was made of the whole question says all that its excerpt does.
    const titled = asked.find(({ excerpt }) => excerpt === title);
    const open = this.#link({ className: "open-session", title }, titled, [element("span", { className: "title", dir: "auto" }, titled ? markedLine(titled) : title), this.#when()]);
    if (current) open.setAttribute("aria-current", "page");
    const more = element("button", { type: "button", className: "more", aria: { expanded: "false", label: say("conversations.moreFor", { title }) } }, "⋯");
    more.addEventListener("click", () => (this.#opened ? this.#close() : this.#show(this.#menu())));
    const others = asked.filter((each) => each !== titled).map((each) => this.#link({ dir: "auto" }, each, markedLine(each)));
    return [open, more, others.length ? element("div", { className: "asked-there" }, others) : null].filter(Boolean);
  }

  /** Opens the conversation, at a question that was found in it. */
  #link(properties, question, children) {
    const href = addressWith(this.#session.sessionId, { question: question?.requestId });
    return element("a", { ...properties, href, on: { click: (event) => this.#clicked(event, question?.requestId) } }, children);
  }

  #when() {
    const { lastAt, knowledgeBase, shared } = this.#session;
    const base = knowledgeBase ? [" · ", element("bdi", {}, knowledgeBase)] : null;
    const mark = shared ? [" · ", element("span", { className: "is-shared" }, say("conversations.shared"))] : null;
    return element("span", { className: "when" }, element("time", { dateTime: lastAt }, momentOf(lastAt)), base, mark);
  }

  /** With a key held down the browser opens the link elsewhere. */
  #clicked(event, requestId) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    this.#actions.open(requestId);
  }

  get #opened() {
    return this.root.querySelector(".session-actions");
  }

  #show(actions, focused = "button, input") {
    this.#opened?.remove();
    this.root.append(actions);
    this.root.querySelector(".more").setAttribute("aria-expanded", "true");
    actions.querySelector(focused).focus();
  }

  #close() {
    this.#opened?.remove();
    const more = this.root.querySelector(".more");
    more.setAttribute("aria-expanded", "false");
    more.focus();
  }

  #escape(event) {
    if (!this.#opened) return;
    event.stopPropagation();
    this.#close();
  }

  #menu() {
    const { pinned, shared } = this.#session;
    return element(
      "div",
      { className: "session-actions", role: "group", aria: { label: say("conversations.named", { title: this.#session.title }) } },
      button(say("conversations.rename"), () => this.#show(this.#renaming())),
      button(say(pinned ? "conversations.unpin" : "conversations.pin"), () => this.#change({ pinned: !pinned })),
      button(say(shared ? "conversations.shareLink" : "conversations.share"), () => this.#share()),
      shared ? button(say("conversations.unshare"), () => this.#unshare()) : null,
      button(say("conversations.asMarkdown"), () => this.#save("md", "text/markdown", markdownOf)),
      button(say("conversations.asJson"), () => this.#save("json", "application/json", (conversation) => `${JSON.stringify(conversation, null, 2)}\n`)),
      button(say("act.delete"), () => this.#show(this.#deleting(), ".keep")),
    );
  }

  async #save(suffix, type, write) {
    const conversation = await this.#tried(() => exported(this.#client, this.#session.sessionId));
    if (!conversation) return;
    saveFile(conversation.title, suffix, type, write(conversation));
    this.#close();
  }

  /** Makes the link, or shows it again, and copies it. */
  async #share() {
    const shareId = await this.#tried(() => this.#client.shareSession({ sessionId: this.#session.sessionId }));
    if (!shareId) return;
    this.#setShared(true);
    const link = linkTo(shareId);
    const what = element("p", { id: `shared-${this.#session.sessionId}` }, say("conversations.shareWhat"));
    const done = element("p", { role: "status" });
    const field = element("input", { value: link, readOnly: true, dir: "ltr", aria: { label: say("conversations.shareLink"), describedby: what.id } });
    const buttons = [copyButton(() => link), button(say("conversations.unshare"), () => this.#unshare()), button(say("act.close"), () => this.#close())];
    this.#show(element("div", { className: "session-actions", role: "group", aria: { label: say("conversations.named", { title: this.#session.title }) } }, field, what, done, buttons));
    field.select();
    done.textContent = await copied(link);
  }

  async #unshare() {
    const ended = await this.#tried(async () => {
      await this.#client.unshareSession({ sessionId: this.#session.sessionId });
      return true;
    });
    if (!ended) return;
    this.#setShared(false);
    this.#close();
  }

  #setShared(shared) {
    this.#session = { ...this.#session, shared };
    this.root.querySelector(".when").replaceWith(this.#when());
    this.#actions.shared(this.#session);
  }

  #renaming() {
    const field = element("input", { value: this.#session.title, maxLength: 80, required: true, autocomplete: "off", dir: "auto", aria: { label: say("conversations.titleField") } });
    const form = element("form", { className: "session-actions" }, field, element("button", { type: "submit" }, say("act.save")), button(say("act.cancel"), () => this.#close()));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (field.value.trim()) this.#change({ title: field.value.trim() });
    });
    return form;
  }

  #deleting() {
    return element(
      "div",
      { className: "session-actions", role: "group", aria: { label: say("act.delete") } },
      element("p", {}, say("conversations.deleteSure")),
      button(say("act.delete"), () => this.#delete()),
      element("button", { type: "button", className: "keep", on: { click: () => this.#close() } }, say("conversations.keep")),
    );
  }

  async #change(change) {
    const session = await this.#tried(() => this.#client.changeSession({ sessionId: this.#session.sessionId, ...change }));
    if (session) this.#actions.changed(session);
  }

  async #delete() {
    const { sessionId } = this.#session;
    const gone = await this.#tried(async () => {
      await this.#client.deleteSession({ sessionId }).catch((error) => {
        // It was deleted elsewhere, or the answer to an earlier attempt was lost.
        if (error.code !== "session_not_found") throw error;
      });
      return true;
    });
    if (gone) this.#actions.deleted();
  }

  /** What `work` returns; null, with a sentence, if it fails. */
  async #tried(work) {
    for (const each of this.#opened.querySelectorAll("button, input")) each.disabled = true;
    try {
      return await work();
    } catch (error) {
      const said = element("div", { className: "session-actions" }, element("p", { role: "alert", dir: "auto" }, error.message), button(say("act.ok"), () => this.#close()));
      this.#show(said);
      return null;
    }
  }
}

function button(label, click) {
  return element("button", { type: "button", on: { click } }, label);
}

/** How many days ago that was, by the calendar of this place. */
export function daysAgo(moment) {
  return Math.round((new Date().setHours(0, 0, 0, 0) - new Date(moment).setHours(0, 0, 0, 0)) / 86_400_000);
}

function momentOf(moment) {
  const days = daysAgo(moment);
  if (days <= 1) return dateOf(moment, { hour: "2-digit", minute: "2-digit" });
  if (days <= 7) return dateOf(moment, { weekday: "long" });
  return dateOf(moment, { day: "numeric", month: "short", year: days > 300 ? "numeric" : undefined });
}
