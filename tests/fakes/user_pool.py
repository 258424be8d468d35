"""A user pool's keys on a real socket, and tokens signed with them."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

ISSUER = "https://cognito-idp.us-east-1.amazonaws.com/us-east-1_Example"
CLIENT_ID = "3n4b5urk1ft4fl3mg5e62d9ado"
KEY_ID = "key-1"


@cache
def key_pair(name: str = KEY_ID) -> rsa.RSAPrivateKey:
    """The same pair for the same name: making one takes a while."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def public_key(name: str = KEY_ID) -> dict[str, Any]:
    return RSAAlgorithm.to_jwk(key_pair(name).public_key(), as_dict=True) | {"kid": name, "alg": "RS256", "use": "sig"}


def claims(**changed: object) -> dict[str, Any]:
    """What an Amazon Cognito access token says; None leaves a claim out."""
    now = int(time.time())
    whole = {
        "sub": "5f2b8c1e-0000-4000-8000-0000000000aa",
        "iss": ISSUER,
        "client_id": CLIENT_ID,
        "token_use": "access",
        "scope": "aws.cognito.signin.user.admin",
        "username": "ann",
        "auth_time": now,
        "iat": now,
        "exp": now + 3600,
    } | changed
    return {name: value for name, value in whole.items() if value is not None}


def access_token(*, signed_by: str = KEY_ID, key_id: str | None = KEY_ID, **changed: object) -> str:
    headers = {} if key_id is None else {"kid": key_id}
    return jwt.encode(claims(**changed), key_pair(signed_by), algorithm="RS256", headers=headers)


@dataclass
class UserPool:
    """`reply` is the JWKS document, or whatever else the server is to say; `fetches` counts."""

    reply: bytes = field(default_factory=lambda: json.dumps({"keys": [public_key()]}).encode())
    status: int = 200
    fetches: int = 0
    url: str = ""


@contextmanager
def user_pool() -> Iterator[UserPool]:
    pool = UserPool()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            pool.fetches += 1
            self.send_response(pool.status)
            self.send_header("Content-Length", str(len(pool.reply)))
            self.end_headers()
            self.wfile.write(pool.reply)

        def log_message(self, format: str, *args: object) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    pool.url = f"http://127.0.0.1:{server.server_port}/.well-known/jwks.json"
    serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    serving.start()
    try:
        yield pool
    finally:
        server.shutdown()
        server.server_close()
        serving.join()
