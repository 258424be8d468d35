import { element } from "./element.js";
import { say } from "./words.js";

const RATINGS = ["good", "bad"];

/** Two buttons that say what the user thinks of an answer. The one that is pressed takes it back when pressed again. */
export class FeedbackView {
  root = element("span", { className: "feedback", role: "group", aria: { label: say("answer.rate") } });

  #rate;
  #buttons;
  #failure = element("span", { role: "status" });

  /** `rating`: "good", "bad" or null. `rate(rating)` keeps it; null takes it back. */
  constructor(rating, rate) {
    this.#rate = rate;
    this.#buttons = Object.fromEntries(RATINGS.map((name) => [name, this.#button(name)]));
    this.root.append(...Object.values(this.#buttons), this.#failure);
    this.#show(rating);
  }

  #button(name) {
    return element("button", { className: "link", type: "button", on: { click: () => this.#press(name) } }, say(`answer.${name}`));
  }

  async #press(name) {
    const before = this.#rating;
    const rating = before === name ? null : name;
    this.#show(rating);
    this.#failure.textContent = "";
    try {
      await this.#rate(rating);
    } catch (error) {
      // Unless something else was pressed meanwhile.
      if (this.#rating === rating) this.#show(before);
      this.#failure.textContent = error.message;
    }
  }

  get #rating() {
    return RATINGS.find((name) => this.#buttons[name].ariaPressed === "true") ?? null;
  }

  #show(rating) {
    for (const [name, button] of Object.entries(this.#buttons)) button.setAttribute("aria-pressed", String(name === rating));
  }
}
