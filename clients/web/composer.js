import { element } from "./element.js";
import { WaitingQuestion } from "./waiting-question.js";
import { say, sayAround } from "./words.js";

/**
 * The field for the question: Enter asks, Shift+Enter begins a new line. During an answer, what is asked waits for its end
 * above the field, from where it can be taken back.
 */
export class Composer {
  #form;
  #field;
  #send;
  #stop;
  #takeBackButton;
  #waiting = new WaitingQuestion();
  #answering = false;
  #ask;
  #refused;
  #typed;

  /**
   * `ask(message, {without})` and `stop()` are called when the user asks for it. `refused(key)`: during an answer something
   * cannot wait, for a reason of the catalogue; null once that is over. `typed(text)`: what is not asked yet is another text
   * now. `signal` removes the event listeners.
   */
  constructor({ form, ask, stop, refused, typed, signal }) {
    this.#form = form;
    this.#ask = ask;
    this.#refused = refused;
    this.#typed = typed;
    this.#field = form.querySelector("textarea");
    this.#send = form.querySelector("#send");
    this.#stop = form.querySelector("#stop");
    this.#takeBackButton = form.querySelector("#take-back");
    const [enter, newLine, stopping] = ["Enter", "Shift Enter", "Esc"].map((key) => element("kbd", {}, key));
    form.querySelector("#field-keys").replaceChildren(...sayAround("question.keys", { enter, newLine, stop: stopping }));
    const on = (target, type, listener) => target.addEventListener(type, listener, { signal });
    on(form, "submit", (event) => this.#submit(event));
    on(this.#field, "keydown", (event) => this.#key(event));
    on(this.#field, "input", () => this.#changed());
    on(this.#stop, "click", () => this.#stopIt(stop));
    on(this.#takeBackButton, "click", () => this.#takeBack());
  }

  /** Where no answer is under way, nothing waits: another conversation is open, or it was sent. */
  set answering(answering) {
    this.#answering = answering;
    this.#stop.hidden = !answering;
    if (!answering && this.#waiting.message !== null) this.#putBack();
    this.#fit();
  }

  /** An answer has ended: asks the question that waits for it. */
  answered() {
    const message = this.#waiting.take();
    if (message === null) return;
    this.#showWaiting();
    this.#ask(message);
    // Kept until here: what is asked is kept as the question under way.
    this.#changed();
  }

  /** Focuses the field, except on a touch screen, where the keyboard would cover the answer. */
  focus() {
    if (matchMedia("(hover: hover)").matches) this.#field.focus();
  }

  /** Shows what was typed before. */
  show(text) {
    this.#waiting.take();
    this.#showWaiting();
    this.#field.value = text;
    this.#fit();
  }

  /** Asks what a button stands for. What is in the field stays there. What is more than a message does not wait. */
  ask(message, { without } = {}) {
    if (this.#answering && without) return this.#refused("question.tooEarly");
    if (this.#answering) this.#wait(message);
    else this.#ask(message, { without });
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
    if (!message || (this.#answering && !this.#wait(message))) return;
    this.#field.value = "";
    this.#changed();
    if (!this.#answering) this.#ask(message);
  }

  /** Returns whether it waits. */
  #wait(message) {
    const waits = this.#waiting.put(message);
    this.#refused(waits ? null : "question.oneWaits");
    this.#showWaiting();
    this.#changed();
    return waits;
  }

  #takeBack() {
    this.#putBack();
    this.#changed();
    this.#refused(null);
    this.#field.focus();
    this.#field.setSelectionRange(this.#field.value.length, this.#field.value.length);
  }

  /** Into the field, above what is typed there. */
  #putBack() {
    this.#field.value = this.#waiting.keptWith(this.#field.value);
    this.#waiting.take();
    this.#showWaiting();
    this.#fit();
  }

  #showWaiting() {
    const { message } = this.#waiting;
    this.#takeBackButton.hidden = message === null;
    this.#form.querySelector("#waiting-said").replaceChildren(...(message === null ? [] : sayAround("question.waits", { question: element("q", { dir: "auto" }, message) })));
  }

  #key(event) {
    // In an input method, Enter selects a word.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#form.requestSubmit();
  }

  #changed() {
    this.#fit();
    this.#typed(this.#waiting.keptWith(this.#field.value));
  }

  /** Makes the field as high as its text, up to the limit of the style sheet. */
  #fit() {
    const isBlank = !this.#field.value.trim();
    this.#send.disabled = isBlank;
    this.#send.hidden = this.#answering && (isBlank || this.#waiting.message !== null);
    this.#send.ariaLabel = say(this.#answering ? "question.askNext" : "question.ask");
    this.#field.style.height = "auto";
    this.#field.style.height = `${this.#field.scrollHeight}px`;
  }
}
