import { CicadaError } from "../javascript/index.js";
import { say } from "./words.js";

const STORED_AS = "cicada.provider";
const SCOPES = "openid email";
/** What the authorization server adds to the page's address. */
const ADDED = ["code", "state", "error", "error_description"];

/**
 * Sign-in with the stage's identity provider, through the authorization server of the user pool (RFC 6749 with RFC 7636):
 * the provider sends the user back with a code that only the tab that began can exchange for tokens.
 *
 * `page`: the page's address as it is registered, without a query.
 */
export class Provider {
  #url;
  #clientId;
  #page;
  #fetch;
  #storage;

  constructor({ name, url, clientId, page, fetch, storage }) {
    this.name = name;
    this.#url = url;
    this.#clientId = clientId;
    this.#page = page;
    this.#fetch = fetch;
    this.#storage = storage;
  }

  /** The address that ends the session at the authorization server, and leads back to the page. */
  get logout() {
    return `${this.#url}/logout?${new URLSearchParams({ client_id: this.#clientId, logout_uri: this.#page })}`;
  }

  /**
   * The address where the user signs in. `search`: the query of the page's address with what is behind "#", which it has again
   * afterwards. `keep`: comes back with the user.
   */
  async begin(search, keep = false) {
    const [state, nonce, verifier] = [secret(), secret(), secret()];
    this.#storage.setItem(STORED_AS, JSON.stringify({ state, nonce, verifier, search, keep }));
    const parameters = {
      response_type: "code",
      client_id: this.#clientId,
      redirect_uri: this.#page,
      scope: SCOPES,
      state,
      nonce,
      code_challenge: base64url(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))),
      code_challenge_method: "S256",
      identity_provider: this.name,
      // Whoever has signed in at this device before is not taken for the one who signs in now.
      prompt: "login",
    };
    return `${this.#url}/oauth2/authorize?${new URLSearchParams(parameters)}`;
  }

  /**
   * What came of a sign-in: `{user, result, keep}` with tokens, or null if the address `search` is not of one. Rejects with a
   * sentence. `replace(search)` is called before anything is sent: no code stays in the address or in the history.
   */
  async finish(search, replace) {
    const found = new URLSearchParams(search);
    if (!found.has("code") && !found.has("error")) return null;
    const begun = this.#taken();
    const own = begun !== null && found.get("state") === begun.state;
    replace(own ? begun.search : without(found));
    if (!own) throw new CicadaError(say("provider.foreign"));
    // The provider's own words are not shown: anybody can put words into an address.
    if (found.has("error")) throw new CicadaError(say("provider.declined"), { code: "declined" });
    const reply = await this.#exchange(found.get("code"), begun.verifier);
    const claims = claimsOf(reply.id_token);
    if (claims.nonce !== begun.nonce) throw new CicadaError(say("provider.foreign"));
    return { user: claims.email ?? claims["cognito:username"], result: resultOf(reply), keep: begun.keep };
  }

  /** A sign-in is finished once, whatever comes of it. */
  #taken() {
    const begun = JSON.parse(this.#storage.getItem(STORED_AS) ?? "null");
    this.#storage.removeItem(STORED_AS);
    return begun;
  }

  async #exchange(code, verifier) {
    const body = { grant_type: "authorization_code", client_id: this.#clientId, redirect_uri: this.#page, code, code_verifier: verifier };
    const response = await this.#post(new URLSearchParams(body));
    if (response.status >= 500) throw new CicadaError(say("signInService.unreachable"), { code: "unreachable" });
    if (!response.ok) throw new CicadaError(say("provider.over"), { code: "over" });
    return response.json();
  }

  async #post(body) {
    try {
      return await this.#fetch(`${this.#url}/oauth2/token`, {
        method: "POST",
        body,
        credentials: "omit",
        referrerPolicy: "no-referrer",
      });
    } catch (cause) {
      throw new CicadaError(say("signInService.unreachable"), { code: "unreachable", cause });
    }
  }
}

/** 256 bits that nobody can guess; a verifier has 43 to 128 characters. */
function secret() {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

function base64url(bytes) {
  return btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The claims of an ID token that came from the token endpoint itself: its signature tells nothing more (OpenID Connect Core 3.1.3.7). */
function claimsOf(token) {
  const text = atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/"));
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (each) => each.charCodeAt(0))));
}

/** The tokens under the names that Cognito's API has for them. */
function resultOf({ access_token, refresh_token, expires_in }) {
  return { AccessToken: access_token, RefreshToken: refresh_token, ExpiresIn: expires_in };
}

function without(found) {
  for (const name of ADDED) found.delete(name);
  return found.size ? `?${found}` : "";
}
