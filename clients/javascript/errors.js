/**
 * A failure whose message is a sentence for a person. `code` is as in the protocol. Every class of errors here ends in
 * `Error` and extends this one.
 */
export class CicadaError extends Error {
  name = "CicadaError";

  constructor(message, { code = "internal", retryable = false, retryAfterSeconds = null, cause } = {}) {
    super(message, { cause });
    this.code = code;
    this.retryable = retryable;
    /** How long to wait before the same is sent again, if the server says it. */
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Thrown by a token provider if the user must sign in again: the client stops, in the state "signedOut". */
export class SignInNeededError extends CicadaError {
  name = "SignInNeededError";
}
