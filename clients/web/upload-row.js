import { watchDocument } from "./document-watch.js";
import { element } from "./element.js";
import { refusalOf, sendFile } from "./file-upload.js";
import { say } from "./words.js";

/** A file on its way: how far it is, what became of it, and what can be done. */
export class UploadRow {
  root;
  #client;
  #file;
  #place;
  #readers;
  #done;
  #signal;
  #bar = element("progress", { max: 1, value: 0, hidden: true });
  #said = element("p", { className: "state", role: "status", dir: "auto" });
  #acts = element("p", { className: "acts" });

  /** `readers`: of a new document. `done(document)`: the file is in the list now. `signal` ends it. */
  constructor(file, { client, knowledgeBase, readers, limits, done, signal }) {
    this.#client = client;
    this.#file = file;
    this.#place = { knowledgeBase, documentId: file.name };
    this.#readers = readers;
    this.#done = done;
    this.#signal = signal;
    this.#bar.setAttribute("aria-label", say("upload.progress", { name: file.name }));
    this.root = element("li", { className: "document-row upload" }, element("h2", { dir: "auto" }, file.name), this.#bar, this.#said, this.#acts);
    const reason = refusalOf(file, limits);
    if (reason) this.#fail(reason);
    else this.#send();
  }

  async #send({ replace = false } = {}) {
    this.#say(say("upload.asking"));
    const { knowledgeBase } = this.#place;
    try {
      const file = { name: this.#file.name, size: this.#file.size };
      const form = await this.#client.uploadDocument({ knowledgeBase, ...file, readers: this.#readers, replace: replace || undefined });
      this.#say(say("upload.sending"));
      this.#bar.hidden = false;
      await sendFile(this.#file, form, { progress: (part) => { this.#bar.value = part; }, signal: this.#signal });
      this.#say(say("upload.sent"));
      this.#watch();
    } catch (error) {
      if (error.code === "document_exists") this.#askToReplace(error.message);
      else this.#fail(error.message, error.retryable || error.code === "document_changed" ? () => this.#send({ replace }) : null);
    } finally {
      this.#bar.hidden = true;
    }
  }

  #askToReplace(sentence) {
    this.#say(`${sentence} ${say("upload.sameReaders")}`, [
      [say("upload.replace"), () => this.#send({ replace: true })],
      [say("upload.keepOld"), () => this.root.remove()],
    ]);
  }

  #fail(sentence, again = null) {
    this.#say(sentence, [...(again ? [[say("act.again"), again]] : []), [say("upload.leave"), () => this.root.remove()]]);
    this.#said.classList.add("failed");
  }

  #watch() {
    const told = (document) => {
      if (!document) return;
      if (document.state === "ingesting") this.#say(`${say("document.ingesting")} ${document.said ?? ""}`);
      if (document.state !== "searchable" && document.state !== "rejected") return;
      this.root.remove();
      this.#done(document);
    };
    watchDocument({ client: this.#client, place: this.#place, signal: this.#signal, told });
  }

  #say(sentence, acts = []) {
    this.#said.classList.remove("failed");
    this.#said.textContent = sentence;
    this.#acts.replaceChildren(...acts.map(([label, click]) => element("button", { className: "link", type: "button", on: { click } }, label)));
  }
}
