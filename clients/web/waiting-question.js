/** The question that is asked once the answer before it has ended. There is one at most. */
export class WaitingQuestion {
  /** Null where none waits. */
  message = null;

  /** Has the message wait. Returns false, and changes nothing, where another one does. */
  put(message) {
    if (this.message !== null) return false;
    this.message = message;
    return true;
  }

  /** The message that waited, or null. It waits no more, so nobody gets it twice. */
  take() {
    const { message } = this;
    this.message = null;
    return message;
  }

  /** What is kept of it with the text `typed` below it: after a reload both stand in the field, and nothing is asked. */
  keptWith(typed) {
    return this.message === null ? typed : [this.message, typed].filter(Boolean).join("\n");
  }
}
