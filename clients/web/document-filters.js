import { conditionChips } from "./conditions.js";
import { element } from "./element.js";
import { say } from "./words.js";

/** As many filters as a list takes. */
const MOST = 20;

/** Filters of the fields of a list's documents: one is made of a field and a value, and all that are shown hold. */
export class DocumentFilters {
  root = element("form", { className: "filters", hidden: true, aria: { label: say("filters.title") } });
  #changed;
  #values = {};
  #shown = [];
  #field = element("select", { aria: { label: say("filters.field") } });
  #known = element("datalist", { id: "known-values" });
  #value = element("input", { maxLength: 256, required: true, autocomplete: "off", dir: "auto", placeholder: say("filters.value"), aria: { label: say("filters.valueLabel") } });
  #chips = element("div", {});

  /** `changed()`: other filters hold. */
  constructor(changed) {
    this.#changed = changed;
    this.#value.setAttribute("list", this.#known.id);
    this.#field.addEventListener("change", () => this.#offerValues());
    this.root.addEventListener("submit", (event) => this.#add(event));
  }

  /** As the protocol has them; undefined without any. */
  get asked() {
    return this.#shown.length ? this.#shown.map(({ field, value }) => ({ field, op: "eq", value })) : undefined;
  }

  /** The fields that there are, and by their names what values of them are known, where a page says so. */
  offer(columns, values) {
    if (values) this.#values = values;
    const chosen = this.#field.value;
    this.#field.replaceChildren(...columns.map((name) => element("option", { value: name }, name)));
    if (columns.includes(chosen)) this.#field.value = chosen;
    this.root.hidden = !columns.length && !this.#shown.length;
    if (!this.root.children.length) this.root.append(say("filters.where"), " ", this.#field, this.#value, this.#known, element("button", { className: "secondary" }, say("filters.add")), this.#chips);
    this.#offerValues();
  }

  clear() {
    this.#shown = [];
    this.#values = {};
    this.#value.value = "";
    this.root.hidden = true;
    for (const each of [this.root, this.#field, this.#known, this.#chips]) each.replaceChildren();
  }

  #offerValues() {
    this.#known.replaceChildren(...(this.#values[this.#field.value] ?? []).map((value) => element("option", { value })));
  }

  #add(event) {
    event.preventDefault();
    const [field, value] = [this.#field.value, this.#value.value.trim()];
    if (!value) return;
    const others = this.#shown.filter((each) => each.field !== field || each.value !== value);
    this.#value.value = "";
    this.#keep([...others, { field, value }].slice(-MOST));
  }

  #keep(shown) {
    this.#shown = shown;
    const filters = shown.map(({ field, value }) => `${field}: ${value}`);
    const leaveOut = (place) => {
      this.#keep(shown.filter((_, at) => at !== place));
      this.#value.focus();
    };
    this.#chips.replaceChildren(...[conditionChips({ filters, removable: [...shown.keys()] }, leaveOut)].filter(Boolean));
    this.#changed();
  }
}
