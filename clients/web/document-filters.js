import { conditionChips } from "./conditions.js";
import { element } from "./element.js";
import { say } from "./words.js";

/** As many filters as a list takes. */
const MOST = 20;

/**
 * A filter of the values between two, either of which may be empty and the first may be the higher one, as the protocol has
 * it, with its words.
 */
export function rangeOf(field, kind, from, to) {
  const typed = (text) => (kind === "number" ? Number(text) : text);
  const [least, most] = from && to && typed(from) > typed(to) ? [to, from] : [from, to];
  const bounds = [["gte", least], ["lte", most]].filter(([, text]) => text);
  const form = least && most ? "between" : least ? "least" : "most";
  const words = least === most ? `${field}: ${least}` : say(`filters.${form}`, { field, from: least, to: most });
  return { field, words, isRange: true, filters: bounds.map(([op, text]) => ({ field, op, value: typed(text) })) };
}

/** Filters of the fields of a list's documents: one is made of a field and a value or a range, and all that are shown hold. */
export class DocumentFilters {
  root = element("form", { className: "filters", hidden: true, aria: { label: say("filters.title") } });
  #changed;
  #values = {};
  #ranges = {};
  #shown = [];
  #field = element("select", { aria: { label: say("filters.field") } });
  #known = element("datalist", { id: "known-values" });
  #value = element("input", { maxLength: 256, required: true, autocomplete: "off", dir: "auto", placeholder: say("filters.value"), aria: { label: say("filters.valueLabel") } });
  #from = element("input", { autocomplete: "off", step: "any" });
  #to = element("input", { autocomplete: "off", step: "any" });
  #range = element("fieldset", { hidden: true, disabled: true });
  #chips = element("div", {});

  /** `changed()`: other filters hold. */
  constructor(changed) {
    this.#changed = changed;
    this.#value.setAttribute("list", this.#known.id);
    this.#field.addEventListener("change", () => this.#offerValues());
    for (const each of [this.#from, this.#to]) each.addEventListener("input", () => this.#requireOne());
    this.root.addEventListener("submit", (event) => this.#add(event));
  }

  /** As the protocol has them; undefined without any. */
  get asked() {
    return this.#shown.length ? this.#shown.flatMap(({ filters }) => filters) : undefined;
  }

  /** The fields that there are; a list's first page says what values of them are known, and which are numbers or days. */
  offer({ columns = [], values, ranges }, isFirst) {
    if (isFirst) [this.#values, this.#ranges] = [values ?? {}, ranges ?? {}];
    const chosen = this.#field.value;
    this.#field.replaceChildren(...columns.map((name) => element("option", { value: name }, name)));
    if (columns.includes(chosen)) this.#field.value = chosen;
    this.root.hidden = !columns.length && !this.#shown.length;
    if (!this.root.children.length) this.#build();
    this.#offerValues();
  }

  #build() {
    this.#range.replaceChildren(element("label", {}, say("filters.from"), " ", this.#from), element("label", {}, say("filters.to"), " ", this.#to));
    this.root.append(say("filters.where"), " ", this.#field, this.#value, this.#range, this.#known, element("button", { className: "secondary" }, say("filters.add")), this.#chips);
  }

  clear() {
    this.#shown = [];
    this.#values = {};
    this.#ranges = {};
    this.#empty();
    this.root.hidden = true;
    for (const each of [this.root, this.#field, this.#known, this.#chips]) each.replaceChildren();
  }

  #empty() {
    for (const each of [this.#value, this.#from, this.#to]) each.value = "";
    this.#requireOne();
  }

  #requireOne() {
    this.#from.required = !this.#to.value;
  }

  /** Numbers and days are asked for from one to another; a field of any other kind for a value. */
  #offerValues() {
    const kind = this.#ranges[this.#field.value];
    this.#range.hidden = this.#range.disabled = !kind;
    this.#value.hidden = this.#value.disabled = Boolean(kind);
    this.#range.setAttribute("aria-label", this.#field.value);
    for (const each of [this.#from, this.#to]) if (kind && each.type !== kind) each.type = kind;
    this.#requireOne();
    this.#known.replaceChildren(...(this.#values[this.#field.value] ?? []).map((value) => element("option", { value })));
  }

  #add(event) {
    event.preventDefault();
    const filter = this.#made(this.#field.value);
    if (!filter) return;
    const others = this.#shown.filter(({ field, words, isRange }) => field !== filter.field || !(words === filter.words || (isRange && filter.isRange)));
    this.#empty();
    this.#keep([...others, filter]);
  }

  /** What is typed, as a filter of this field; null where nothing is. */
  #made(field) {
    const kind = this.#ranges[field];
    if (kind) return this.#from.value || this.#to.value ? rangeOf(field, kind, this.#from.value, this.#to.value) : null;
    const value = this.#value.value.trim();
    return value ? { field, words: `${field}: ${value}`, filters: [{ field, op: "eq", value }] } : null;
  }

  #keep(shown) {
    while (shown.flatMap(({ filters }) => filters).length > MOST) shown = shown.slice(1);
    this.#shown = shown;
    const leaveOut = (place) => {
      this.#keep(shown.filter((_, at) => at !== place));
      (this.#range.hidden ? this.#value : this.#from).focus();
    };
    const chips = conditionChips({ filters: shown.map(({ words }) => words), removable: [...shown.keys()] }, leaveOut);
    this.#chips.replaceChildren(...[chips].filter(Boolean));
    this.#changed();
  }
}
