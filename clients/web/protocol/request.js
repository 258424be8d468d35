import { Assembly } from "./assembly.js";

/** A request as the client sees it: its answer so far, and what the user wants of it. Read it; the client writes. */
export class Request {
  /** The server's refusal (`error`, `code`, `retryable`), null unless it refused. */
  refusal = null;
  /** The user has asked to stop. */
  cancelling = false;
  /** Ended here, before anything was sent. */
  withdrawn = false;
  /** Whether the message has been on its way, so that the server may know it. */
  sent = false;
  /** Attempts since the answer last went on. */
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

  get stage() {
    return this.assembly.stage;
  }

  get accepted() {
    return this.assembly.lastSeq > 0;
  }

  /** How it ended: "complete", "cancelled" or "error"; null while it goes on. */
  get outcome() {
    if (this.assembly.end) return this.assembly.end.type;
    if (this.withdrawn) return "cancelled";
    return this.refusal ? "error" : null;
  }

  /** `{error, code, retryable}` of a failed or refused request, else null. */
  get failure() {
    return this.outcome === "error" ? (this.assembly.end ?? this.refusal) : null;
  }

  /** What brings this request forward: sending it until it is accepted, then resuming it. */
  get nextCommand() {
    if (this.command && !this.accepted) return this.command;
    return { action: "resume", requestId: this.requestId, afterSeq: this.assembly.lastSeq };
  }
}
