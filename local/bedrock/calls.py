"""Records callers: `GET /_standin/calls` lists them, by their User-Agent, with the paths that they called."""

from starlette.types import ASGIApp, Receive, Scope, Send

_OWN = ("/_standin/", "/health")


class Calls:
    """The calls that the wrapped application gets, each caller and path once."""

    def __init__(self, app: ASGIApp, seen: set[tuple[str, str]]) -> None:
        self._app = app
        self._seen = seen

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not scope["path"].startswith(_OWN):
            self._seen.add((dict(scope["headers"]).get(b"user-agent", b"").decode("latin-1"), scope["path"]))
        await self._app(scope, receive, send)
