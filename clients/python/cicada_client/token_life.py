"""How long an access token is valid, read from the token itself."""

from __future__ import annotations

import base64
import binascii
import json

# A client's clock may be wrong and a connection takes a while to open.
_MARGIN_SECONDS = 60.0


def renewal_seconds(token: str) -> float:
    """After how many seconds a token that was just issued should be replaced: a minute before it expires.

    The difference of the claims `exp` and `iat`, both by the issuer's clock. Infinite for a token that has no such
    claims: the server then says when it has expired. A token that is valid for less than two minutes is replaced after
    half of its time.
    """
    life = _life_seconds(token)
    return max(life - _MARGIN_SECONDS, life / 2)


def _life_seconds(token: str) -> float:
    try:
        _, payload, _ = token.split(".")
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        life = float(claims["exp"]) - float(claims["iat"])
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError, binascii.Error):
        return float("inf")
    return life if life > 0 else float("inf")
