/** Where the question is written: Enter asks, Shift+Enter makes a new line. While an answer comes, Stop replaces Ask. */
export class Composer {
  #form;
  #field;
  #send;
  #stop;
  #answering = false;

  /** `ask(message)`, `stop()`: what the user wants. `signal` ends the listening. */
  constructor({ form, ask, stop, signal }) {
    this.#form = form;
    this.#field = form.querySelector("textarea");
    this.#send = form.querySelector("#send");
    this.#stop = form.querySelector("#stop");
    const on = (target, type, listener) => target.addEventListener(type, listener, { signal });
    on(form, "submit", (event) => this.#submit(event, ask));
    on(this.#field, "keydown", (event) => this.#key(event));
    on(this.#field, "input", () => this.#fit());
    on(this.#stop, "click", () => this.#stopIt(stop));
  }

  set answering(answering) {
    this.#answering = answering;
    this.#stop.hidden = !answering;
    this.#send.hidden = answering;
  }

  /** Not on a touch screen, where it would open the keyboard over the answer. */
  focus() {
    if (matchMedia("(hover: hover)").matches) this.#field.focus();
  }

  clear() {
    this.#field.value = "";
    this.#fit();
  }

  #stopIt(stop) {
    stop();
    this.focus();
  }

  #submit(event, ask) {
    event.preventDefault();
    const message = this.#field.value.trim();
    if (!message || this.#answering) return;
    this.clear();
    ask(message);
  }

  #key(event) {
    // While an input method composes, Enter chooses a word.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#form.requestSubmit();
  }

  /** As high as its text, up to a limit that the style sheet sets. */
  #fit() {
    this.#send.disabled = !this.#field.value.trim();
    this.#field.style.height = "auto";
    this.#field.style.height = `${this.#field.scrollHeight}px`;
  }
}
