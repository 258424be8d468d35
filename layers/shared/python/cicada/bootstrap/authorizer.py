"""Wires the authorizer."""

from __future__ import annotations

from functools import cache

import jwt

from cicada.adapters.cognito_token_verifier import CognitoTokenVerifier
from cicada.identity import TokenVerifier
from cicada.settings import AuthorizerSettings, load


@cache
def token_verifier() -> TokenVerifier:
    """Cached for the life of the container, with the fetched keys."""
    settings = load(AuthorizerSettings)
    keys = jwt.PyJWKClient(settings.token_keys_url, timeout=3)
    return CognitoTokenVerifier(keys, settings.token_issuer, settings.token_client_id, settings.default_tenant)
