"""The two AWS calls that the command makes, answered over HTTP as AWS would."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.fakes.srp_server import SrpServer


@dataclass
class AwsStandIn:
    """Cognito's USER_SRP_AUTH and Lambda's Invoke. `results`: what a function returns, and whether it raised."""

    passwords: dict[str, str]
    access_token: str
    results: dict[str, tuple[Any, bool]] = field(default_factory=dict)
    invoked: list[tuple[str, Any]] = field(default_factory=list)
    url: str = ""
    is_disabled: bool = False
    srp: SrpServer = field(default_factory=lambda: SrpServer("us-east-1_abc"))

    def sign_in(self, body: dict[str, Any]) -> tuple[int, Any]:
        if body.get("AuthFlow") == "USER_SRP_AUTH":
            given = body["AuthParameters"]
            asked = self.srp.challenge(given["USERNAME"], self.passwords.get(given["USERNAME"]), given["SRP_A"])
            return 200, {"ChallengeName": "PASSWORD_VERIFIER", "ChallengeParameters": asked}
        if self.is_disabled:
            return 400, {"__type": "NotAuthorizedException", "message": "User is disabled."}
        if not self.srp.proven(body["ChallengeResponses"]):
            return 400, {"__type": "NotAuthorizedException", "message": "Incorrect username or password."}
        return 200, {"AuthenticationResult": {"AccessToken": self.access_token, "IdToken": "not-this"}}


def _handler(aws: AwsStandIn) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"null")
            if "/functions/" in self.path:
                self._invoke(self.path.split("/")[3], body)
            else:
                self._reply(*aws.sign_in(body))

        def _invoke(self, name: str, event: Any) -> None:
            aws.invoked.append((name, event))
            if name not in aws.results:
                self._reply(404, {"Message": f"Function not found: {name}", "Type": "User"})
                return
            result, raised = aws.results[name]
            self._reply(200, result, **({"X-Amz-Function-Error": "Unhandled"} if raised else {}))

        def _reply(self, status: int, body: Any, **headers: str) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            for key, value in (headers | {"Content-Length": str(len(content))}).items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Keep the tests' output clean."""

    return Handler


@contextmanager
def running_aws(aws: AwsStandIn) -> Iterator[AwsStandIn]:
    """Serve on a free port of this machine until the block ends."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(aws)) as server:
        aws.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield aws
        finally:
            server.shutdown()
            thread.join()
