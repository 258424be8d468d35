import assert from "node:assert/strict";
import test from "node:test";

import { SignIn } from "../../clients/web/signin.js";

class MemoryStorage {
  items = new Map();
  getItem = (key) => this.items.get(key) ?? null;
  setItem = (key, value) => this.items.set(key, value);
  removeItem = (key) => this.items.delete(key);
}

/** A user pool with one user; `calls` are [operation, body]. */
function setUp({ storage = new MemoryStorage() } = {}) {
  const pool = { now: 1_000_000, calls: [], storage, issued: 0, refuse: null };
  pool.fetch = async (url, { headers, body }) => {
    pool.calls.push([headers["X-Amz-Target"].split(".")[1], JSON.parse(body), url, headers["Content-Type"]]);
    if (pool.refuse instanceof Error) throw pool.refuse;
    if (pool.refuse) return json(pool.refuse.status ?? 400, pool.refuse);
    return json(200, pool.reply ?? { AuthenticationResult: { AccessToken: `a${++pool.issued}`, RefreshToken: pool.issued === 1 ? "r" : undefined, ExpiresIn: 3600 } });
  };
  pool.signIn = new SignIn({ cognitoUrl: "http://127.0.0.1:1/", clientId: "c", fetch: pool.fetch, storage, now: () => pool.now });
  return pool;
}

const json = (status, body) => ({ ok: status < 300, status, json: async () => body });

test("signing in speaks Cognito's own JSON and keeps the tokens for the tab", async () => {
  const pool = setUp();
  await pool.signIn.signIn("ada", "secret");
  const [operation, body, url, type] = pool.calls[0];
  assert.equal(operation, "InitiateAuth");
  assert.deepEqual(body, { AuthFlow: "USER_PASSWORD_AUTH", ClientId: "c", AuthParameters: { USERNAME: "ada", PASSWORD: "secret" } });
  assert.deepEqual([url, type], ["http://127.0.0.1:1/", "application/x-amz-json-1.1"]);
  assert.equal(await pool.signIn.accessToken(), "a1");
  const reloaded = setUp({ storage: pool.storage });
  assert.equal(reloaded.signIn.user, "ada");
  assert.equal(await reloaded.signIn.accessToken(), "a1");
  assert.ok(!pool.storage.getItem("cicada.signIn").includes("secret"));
});

test("a token near its end is refreshed once for all who ask, and the refresh token stays", async () => {
  const pool = setUp();
  await pool.signIn.signIn("ada", "secret");
  pool.now += 3_545_000;
  const tokens = await Promise.all([pool.signIn.accessToken(), pool.signIn.accessToken()]);
  assert.deepEqual(tokens, ["a2", "a2"]);
  assert.deepEqual(pool.calls[1][1].AuthParameters, { REFRESH_TOKEN: "r" });
  assert.equal(await pool.signIn.accessToken({ fresh: true }), "a3");
  assert.equal(pool.calls.length, 3);
});

test("wrong name and wrong password read the same", async () => {
  const pool = setUp();
  for (const type of ["NotAuthorizedException", "UserNotFoundException", "com.amazonaws#NotAuthorizedException"]) {
    pool.refuse = { __type: type };
    await assert.rejects(pool.signIn.signIn("ada", "x"), { message: "This name and password do not match.", retryable: false });
  }
  assert.equal(pool.signIn.user, null);
});

test("a refused refresh ends the session", async () => {
  const pool = setUp();
  await pool.signIn.signIn("ada", "secret");
  pool.refuse = { __type: "NotAuthorizedException" };
  await assert.rejects(pool.signIn.accessToken({ fresh: true }), { name: "SignInNeededError" });
  assert.equal(pool.signIn.user, null);
  assert.equal(pool.storage.items.size, 0);
});

test("a refresh that fails for now does not end the session", async () => {
  const pool = setUp();
  await pool.signIn.signIn("ada", "secret");
  for (const failure of [new TypeError("network"), { status: 500 }, { __type: "TooManyRequestsException" }]) {
    pool.refuse = failure;
    await assert.rejects(pool.signIn.accessToken({ fresh: true }), { name: "CicadaError", retryable: true });
  }
  pool.refuse = null;
  assert.equal(await pool.signIn.accessToken({ fresh: true }), "a2");
});

test("a challenge that the page does not have is a sentence, not a session", async () => {
  const pool = setUp();
  pool.reply = { ChallengeName: "SMS_MFA", Session: "s" };
  await assert.rejects(pool.signIn.signIn("ada", "first"), { name: "CicadaError" });
  assert.equal(pool.signIn.user, null);
  assert.equal(pool.signIn.needsNewPassword, false);
});

/** At the step where ada has to choose a password. */
async function atFirstSignIn() {
  const pool = setUp();
  pool.reply = { ChallengeName: "NEW_PASSWORD_REQUIRED", Session: "s", ChallengeParameters: { requiredAttributes: "[]" } };
  await pool.signIn.signIn("ada", "first");
  pool.reply = null;
  return pool;
}

test("an account with its first password is asked for a new one before it is signed in", async () => {
  const pool = await atFirstSignIn();
  assert.deepEqual([pool.signIn.user, pool.signIn.needsNewPassword, pool.storage.items.size], [null, true, 0]);
  await pool.signIn.chooseNewPassword("of my own");
  const [operation, body] = pool.calls.at(-1);
  assert.equal(operation, "RespondToAuthChallenge");
  const responses = { USERNAME: "ada", NEW_PASSWORD: "of my own" };
  assert.deepEqual(body, { ChallengeName: "NEW_PASSWORD_REQUIRED", ClientId: "c", Session: "s", ChallengeResponses: responses });
  assert.deepEqual([pool.signIn.user, pool.signIn.needsNewPassword], ["ada", false]);
  assert.equal(await pool.signIn.accessToken(), "a1");
});

test("a password that is refused can be chosen again, as can one that did not arrive", async () => {
  const pool = await atFirstSignIn();
  for (const refusal of [{ __type: "InvalidPasswordException" }, new TypeError("network")]) {
    pool.refuse = refusal;
    await assert.rejects(pool.signIn.chooseNewPassword("weak"), { name: "CicadaError" });
    assert.equal(pool.signIn.needsNewPassword, true);
  }
  pool.refuse = null;
  await pool.signIn.chooseNewPassword("of my own");
  assert.equal(pool.signIn.user, "ada");
});

test("a first sign-in that took too long begins anew", async () => {
  const pool = await atFirstSignIn();
  pool.refuse = { __type: "NotAuthorizedException", message: "Invalid session for the user, session is expired." };
  await assert.rejects(pool.signIn.chooseNewPassword("of my own"), /Sign in once more with your initial password/);
  assert.deepEqual([pool.signIn.user, pool.signIn.needsNewPassword], [null, false]);
});

test("signing in as another user leaves no challenge behind", async () => {
  const pool = await atFirstSignIn();
  await pool.signIn.signIn("bob", "secret");
  assert.deepEqual([pool.signIn.user, pool.signIn.needsNewPassword], ["bob", false]);
});

test("an expired first password and a disabled account are told apart from a wrong password", async () => {
  const pool = setUp();
  for (const [message, sentence] of [
    ["Temporary password has expired and must be reset by an administrator.", /Ask for a new one/],
    ["User is disabled.", /is disabled/],
    ["Password attempts exceeded", /too many attempts/],
    ["Incorrect username or password.", /do not match/],
  ]) {
    pool.refuse = { __type: "NotAuthorizedException", message };
    await assert.rejects(pool.signIn.signIn("ada", "first"), sentence);
  }
});

test("signing out revokes the session, and works without a network too", async () => {
  const pool = setUp();
  await pool.signIn.signIn("ada", "secret");
  await pool.signIn.signOut();
  assert.deepEqual(pool.calls[1].slice(0, 2), ["RevokeToken", { ClientId: "c", Token: "r" }]);
  pool.refuse = null;
  await pool.signIn.signIn("ada", "secret");
  pool.refuse = new TypeError("network");
  await pool.signIn.signOut();
  assert.equal(pool.signIn.user, null);
  await assert.rejects(pool.signIn.accessToken(), { name: "SignInNeededError" });
});
