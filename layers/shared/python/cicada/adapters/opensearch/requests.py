"""Requests to the server: tried again when refused for now, translated when refused for good, checked to be whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from opensearchpy import OpenSearch

from cicada.adapters.opensearch.client import IndexMissing, check_response, opensearch_errors
from cicada.adapters.opensearch.queries import Body
from cicada.adapters.opensearch.waiting import Say
from cicada.adapters.retry import Retry
from cicada.errors import Throttled, Unavailable

T = TypeVar("T")
Response = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Requests:
    """Each method is one request, repeated with jitter after 429, 503, a timeout or an answer in part."""

    client: OpenSearch
    retry: Retry

    def search(self, index: str, body: Body) -> Response:
        return self._reading(lambda: check_response(self.client.search(body=body, index=index)))

    def searches(self, index: str, bodies: Sequence[Body], refused: Say) -> list[Response]:
        """The answers in the order of the bodies; `refused` is called when the server refuses."""

        def request() -> list[Response]:
            found = self.client.msearch(body=[line for body in bodies for line in ({}, body)], index=index)
            return [check_response(each) for each in found["responses"]]

        return self._reading(request, refused)

    def count(self, index: str, body: Body) -> int:
        return int(self._reading(lambda: check_response(self.client.count(body=body, index=index)))["count"])

    def call(self, request: Callable[[], T], refused: Say | None = None) -> T:
        """What `request` returns, which may be made again."""

        def attempt() -> T:
            try:
                with opensearch_errors():
                    return request()
            except (Throttled, Unavailable):
                if refused:
                    refused()
                raise

        return self.retry.call(attempt)

    def _reading(self, request: Callable[[], T], refused: Say | None = None) -> T:
        """An index that is gone in the middle of a search was switched: the next try finds the new one."""

        def on_an_index() -> T:
            try:
                with opensearch_errors():
                    return request()
            except IndexMissing as error:
                raise Unavailable("The search index was switched or removed during a search; try again.") from error

        return self.call(on_an_index, refused)
