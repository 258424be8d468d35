import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { PasswordProof } from "../../clients/web/srp.js";

/** A vector that others have published: `source` says who. */
const PUBLISHED = JSON.parse(readFileSync(new URL("../published/cognito_srp.json", import.meta.url), "utf8"));
const CHALLENGE = {
  USER_ID_FOR_SRP: PUBLISHED.username,
  SALT: PUBLISHED.salt,
  SRP_B: PUBLISHED.largeB,
  SECRET_BLOCK: PUBLISHED.secret,
};

const proof = () =>
  new PasswordProof({
    userPoolId: PUBLISHED.poolId,
    user: PUBLISHED.username,
    password: PUBLISHED.password,
    secret: BigInt(`0x${PUBLISHED.smallA}`),
  });

test("the signature is that of the published vector", async () => {
  assert.deepEqual(proof().parameters, { USERNAME: PUBLISHED.username, SRP_A: PUBLISHED.largeA });
  const responses = await proof().responses(CHALLENGE, new Date(Date.UTC(2000, 1, 1, 3, 4, 5)));
  assert.deepEqual(responses, {
    USERNAME: PUBLISHED.username,
    PASSWORD_CLAIM_SECRET_BLOCK: PUBLISHED.secret,
    PASSWORD_CLAIM_SIGNATURE: PUBLISHED.passwordSignature,
    TIMESTAMP: PUBLISHED.timestamp,
  });
});

test("each attempt has a secret of its own", () => {
  const parameters = () => new PasswordProof({ userPoolId: "r_p", user: "ada", password: "secret" }).parameters;
  assert.notEqual(parameters().SRP_A, parameters().SRP_A);
});

test("a server that would learn the password is not answered", async () => {
  for (const SRP_B of ["0", "00"]) await assert.rejects(proof().responses({ ...CHALLENGE, SRP_B }), /cannot be right/);
});
