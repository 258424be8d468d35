"""The server's part of Cognito's `USER_SRP_AUTH`: it asks for a proof of a password, and checks it by a verifier."""

from __future__ import annotations

import hmac
import secrets
from base64 import b64decode, b64encode
from dataclasses import dataclass, field

from cicada_client.password_proof import GENERATOR, MULTIPLIER, PRIME, derived_key, number_of, padded, private_key


@dataclass(frozen=True, slots=True)
class _Asked:
    user: str
    client: int
    secret: int
    verifier: int

    @property
    def public(self) -> int:
        return (MULTIPLIER * self.verifier + pow(GENERATOR, self.secret, PRIME)) % PRIME

    @property
    def key(self) -> bytes:
        scrambler = number_of(padded(self.client), padded(self.public))
        shared = pow(self.client * pow(self.verifier, scrambler, PRIME), self.secret, PRIME)
        return derived_key(shared, scrambler)


@dataclass
class SrpServer:
    """Sign-ins under way, by secret block. Each may be answered once."""

    pool_id: str
    _asked: dict[str, _Asked] = field(default_factory=dict)

    def challenge(self, user: str, password: str | None, srp_a: str, block: str = "") -> dict[str, str]:
        """The parameters of `PASSWORD_VERIFIER`. None is the password of a user who does not exist."""
        salt = secrets.randbits(120) | 1 << 121
        known = secrets.token_hex() if password is None else password
        verifier = pow(GENERATOR, private_key(self._pool_name, user, known, salt), PRIME)
        asked = _Asked(user, int(srp_a, 16), secrets.randbits(1024), verifier)
        block = block or b64encode(secrets.token_bytes(32)).decode()
        self._asked[block] = asked
        public = format(asked.public, "x")
        return {
            "SALT": format(salt, "x"),
            "SRP_B": public,
            "SECRET_BLOCK": block,
            "USERNAME": user,
            "USER_ID_FOR_SRP": user,
        }

    def proven(self, responses: dict[str, str]) -> str | None:
        """The user whose password is proven by the responses, or None."""
        block = responses["PASSWORD_CLAIM_SECRET_BLOCK"]
        asked = self._asked.pop(block, None)
        if asked is None or asked.user != responses["USERNAME"] or asked.client % PRIME == 0:
            return None
        signed = f"{self._pool_name}{asked.user}".encode() + b64decode(block) + responses["TIMESTAMP"].encode()
        signature = hmac.digest(asked.key, signed, "sha256")
        given = b64decode(responses["PASSWORD_CLAIM_SIGNATURE"])
        return asked.user if hmac.compare_digest(signature, given) else None

    @property
    def _pool_name(self) -> str:
        return self.pool_id.split("_", 1)[-1]
