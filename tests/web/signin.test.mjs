import assert from "node:assert/strict";
import test from "node:test";

import { SecondStep } from "../../clients/web/authenticator.js";
import { KeptSignIn } from "../../clients/web/kept-sign-in.js";
import { SignIn } from "../../clients/web/signin.js";

class MemoryStorage {
  items = new Map();
  getItem = (key) => this.items.get(key) ?? null;
  setItem = (key, value) => this.items.set(key, value);
  removeItem = (key) => this.items.delete(key);
}

const PROVEN = ["InitiateAuth", "RespondToAuthChallenge"];
const ASKED = {
  ChallengeName: "PASSWORD_VERIFIER",
  ChallengeParameters: { USERNAME: "ada", USER_ID_FOR_SRP: "ada", SALT: "1f", SRP_B: "2f", SECRET_BLOCK: "c2VjcmV0" },
};
const CODES = { SecretCode: "KEY", Session: "with key" };

/**
 * A user pool with one user, whose proof of the password is taken as it is (srp.test.mjs is about it). `calls` are
 * [operation, body]; `reply` is what the pool answers to a proof or to a step, instead of tokens. Every refresh gives
 * another refresh token.
 */
function setUp({ storage = new MemoryStorage(), locks = null, channel = null, device = null, pool = newPool() } = {}) {
  const fetch = async (url, { headers, body }) => {
    const operation = headers["X-Amz-Target"].split(".")[1];
    pool.calls.push([operation, JSON.parse(body), url, headers["Content-Type"]]);
    await pool.delay;
    if (pool.refuse instanceof Error) throw pool.refuse;
    if (pool.refuse) return json(pool.refuse.status ?? 400, pool.refuse);
    if (operation === "InitiateAuth") return json(200, ASKED);
    if (operation === "AssociateSoftwareToken") return json(200, CODES);
    if (operation === "VerifySoftwareToken") return json(200, { Status: "SUCCESS", Session: "verified" });
    if (pool.reply) return json(200, pool.reply);
    pool.issued += 1;
    return json(200, { AuthenticationResult: { AccessToken: `a${pool.issued}`, RefreshToken: `r${pool.issued}`, ExpiresIn: 600 } });
  };
  const ended = () => (pool.ended += 1);
  const joined = () => (pool.joined += 1);
  const now = () => pool.now;
  const signIn = new SignIn({ cognitoUrl: "http://127.0.0.1:1/", clientId: "c", userPoolId: "r_p", fetch, storage, now, locks, channel, device, ended, joined });
  return { pool, signIn };
}

const newPool = () => ({ now: 1_000_000, calls: [], issued: 0, refuse: null, reply: null, delay: null, ended: 0, joined: 0 });
const operations = (pool) => pool.calls.map(([operation]) => operation);
const json = (status, body) => ({ ok: status < 300, status, json: async () => body });

test("signing in speaks Cognito's own JSON, proves the password and keeps the tokens for the tab", async () => {
  const storage = new MemoryStorage();
  const { pool, signIn } = setUp({ storage });
  await signIn.signIn("ada", "secret");
  assert.deepEqual(operations(pool), PROVEN);
  const [[, begun, url, type], [, proven]] = pool.calls;
  assert.deepEqual([begun.AuthFlow, begun.ClientId, Object.keys(begun.AuthParameters)], ["USER_SRP_AUTH", "c", ["USERNAME", "SRP_A"]]);
  assert.deepEqual([url, type], ["http://127.0.0.1:1/", "application/x-amz-json-1.1"]);
  assert.deepEqual([proven.ChallengeName, proven.ClientId, "Session" in proven], ["PASSWORD_VERIFIER", "c", false]);
  assert.ok(!JSON.stringify(pool.calls).includes('"secret"'));
  assert.equal(await signIn.accessToken(), "a1");
  const reloaded = setUp({ storage });
  assert.equal(reloaded.signIn.user, "ada");
  assert.equal(await reloaded.signIn.accessToken(), "a1");
  assert.ok(!storage.getItem("cicada.signIn").includes("secret"));
});

test("the groups are those of the access token, and none where it says nothing", async () => {
  const { pool, signIn } = setUp();
  await signIn.signIn("ada", "secret");
  assert.deepEqual(signIn.groups, []);
  const claims = Buffer.from(JSON.stringify({ "cognito:groups": ["tenant:acme", "überall🙂"] })).toString("base64url");
  pool.reply = { AuthenticationResult: { AccessToken: `h.${claims}.s`, RefreshToken: "r", ExpiresIn: 600 } };
  await signIn.signIn("ada", "secret");
  assert.deepEqual(signIn.groups, ["tenant:acme", "überall🙂"]);
});

test("a token near its end is refreshed once for all who ask, and the new refresh token is the one to use", async () => {
  const { pool, signIn } = setUp();
  await signIn.signIn("ada", "secret");
  assert.equal(signIn.validMs, 600_000);
  pool.now += 545_000;
  const tokens = await Promise.all([signIn.accessToken(), signIn.accessToken()]);
  assert.deepEqual(tokens, ["a2", "a2"]);
  assert.deepEqual(pool.calls[2].slice(0, 2), ["GetTokensFromRefreshToken", { ClientId: "c", RefreshToken: "r1" }]);
  assert.equal(await signIn.accessToken({ fresh: true }), "a3");
  assert.equal(pool.calls[3][1].RefreshToken, "r2");
  assert.equal(pool.calls.length, 4);
});

test("wrong name and wrong password read the same", async () => {
  const { pool, signIn } = setUp();
  for (const type of ["NotAuthorizedException", "UserNotFoundException", "com.amazonaws#NotAuthorizedException"]) {
    pool.refuse = { __type: type };
    await assert.rejects(signIn.signIn("ada", "x"), { message: "This name and password do not match.", retryable: false });
  }
  assert.equal(signIn.user, null);
});

test("a refused refresh ends the session", async () => {
  const storage = new MemoryStorage();
  const { pool, signIn } = setUp({ storage });
  await signIn.signIn("ada", "secret");
  pool.refuse = { __type: "RefreshTokenReuseException" };
  await assert.rejects(signIn.accessToken({ fresh: true }), { name: "SignInNeededError" });
  assert.equal(signIn.user, null);
  assert.equal(storage.items.size, 0);
});

test("a refresh that fails for now does not end the session", async () => {
  const { pool, signIn } = setUp();
  await signIn.signIn("ada", "secret");
  for (const failure of [new TypeError("network"), { status: 500 }, { __type: "TooManyRequestsException" }]) {
    pool.refuse = failure;
    await assert.rejects(signIn.accessToken({ fresh: true }), { name: "CicadaError", retryable: true });
  }
  pool.refuse = null;
  assert.equal(await signIn.accessToken({ fresh: true }), "a2");
});

test("a challenge that the page does not have is a sentence, not a session", async () => {
  const { pool, signIn } = setUp();
  pool.reply = { ChallengeName: "SMS_MFA", Session: "s" };
  await assert.rejects(signIn.signIn("ada", "first"), { name: "CicadaError" });
  assert.equal(signIn.user, null);
  assert.equal(signIn.step, null);
});

/** At the step where ada has to choose a password. */
async function atFirstSignIn() {
  const { pool, signIn } = setUp();
  pool.reply = { ChallengeName: "NEW_PASSWORD_REQUIRED", Session: "s", ChallengeParameters: { requiredAttributes: "[]" } };
  await signIn.signIn("ada", "first");
  pool.calls.length = 0;
  pool.reply = null;
  return { pool, signIn };
}

test("an account with its first password is asked for a new one before it is signed in", async () => {
  const { pool, signIn } = await atFirstSignIn();
  assert.deepEqual([signIn.user, signIn.step], [null, "newPassword"]);
  await signIn.chooseNewPassword("of my own");
  const [operation, body] = pool.calls.at(-1);
  assert.equal(operation, "RespondToAuthChallenge");
  const responses = { USERNAME: "ada", NEW_PASSWORD: "of my own" };
  assert.deepEqual(body, { ChallengeName: "NEW_PASSWORD_REQUIRED", ClientId: "c", Session: "s", ChallengeResponses: responses });
  assert.deepEqual([signIn.user, signIn.step], ["ada", null]);
  assert.equal(await signIn.accessToken(), "a1");
});

test("a password that is refused can be chosen again, as can one that did not arrive", async () => {
  const { pool, signIn } = await atFirstSignIn();
  for (const refusal of [{ __type: "InvalidPasswordException" }, new TypeError("network")]) {
    pool.refuse = refusal;
    await assert.rejects(signIn.chooseNewPassword("weak"), { name: "CicadaError" });
    assert.equal(signIn.step, "newPassword");
  }
  pool.refuse = null;
  await signIn.chooseNewPassword("of my own");
  assert.equal(signIn.user, "ada");
});

test("a first sign-in that took too long begins anew", async () => {
  const { pool, signIn } = await atFirstSignIn();
  pool.refuse = { __type: "NotAuthorizedException", message: "Invalid session for the user, session is expired." };
  await assert.rejects(signIn.chooseNewPassword("of my own"), /took too long. Begin again/);
  assert.deepEqual([signIn.user, signIn.step], [null, null]);
});

test("signing in as another user leaves no challenge behind", async () => {
  const { pool, signIn } = await atFirstSignIn();
  await signIn.signIn("bob", "secret");
  assert.deepEqual([signIn.user, signIn.step], ["bob", null]);
});

test("an expired first password and a disabled account are told apart from a wrong password", async () => {
  const { pool, signIn } = setUp();
  for (const [message, sentence] of [
    ["Temporary password has expired and must be reset by an administrator.", /Ask for a new one/],
    ["User is disabled.", /is disabled/],
    ["Password attempts exceeded", /too many attempts/],
    ["Incorrect username or password.", /do not match/],
  ]) {
    pool.refuse = { __type: "NotAuthorizedException", message };
    await assert.rejects(signIn.signIn("ada", "first"), sentence);
  }
});

test("signing out revokes the session, and works without a network too", async () => {
  const { pool, signIn } = setUp();
  await signIn.signIn("ada", "secret");
  await signIn.signOut();
  assert.deepEqual(pool.calls[2].slice(0, 2), ["RevokeToken", { ClientId: "c", Token: "r1" }]);
  pool.refuse = null;
  await signIn.signIn("ada", "secret");
  pool.refuse = new TypeError("network");
  await signIn.signOut();
  assert.equal(signIn.user, null);
  await assert.rejects(signIn.accessToken(), { name: "SignInNeededError" });
});

test("a user with an authenticator app is asked for its code, and may mistype it", async () => {
  const { pool, signIn } = setUp();
  pool.reply = { ChallengeName: "SOFTWARE_TOKEN_MFA", Session: "s" };
  await signIn.signIn("ada", "secret");
  assert.deepEqual([signIn.user, signIn.step], [null, "code"]);
  for (const [type, sentence] of [["CodeMismatchException", /code is wrong/], ["ExpiredCodeException", /used already/]]) {
    pool.refuse = { __type: type };
    await assert.rejects(signIn.enterCode("000000"), sentence);
    assert.equal(signIn.step, "code");
  }
  pool.refuse = pool.reply = null;
  await signIn.enterCode("123456");
  assert.deepEqual(pool.calls.at(-1)[1], {
    ChallengeName: "SOFTWARE_TOKEN_MFA",
    ClientId: "c",
    Session: "s",
    ChallengeResponses: { USERNAME: "ada", SOFTWARE_TOKEN_MFA_CODE: "123456" },
  });
  assert.equal(signIn.user, "ada");
});

test("where the pool requires it, an authenticator app is added before the user is signed in, after a new password too", async () => {
  const { pool, signIn } = await atFirstSignIn();
  pool.reply = { ChallengeName: "MFA_SETUP", Session: "setup" };
  await signIn.chooseNewPassword("of my own");
  assert.deepEqual([signIn.user, signIn.step], [null, "authenticator"]);
  const authenticator = await signIn.addAuthenticator();
  assert.equal(authenticator.address, "otpauth://totp/Cicada:ada?secret=KEY&issuer=Cicada");
  pool.refuse = { __type: "EnableSoftwareTokenMFAException" };
  await assert.rejects(authenticator.confirm("000000"), /code is wrong/);
  pool.refuse = pool.reply = null;
  await authenticator.confirm("123456");
  assert.deepEqual(pool.calls.at(-2).slice(0, 2), ["VerifySoftwareToken", { Session: "with key", UserCode: "123456" }]);
  assert.deepEqual(pool.calls.at(-1)[1].Session, "verified");
  assert.deepEqual([signIn.user, signIn.step], ["ada", null]);
});

test("a signed-in user adds an authenticator app, and takes the second step away again", async () => {
  const { pool, signIn } = setUp();
  await signIn.signIn("ada", "secret");
  const step = new SecondStep(signIn);
  pool.reply = { UserMFASettingList: ["SOFTWARE_TOKEN_MFA"] };
  assert.equal(await step.isOn(), true);
  pool.reply = {};
  assert.equal(await step.isOn(), false);
  await (await step.begin()).confirm("123456");
  const preference = (on) => ({ AccessToken: "a1", SoftwareTokenMfaSettings: { Enabled: on, PreferredMfa: on } });
  assert.deepEqual(pool.calls.slice(-3).map(([operation]) => operation), ["AssociateSoftwareToken", "VerifySoftwareToken", "SetUserMFAPreference"]);
  assert.deepEqual(pool.calls.at(-1)[1], preference(true));
  await step.turnOff();
  assert.deepEqual(pool.calls.at(-1)[1], preference(false));
});

// ---- a duplicated tab ----

/** As `navigator.locks`, for one name. */
class FakeLocks {
  #last = Promise.resolve();
  #held = 0;

  request(_name, options, action = options) {
    if (options.ifAvailable && this.#held) return Promise.resolve(action(null));
    this.#held += 1;
    const done = this.#last.then(() => action({})).finally(() => (this.#held -= 1));
    this.#last = done.catch(() => {});
    return done;
  }
}

/** As two `BroadcastChannel`s: each hears the other, later. */
function channels() {
  const [one, other] = [new EventTarget(), new EventTarget()];
  const send = (target) => (data) => setTimeout(() => target.dispatchEvent(Object.assign(new Event("message"), { data: structuredClone(data) })), 5);
  one.postMessage = send(other);
  other.postMessage = send(one);
  return [one, other];
}

/** ada's tab and its duplicate, which begins with a copy of the tab's storage. */
async function duplicated() {
  const pool = newPool();
  const [locks, [one, other]] = [new FakeLocks(), channels()];
  const [storage, copy] = [new MemoryStorage(), new MemoryStorage()];
  const { signIn } = setUp({ pool, storage, locks, channel: one });
  await signIn.signIn("ada", "secret");
  copy.items = new Map(storage.items);
  const second = setUp({ pool, storage: copy, locks, channel: other }).signIn;
  return { pool, signIn, second, storage, copy };
}

const heard = () => new Promise((resolve) => setTimeout(resolve, 20));

test("two tabs that want a fresh token at once refresh once", async () => {
  const { pool, signIn, second } = await duplicated();
  pool.delay = heard();
  const tokens = await Promise.all([signIn.accessToken({ fresh: true }), second.accessToken({ fresh: true })]);
  assert.deepEqual(tokens, ["a2", "a2"]);
  assert.equal(operations(pool).filter((each) => each === "GetTokensFromRefreshToken").length, 1);
});

test("a tab goes on with the refresh token that its duplicate got", async () => {
  const { pool, signIn, second, copy } = await duplicated();
  await signIn.accessToken({ fresh: true });
  await heard();
  assert.equal(JSON.parse(copy.getItem("cicada.signIn")).refreshToken, "r2");
  await second.accessToken({ fresh: true });
  assert.equal(pool.calls.at(-1)[1].RefreshToken, "r2");
});

test("signing out of a tab ends its duplicate, and nobody else's session", async () => {
  const { pool, signIn, second, copy } = await duplicated();
  await signIn.signOut();
  await heard();
  assert.deepEqual([second.user, copy.items.size, pool.ended], [null, 0, 1]);
  const [one, other] = channels();
  const bob = setUp({ channel: other });
  await bob.signIn.signIn("bob", "secret");
  const ada = setUp({ channel: one });
  await ada.signIn.signIn("ada", "secret");
  await ada.signIn.signOut();
  await heard();
  assert.deepEqual([bob.signIn.user, bob.pool.ended], ["bob", 0]);
});

test("a new tab takes over the sign-in of another, and signing out of it ends both", async () => {
  const [pool, storage, [one, other]] = [newPool(), new MemoryStorage(), channels()];
  const { signIn } = setUp({ pool, channel: one });
  await signIn.signIn("ada", "secret");
  await heard();
  const opened = setUp({ pool, storage, channel: other }).signIn;
  await opened.join();
  assert.deepEqual([opened.user, await opened.accessToken(), pool.joined], ["ada", "a1", 1]);
  assert.equal(JSON.parse(storage.getItem("cicada.signIn")).user, "ada");
  await opened.signOut();
  await heard();
  assert.deepEqual([signIn.user, pool.ended], [null, 1]);
});

test("a tab that is not signed in yet is signed in with another, and one that is stays as it is", async () => {
  const [one, other] = channels();
  const waiting = setUp({ channel: other });
  await waiting.signIn.join();
  assert.equal(waiting.signIn.user, null);
  const ada = setUp({ channel: one }).signIn;
  await ada.signIn("ada", "secret");
  await heard();
  assert.deepEqual([waiting.signIn.user, waiting.pool.joined], ["ada", 1]);
  await ada.signIn("bob", "secret");
  await heard();
  assert.deepEqual([waiting.signIn.user, waiting.pool.joined], ["ada", 1]);
});

// ---- a sign-in that the device keeps ----

/** One record of a browser's database; `refuses`: the browser gives no storage. */
class MemoryRecord {
  record = null;
  refuses = false;
  async read() {
    if (this.refuses) throw new DOMException("No.", "SecurityError");
    return this.record;
  }
  async change(change) {
    if (this.refuses) throw new DOMException("No.", "QuotaExceededError");
    this.record = change(this.record);
  }
}

/** A device where ada has signed in, and `open()`, which opens the browser anew there. */
async function device(keep = true, refuses = false) {
  const [pool, records] = [newPool(), new MemoryRecord()];
  const open = (options) => setUp({ pool, device: new KeptSignIn(records), ...options }).signIn;
  const signIn = open();
  records.refuses = refuses;
  await signIn.signIn("ada", "secret", { keep });
  return { pool, records, open, signIn };
}

test("a device keeps a sign-in that it was asked to keep, with the newest refresh token", async () => {
  const { pool, open } = await device();
  for (const token of ["r1", "r2"]) {
    const opened = open();
    await opened.join();
    assert.equal(opened.user, "ada");
    assert.deepEqual(pool.calls.at(-1).slice(0, 2), ["GetTokensFromRefreshToken", { ClientId: "c", RefreshToken: token }]);
  }
});

test("unless it was asked to, a device keeps nothing, and no more what it kept of somebody else", async () => {
  const { pool, records, open } = await device();
  await open().signIn("bob", "secret");
  assert.equal(records.record, null);
  const opened = open();
  await opened.join();
  assert.deepEqual([opened.user, operations(pool).includes("GetTokensFromRefreshToken")], [null, false]);
});

test("what is kept is no text, and its key is not given out", async () => {
  const { records } = await device();
  assert.equal(records.record.key.extractable, false);
  await assert.rejects(crypto.subtle.exportKey("raw", records.record.key));
  assert.ok(!/r1|ada/.test(Buffer.from(records.record.sealed).toString("latin1")));
});

test("signing out takes the kept sign-in away, also while another tab gets another token", async () => {
  const [one, other] = channels();
  const { pool, records, open } = await device();
  const [first, second] = [open({ channel: one }), open({ channel: other })];
  await first.join();
  await second.join();
  pool.delay = heard();
  const late = second.accessToken({ fresh: true }).catch(() => {});
  await first.signOut();
  await late;
  await heard();
  assert.deepEqual([records.record, second.user], [null, null]);
});

test("a new tab that has read what another one takes away in that moment is not signed in", async () => {
  const { pool, records, open } = await device();
  const { record } = records;
  records.read = async () => ([records.read, records.record] = [MemoryRecord.prototype.read, null]) && record;
  const opened = open();
  await assert.rejects(opened.join(), { name: "SignInNeededError" });
  assert.deepEqual([opened.user, operations(pool).includes("GetTokensFromRefreshToken")], [null, false]);
});

test("a refresh token is not kept when the sign-in was forgotten while it was encrypted", async () => {
  const { records } = await device();
  const { record } = records;
  records.read = async () => record;
  records.record = null;
  await new KeptSignIn(records).renew({ id: record.id, user: "ada", refreshToken: "r9" });
  assert.equal(records.record, null);
});

test("a kept sign-in that was revoked is gone, and one that could not be asked for stays", async () => {
  const { pool, records, open } = await device();
  pool.refuse = new TypeError("network");
  const offline = open();
  await assert.rejects(offline.join(), { retryable: true });
  assert.equal(offline.user, "ada");
  pool.refuse = { __type: "NotAuthorizedException" };
  const opened = open();
  await assert.rejects(opened.join(), { name: "SignInNeededError" });
  assert.deepEqual([opened.user, records.record], [null, null]);
});

test("a tab that the browser restored takes the refresh token that the device has by now", async () => {
  const { pool, open } = await device();
  const storage = new MemoryStorage();
  await open({ storage }).join();
  const copy = new MemoryStorage();
  copy.items = new Map(storage.items);
  await open({ storage }).accessToken({ fresh: true });
  await open({ storage: copy }).accessToken({ fresh: true });
  assert.equal(pool.calls.at(-1)[1].RefreshToken, "r3");
});

test("tabs that are restored at once refresh once", async () => {
  const { pool, open } = await device();
  const [[one, other], locks] = [channels(), new FakeLocks()];
  const tabs = [open({ channel: one, locks }), open({ channel: other, locks })];
  await Promise.all(tabs.map((each) => each.join()));
  assert.deepEqual(await Promise.all(tabs.map((each) => each.accessToken())), ["a2", "a2"]);
  assert.equal(operations(pool).filter((each) => each === "GetTokensFromRefreshToken").length, 1);
});

test("where the browser gives no storage, the sign-in is as without it", async () => {
  const { records, signIn } = await device(true, true);
  assert.equal(await signIn.accessToken({ fresh: true }), "a2");
  assert.equal(await new KeptSignIn(records).isPossible(), false);
  records.refuses = false;
  assert.deepEqual([await new KeptSignIn(records).isPossible(), records.record], [true, null]);
});
