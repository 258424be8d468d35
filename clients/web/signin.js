import { Authenticator } from "./authenticator.js";
import { Cognito } from "./cognito.js";
import { CicadaError } from "../javascript/index.js";
import { Provider } from "./provider.js";
import { Session } from "./session.js";
import { PasswordProof } from "./srp.js";
import { say } from "./words.js";

/** What each challenge of the user pool asks of the user. */
const STEPS = {
  NEW_PASSWORD_REQUIRED: "newPassword",
  SOFTWARE_TOKEN_MFA: "code",
  MFA_SETUP: "authenticator",
};
/** After it the session of a challenge, which lasts some minutes, is of no more use. */
const OVER = "NotAuthorizedException";

/**
 * Sign-in at an Amazon Cognito user pool. A password is proven, not sent. After it the pool may ask for further steps:
 * look at `step` after each of them.
 *
 * With `signInUrl` and `identityProvider` users can also sign in with that provider; `page` is then the address to which it
 * sends them back. `locks`, `channel` and `device` are shared by the tabs of a session (see `Session`); `ended()` is called when
 * another tab ends it, and `joined()` when the sign-in of another tab was taken over.
 */
export class SignIn {
  #cognito;
  #clientId;
  #userPoolId;
  #session;
  #provider = null;
  #challenge = null;
  #keep = false;

  constructor({
    cognitoUrl,
    clientId,
    userPoolId,
    signInUrl = null,
    identityProvider = null,
    page = "",
    fetch = globalThis.fetch.bind(globalThis),
    storage = sessionStorage,
    now = Date.now,
    locks = null,
    channel = null,
    device = null,
    ended = () => {},
    joined = () => {},
  }) {
    this.#cognito = new Cognito({ url: cognitoUrl, fetch });
    this.#clientId = clientId;
    this.#userPoolId = userPoolId;
    this.#session = new Session({ cognito: this.#cognito, clientId, storage, now, locks, channel, device, ended, joined });
    if (identityProvider) {
      this.#provider = new Provider({ name: identityProvider, url: signInUrl, clientId, page, fetch, storage });
    }
  }

  /** The name of the signed-in user, or null. */
  get user() {
    return this.#session.user;
  }

  /**
   * What the sign-in under way waits for: "newPassword" (`chooseNewPassword`), "code" (`enterCode`), "authenticator"
   * (`addAuthenticator`), or null.
   */
  get step() {
    return this.#challenge?.step ?? null;
  }

  /** The name of the identity provider with which users can sign in besides, or null. */
  get provider() {
    return this.#provider?.name ?? null;
  }

  /** The signed-in user has come from the identity provider, and has no password here. */
  get federated() {
    return this.#session.federated;
  }

  /** The groups of the user, by the access token. */
  get groups() {
    return this.#session.groups;
  }

  /** Where the session of a user of the identity provider is ended at the authorization server too, or null. */
  get logout() {
    return this.federated && this.#provider ? this.#provider.logout : null;
  }

  /**
   * The address where the user signs in with the identity provider. `search` is the query of the page's own address, with what
   * is behind "#". `keep`: as in `signIn`.
   */
  beginAtProvider(search, { keep = false } = {}) {
    this.#challenge = null;
    return this.#provider.begin(search, keep);
  }

  /**
   * Signs the user in who comes back from the identity provider; nothing happens if the query of the page's address is not
   * of that. `replace` gives the page another query. Rejects with a `CicadaError`, as it does for who did not sign in.
   */
  async finishAtProvider(search, replace) {
    const found = await this.#provider?.finish(search, replace);
    if (found) await this.#session.begin(found.user, found.result, { federated: true, keep: found.keep });
  }

  /** `keep`: on this device, until the user signs out. Rejects with a `CicadaError` that says what to do. */
  async signIn(user, password, { keep = false } = {}) {
    this.#challenge = null;
    this.#keep = keep;
    const proof = new PasswordProof({ userPoolId: this.#userPoolId, user, password });
    const asked = await this.#cognito.call("InitiateAuth", {
      AuthFlow: "USER_SRP_AUTH",
      ClientId: this.#clientId,
      AuthParameters: proof.parameters,
    });
    const responses = await proof.responses(asked.ChallengeParameters);
    await this.#proceed(user, responses.USERNAME, await this.#respond("PASSWORD_VERIFIER", asked.Session, responses));
  }

  /** Ends a first sign-in. If it rejects and `step` is null, sign-in has to begin anew; so with the other steps. */
  chooseNewPassword(password) {
    return this.#answer({ NEW_PASSWORD: password });
  }

  /** The code that the user's authenticator app shows. */
  enterCode(code) {
    return this.#answer({ SOFTWARE_TOKEN_MFA_CODE: code });
  }

  /** The pool asks for an authenticator app before the user is signed in. */
  async addAuthenticator() {
    return this.#unlessOver(async () => {
      const { user, session } = this.#challenge;
      const reply = await this.#cognito.call("AssociateSoftwareToken", { Session: session });
      this.#challenge.session = reply.Session;
      return new Authenticator({ user, secret: reply.SecretCode, confirm: (code) => this.#confirm(code) });
    });
  }

  /** Takes over the sign-in of another tab, or the one that the device keeps, if there is one. Rejects if that has ended. */
  join() {
    return this.#session.join();
  }

  /** For the settings of the signed-in user's own account. */
  async call(operation, body = {}) {
    return this.#cognito.call(operation, { AccessToken: await this.accessToken(), ...body });
  }

  /** An access token that is valid for at least a minute. Throws `SignInNeededError` when the session has ended. */
  accessToken(options) {
    return this.#session.accessToken(options);
  }

  /** How long the access token is still valid, in milliseconds by this device's clock. */
  get validMs() {
    return this.#session.validMs;
  }

  /** Removes the tokens here, and revokes the refresh token if Cognito can be reached. */
  async signOut() {
    const token = this.#session.refreshToken;
    await this.forget();
    if (token) await this.#cognito.call("RevokeToken", { ClientId: this.#clientId, Token: token }).catch(onlyUnreached);
  }

  /** Removes the tokens here: they count no more. */
  async forget() {
    this.#challenge = null;
    await this.#session.end();
  }

  async #confirm(code) {
    return this.#unlessOver(async () => {
      const reply = await this.#cognito.call("VerifySoftwareToken", { Session: this.#challenge.session, UserCode: code });
      this.#challenge.session = reply.Session;
      await this.#answer({});
    });
  }

  async #answer(responses) {
    await this.#unlessOver(async () => {
      const { challenge, user, username, session } = this.#challenge;
      await this.#proceed(user, username, await this.#respond(challenge, session, { USERNAME: username, ...responses }));
    });
  }

  #respond(challenge, session, responses) {
    const body = { ChallengeName: challenge, ClientId: this.#clientId, ChallengeResponses: responses };
    // Cognito gives no session with PASSWORD_VERIFIER: the secret block stands for it.
    return this.#cognito.call("RespondToAuthChallenge", session ? { ...body, Session: session } : body);
  }

  async #proceed(user, username, { ChallengeName: challenge, Session: session, AuthenticationResult: result }) {
    this.#challenge = null;
    if (result) return this.#session.begin(user, result, { keep: this.#keep });
    if (!Object.hasOwn(STEPS, challenge)) throw new CicadaError(say("signIn.unknownStep"));
    this.#challenge = { challenge, step: STEPS[challenge], user, username, session };
  }

  async #unlessOver(action) {
    try {
      return await action();
    } catch (error) {
      if (error.code !== OVER) throw error;
      this.#challenge = null;
      throw new CicadaError(say("signIn.tooLong"), { cause: error });
    }
  }
}

/** Signing out works without a network: the token then expires by itself. */
function onlyUnreached(error) {
  if (!(error instanceof CicadaError)) throw error;
}
