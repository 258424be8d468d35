"""The chat page's server: the files and headers that CloudFront serves on AWS, and the page's configuration."""

from __future__ import annotations

import argparse
import json
import mimetypes
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from infra.page_files import ASSETS, CONFIG, INDEX, PAGE_FOLDER, PageBuildError, cache_control, page_files
from infra.page_headers import page_headers
from local.origin_guard import OriginGuard


def app(config: Mapping[str, Any], folder: Path = PAGE_FOLDER) -> Starlette:
    """Serves the page, and `config` as `/config.json`; `clients/web/page.js` describes it.

    The files are read for each request, so that a changed one is seen when the page is loaded again.
    """

    def document(_: Request) -> Response:
        return HTMLResponse(page_files(folder).index)

    def configuration(_: Request) -> Response:
        return JSONResponse(dict(config))

    def asset(request: Request) -> Response:
        files, path = page_files(folder), request.url.path.removeprefix("/")
        content = files.assets.get(path.removeprefix(f"{files.assets_prefix}/"))
        if content is None:
            return PlainTextResponse("There is no such file.", 404)
        return Response(content, media_type=mimetypes.guess_type(path)[0])

    return Starlette(
        exception_handlers={PageBuildError: _unbuilt},
        routes=[
            Route("/", document),
            Route(f"/{INDEX}", document),
            Route(f"/{CONFIG}", configuration),
            Route(f"/{ASSETS}/{{path:path}}", asset),
        ],
        middleware=[Middleware(_Headers, headers=headers(config)), Middleware(OriginGuard, serves_page=True)],
    )


def _unbuilt(_: Request, error: Exception) -> Response:
    return PlainTextResponse(str(error), 500)


def headers(config: Mapping[str, Any]) -> dict[str, str]:
    """The page may connect to the WebSocket and the sign-in services of its configuration only."""
    named = [config[name] for name in ("websocketUrl", "cognitoUrl", "signInUrl") if name in config]
    return page_headers([_origin(url) for url in named], over_tls=False)


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


class _Headers:
    """Adds the headers to every response, and how long its file may be kept."""

    def __init__(self, app: ASGIApp, headers: Mapping[str, str]) -> None:
        self._app = app
        self._headers = [(name.lower().encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                found = cache_control(scope["path"].removeprefix("/")) if message["status"] == 200 else "no-cache"
                own = [*self._headers, (b"cache-control", found.encode())]
                message = {**message, "headers": [*message["headers"], *own]}
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m local.page", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--config", type=Path, required=True, help="JSON file that is served as /config.json")
    options = parser.parse_args()
    config = json.loads(options.config.read_text("utf-8"))
    uvicorn.run(app(config), host="127.0.0.1", port=options.port, log_level="warning", timeout_graceful_shutdown=2)


if __name__ == "__main__":
    main()
