"""The chat page's server: the static files of `clients/web`, and the page's configuration beside them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PAGE_FOLDER = Path(__file__).parent.parent / "clients" / "web"


def app(config: Mapping[str, Any], static_dir: Path = PAGE_FOLDER) -> Starlette:
    """Serves `static_dir`, and `config` as `/config.json`; `clients/web/page.js` describes it."""

    async def page_config(_: Request) -> JSONResponse:
        return JSONResponse(dict(config))

    return Starlette(
        routes=[Route("/config.json", page_config), Mount("/", StaticFiles(directory=static_dir, html=True))],
        middleware=[Middleware(_SecurityHeaders, headers=security_headers(config))],
    )


def security_headers(config: Mapping[str, Any]) -> dict[str, str]:
    """The page may connect to the WebSocket and the sign-in service of its configuration only."""
    origins = " ".join(_origin(config[name]) for name in ("websocketUrl", "cognitoUrl"))
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        f"connect-src 'self' {origins}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
        # Revalidated each time, so that a changed file is seen at once.
        "Cache-Control": "no-cache",
    }


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


class _SecurityHeaders:
    """Adds the headers to every response."""

    def __init__(self, app: ASGIApp, headers: Mapping[str, str]) -> None:
        self._app = app
        self._headers = [(name.lower().encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *self._headers]}
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m local.page", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--config", type=Path, required=True, help="JSON file that is served as /config.json")
    options = parser.parse_args()
    config = json.loads(options.config.read_text("utf-8"))
    uvicorn.run(app(config), host="127.0.0.1", port=options.port, log_level="warning")


if __name__ == "__main__":
    main()
