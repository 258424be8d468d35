import { SignInNeededError } from "../javascript/index.js";
import { say } from "./words.js";

const STORED_AS = "cicada.signIn";
/** A token that expires within this time is renewed before it is used. */
const MARGIN_MS = 60_000;
/** How long the tokens that another tab has just renewed may take to arrive. */
const ARRIVAL_MS = 2_000;
/** How long another tab may take to hand over its sign-in before the form is shown; later it is taken too. */
const JOIN_MS = 150;

/**
 * The tokens of a signed-in user, in this object and in the session storage of the tab, until the tab is closed.
 *
 * A tab without tokens asks the others for theirs, by `channel` (a `BroadcastChannel`, which only pages of this origin
 * hear), and takes those of one that signs in: `joined()` is called there. A duplicated tab begins with a copy of the
 * storage. A refresh gives a new refresh token and ends the earlier one, so the copies renew in turn, by `locks` (as
 * `navigator.locks`), and tell each other what they got. A copy that signs out ends the others: `ended()` is called there.
 *
 * A user may choose that the device keeps the sign-in: `device`, a `KeptSignIn`, has it when no tab is open any more.
 */
export class Session {
  #cognito;
  #clientId;
  #storage;
  #now;
  #locks;
  #channel;
  #device;
  #tokens;
  #renewing = null;
  #arrived = () => {};

  constructor({ cognito, clientId, storage, now, locks, channel, device, ended, joined }) {
    this.#cognito = cognito;
    this.#clientId = clientId;
    this.#storage = storage;
    this.#now = now;
    this.#locks = locks;
    this.#channel = channel;
    this.#device = device;
    this.#tokens = JSON.parse(storage.getItem(STORED_AS) ?? "null");
    channel?.addEventListener("message", ({ data }) => this.#told(data, { ended, joined }));
  }

  /** The name of the signed-in user, or null. */
  get user() {
    return this.#tokens?.user ?? null;
  }

  get refreshToken() {
    return this.#tokens?.refreshToken ?? null;
  }

  /** How long the access token is still valid. */
  get validMs() {
    return this.#tokens ? this.#tokens.expiresAt - this.#now() : 0;
  }

  /** The user has come from an identity provider. */
  get federated() {
    return this.#tokens?.federated ?? false;
  }

  /** The groups that the access token names; none for a token that says nothing of them. Whether they count, the server decides. */
  get groups() {
    try {
      const claims = this.#tokens.accessToken.split(".")[1].replace(/-/g, "+").replace(/_/g, "/");
      const bytes = Uint8Array.from(atob(claims), (each) => each.charCodeAt(0));
      return JSON.parse(new TextDecoder().decode(bytes))["cognito:groups"] ?? [];
    } catch {
      return [];
    }
  }

  /** `keep`: on this device, which then keeps no other. */
  async begin(user, result, { federated = false, keep = false } = {}) {
    const tokens = this.#with({ id: crypto.randomUUID(), user, federated }, result);
    const kept = keep ? await this.#device?.keep(tokens) : (await this.#device?.forget(), false);
    this.#keep({ ...tokens, kept: Boolean(kept) });
    this.#offer();
  }

  /**
   * Takes the sign-in of another tab, if one has it and answers soon, else the one that the device keeps. Rejects as
   * `accessToken` does if that one has ended.
   */
  async join() {
    if (this.#tokens) return;
    this.#channel?.postMessage({ asks: true });
    if (this.#channel) await this.#arrival(JOIN_MS);
    const found = this.#tokens ? null : await this.#device?.read();
    if (!found || this.#tokens) return;
    this.#keep({ ...found, kept: true, accessToken: "", expiresAt: 0 });
    await this.accessToken();
  }

  /** An access token that is valid for at least a minute. Throws `SignInNeededError` when the session has ended. */
  async accessToken({ fresh = false } = {}) {
    if (!this.#tokens) throw new SignInNeededError(say("signIn.goOn"));
    if (fresh || this.validMs < MARGIN_MS) await (this.#renewing ??= this.#renewInTurn());
    if (!this.#tokens) throw new SignInNeededError(say("signIn.goOn"));
    return this.#tokens.accessToken;
  }

  /** Forgets the tokens, here, in the tab's copies and on the device. */
  end() {
    const { id } = this.#tokens ?? {};
    const forgotten = this.#forget();
    if (id) this.#channel?.postMessage({ id, ended: true });
    return forgotten;
  }

  async #renewInTurn() {
    const { id, accessToken } = this.#tokens;
    const name = `cicada.session.${id}`;
    try {
      if (!this.#locks) return await this.#renew();
      const mine = await this.#locks.request(name, { ifAvailable: true }, async (lock) => lock && (await this.#renew(), true));
      if (!mine) await this.#locks.request(name, () => this.#renewUnlessACopyDid(accessToken));
    } finally {
      this.#renewing = null;
    }
  }

  async #renewUnlessACopyDid(accessToken) {
    if (this.#tokens?.accessToken === accessToken) await this.#arrival(ARRIVAL_MS);
    if (this.#tokens?.accessToken === accessToken) await this.#renew();
  }

  #arrival(wait) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, wait);
      this.#arrived = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #renew() {
    await this.#takeKept();
    if (!this.#tokens) return;
    const { refreshToken } = this.#tokens;
    try {
      const reply = await this.#cognito.call("GetTokensFromRefreshToken", { ClientId: this.#clientId, RefreshToken: refreshToken });
      if (this.#tokens?.refreshToken !== refreshToken) return;
      this.#keep(this.#with(this.#tokens, reply.AuthenticationResult));
      this.#channel?.postMessage({ id: this.#tokens.id, tokens: this.#tokens });
      if (this.#tokens.kept) await this.#device?.renew(this.#tokens);
    } catch (error) {
      if (error.retryable) throw error;
      // A copy may have renewed the tokens meanwhile, and these may have come too late for the answer.
      if (this.#tokens?.refreshToken === refreshToken) await this.#forget();
      throw new SignInNeededError(say("signIn.endedAgain"), { cause: error });
    }
  }

  /** A tab that the browser has restored has an old refresh token; the device's is the newest. */
  async #takeKept() {
    if (!this.#tokens?.kept) return;
    const found = await this.#device?.read();
    if (!this.#tokens) return;
    const kept = found?.id === this.#tokens.id;
    // This tab has had nothing else than what is not kept any more: another one has signed out.
    if (!kept && !this.#tokens.accessToken) return this.#drop();
    this.#tokens = { ...this.#tokens, kept, refreshToken: kept ? found.refreshToken : this.#tokens.refreshToken };
  }

  #offer() {
    if (this.#tokens) this.#channel?.postMessage({ offered: this.#tokens });
  }

  #told({ id, tokens, ended: hasEnded, asks, offered }, { ended, joined }) {
    if (asks) return this.#offer();
    if (offered && !this.#tokens) {
      this.#keep(offered);
      this.#arrived();
      return joined();
    }
    if (!this.#tokens || id !== this.#tokens.id) return;
    if (hasEnded) {
      this.#forget();
      ended();
    } else this.#keep(tokens);
    this.#arrived();
  }

  #with(session, { AccessToken, ExpiresIn, RefreshToken }) {
    const expiresAt = this.#now() + ExpiresIn * 1000;
    return { ...session, refreshToken: RefreshToken ?? session.refreshToken, accessToken: AccessToken, expiresAt };
  }

  #keep(tokens) {
    this.#tokens = tokens;
    this.#storage.setItem(STORED_AS, JSON.stringify(tokens));
  }

  async #forget() {
    const { id } = this.#tokens ?? {};
    this.#drop();
    if (id) await this.#device?.forget(id);
  }

  #drop() {
    this.#tokens = null;
    this.#storage.removeItem(STORED_AS);
  }
}
