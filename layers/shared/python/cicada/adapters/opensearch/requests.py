"""Requests to the server: retries temporary failures, translates permanent ones, rejects partial responses."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from msgspec import Struct
from opensearchpy import OpenSearch

from cicada.adapters.opensearch.client import IndexMissing, check_response, opensearch_errors
from cicada.adapters.opensearch.queries import Body
from cicada.adapters.opensearch.waiting import Say
from cicada.adapters.retry import Retry
from cicada.errors import ThrottledError, UnavailableError

T = TypeVar("T")
Response = Mapping[str, Any]


class Requests(Struct, frozen=True):
    """Each method is one request, retried with jitter after 429, 503, a timeout or a partial response."""

    client: OpenSearch
    retry: Retry

    def search(self, name: str, body: Body) -> Response:
        """`name`: what a rebuild moves from one index to the next."""
        return self._reading(lambda: self._searched(name, body))

    def search_one(self, index: str, body: Body) -> Response:
        """Of an index by its own name. Raises `IndexMissing` as soon as it is gone: nothing brings it back."""
        return self.call(lambda: self._searched(index, body))

    def searches(self, name: str, bodies: Sequence[Body], refused: Say) -> list[Response]:
        """The responses in the order of the bodies; `refused` is called when the server refuses temporarily."""

        def request() -> list[Response]:
            # The client's own method sends POST; Serverless documents GET.
            lines = "".join(f"{{}}\n{json.dumps(body)}\n" for body in bodies)
            found = self.client.transport.perform_request("GET", f"/{name}/_msearch", body=lines)
            return [check_response(each) for each in found["responses"]]

        return self._reading(request, refused)

    def count(self, name: str, body: Body) -> int:
        return int(self._reading(lambda: check_response(self.client.count(body=body, index=name)))["count"])

    def call(self, request: Callable[[], T], refused: Say | None = None) -> T:
        """The result of `request`, which must be safe to repeat."""

        def attempt() -> T:
            try:
                with opensearch_errors():
                    return request()
            except (ThrottledError, UnavailableError):
                if refused:
                    refused()
                raise

        return self.retry.call(attempt)

    def _searched(self, index: str, body: Body) -> Response:
        return check_response(self.client.search(body=body, index=index))

    def _reading(self, request: Callable[[], T], refused: Say | None = None) -> T:
        """Retries a missing index: it was switched during the search, and the next try finds the new one."""

        def on_an_index() -> T:
            try:
                with opensearch_errors():
                    return request()
            except IndexMissing as error:
                raise UnavailableError(
                    "The search index was switched or removed during a search; try again."
                ) from error

        return self.call(on_an_index, refused)
