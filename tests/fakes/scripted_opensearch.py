"""An OpenSearch that answers as scripted, behind the real client."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from opensearchpy import Connection
from opensearchpy.exceptions import ConnectionError as NotConnectedError

Reply = tuple[int, dict[str, Any]]


@dataclass(slots=True)
class Server:
    """Answers each kind of request with its replies in turn, the last one again and again; None is no connection."""

    replies: dict[str, list[Reply | None]]
    requests: list[tuple[str, Any]] = field(default_factory=list)
    parameters: list[tuple[str, str, Mapping[str, Any]]] = field(default_factory=list)

    def asked(self, kind: str) -> list[tuple[str, Mapping[str, Any]]]:
        """The path and the parameters of each request of a kind, without what the client adds of its own."""
        return [(path, parameters) for asked, path, parameters in self.parameters if asked == kind]

    def bodies(self, kind: str) -> list[Any]:
        return [body for asked, body in self.requests if asked == kind]

    def reply(self, kind: str, body: Any) -> Reply | None:
        self.requests.append((kind, body))
        turn = sum(asked == kind for asked, _ in self.requests) - 1
        replies = self.replies[kind]
        return replies[min(turn, len(replies) - 1)]


class ScriptedConnection(Connection):
    """What opensearch-py talks through."""

    def __init__(self, server: Server, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._server = server

    def perform_request(
        self,
        method: str,
        url: str,
        params: Mapping[str, Any] | None = None,
        body: bytes | None = None,
        timeout: int | float | None = None,
        ignore: Collection[int] = (),
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        kind = url.rsplit("/", 1)[-1] if "/_" in url else "create"
        self._server.parameters.append((kind, url, params or {}))
        reply = self._server.reply(kind, _decoded(kind, body))
        if reply is None:
            raise NotConnectedError("N/A", "refused", OSError("refused"))
        status, answer = reply
        if status >= 300:
            self._raise_error(status, json.dumps(answer), "application/json")
        return status, {"content-type": "application/json"}, json.dumps(answer)

    def close(self) -> None:
        return None


def _decoded(kind: str, body: bytes | None) -> Any:
    if kind in ("_bulk", "_msearch"):
        return [json.loads(line) for line in (body or b"").splitlines()]
    return json.loads(body) if body else None
