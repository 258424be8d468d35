import { element } from "./element.js";
import { allExported, markdownOf, patiently } from "./export.js";
import { saveFile } from "./saved-file.js";

/** What is to be typed before everything is deleted. */
const WORD = "delete";
const STAYS = "Your account stays, and the operators' record of who was shown which document, which has no text, stays for its time.";

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
    const [asMarkdown, asJson] = [button("Save all as Markdown"), button("Save all as JSON")];
    const remove = button("Delete everything of mine…", () => this.#askFor(remove));
    const status = element("p", { role: "status" }, said);
    this.root.replaceChildren(
      element("h3", { id: "own-data" }, "Your data"),
      element("p", {}, "All of your conversations with their sources, as one file."),
      element("p", { className: "pair" }, asMarkdown, asJson),
      remove,
      status,
    );
    const file = (suffix, type, write) => this.#try([asMarkdown, asJson, remove], status, () => this.#save(status, suffix, type, write));
    asMarkdown.addEventListener("click", () => file("md", "text/markdown", (all) => all.map(markdownOf).join("\n")));
    asJson.addEventListener("click", () => file("json", "application/json", (conversations) => `${JSON.stringify({ conversations }, null, 2)}\n`));
  }

  async #save(status, suffix, type, write) {
    const all = await allExported(this.#client, (done, of) => (status.textContent = `${done} of ${of} conversations…`));
    saveFile("All conversations", suffix, type, write(all));
    status.textContent = `Saved: ${counted(all.length, "conversation")}.`;
  }

  #askFor(remove) {
    const word = element("input", { autocomplete: "off", autocapitalize: "none", spellcheck: false, required: true });
    const status = element("p", { role: "status" });
    const go = element("button", { className: "secondary", type: "submit" }, "Delete everything");
    const keep = button("Keep it", () => this.#show());
    const form = element(
      "form",
      { className: "erasing" },
      element("p", {}, `This deletes all of your conversations, profiles and theories, for good. ${STAYS}`),
      element("label", {}, `Type “${WORD}” to go on `, word),
      element("p", { className: "pair" }, go, keep),
      status,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (word.value.trim().toLowerCase() === WORD) this.#try([word, go, keep], status, () => this.#erase(status));
      else status.textContent = `Nothing was deleted: type “${WORD}”, or keep it.`;
    });
    remove.replaceWith(form);
    word.focus();
  }

  async #erase(status) {
    const total = { conversations: 0, questions: 0, entries: 0 };
    for (let left = true; left; ) {
      const part = await patiently(() => this.#client.eraseMine());
      for (const name of Object.keys(total)) total[name] += part[name];
      left = part.left;
      status.textContent = `${counted(total.conversations, "conversation")} deleted…`;
    }
    this.#erased();
    const entries = total.entries ? `, and ${counted(total.entries, "state")} of profiles and theories` : "";
    this.#show(`Deleted: ${counted(total.conversations, "conversation")} with ${counted(total.questions, "question")}${entries}. ${STAYS}`);
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

function counted(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
