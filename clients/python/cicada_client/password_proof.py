"""Proves a password to Amazon Cognito without sending it: the client's part of `USER_SRP_AUTH`.

It is SRP-6a (RFC 5054, https://www.rfc-editor.org/rfc/rfc5054) in the 3072-bit group of RFC 3526 with generator 2 and
SHA-256. The key is derived by HKDF and signs pool, user, secret block and time. boto3 has no SRP, and pycognito, which
has one, calls functions that Python has deprecated; so it is here, in the standard library.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import b64decode, b64encode
from collections.abc import Mapping
from datetime import UTC, datetime

from cicada_client.errors import UnauthorizedError

# https://www.rfc-editor.org/rfc/rfc3526#section-4
PRIME = int(
    "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD"
    "EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED"
    "EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F"
    "83655D23DCA3AD961C62F356208552BB9ED529077096966D670C354E4ABC9804F1746C08CA18217C32905E462E36CE3B"
    "E39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF6955817183995497CEA956AE515D2261898FA0510"
    "15728E5A8AAAC42DAD33170D04507A33A85521ABDF1CBA64ECFB850458DBEF0A8AEA71575D060C7DB3970F85A6E1E4C7"
    "ABF5AE8CDB0933D71E8C94E04A25619DCEE3D2261AD2EE6BF12FFA06D98A0864D87602733EC86A64521F2B18177B200C"
    "BBE117577A615D6C770988C0BAD946E208E24FA074E5AB3143DB5BFCE0FD108E4B82D120A93AD2CAFFFFFFFFFFFFFFFF",
    16,
)
GENERATOR = 2
_SECRET_BITS = 1024
_KEY_INFO = b"Caldera Derived Key\x01"
_KEY_BYTES = 16
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class PasswordProof:
    """One attempt to sign in. `secret`: a random number of the client's, drawn anew for each attempt."""

    def __init__(self, pool_id: str, user: str, password: str, secret: int | None = None) -> None:
        self._pool_name = pool_id.split("_", 1)[-1]
        self._user = user
        self._password = password
        self._secret = secrets.randbits(_SECRET_BITS) if secret is None else secret
        self._public = pow(GENERATOR, self._secret, PRIME)

    @property
    def parameters(self) -> dict[str, str]:
        """The `AuthParameters` of `InitiateAuth`."""
        return {"USERNAME": self._user, "SRP_A": format(self._public, "x")}

    def responses(self, challenge: Mapping[str, str], now: datetime | None = None) -> dict[str, str]:
        """The `ChallengeResponses` to `PASSWORD_VERIFIER`, of which `challenge` is the `ChallengeParameters`.

        Raises `UnauthorizedError` for a challenge that no server with the password's verifier sends.
        """
        user = challenge["USER_ID_FOR_SRP"]
        key = self._key(user, int(challenge["SALT"], 16), int(challenge["SRP_B"], 16))
        time = _timestamp(now or datetime.now(UTC))
        signed = f"{self._pool_name}{user}".encode() + b64decode(challenge["SECRET_BLOCK"]) + time.encode()
        return {
            "USERNAME": challenge.get("USERNAME", self._user),
            "PASSWORD_CLAIM_SECRET_BLOCK": challenge["SECRET_BLOCK"],
            "PASSWORD_CLAIM_SIGNATURE": b64encode(hmac.digest(key, signed, "sha256")).decode(),
            "TIMESTAMP": time,
        }

    def _key(self, user: str, salt: int, server: int) -> bytes:
        """What signs the response: HKDF (RFC 5869) of the shared secret S = (B - k·g^x)^(a + u·x), first 16 bytes."""
        scrambler = number_of(padded(self._public), padded(server))
        if server % PRIME == 0 or scrambler == 0:
            raise UnauthorizedError("The sign-in service sent a challenge that cannot be right.")
        x = private_key(self._pool_name, user, self._password, salt)
        base = server - MULTIPLIER * pow(GENERATOR, x, PRIME)
        return derived_key(pow(base, self._secret + scrambler * x, PRIME), scrambler)


def padded(number: int) -> bytes:
    """Big-endian, with a leading zero byte where the first bit is set, as Cognito hashes numbers."""
    return number.to_bytes(number.bit_length() // 8 + 1, "big")


def number_of(*parts: bytes) -> int:
    """The SHA-256 hash of the parts together, as a number."""
    return int.from_bytes(hashlib.sha256(b"".join(parts)).digest(), "big")


MULTIPLIER = number_of(padded(PRIME), padded(GENERATOR))


def private_key(pool_name: str, user: str, password: str, salt: int) -> int:
    """The private value x = H(salt, H(pool name, user, ":", password))."""
    return number_of(padded(salt), hashlib.sha256(f"{pool_name}{user}:{password}".encode()).digest())


def derived_key(shared: int, scrambler: int) -> bytes:
    """HKDF with one block of output."""
    extracted = hmac.digest(padded(scrambler), padded(shared), "sha256")
    return hmac.digest(extracted, _KEY_INFO, "sha256")[:_KEY_BYTES]


def _timestamp(moment: datetime) -> str:
    """The time as Cognito reads it, in English whatever the locale: `Tue Feb 1 03:04:05 UTC 2000`."""
    day, month = _DAYS[moment.weekday()], _MONTHS[moment.month - 1]
    return f"{day} {month} {moment.day} {moment:%H:%M:%S} UTC {moment.year}"
