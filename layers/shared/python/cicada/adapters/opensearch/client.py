"""Connections to OpenSearch, its requests, and what waits for a collection that wakes up."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from threading import Lock, Timer
from typing import Any, TypeVar

from msgspec import Struct
from opensearchpy import OpenSearch, Urllib3AWSV4SignerAuth, Urllib3HttpConnection
from opensearchpy.exceptions import ImproperlyConfigured, OpenSearchException, TransportError

from cicada.adapters.aws_errors import Retry
from cicada.adapters.opensearch.queries import Body
from cicada.errors import CicadaError, ConfigurationError, ThrottledError, UnavailableError
from cicada.observability.telemetry import ignore

# The first request to a Serverless collection that has scaled to zero takes 10 to 30 seconds.
TIMEOUT_SECONDS = 45
# Threads of one process that can search at the same time without waiting for a connection.
POOL_SIZE = 8
INDEX_MISSING = "index_not_found_exception"
# Depending on where Lucene counts clauses, OpenSearch 3.6 answers 500 with one of the types, or 400 with
# `query_shard_exception` and this reason. A question's words, in lower case, cannot match the pattern.
_TOO_MANY_CLAUSES = re.compile(r"'type': 'too_many_(nested_)?clauses'|maxClauseCount is set to")


class IndexMissing(ConfigurationError):
    """The index or alias does not exist: not yet, no longer, or during a switch."""


def connect(url: str, region: str | None, timeout_seconds: float = TIMEOUT_SECONDS) -> OpenSearch:
    """A client with a pool of connections; no request is made. With a region, requests are signed for Serverless.

    `url` may hold a user and a password. The client does not retry; the index does, with jitter and for 429 too.
    """
    # The client logs bodies at level DEBUG, which contain questions and documents.
    logging.getLogger("opensearch").setLevel(logging.WARNING)
    with opensearch_errors():
        return OpenSearch(
            hosts=[url],
            http_auth=_signer(region) if region else None,
            connection_class=Urllib3HttpConnection,
            pool_maxsize=POOL_SIZE,
            timeout=timeout_seconds,
            max_retries=0,
        )


def _signer(region: str) -> Urllib3AWSV4SignerAuth:
    from botocore.session import Session

    credentials = Session().get_credentials()
    if credentials is None:
        raise ConfigurationError("There are no AWS credentials to sign requests to OpenSearch with; give a role.")
    return Urllib3AWSV4SignerAuth(credentials, region, "aoss")


class TooManyClauses(ConfigurationError):
    """A query has more clauses (words times fields) than the server accepts."""


@contextmanager
def opensearch_errors() -> Iterator[None]:
    """Translate opensearch-py's errors and chain the cause."""
    try:
        yield
    except TransportError as error:
        raise _failure(error.status_code, error.error, error.info) from error
    except ImproperlyConfigured as error:
        raise ConfigurationError("The client of the search index is set up wrongly; check its URL.") from error
    except OpenSearchException as error:
        raise UnavailableError("The search index gave an answer that cannot be read; try again.") from error


def check_response(response: Mapping[str, Any]) -> Mapping[str, Any]:
    """The response, if all shards answered. A partial response is a failure, not fewer results."""
    if "error" in response:
        raise _failure(response.get("status", 500), response["error"].get("type", ""), response["error"])
    if response.get("timed_out") or response["_shards"]["failed"]:
        raise UnavailableError("A part of the search index did not answer; try again.")
    return response


def _failure(status: int | str, kind: str, body: object) -> CicadaError:
    """`body`: the server's error body, read only if the status is not enough."""
    if status in (400, 500) and _TOO_MANY_CLAUSES.search(str(body)):
        return TooManyClauses(
            f"The search index refused a query of too many clauses ({status}); check its max_clause_count (1024)."
        )
    return _by_status(status, kind)


def _by_status(status: int | str, kind: str) -> CicadaError:
    # `kind` is the failure's type. Its reason is left out, because it may quote the query.
    if status == 429:
        return ThrottledError("The search index asks for fewer calls; try again in a moment.")
    if not isinstance(status, int):
        return UnavailableError("The search index could not be reached; try again.")
    if status >= 500 or status == 408:
        return UnavailableError(f"The search index failed ({status}); try again.")
    if status in (401, 403, 404):
        missing = IndexMissing if kind == INDEX_MISSING else ConfigurationError
        return missing(
            f"The search index is missing or refuses this role ({status}); check its name and its access policy."
        )
    return ConfigurationError(
        f"The search index refused a request ({status} {kind}); check that the index was made by this version."
    )


Say = Callable[[], None]


@contextmanager
def waiting(on_wait: Say | None, after_seconds: float) -> Iterator[Say]:
    """Inside, `on_wait` is called at most once: after `after_seconds`, or when the yielded function is called.

    After the timeout it is called from another thread. It is never called after the context has ended.
    """
    if on_wait is None:
        yield ignore
        return
    once = _Once(on_wait)
    # The timer runs in the request's own context, which holds its progress listener.
    timer = Timer(after_seconds, copy_context().run, (once,))
    timer.daemon = True
    timer.start()
    try:
        yield once
    finally:
        timer.cancel()
        once.end()


class _Once:
    def __init__(self, say: Say) -> None:
        self._say: Say | None = say
        self._lock = Lock()

    def __call__(self) -> None:
        with self._lock:
            say, self._say = self._say, None
            if say:
                say()

    def end(self) -> None:
        with self._lock:
            self._say = None


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
        """Search an index by its own name. Raises `IndexMissing` as soon as it is gone: nothing brings it back."""
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
