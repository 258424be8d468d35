import { CicadaError, SignInNeededError } from "./protocol/errors.js";

const STORED_AS = "cicada.signIn";
/** A token that expires within this time is renewed before it is used. */
const MARGIN_MS = 60_000;

const SENTENCES = {
  NotAuthorizedException: "This name and password do not match.",
  UserNotFoundException: "This name and password do not match.",
  UserNotConfirmedException: "This account is not confirmed yet. Follow the link in the mail that you were sent.",
  PasswordResetRequiredException: "The password of this account must be reset before you can sign in.",
  TooManyRequestsException: "There were too many attempts. Wait a minute and try again.",
  LimitExceededException: "There were too many attempts. Wait a minute and try again.",
};

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

  /** Rejects with a `CicadaError` that says what to do. */
  async signIn(user, password) {
    const reply = await this.#initiate("USER_PASSWORD_AUTH", { USERNAME: user, PASSWORD: password });
    if (reply.ChallengeName === "NEW_PASSWORD_REQUIRED") {
      throw new CicadaError("This account still has its first password. Choose a new one before you sign in here.");
    }
    if (!reply.AuthenticationResult) {
      throw new CicadaError("This account asks for a second step of sign-in, which this page does not have.");
    }
    this.#store({ user, refreshToken: reply.AuthenticationResult.RefreshToken }, reply.AuthenticationResult);
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
    throw new CicadaError(SENTENCES[name] ?? "The sign-in service refused the request. Try again in a moment.", { code: name, retryable });
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
