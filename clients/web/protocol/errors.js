/** A failure whose message is a sentence for a person. `code` as in the protocol. */
export class CicadaError extends Error {
  name = "CicadaError";

  constructor(message, { code = "internal", retryable = false, cause } = {}) {
    super(message, { cause });
    this.code = code;
    this.retryable = retryable;
  }
}

/** What a token provider throws when only the user can help: the client stops, in the state "signedOut". */
export class SignInNeeded extends CicadaError {
  name = "SignInNeeded";
}
