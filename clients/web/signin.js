import { CicadaError, SignInNeededError } from "./protocol/errors.js";

const STORED_AS = "cicada.signIn";
/** A token that expires within this time is renewed before it is used. */
const MARGIN_MS = 60_000;
/** The challenge of accounts that somebody else made, with a password that is good for one sign-in. */
const NEW_PASSWORD = "NEW_PASSWORD_REQUIRED";
/** Errors after which the session of a challenge, which lasts some minutes, is of no more use. */
const OVER = new Set(["NotAuthorizedException", "ExpiredCodeException", "CodeMismatchException"]);

const SENTENCES = {
  NotAuthorizedException: "This name and password do not match.",
  UserNotFoundException: "This name and password do not match.",
  UserNotConfirmedException: "This account is not confirmed yet. Follow the link in the mail that you were sent.",
  PasswordResetRequiredException: "The password of this account must be reset before you can sign in.",
  TooManyRequestsException: "There were too many attempts. Wait a minute and try again.",
  LimitExceededException: "There were too many attempts. Wait a minute and try again.",
  InvalidPasswordException: "This password does not meet the rule below it. Choose another one.",
  PasswordHistoryPolicyViolationException: "You have had this password before. Choose another one.",
};
/** Cognito tells these cases apart by its message alone. */
const REASONS = [
  [/temporary password has expired/i, "Your initial password has expired. Ask for a new one where you got it."],
  [/user is disabled/i, "This account is disabled. Ask those who run this service."],
  [/attempts exceeded/i, "There were too many attempts. Wait a few minutes and try again."],
];

/**
 * Sign-in at an Amazon Cognito user pool, without an SDK. Tokens are kept in this object and in the session storage of
 * the tab, until the tab is closed.
 */
export class SignIn {
  #cognitoUrl;
  #clientId;
  #fetch;
  #storage;
  #now;
  #tokens;
  #refreshing = null;
  #challenge = null;

  constructor({ cognitoUrl, clientId, fetch = globalThis.fetch.bind(globalThis), storage = sessionStorage, now = Date.now }) {
    this.#cognitoUrl = cognitoUrl;
    this.#clientId = clientId;
    this.#fetch = fetch;
    this.#storage = storage;
    this.#now = now;
    this.#tokens = JSON.parse(storage.getItem(STORED_AS) ?? "null");
  }

  /** The name of the signed-in user, or null. */
  get user() {
    return this.#tokens?.user ?? null;
  }

  /** Whether the last sign-in was with an initial password, so that `chooseNewPassword` has to follow. */
  get needsNewPassword() {
    return this.#challenge !== null;
  }

  /** Rejects with a `CicadaError` that says what to do. Look at `needsNewPassword` afterwards. */
  async signIn(user, password) {
    this.#challenge = null;
    this.#finish(user, await this.#initiate("USER_PASSWORD_AUTH", { USERNAME: user, PASSWORD: password }));
  }

  /** Ends a first sign-in. If it rejects and `needsNewPassword` is false, sign-in has to begin anew. */
  async chooseNewPassword(password) {
    const { user, session } = this.#challenge;
    try {
      const reply = await this.#call("RespondToAuthChallenge", {
        ChallengeName: NEW_PASSWORD,
        ClientId: this.#clientId,
        Session: session,
        ChallengeResponses: { USERNAME: user, NEW_PASSWORD: password },
      });
      this.#challenge = null;
      this.#finish(user, reply);
    } catch (error) {
      if (!OVER.has(error.code)) throw error;
      this.#challenge = null;
      throw new CicadaError("Choosing a password took too long. Sign in once more with your initial password.", { cause: error });
    }
  }

  /** An access token that is valid for at least a minute. Throws `SignInNeededError` when the session has ended. */
  async accessToken({ fresh = false } = {}) {
    if (!this.#tokens) throw new SignInNeededError("Sign in to go on.");
    const left = this.#tokens.expiresAt - this.#now();
    if (fresh || left < MARGIN_MS) await (this.#refreshing ??= this.#refresh());
    if (!this.#tokens) throw new SignInNeededError("Sign in to go on.");
    return this.#tokens.accessToken;
  }

  /** Removes the tokens here, and revokes the refresh token if Cognito can be reached. */
  async signOut() {
    const token = this.#tokens?.refreshToken;
    this.#forget();
    if (token) await this.#call("RevokeToken", { ClientId: this.#clientId, Token: token }).catch(onlyUnreached);
  }

  #finish(user, { ChallengeName, Session, AuthenticationResult }) {
    if (ChallengeName === NEW_PASSWORD) this.#challenge = { user, session: Session };
    else if (AuthenticationResult) this.#store({ user, refreshToken: AuthenticationResult.RefreshToken }, AuthenticationResult);
    else throw new CicadaError("This account asks for a second step of sign-in, which this page does not have.");
  }

  async #refresh() {
    const { user, refreshToken } = this.#tokens;
    try {
      const reply = await this.#initiate("REFRESH_TOKEN_AUTH", { REFRESH_TOKEN: refreshToken });
      if (this.#tokens?.refreshToken === refreshToken) this.#store({ user, refreshToken }, reply.AuthenticationResult);
    } catch (error) {
      if (error.retryable) throw error;
      this.#forget();
      throw new SignInNeededError("Your session has ended. Sign in again.", { cause: error });
    } finally {
      this.#refreshing = null;
    }
  }

  #initiate(flow, parameters) {
    return this.#call("InitiateAuth", { AuthFlow: flow, ClientId: this.#clientId, AuthParameters: parameters });
  }

  async #call(operation, body) {
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
      return await this.#fetch(this.#cognitoUrl, {
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

  #store(session, { AccessToken, ExpiresIn, RefreshToken }) {
    const expiresAt = this.#now() + ExpiresIn * 1000;
    this.#tokens = { ...session, refreshToken: RefreshToken ?? session.refreshToken, accessToken: AccessToken, expiresAt };
    this.#storage.setItem(STORED_AS, JSON.stringify(this.#tokens));
  }

  #forget() {
    this.#tokens = null;
    this.#storage.removeItem(STORED_AS);
  }
}

/** Signing out works without a network: the token then expires by itself. */
function onlyUnreached(error) {
  if (!(error instanceof CicadaError)) throw error;
}
