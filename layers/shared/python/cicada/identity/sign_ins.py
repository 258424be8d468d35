"""The sign-ins of a user, which are kept by the issuer of the access tokens."""

from __future__ import annotations

from typing import Protocol

from cicada.identity.principal import Principal


class SignIns(Protocol):
    """Ends sign-ins."""

    def end(self, principal: Principal) -> float:
        """End all of the user's: no refresh token gives a new access token. When that was, by the issuer's clock.

        Also for an account that exists no longer. Raises `DependencyError`.
        """
        ...
