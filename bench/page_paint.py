"""How soon the page is painted on a slow line, with files compressed as CloudFront does.

`python -m bench.page_paint` prints five loads: the first paint, requests and bytes until the sign-in form is there.
"""

from __future__ import annotations

import threading

import uvicorn
from playwright.sync_api import Browser, sync_playwright
from starlette.middleware.gzip import GZipMiddleware

from local.page import app
from tests.chromium import launch

# Its latency in milliseconds, and bytes a second.
_LINE = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 200_000}
_NOWHERE = "127.0.0.1:9/"
_CONFIG = {
    "websocketUrl": f"ws://{_NOWHERE}",
    "tokenIn": "query",
    "cognitoUrl": f"http://{_NOWHERE}",
    "clientId": "chat",
    "userPoolId": "us-east-1_pool",
    "mfa": "off",
}
_LOADS = 5
_PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


def main() -> None:
    server = uvicorn.Server(uvicorn.Config(GZipMiddleware(app(_CONFIG)), port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        thread.join(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for _ in range(_LOADS):
            print(_load(browser, f"http://127.0.0.1:{port}/"))
    server.should_exit = True
    thread.join()


def _load(browser: Browser, url: str) -> str:
    with browser.new_context() as context:
        page, transferred, asked = context.new_page(), list[int](), list[str]()
        line = context.new_cdp_session(page)
        line.send("Network.enable")
        line.send("Network.emulateNetworkConditions", _LINE)
        line.on("Network.loadingFinished", lambda event: transferred.append(event["encodedDataLength"]))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(url)
        page.get_by_label("Name").wait_for()
        painted = page.wait_for_function(_PAINTED).json_value()
        return f"{painted:,.0f} ms painted, {len(asked)} requests, {sum(transferred):,} bytes"


if __name__ == "__main__":
    main()
