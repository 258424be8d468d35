"""What OpenSearch Serverless accepts, played in front of a real OpenSearch.

Operations and permissions are those of AWS's page *Supported operations and plugins in Amazon OpenSearch Serverless*:
https://docs.aws.amazon.com/opensearch-service/latest/developerguide/serverless-genref.html. What the page does not name
is refused, whether or not the service would accept it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from opensearchpy import Urllib3HttpConnection

# The page's operations on indices, documents and aliases, by the permission that each needs.
DOCUMENTED: Mapping[str, tuple[str, ...]] = {
    "CreateIndex": ("PUT <index>",),
    "DescribeIndex": (
        "GET <index>",
        "GET <index>/_mapping",
        "GET <index>/_settings",
        "GET _cat/indices",
        "GET _mapping",
        "GET _resolve/index/<index>",
        "HEAD <index>",
    ),
    "WriteDocument": ("DELETE <index>/_doc/<id>", "POST <index>/_bulk", "POST <index>/_doc", "POST _bulk"),
    "ReadDocument": (
        "GET <index>/_count",
        "GET <index>/_doc/<id>",
        "GET <index>/_mget",
        "GET <index>/_msearch",
        "GET <index>/_search",
        "GET _search",
        "POST <index>/_count",
        "POST <index>/_search",
        "POST _search",
        "POST _search/point_in_time",
        "DELETE _search/point_in_time",
    ),
    "DeleteIndex": ("DELETE <index>",),
    "UpdateIndex": ("PUT <index>/_mapping", "PUT <index>/_settings", "POST <index>/_mapping", "POST <index>/_settings"),
    "CreateCollectionItems": ("POST _aliases",),
    "DescribeCollectionItems": (
        "GET <index>/_alias/<alias>",
        "GET _alias",
        "GET _alias/<alias>",
        "GET _cat/aliases",
        "HEAD _alias/<alias>",
    ),
    "UpdateCollectionItems": ("PUT <index>/_alias/<alias>", "POST <index>/_alias/<alias>"),
    "DeleteCollectionItems": ("DELETE <index>/_alias/<alias>",),
}
EVERY_PERMISSION = frozenset(DOCUMENTED)
# Parameters with which the page's operations may be sent: how the answer is written.
_PARAMETERS = frozenset({"format"})
# The clauses that are asked for, all of which OpenSearch 2.17 has (https://docs.opensearch.org/2.17/query-dsl/).
# "OpenSearch Serverless supports the same ingest and query API operations as the OpenSearch open source suite", and
# runs that version: https://docs.aws.amazon.com/opensearch-service/latest/developerguide/serverless-overview.html.
_CLAUSES = frozenset(
    {"bool", "constant_score", "knn", "match_all", "multi_match", "prefix", "range", "regexp", "term", "terms"}
)
_CLAUSE_PLACES = frozenset({"query", "filter", "must", "must_not", "should"})

# Refusals of what the page does not name.
REMOVED_ALIAS = "POST _aliases with an action other than add"
# As a NextGen collection refuses it: https://github.com/opensearch-project/opensearch-agent-skills/pull/78
ENGINE = "Field parameter 'engine' is not supported"


@dataclass(slots=True)
class NewIndices:
    """Indices that exist and are not found yet: each kind of request on one gets a 404 for `late` times.

    Such delays of OpenSearch Serverless are reported for the mapping, for aliases, for searches and for writes:
    https://github.com/aws/modern-data-architecture-accelerator/issues/33,
    https://github.com/Sage-Bionetworks/Synapse-Repository-Services/pull/5678.
    """

    late: int
    _left: dict[tuple[str, str], int] = field(default_factory=dict)
    _made: dict[str, str] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def accepted(self, method: str, path: str, body: bytes | None) -> None:
        """Take note of a new index, or of an alias of one."""
        with self._lock:
            if method == "PUT":
                self._made[path] = path
            for action in json.loads(body or b"{}")["actions"] if path == "_aliases" else ():
                added = action.get("add", {})
                if added.get("index") in self._made:
                    self._made[added["alias"]] = added["index"]

    def hides(self, path: str, body: bytes | None) -> bool:
        """Whether the index that the request is about is not found this time."""
        name, _, kind = path.rpartition("/")
        if kind == "_aliases":
            name = next((each["add"]["index"] for each in json.loads(body or b"{}")["actions"] if "add" in each), "")
        with self._lock:
            if name not in self._made:
                return False
            about = (self._made[name], kind)
            self._left[about] = self._left.get(about, self.late) - 1
            return self._left[about] >= 0


@dataclass(slots=True)
class Collected:
    """A collection as one role sees it: the permissions that its data access policies grant, and what it has asked.

    `used`: the permissions of the accepted requests; `refused`: the refused requests, by what was wrong with them.
    `late`: how often a new index is not found.
    """

    granted: Collection[str] = EVERY_PERMISSION
    late: int = 0
    used: set[str] = field(default_factory=set)
    refused: list[str] = field(default_factory=list)
    new: NewIndices = field(init=False)

    def __post_init__(self) -> None:
        self.new = NewIndices(self.late)

    def refusal(self, method: str, path: str, params: Mapping[str, Any], body: bytes | None) -> tuple[int, str] | None:
        """The status and the reason with which Serverless would refuse the request; None if it accepts it."""
        refused = self._unknown(method, path, params) or _unsupported(method, path, body)
        if refused:
            self.refused.append(refused[1])
            return refused
        self.used.add(_permission(method, path))
        return None

    def _unknown(self, method: str, path: str, params: Mapping[str, Any]) -> tuple[int, str] | None:
        permission = _permission(method, path)
        if not permission:
            return 404, f"{method} {path}"
        if permission not in self.granted:
            return 403, f"{method} {path} without aoss:{permission}"
        unknown = sorted(params.keys() - _PARAMETERS)
        return (400, f"{method} {path} with the parameters {unknown}") if unknown else None


class ServerlessConnection(Urllib3HttpConnection):
    """What opensearch-py talks through. Accepted requests go on to the server."""

    def __init__(self, collected: Collected, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._collected = collected

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
        path, new = url.strip("/"), self._collected.new
        if refusal := self._collected.refusal(method, path, params or {}, body):
            self._refuse(*refusal, "unsupported_operation")
        if new.hides(path, body):
            self._refuse(404, "no such index", "index_not_found_exception")
        if method == "PUT" and body:
            body = _with_engine(body)
        answered = super().perform_request(method, url, params, body, timeout, ignore, headers)
        new.accepted(method, path, body)
        return answered

    def _refuse(self, status: int, reason: str, kind: str) -> None:
        body = json.dumps({"error": {"type": kind, "reason": reason}, "status": status})
        self._raise_error(status, body, "application/json")


def _permission(method: str, path: str) -> str:
    """The permission of the documented operation; empty for one that is not documented."""
    return next((name for name, each in DOCUMENTED.items() if any(_is(one, method, path) for one in each)), "")


def _is(operation: str, method: str, path: str) -> bool:
    wanted, template = operation.split(" ")
    # A placeholder is one name: no list, no pattern, nothing that begins with an underscore.
    pattern = re.sub(r"<\w+>", r"[^_/*,][^/*,]*", template)
    return wanted == method and re.fullmatch(pattern, path) is not None


def _unsupported(method: str, path: str, body: bytes | None) -> tuple[int, str] | None:
    if path.endswith("_bulk"):
        return _unsupported_rows(body or b"")
    if path == "_aliases" and any("add" not in action for action in json.loads(body or b"{}")["actions"]):
        return 400, REMOVED_ALIAS
    if method == "PUT" and "/" not in path:
        return _unsupported_creation(json.loads(body or b"{}"))
    if path.endswith(("_search", "_count")):
        return _unsupported_clauses(json.loads(body or b"{}"))
    return _unsupported_searches(body or b"") if path.endswith("_msearch") else None


def _unsupported_searches(body: bytes) -> tuple[int, str] | None:
    """Every second line is a search."""
    refused = (_unsupported_clauses(json.loads(line)) for line in body.splitlines()[1::2])
    return next((each for each in refused if each), None)


def _unsupported_clauses(body: Any) -> tuple[int, str] | None:
    unknown = sorted({*_clauses(body)} - _CLAUSES)
    return (400, f"a search with {unknown}") if unknown else None


def _clauses(body: Any) -> Iterator[str]:
    """The names of all clauses of a search, those in filters of aggregations included."""
    if isinstance(body, list):
        for each in body:
            yield from _clauses(each)
    if isinstance(body, dict):
        for key, child in body.items():
            places = list(child.values()) if key == "filters" and "filters" not in child else [child]
            if key in _CLAUSE_PLACES or places != [child]:
                yield from (name for each in places for one in _listed(each) for name in one)
            yield from _clauses(child)


def _listed(clauses: Any) -> list[dict[str, Any]]:
    """A multi_match has the text that it looks for where other clauses have clauses."""
    return [each for each in (clauses if isinstance(clauses, list) else [clauses]) if isinstance(each, dict)]


def _unsupported_rows(body: bytes) -> tuple[int, str] | None:
    """A vector-search collection takes `index` without an id, and `delete`.

    https://docs.aws.amazon.com/opensearch-service/latest/developerguide/serverless-overview.html
    """
    for operation in (json.loads(line) for line in body.splitlines()):
        if operation.keys() & {"create", "update"} or operation.get("index"):
            return 400, "Document ID is not supported in create/index operation request"
    return None


def _unsupported_creation(body: Mapping[str, Any]) -> tuple[int, str] | None:
    if set(body) - {"settings", "mappings"}:
        return 400, f"PUT <index> with {sorted(body)}"
    settings = body.get("settings", {}).get("index", {})
    if set(settings) - {"knn"}:
        return 400, f"PUT <index> with the settings {sorted(settings)}"
    return (400, ENGINE) if any("engine" in each.get("method", {}) for each in _vectors(body)) else None


def _vectors(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    fields = body.get("mappings", {}).get("properties", {}).values()
    return [each for each in fields if each["type"] == "knn_vector"]


def _with_engine(body: bytes) -> bytes:
    """The creation with an engine that the server has: it has no Faiss, which Serverless would choose."""
    made = json.loads(body)
    for each in _vectors(made):
        each["method"] = {"name": "hnsw", "engine": "lucene"}
    return json.dumps(made).encode()
