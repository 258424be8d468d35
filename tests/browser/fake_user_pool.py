"""A user pool that speaks Cognito's JSON, as far as the page uses it. It checks proofs of passwords and codes."""

from __future__ import annotations

import base64
import hmac
import json
import secrets
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse

from tests.fakes.srp_server import SrpServer

CLIENT_ID = "page-client"
POOL_ID = "eu-central-1_PagePool1"
PASSWORDS = {"ada": "Lovelace-1", "bob": "Builder-1"}
# Somebody else made this account: its password is good for one sign-in.
FIRST_PASSWORDS = {"cem": "First-of-cem-1"}
_STEP_SECONDS = 30


@dataclass(frozen=True, slots=True)
class _Refused(Exception):
    type: str
    message: str = ""


def code_of(key: str, steps: int = 0) -> str:
    """What an authenticator app shows: https://www.rfc-editor.org/rfc/rfc6238 with SHA-1, 30 seconds and six digits."""
    counter = struct.pack(">Q", int(time.time()) // _STEP_SECONDS + steps)
    digest = hmac.digest(base64.b32decode(key), counter, "sha1")
    start = digest[-1] & 0xF
    return str(int.from_bytes(digest[start : start + 4], "big") & 0x7FFFFFFF)[-6:].zfill(6)


@dataclass
class FakeUserPool:
    """`sign_ins`: the flows and refreshes that were asked for. `mfa_required`: nobody signs in without a second step.

    `challenges`: the user of each sign-in under way, by session. `chosen`: passwords that users have chosen. `keys`:
    those of authenticator apps that were added. `valid_seconds`: how long an access token is valid. `groups`: those of
    users, which their access tokens name.
    """

    mfa_required: bool = False
    valid_seconds: int = 600
    sign_ins: list[str] = field(default_factory=list)
    challenges: dict[str, str] = field(default_factory=dict)
    chosen: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    revoked: list[str] = field(default_factory=list)
    groups: dict[str, list[str]] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)
    _offered: dict[str, str] = field(default_factory=dict)
    _tokens: dict[str, str] = field(default_factory=dict)
    _refreshable: dict[str, str] = field(default_factory=dict)
    _srp: SrpServer = field(default_factory=lambda: SrpServer(POOL_ID))

    def user_of(self, token: str) -> str | None:
        """The user whose access token it is, None for one that counts no more."""
        return self._tokens.get(token)

    def expire_tokens(self) -> None:
        """Tokens that were given out until now open nothing any more, and do not count on open connections."""
        self._tokens.clear()

    def end_sessions(self) -> None:
        """Neither the tokens nor the refresh tokens count any more."""
        self.expire_tokens()
        self._refreshable.clear()

    def sign_out(self, user: str) -> None:
        """All sign-ins of the user end."""
        self._tokens = {token: each for token, each in self._tokens.items() if each != user}
        self._refreshable = {token: each for token, each in self._refreshable.items() if each != user}

    async def reply(self, request: Request) -> JSONResponse:
        operation = request.headers["x-amz-target"].removeprefix("AWSCognitoIdentityProviderService.")
        self.seen.append((await request.body()).decode())
        body = await request.json()
        if body.get("ClientId", CLIENT_ID) != CLIENT_ID:
            return JSONResponse({"__type": "ResourceNotFoundException"}, 400)
        operations: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "InitiateAuth": self._initiate,
            "RespondToAuthChallenge": self._respond,
            "GetTokensFromRefreshToken": self._refresh,
            "RevokeToken": self._revoke,
            "AssociateSoftwareToken": self._associate,
            "VerifySoftwareToken": self._verify,
            "GetUser": self._get_user,
            "SetUserMFAPreference": self._prefer,
        }
        try:
            return JSONResponse(operations[operation](body))
        except _Refused as refused:
            return JSONResponse({"__type": refused.type, "message": refused.message}, 400)

    # ---- sign-in ----

    def _initiate(self, body: dict[str, Any]) -> dict[str, Any]:
        self.sign_ins.append(body["AuthFlow"])
        if body["AuthFlow"] != "USER_SRP_AUTH":
            raise _Refused("InvalidParameterException", f"{body['AuthFlow']} is not enabled for the client.")
        given = body["AuthParameters"]
        password = (FIRST_PASSWORDS | PASSWORDS | self.chosen).get(given["USERNAME"])
        asked = self._srp.challenge(given["USERNAME"], password, given["SRP_A"])
        return {"ChallengeName": "PASSWORD_VERIFIER", "ChallengeParameters": asked}

    def _respond(self, body: dict[str, Any]) -> dict[str, Any]:
        name, responses = body["ChallengeName"], body["ChallengeResponses"]
        if name == "PASSWORD_VERIFIER":
            return self._proven(self._srp.proven(responses))
        user = self._taken(body["Session"], keep=True)
        if name == "NEW_PASSWORD_REQUIRED":
            if len(responses["NEW_PASSWORD"]) < 12:
                raise _Refused(
                    "InvalidPasswordException", "Password does not conform to policy: Password not long enough"
                )
            self.chosen[user] = responses["NEW_PASSWORD"]
        elif name == "SOFTWARE_TOKEN_MFA":
            if responses["SOFTWARE_TOKEN_MFA_CODE"] != code_of(self.keys[user]):
                raise _Refused("CodeMismatchException", "Invalid code received for user")
            self._taken(body["Session"])
            return self._tokens_for(user)
        self._taken(body["Session"])
        return self._asked(user, "MFA_SETUP") if self.mfa_required and user not in self.keys else self._tokens_for(user)

    def _proven(self, user: str | None) -> dict[str, Any]:
        if user is None:
            raise _Refused("NotAuthorizedException", "Incorrect username or password.")
        if user in FIRST_PASSWORDS and user not in self.chosen:
            return self._asked(user, "NEW_PASSWORD_REQUIRED")
        if user in self.keys:
            return self._asked(user, "SOFTWARE_TOKEN_MFA")
        return self._asked(user, "MFA_SETUP") if self.mfa_required else self._tokens_for(user)

    def _asked(self, user: str, challenge: str) -> dict[str, Any]:
        self.challenges[session := secrets.token_hex(8)] = user
        return {"ChallengeName": challenge, "Session": session, "ChallengeParameters": {"USER_ID_FOR_SRP": user}}

    def _taken(self, session: str, *, keep: bool = False) -> str:
        if session not in self.challenges:
            raise _Refused("NotAuthorizedException", "Invalid session for the user, session is expired.")
        return self.challenges[session] if keep else self.challenges.pop(session)

    # ---- tokens ----

    def _refresh(self, body: dict[str, Any]) -> dict[str, Any]:
        self.sign_ins.append("refresh")
        user = self._refreshable.pop(body["RefreshToken"], None)
        if user is None:
            raise _Refused("NotAuthorizedException", "Invalid Refresh Token")
        return self._tokens_for(user)

    def _revoke(self, body: dict[str, Any]) -> dict[str, Any]:
        self.revoked.append(body["Token"])
        self._refreshable.pop(body["Token"], None)
        return {}

    def _tokens_for(self, user: str) -> dict[str, Any]:
        return {"AuthenticationResult": self.tokens_for(user)}

    def tokens_for(self, user: str) -> dict[str, Any]:
        """Whoever has shown to be the user gets these."""
        access, refresh = (f"{kind}-{user}-{secrets.token_hex(8)}" for kind in ("access", "refresh"))
        if groups := self.groups.get(user):
            claims = base64.urlsafe_b64encode(json.dumps({"cognito:groups": groups}).encode()).decode()
            access = f"{access}.{claims.rstrip('=')}.x"
        self._tokens[access] = self._refreshable[refresh] = user
        return {"AccessToken": access, "RefreshToken": refresh, "ExpiresIn": self.valid_seconds}

    # ---- the second step ----

    def _owner(self, body: dict[str, Any]) -> str:
        """The user of an access token, or of the session of a sign-in under way."""
        if "Session" in body:
            return self._taken(body["Session"])
        user = self.user_of(body["AccessToken"])
        if user is None:
            raise _Refused("NotAuthorizedException", "Access Token has been revoked")
        return user

    def _associate(self, body: dict[str, Any]) -> dict[str, Any]:
        user = self._owner(body)
        self._offered[user] = base64.b32encode(secrets.token_bytes(20)).decode()
        return {"SecretCode": self._offered[user], **self._next(body, user)}

    def _verify(self, body: dict[str, Any]) -> dict[str, Any]:
        user = self._taken(body["Session"], keep=True) if "Session" in body else self._owner(body)
        if body["UserCode"] != code_of(self._offered[user]):
            raise _Refused("EnableSoftwareTokenMFAException", "Code mismatch")
        if "Session" in body:
            self._taken(body["Session"])
            self.keys[user] = self._offered[user]
        return {"Status": "SUCCESS", **self._next(body, user)}

    def _next(self, body: dict[str, Any], user: str) -> dict[str, Any]:
        """A session is good for one step."""
        return {"Session": self._asked(user, "")["Session"]} if "Session" in body else {}

    def _get_user(self, body: dict[str, Any]) -> dict[str, Any]:
        user = self._owner(body)
        return {"Username": user, "UserMFASettingList": ["SOFTWARE_TOKEN_MFA"] if user in self.keys else []}

    def _prefer(self, body: dict[str, Any]) -> dict[str, Any]:
        user = self._owner(body)
        if body["SoftwareTokenMfaSettings"]["Enabled"]:
            self.keys[user] = self._offered[user]
        else:
            self.keys.pop(user, None)
        return {}
