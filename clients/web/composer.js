import { element } from "./element.js";
import { sayAround } from "./words.js";

/** The field for the question: Enter asks, Shift+Enter begins a new line. During an answer, Stop replaces Ask. */
export class Composer {
  #form;
  #field;
  #send;
  #stop;
  #answering = false;
  #ask;
  #refused;
  #typed;

  /**
   * `ask(message)` and `stop()` are called when the user asks for it, `refused()` when an answer is under way: then nothing
   * is asked. `typed(text)`: the field has another text now. `signal` removes the event listeners.
   */
  constructor({ form, ask, stop, refused, typed, signal }) {
    this.#form = form;
    this.#ask = ask;
    this.#refused = refused;
    this.#typed = typed;
    this.#field = form.querySelector("textarea");
    this.#send = form.querySelector("#send");
    this.#stop = form.querySelector("#stop");
    const [enter, newLine, stopping] = ["Enter", "Shift Enter", "Esc"].map((key) => element("kbd", {}, key));
    form.querySelector("#field-keys").replaceChildren(...sayAround("question.keys", { enter, newLine, stop: stopping }));
    const on = (target, type, listener) => target.addEventListener(type, listener, { signal });
    on(form, "submit", (event) => this.#submit(event));
    on(this.#field, "keydown", (event) => this.#key(event));
    on(this.#field, "input", () => this.#changed());
    on(this.#stop, "click", () => this.#stopIt(stop));
  }

  set answering(answering) {
    this.#answering = answering;
    this.#stop.hidden = !answering;
    this.#send.hidden = answering;
  }

  /** Focuses the field, except on a touch screen, where the keyboard would cover the answer. */
  focus() {
    if (matchMedia("(hover: hover)").matches) this.#field.focus();
  }

  /** Shows what was typed before. */
  show(text) {
    this.#field.value = text;
    this.#fit();
  }

  /** Asks what a button stands for. What is in the field stays there. */
  ask(message) {
    if (this.#answering) return this.#refused();
    this.#ask(message);
    this.focus();
  }

  /** Puts an earlier question into the field, below what is typed there. */
  edit(message) {
    const typed = this.#field.value.trimEnd();
    if (!typed.endsWith(message)) this.#field.value = typed ? `${typed}\n${message}` : message;
    this.#changed();
    this.#field.focus();
    this.#field.setSelectionRange(this.#field.value.length, this.#field.value.length);
  }

  #stopIt(stop) {
    stop();
    this.focus();
  }

  #submit(event) {
    event.preventDefault();
    const message = this.#field.value.trim();
    if (!message) return;
    if (this.#answering) return this.#refused();
    this.#field.value = "";
    this.#changed();
    this.#ask(message);
  }

  #key(event) {
    // In an input method, Enter selects a word.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#form.requestSubmit();
  }

  #changed() {
    this.#fit();
    this.#typed(this.#field.value);
  }

  /** Makes the field as high as its text, up to the limit of the style sheet. */
  #fit() {
    this.#send.disabled = !this.#field.value.trim();
    this.#field.style.height = "auto";
    this.#field.style.height = `${this.#field.scrollHeight}px`;
  }
}
