"""The connection to OpenSearch, and the translation of its errors."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from opensearchpy import OpenSearch, Urllib3AWSV4SignerAuth, Urllib3HttpConnection
from opensearchpy.exceptions import (
    ImproperlyConfigured,
    OpenSearchException,
    TransportError,
)

from cicada.errors import CicadaError, ConfigurationError, ThrottledError, UnavailableError

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


def connect(url: str, region: str | None) -> OpenSearch:
    """A client with a pool of connections; no request is made. With a region, requests are signed for Serverless.

    `url` may hold a user and a password. The client does not retry; the index does, with jitter and for 429 too.
    """
    # At level DEBUG the client logs bodies, which contain questions and documents.
    logging.getLogger("opensearch").setLevel(logging.WARNING)
    with opensearch_errors():
        return OpenSearch(
            hosts=[url],
            http_auth=_signer(region) if region else None,
            connection_class=Urllib3HttpConnection,
            pool_maxsize=POOL_SIZE,
            timeout=TIMEOUT_SECONDS,
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


def is_refused_for_now(status: int) -> bool:
    return status in (429, 503)


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
