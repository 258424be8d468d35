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

test("a challenge is a sentence, not a session", async () => {
  const pool = setUp();
  for (const name of ["NEW_PASSWORD_REQUIRED", "SMS_MFA"]) {
    pool.reply = { ChallengeName: name, Session: "s" };
    await assert.rejects(pool.signIn.signIn("ada", "first"), { name: "CicadaError" });
    assert.equal(pool.signIn.user, null);
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
