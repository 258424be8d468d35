import { CicadaError } from "./protocol/errors.js";

const SENTENCES = {
  NotAuthorizedException: "This name and password do not match.",
  UserNotFoundException: "This name and password do not match.",
  UserNotConfirmedException: "This account is not confirmed yet. Follow the link in the mail that you were sent.",
  PasswordResetRequiredException: "The password of this account must be reset before you can sign in.",
  TooManyRequestsException: "There were too many attempts. Wait a minute and try again.",
  LimitExceededException: "There were too many attempts. Wait a minute and try again.",
  InvalidPasswordException: "This password does not meet the rule below it. Choose another one.",
  PasswordHistoryPolicyViolationException: "You have had this password before. Choose another one.",
  CodeMismatchException: "This code is wrong. Enter the one that your app shows now.",
  EnableSoftwareTokenMFAException: "This code is wrong. Enter the one that your app shows now.",
  ExpiredCodeException: "This code was used already, or has expired. Wait for the next one.",
};
/** Cognito tells these cases apart by its message alone. */
const REASONS = [
  [/temporary password has expired/i, "Your initial password has expired. Ask for a new one where you got it."],
  [/user is disabled/i, "This account is disabled. Ask those who run this service."],
  [/attempts exceeded/i, "There were too many attempts. Wait a few minutes and try again."],
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
    const sentence = reason ?? SENTENCES[name] ?? "The sign-in service refused the request. Try again in a moment.";
    throw new CicadaError(sentence, { code: name, retryable });
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
      throw new CicadaError("The sign-in service cannot be reached. Check your connection and try again.", {
        code: "unreachable",
        retryable: true,
        cause,
      });
    }
  }
}
