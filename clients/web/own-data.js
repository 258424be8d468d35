import { element } from "./element.js";
import { allExported, markdownOf, patiently } from "./export.js";
import { saveFile } from "./saved-file.js";
import { say } from "./words.js";

/** The part of the settings about what is kept of the user: saving all of it, and deleting all of it. */
export class OwnData {
  root = element("section", { aria: { labelledby: "own-data" } });

  #client;
  #erased;

  /** `erased()`: nothing of the user is kept any more. */
  constructor(client, { erased }) {
    this.#client = client;
    this.#erased = erased;
    this.#show();
  }

  #show(said = "") {
    const [asMarkdown, asJson] = [button(say("data.asMarkdown")), button(say("data.asJson"))];
    const remove = button(say("data.erase"), () => this.#askFor(remove));
    const status = element("p", { role: "status" }, said);
    this.root.replaceChildren(
      element("h3", { id: "own-data" }, say("data.title")),
      element("p", {}, say("data.what")),
      element("p", { className: "pair" }, asMarkdown, asJson),
      remove,
      status,
    );
    const file = (suffix, type, write) => this.#try([asMarkdown, asJson, remove], status, () => this.#save(status, suffix, type, write));
    asMarkdown.addEventListener("click", () => file("md", "text/markdown", (all) => all.map(markdownOf).join("\n")));
    asJson.addEventListener("click", () => file("json", "application/json", (conversations) => `${JSON.stringify({ conversations }, null, 2)}\n`));
  }

  async #save(status, suffix, type, write) {
    const all = await allExported(this.#client, (done, all) => (status.textContent = say("data.progress", { done, all })));
    saveFile(say("data.file"), suffix, type, write(all));
    status.textContent = say("data.saved", { conversations: counted("conversations.count", all.length) });
  }

  #askFor(remove) {
    const word = say("data.word");
    const field = element("input", { autocomplete: "off", autocapitalize: "none", spellcheck: false, required: true });
    const status = element("p", { role: "status" });
    const go = element("button", { className: "secondary", type: "submit" }, say("data.eraseGo"));
    const keep = button(say("act.keep"), () => this.#show());
    const form = element(
      "form",
      { className: "erasing" },
      element("p", {}, `${say("data.eraseWhat")} ${say("data.stays")}`),
      element("label", {}, say("data.type", { word }), " ", field),
      element("p", { className: "pair" }, go, keep),
      status,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (field.value.trim().toLowerCase() === word.toLowerCase()) this.#try([field, go, keep], status, () => this.#erase(status));
      else status.textContent = say("data.notErased", { word });
    });
    remove.replaceWith(form);
    field.focus();
  }

  async #erase(status) {
    const total = { conversations: 0, questions: 0, entries: 0 };
    for (let left = true; left; ) {
      const part = await patiently(() => this.#client.eraseMine());
      for (const name of Object.keys(total)) total[name] += part[name];
      left = part.left;
      status.textContent = say("data.erasing", { conversations: counted("conversations.count", total.conversations) });
    }
    this.#erased();
    this.#show(`${erased(total)} ${say("data.stays")}`);
  }

  /** Says why it failed; what is done stays done. */
  async #try(controls, status, work) {
    for (const each of controls) each.disabled = true;
    try {
      await work();
    } catch (error) {
      status.textContent = error.message;
    }
    for (const each of controls) each.disabled = false;
  }
}

function button(label, click) {
  return element("button", { className: "secondary", type: "button", on: click ? { click } : {} }, label);
}

function erased({ conversations, questions, entries }) {
  return say(entries ? "data.erasedEntries" : "data.erased", {
    conversations: counted("conversations.count", conversations),
    questions: counted("data.questions", questions),
    entries: counted("data.entries", entries),
  });
}

function counted(key, count) {
  return say(key, { count });
}
