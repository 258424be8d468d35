import { Assembly } from "./assembly.js";

/** A request: its answer so far, and what the user wants of it. Only the client may change it. */
export class Request {
  /** The refusal of the server (`error`, `code`, `retryable`), or null. */
  refusal = null;
  /** The user has asked to stop. */
  cancelling = false;
  /** Cancelled here before anything was sent. */
  withdrawn = false;
  /** Whether the question was sent, so that the server may have it. */
  sent = false;
  /** Attempts since the last event. */
  attempts = 0;

  /** `command`: the `sendMessage` to send until it is accepted; null for a request of an earlier visit. */
  constructor(requestId, command) {
    this.requestId = requestId;
    this.command = command;
    this.assembly = new Assembly();
  }

  get sessionId() {
    return this.assembly.sessionId ?? this.command?.sessionId ?? null;
  }

  get text() {
    return this.assembly.text;
  }

  get sources() {
    return this.assembly.sources;
  }

  get listing() {
    return this.assembly.listing;
  }

  get stage() {
    return this.assembly.stage;
  }

  get accepted() {
    return this.assembly.lastSeq > 0;
  }

  /** How it ended: "complete", "cancelled" or "error"; null until then. */
  get outcome() {
    if (this.assembly.end) return this.assembly.end.type;
    if (this.withdrawn) return "cancelled";
    return this.refusal ? "error" : null;
  }

  /** `{error, code, retryable}` of a failed or refused request, else null. */
  get failure() {
    return this.outcome === "error" ? (this.assembly.end ?? this.refusal) : null;
  }

  /** The command to send next: the question until it is accepted, then `resume`. */
  get nextCommand() {
    if (this.command && !this.accepted) return this.command;
    return { action: "resume", requestId: this.requestId, afterSeq: this.assembly.lastSeq };
  }
}
