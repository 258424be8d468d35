"""Cognito's authorization server with an identity provider behind it, as far as the page uses both.

It checks what Cognito checks: the client, the registered addresses, the proof key, and that a code is used once. Its
one page is the provider's, where a person signs in or cancels.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from tests.browser.fake_user_pool import CLIENT_ID, FakeUserPool

PROVIDER = "Okta"
USER = "ann@example.org"
_COOKIE = "cognito"
_PAGE = (
    "<!doctype html><title>Okta</title><h1>Okta</h1>"
    '<p><a href="/provider/done?{query}">Continue as Ann</a></p><p><a href="/provider/cancelled?{query}">Cancel</a></p>'
)


@dataclass
class FakeAuthorizationServer:
    """An authorization server. `page`: the registered address. `asked`: the query of each request for a code.

    `codes`: the query for which each was given, as long as it is good. `exchanged`: the forms of all exchanges.
    `ended`: how often a session was ended. `forgets_codes`: the codes that it gives are good for nothing. `nonce`: in
    place of the one that was sent.
    """

    pool: FakeUserPool
    page: str = ""
    asked: list[dict[str, str]] = field(default_factory=list)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    exchanged: list[dict[str, str]] = field(default_factory=list)
    ended: int = 0
    forgets_codes: bool = False
    client_id: str = CLIENT_ID
    nonce: str = ""

    def routes(self) -> list[Route]:
        return [
            Route("/oauth2/authorize", self._authorize),
            Route("/provider/done", self._done),
            Route("/provider/cancelled", self._cancelled),
            Route("/oauth2/token", self._token, methods=["POST"]),
            Route("/logout", self._logout),
        ]

    async def _authorize(self, request: Request) -> Response:
        query = dict(request.query_params)
        self.asked.append(query)
        if (query["client_id"], query["redirect_uri"]) != (self.client_id, self.page):
            return PlainTextResponse("redirect_mismatch", 400)
        if (query["response_type"], query["identity_provider"]) != ("code", PROVIDER):
            return PlainTextResponse("invalid_request", 400)
        if _COOKIE in request.cookies and query.get("prompt") != "login":
            return self._back(query)
        return HTMLResponse(_PAGE.format(query=urlencode(query)))

    async def _done(self, request: Request) -> Response:
        response = self._back(dict(request.query_params))
        response.set_cookie(_COOKIE, "session", httponly=True)
        return response

    async def _cancelled(self, request: Request) -> Response:
        answer = {"error_description": "Call 555 now", "error": "access_denied", "state": request.query_params["state"]}
        return RedirectResponse(f"{self.page}?{urlencode(answer)}", 302)

    def _back(self, query: dict[str, str]) -> Response:
        code = secrets.token_hex(8)
        if not self.forgets_codes:
            self.codes[code] = query
        return RedirectResponse(f"{self.page}?{urlencode({'code': code, 'state': query['state']})}", 302)

    async def _token(self, request: Request) -> Response:
        form = dict(parse_qsl((await request.body()).decode()))
        self.exchanged.append(form)
        asked = self.codes.pop(form["code"], None)
        if asked is None or not _proven(asked, form) or form["redirect_uri"] != asked["redirect_uri"]:
            return JSONResponse({"error": "invalid_grant"}, 400)
        result = self.pool.tokens_for(USER)
        claims = {"nonce": self.nonce or asked["nonce"], "email": USER, "cognito:username": "Okta_00u1"}
        return JSONResponse(
            {
                "id_token": f"{_segment({'alg': 'RS256'})}.{_segment(claims)}.c2ln",
                "access_token": result["AccessToken"],
                "refresh_token": result["RefreshToken"],
                "expires_in": result["ExpiresIn"],
                "token_type": "Bearer",
            }
        )

    async def _logout(self, request: Request) -> Response:
        if (request.query_params["client_id"], request.query_params["logout_uri"]) != (self.client_id, self.page):
            return PlainTextResponse("redirect_mismatch", 400)
        self.ended += 1
        response = RedirectResponse(self.page, 302)
        response.delete_cookie(_COOKIE)
        return response


def _proven(asked: dict[str, str], form: dict[str, str]) -> bool:
    """https://www.rfc-editor.org/rfc/rfc7636#section-4.6"""
    digest = hashlib.sha256(form["code_verifier"].encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    return (asked["code_challenge_method"], asked["code_challenge"]) == ("S256", challenge)


def _segment(value: dict[str, str]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()
