import { element } from "./element.js";
import { say } from "./words.js";

export const EVERYONE = "everyone";
const OTHERS = "others";
const FILE = "file";

/** Who may read a document: one's own names, everybody, or others that are written down, one on each line. */
export class ReadersChoice {
  root;
  #select;
  #names;

  /** `you`: the user's names as a reader. `readers`: those that the document has, none where the file may say it. */
  constructor({ you, readers = null }) {
    const own = you.filter((name) => name.startsWith("group:"));
    const me = you.find((name) => name.startsWith("user:"));
    this.#names = element("textarea", { rows: 2, dir: "ltr", spellcheck: false, aria: { label: say("readers.names") }, placeholder: say("readers.hint") });
    const known = [[me, say("readers.me")], ...own.map((name) => [name, say("readers.group", { name: name.slice(6) })]), [EVERYONE, say("readers.everybody")], [OTHERS, say("readers.others")]];
    if (readers?.length === 0) known.unshift([FILE, say("readers.asFile")]);
    this.#select = element("select", {}, known.map(([value, label]) => element("option", { value }, label)));
    this.#select.addEventListener("change", () => this.#show());
    this.root = element("div", { className: "readers" }, element("label", {}, say("readers.who"), " ", this.#select), this.#names);
    this.set(readers ?? [me]);
  }

  /** As the protocol has them. */
  get readers() {
    const { value } = this.#select;
    if (value === OTHERS) return this.#names.value.split("\n").map((name) => name.trim()).filter(Boolean);
    return value === FILE ? [] : [value];
  }

  set(readers) {
    const [only] = readers;
    const one = readers.length === 0 ? FILE : readers.length === 1 ? only : OTHERS;
    this.#select.value = one;
    // Somebody else's name.
    if (this.#select.value !== one) this.#select.value = OTHERS;
    this.#names.value = readers.join("\n");
    this.#show();
  }

  #show() {
    this.#names.hidden = this.#select.value !== OTHERS;
  }
}
