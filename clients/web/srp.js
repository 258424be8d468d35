/**
 * Proves a password to Amazon Cognito without sending it: the client's part of `USER_SRP_AUTH`.
 *
 * It is SRP-6a (RFC 5054) in the 3072-bit group of RFC 3526 with generator 2 and SHA-256. The key is derived by HKDF and
 * signs pool, user, secret block and time. The libraries that have this (amazon-cognito-identity-js, @aws-amplify/auth,
 * cognito-srp-helper) need a bundler, which this page does not have; browsers have the arithmetic and the hashes.
 */
import { CicadaError } from "../javascript/index.js";

// https://www.rfc-editor.org/rfc/rfc3526#section-4
const PRIME = BigInt(
  "0x" +
    "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD" +
    "EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED" +
    "EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F" +
    "83655D23DCA3AD961C62F356208552BB9ED529077096966D670C354E4ABC9804F1746C08CA18217C32905E462E36CE3B" +
    "E39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF6955817183995497CEA956AE515D2261898FA0510" +
    "15728E5A8AAAC42DAD33170D04507A33A85521ABDF1CBA64ECFB850458DBEF0A8AEA71575D060C7DB3970F85A6E1E4C7" +
    "ABF5AE8CDB0933D71E8C94E04A25619DCEE3D2261AD2EE6BF12FFA06D98A0864D87602733EC86A64521F2B18177B200C" +
    "BBE117577A615D6C770988C0BAD946E208E24FA074E5AB3143DB5BFCE0FD108E4B82D120A93AD2CAFFFFFFFFFFFFFFFF",
);
const GENERATOR = 2n;
const SECRET_BYTES = 128;
const KEY_BITS = 128;
const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** One attempt to sign in. `secret` is a random number of the client's, drawn anew for each attempt. */
export class PasswordProof {
  #poolName;
  #user;
  #password;
  #secret;
  #public;

  constructor({ userPoolId, user, password, secret = randomNumber(SECRET_BYTES) }) {
    this.#poolName = userPoolId.slice(userPoolId.indexOf("_") + 1);
    this.#user = user;
    this.#password = password;
    this.#secret = secret;
    this.#public = power(GENERATOR, secret);
  }

  /** The `AuthParameters` of `InitiateAuth`. */
  get parameters() {
    return { USERNAME: this.#user, SRP_A: this.#public.toString(16) };
  }

  /**
   * The `ChallengeResponses` to `PASSWORD_VERIFIER`. Rejects for a challenge that no server with the password's verifier
   * sends.
   */
  async responses({ USER_ID_FOR_SRP: user, USERNAME = this.#user, SALT, SRP_B, SECRET_BLOCK }, now = new Date()) {
    const key = await this.#key(user, fromHex(SALT), fromHex(SRP_B));
    const time = timestamp(now);
    const signed = joined(text(this.#poolName + user), fromBase64(SECRET_BLOCK), text(time));
    return {
      USERNAME,
      PASSWORD_CLAIM_SECRET_BLOCK: SECRET_BLOCK,
      PASSWORD_CLAIM_SIGNATURE: toBase64(await crypto.subtle.sign("HMAC", key, signed)),
      TIMESTAMP: time,
    };
  }

  /** What signs the response: HKDF of the shared secret S = (B - k·g^x)^(a + u·x). */
  async #key(user, salt, server) {
    const scrambler = await hashed(padded(this.#public), padded(server));
    if (server % PRIME === 0n || scrambler === 0n) throw new CicadaError("The sign-in service sent a challenge that cannot be right.");
    const multiplier = await hashed(padded(PRIME), padded(GENERATOR));
    const identity = await digest(text(`${this.#poolName}${user}:${this.#password}`));
    const x = await hashed(padded(salt), identity);
    const shared = power(server - multiplier * power(GENERATOR, x), this.#secret + scrambler * x);
    return derived(padded(shared), padded(scrambler));
  }
}

async function derived(shared, salt) {
  const material = await crypto.subtle.importKey("raw", shared, "HKDF", false, ["deriveBits"]);
  const parameters = { name: "HKDF", hash: "SHA-256", salt, info: text("Caldera Derived Key") };
  const bits = await crypto.subtle.deriveBits(parameters, material, KEY_BITS);
  return crypto.subtle.importKey("raw", bits, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}

/** base^exponent modulo the prime. */
function power(base, exponent) {
  let result = 1n;
  let square = ((base % PRIME) + PRIME) % PRIME;
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * square) % PRIME;
    square = (square * square) % PRIME;
  }
  return result;
}

/** The SHA-256 hash of the parts together, as a number. */
async function hashed(...parts) {
  return fromBytes(await digest(joined(...parts)));
}

async function digest(bytes) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

/** Big-endian, with a leading zero byte where the first bit is set, as Cognito hashes numbers. */
function padded(number) {
  const digits = number.toString(16);
  const even = digits.length % 2 ? `0${digits}` : digits;
  const unsigned = even[0] > "7" ? `00${even}` : even;
  return Uint8Array.from(unsigned.match(/../g), (byte) => Number.parseInt(byte, 16));
}

function fromBytes(bytes) {
  return fromHex([...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(""));
}

function fromHex(digits) {
  return BigInt(`0x${digits}`);
}

function randomNumber(bytes) {
  return fromBytes(crypto.getRandomValues(new Uint8Array(bytes)));
}

function joined(...parts) {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function text(string) {
  return new TextEncoder().encode(string);
}

function fromBase64(string) {
  return Uint8Array.from(atob(string), (character) => character.charCodeAt(0));
}

function toBase64(buffer) {
  return btoa(String.fromCharCode(...new Uint8Array(buffer)));
}

/** As Cognito reads it, in English whatever the locale: `Tue Feb 1 03:04:05 UTC 2000`. */
function timestamp(moment) {
  const clock = moment.toISOString().slice(11, 19);
  return `${DAYS[moment.getUTCDay()]} ${MONTHS[moment.getUTCMonth()]} ${moment.getUTCDate()} ${clock} UTC ${moment.getUTCFullYear()}`;
}
