import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";

import { SignIn } from "../../clients/web/signin.js";

const PAGE = "https://chat.example.com/";
const URL_ = "https://login.example.com";

class MemoryStorage {
  items = new Map();
  getItem = (key) => this.items.get(key) ?? null;
  setItem = (key, value) => this.items.set(key, value);
  removeItem = (key) => this.items.delete(key);
}

const json = (status, body) => ({ ok: status < 300, status, json: async () => body });
const segment = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
const idToken = (claims) => `${segment({ alg: "RS256" })}.${segment(claims)}.c2ln`;

/** `server.reply(form)` is what the token endpoint answers; `server.calls` are [address, form or body, options]. */
function setUp({ storage = new MemoryStorage(), claims = {}, channel = null } = {}) {
  const server = { calls: [], replies: null, claims: { email: "ann@example.org", "cognito:username": "Okta_00u1", ...claims } };
  const fetch = async (url, options) => {
    server.calls.push([url, options.body, options]);
    if (server.refuse) throw server.refuse;
    if (server.replies) return server.replies;
    if (!String(url).startsWith(URL_)) return json(200, { AuthenticationResult: { AccessToken: "a2", RefreshToken: "r2", ExpiresIn: 600 } });
    const tokens = { access_token: "a1", refresh_token: "r1", expires_in: 600, token_type: "Bearer" };
    return json(200, { ...tokens, id_token: idToken({ nonce: server.nonce, ...server.claims }) });
  };
  const options = { cognitoUrl: "https://idp.example.com/", clientId: "c", userPoolId: "r_p", signInUrl: URL_, identityProvider: "Okta" };
  const signIn = new SignIn({ ...options, page: PAGE, fetch, storage, now: () => 0, channel });
  const addresses = [];
  return { server, storage, signIn, addresses, replace: (search) => addresses.push([search, server.calls.length]) };
}

async function begun(set, search = "") {
  const address = new URL(await set.signIn.beginAtProvider(search));
  set.server.nonce = address.searchParams.get("nonce");
  return address.searchParams;
}

const signedIn = async (set) => {
  const asked = await begun(set);
  await set.signIn.finishAtProvider(`?code=k&state=${asked.get("state")}`, set.replace);
};

test("the provider is asked for a code that only this tab can exchange", async () => {
  const set = setUp();
  const address = new URL(await set.signIn.beginAtProvider(""));
  assert.equal(address.origin + address.pathname, `${URL_}/oauth2/authorize`);
  const asked = Object.fromEntries(address.searchParams);
  const { verifier } = JSON.parse(set.storage.getItem("cicada.provider"));
  assert.match(verifier, /^[A-Za-z0-9_-]{43}$/);
  assert.equal(asked.code_challenge, createHash("sha256").update(verifier).digest("base64url"));
  const { state, nonce, code_challenge, ...rest } = asked;
  assert.deepEqual(rest, {
    response_type: "code",
    client_id: "c",
    redirect_uri: PAGE,
    scope: "openid email",
    code_challenge_method: "S256",
    identity_provider: "Okta",
    prompt: "login",
  });
  assert.equal(new Set([state, nonce, verifier, code_challenge]).size, 4);
  assert.ok(!address.href.includes(verifier));
});

test("no two sign-ins share a secret", async () => {
  const set = setUp();
  const [one, two] = [await begun(set), await begun(set)];
  for (const name of ["state", "nonce", "code_challenge"]) assert.notEqual(one.get(name), two.get(name));
});

test("a code is exchanged with the verifier, and the user is signed in", async () => {
  const set = setUp();
  const asked = await begun(set);
  const { verifier } = JSON.parse(set.storage.getItem("cicada.provider"));
  await set.signIn.finishAtProvider(`?code=k-1&state=${asked.get("state")}`, set.replace);
  const [[address, form, options]] = set.server.calls;
  assert.equal(address, `${URL_}/oauth2/token`);
  assert.deepEqual(Object.fromEntries(form), {
    grant_type: "authorization_code",
    client_id: "c",
    redirect_uri: PAGE,
    code: "k-1",
    code_verifier: verifier,
  });
  assert.deepEqual([options.method, options.credentials, options.referrerPolicy], ["POST", "omit", "no-referrer"]);
  assert.deepEqual([set.signIn.user, set.signIn.federated, await set.signIn.accessToken()], ["ann@example.org", true, "a1"]);
  assert.equal(set.storage.getItem("cicada.provider"), null);
});

test("a user without an address has Cognito's name", async () => {
  const set = setUp({ claims: { email: undefined } });
  await signedIn(set);
  assert.equal(set.signIn.user, "Okta_00u1");
});

test("the code is out of the address before it is sent, and the page's own query is back", async () => {
  const set = setUp();
  const asked = await begun(set, "?knowledgeBase=shop");
  await set.signIn.finishAtProvider(`?code=k&state=${asked.get("state")}`, set.replace);
  assert.deepEqual(set.addresses, [["?knowledgeBase=shop", 0]]);
});

test("an address that is not of a sign-in is left alone", async () => {
  const set = setUp();
  await begun(set);
  for (const search of ["", "?knowledgeBase=shop", "?state=x"]) await set.signIn.finishAtProvider(search, set.replace);
  assert.deepEqual([set.addresses, set.server.calls, set.signIn.user], [[], [], null]);
  assert.notEqual(set.storage.getItem("cicada.provider"), null);
});

for (const [what, search] of [
  ["another state", () => "?code=k&state=other"],
  ["no state", () => "?code=k"],
  ["an empty state", () => "?code=k&state="],
  ["an error and another state", () => "?error=access_denied&state=other"],
]) {
  test(`a return with ${what} is refused, and nothing is exchanged`, async () => {
    const set = setUp();
    await begun(set);
    await assert.rejects(set.signIn.finishAtProvider(`${search()}&knowledgeBase=shop`, set.replace), { message: "That sign-in was not begun in this tab. Begin again here." });
    assert.deepEqual([set.server.calls, set.signIn.user], [[], null]);
    assert.deepEqual(set.addresses, [["?knowledgeBase=shop", 0]]);
  });
}

test("a return that was never begun is refused", async () => {
  const set = setUp();
  await assert.rejects(set.signIn.finishAtProvider("?code=k&state=null", set.replace), { message: /not begun in this tab/ });
  assert.deepEqual(set.addresses, [["", 0]]);
});

test("a code is taken once: the same address again is refused", async () => {
  const set = setUp();
  const asked = await begun(set);
  const search = `?code=k&state=${asked.get("state")}`;
  await set.signIn.finishAtProvider(search, set.replace);
  await assert.rejects(set.signIn.finishAtProvider(search, set.replace), { message: /not begun in this tab/ });
  assert.equal(set.server.calls.length, 1);
  assert.equal(set.signIn.user, "ann@example.org");
});

test("tokens of another sign-in are refused", async () => {
  const set = setUp({ claims: { nonce: "other" } });
  const asked = await begun(set);
  await assert.rejects(set.signIn.finishAtProvider(`?code=k&state=${asked.get("state")}`, set.replace), { message: /not begun in this tab/ });
  assert.equal(set.signIn.user, null);
});

test("words that the address brings are not shown", async () => {
  const set = setUp();
  const asked = await begun(set);
  const search = `?error=access_denied&error_description=Call+555&state=${asked.get("state")}`;
  await assert.rejects(set.signIn.finishAtProvider(search, set.replace), {
    message: "You were not signed in there. Try again, or ask those who run this service.",
    code: "declined",
  });
  assert.deepEqual([set.server.calls, set.storage.items.size], [[], 0]);
});

for (const [what, refuse, replies, sentence] of [
  ["refused", null, json(400, { error: "invalid_grant" }), /took too long, or its address was used before/],
  ["failing", null, json(503, {}), /cannot be reached/],
  ["out of reach", new TypeError("fetch failed"), null, /cannot be reached/],
]) {
  test(`an exchange that is ${what} is said in a sentence`, async () => {
    const set = setUp();
    const asked = await begun(set);
    Object.assign(set.server, { refuse, replies });
    await assert.rejects(set.signIn.finishAtProvider(`?code=k&state=${asked.get("state")}`, set.replace), { message: sentence });
    assert.deepEqual([set.signIn.user, set.storage.items.size], [null, 0]);
  });
}

test("a federated user's tokens are renewed and revoked like those of others", async () => {
  const set = setUp();
  await signedIn(set);
  assert.equal(await set.signIn.accessToken({ fresh: true }), "a2");
  const operation = ({ headers }) => headers["X-Amz-Target"].split(".")[1];
  const [, [, , refreshed]] = set.server.calls;
  assert.deepEqual([operation(refreshed), JSON.parse(refreshed.body).RefreshToken], ["GetTokensFromRefreshToken", "r1"]);
  assert.equal(set.signIn.federated, true);
  await set.signIn.signOut();
  const [revoked] = set.server.calls.at(-1).slice(2);
  assert.deepEqual([operation(revoked), JSON.parse(revoked.body).Token], ["RevokeToken", "r2"]);
  assert.deepEqual([set.signIn.user, set.storage.items.size], [null, 0]);
});

test("the session at the authorization server is ended for its users, and only for them", async () => {
  const set = setUp();
  assert.equal(set.signIn.logout, null);
  await signedIn(set);
  const address = new URL(set.signIn.logout);
  assert.equal(address.origin + address.pathname, `${URL_}/logout`);
  assert.deepEqual(Object.fromEntries(address.searchParams), { client_id: "c", logout_uri: PAGE });
  set.signIn.forget();
  assert.equal(set.signIn.logout, null);
});

test("a reload keeps who has come from the provider", async () => {
  const set = setUp();
  await signedIn(set);
  const again = setUp({ storage: set.storage });
  assert.deepEqual([again.signIn.user, again.signIn.federated], ["ann@example.org", true]);
});

test("without a provider there is nothing to begin, and no address is read", async () => {
  const signIn = new SignIn({ cognitoUrl: "https://idp.example.com/", clientId: "c", userPoolId: "r_p", fetch: null, storage: new MemoryStorage() });
  assert.deepEqual([signIn.provider, signIn.federated, signIn.logout], [null, false, null]);
  await signIn.finishAtProvider("?code=k&state=s", () => assert.fail("the address was changed"));
});
