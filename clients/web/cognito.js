import { CicadaError } from "../javascript/index.js";
import { say } from "./words.js";

/** What to say of each exception, in the catalogue below "signInService". */
const SENTENCES = {
  NotAuthorizedException: "mismatch",
  UserNotFoundException: "mismatch",
  UserNotConfirmedException: "unconfirmed",
  PasswordResetRequiredException: "reset",
  TooManyRequestsException: "tooMany",
  LimitExceededException: "tooMany",
  InvalidPasswordException: "weakPassword",
  PasswordHistoryPolicyViolationException: "usedPassword",
  CodeMismatchException: "wrongCode",
  EnableSoftwareTokenMFAException: "wrongCode",
  ExpiredCodeException: "oldCode",
};
/** Cognito tells these cases apart by its message alone. */
const REASONS = [
  [/temporary password has expired/i, "initialExpired"],
  [/user is disabled/i, "disabled"],
  [/attempts exceeded/i, "tooManyMinutes"],
];

/** Amazon Cognito's API for users, without an SDK. No request of it needs AWS credentials. */
export class Cognito {
  #url;
  #fetch;

  constructor({ url, fetch }) {
    this.#url = url;
    this.#fetch = fetch;
  }

  /** The reply. Rejects with a `CicadaError` that says what to do, whose `code` is the name of Cognito's exception. */
  async call(operation, body) {
    const response = await this.#post(operation, body);
    const reply = await response.json().catch(() => ({}));
    if (response.ok) return reply;
    const name = String(reply.__type ?? "").split("#").at(-1);
    const retryable = response.status >= 500 || /TooManyRequests|LimitExceeded|InternalError/.test(name);
    const [, reason] = REASONS.find(([pattern]) => pattern.test(reply.message ?? "")) ?? [];
    const sentence = reason ?? SENTENCES[name] ?? "refused";
    throw new CicadaError(say(`signInService.${sentence}`), { code: name, retryable });
  }

  async #post(operation, body) {
    try {
      return await this.#fetch(this.#url, {
        method: "POST",
        headers: {
          "Content-Type": "application/x-amz-json-1.1",
          "X-Amz-Target": `AWSCognitoIdentityProviderService.${operation}`,
        },
        body: JSON.stringify(body),
        credentials: "omit",
        referrerPolicy: "no-referrer",
      });
    } catch (cause) {
      throw new CicadaError(say("signInService.unreachable"), {
        code: "unreachable",
        retryable: true,
        cause,
      });
    }
  }
}
