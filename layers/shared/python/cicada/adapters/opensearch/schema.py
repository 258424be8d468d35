"""The mapping of an index, and what its settings leave open."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from cicada.adapters.aws_errors import Retry
from cicada.errors import ConfigurationError, UnavailableError
from cicada.languages.terms import STEMMED, stemmed_language
from cicada.retrieval.fusion import Bm25

# Vectors have length 1, so the inner product is the cosine. All engines support it; not all support cosine.
SPACE = "innerproduct"
PLAIN = "1x"
# Every search is within a knowledge base, and this engine refuses filters: "Engine [NMSLIB] does not support filters".
_WITHOUT_FILTERS = "nmslib"
# What OpenSearch takes where a mapping says nothing:
# https://docs.opensearch.org/latest/mappings/supported-field-types/knn-memory-optimized
_DEFAULT_SPACE, _COMPRESSED = "l2", "32x"


def vector_forms(dimension: int, engine: str, compression: str) -> tuple[dict[str, Any], ...]:
    """The forms of a vector field, in the order in which a server is asked for them.

    Without `engine` the first one names Faiss: where none was named, an account of AWS got NMSLIB
    (https://github.com/aws/context-ontology-accelerator/issues/174). Another account refused any name
    (https://github.com/opensearch-project/opensearch-agent-skills/pull/78), so the second form leaves it out.
    `compression`: `1x` for none. NextGen collections compress 32x where a mapping does not say. On disk, the first
    hits are ranked again by the whole vectors.
    """
    plain = {"type": "knn_vector", "dimension": dimension, "space_type": SPACE, "compression_level": compression}
    on_disk = {} if compression == PLAIN else {"mode": "on_disk"}
    named = {**plain, **on_disk, "method": {"name": "hnsw", "engine": engine or "faiss"}}
    return (named,) if engine else (named, plain)


class StoredVectors(Struct, frozen=True):
    """A vector field as the server keeps it. `engine`: empty if the server does not say which one it chose."""

    engine: str
    space: str
    compression: str

    @classmethod
    def of(cls, field: Mapping[str, Any]) -> StoredVectors:
        """Read a field of a mapping, in which the space is at the field or, in earlier indices, at the method."""
        method = field.get("method", {})
        compressed = _COMPRESSED if field.get("mode") == "on_disk" else PLAIN
        return cls(
            str(method.get("engine", "")).lower(),
            field.get("space_type") or method.get("space_type") or _DEFAULT_SPACE,
            field.get("compression_level") or compressed,
        )

    def check(self, index: str, compression: str) -> None:
        """Raises `ConfigurationError` if searches would be refused, or scores be others than those asked for.

        `compression`: what the index was made with, empty for an index that does not record it.
        """
        if self.engine == _WITHOUT_FILTERS:
            raise ConfigurationError(
                f"The collection made the index {index} with the vector engine NMSLIB, which refuses every search "
                "within a knowledge base; `cicada rebuild` makes another index, and if that is refused too, deploy a "
                "new collection with -c collectionName=…."
            )
        if self.space != SPACE:
            raise ConfigurationError(
                f"The index {index} compares vectors by {self.space} and not by {SPACE}, so that every threshold would "
                "be wrong; `cicada rebuild` makes another index."
            )
        if compression and self.compression != compression:
            raise ConfigurationError(
                f"The collection made the index {index} with vectors compressed {self.compression}, and {compression} "
                f"was asked for; deploy with -c vectorCompression={self.compression} and run `cicada rebuild`."
            )


# The index of passages: its name, its mapping, and the check of its embedder.
#
# `mapping.json` has every field but the vectors, `index.json` the name's form and the vectors' names. The mapping uses
# only what AWS documents for an index of Serverless (types, built-in analyzers, `index`).
#
# The number in the name is the mapping's version. A changed mapping gets a new name, so its index is created beside the
# old one.

MAPPING_FILE = Path(__file__).with_name("mapping.json")
_INDEX_FILE = Path(__file__).with_name("index.json")

# Built-in analyzers: Serverless has no others without an upload. Each stemmed language has one of its name.
_CJK = ("ja", "ko", "zh")
OTHER_ANALYZER = "standard"
ANALYZERS = (*sorted({*STEMMED.values(), "cjk"}), OTHER_ANALYZER)


def analyzer(language: str) -> str:
    """The analyzer of a content language such as `en` or `pt-BR`."""
    if language.replace("_", "-").split("-")[0].lower() in _CJK:
        return "cjk"
    return stemmed_language(language) or OTHER_ANALYZER


def index_name(model_id: str, dimension: int) -> str:
    """One index for each embedder, so that a new embedder gets a new index and the old one stays live until then."""
    form = _form()
    model = re.sub(form["replaced_by_hyphen"], "-", model_id.lower()).strip("-")
    return str(form["name"].format(model=model, dimension=dimension))


def check_index(name: str, mapping: Mapping[str, Any], model_id: str, dimension: int) -> None:
    """Raises `ConfigurationError` if the index is none of ours, or the server made it otherwise than asked."""
    check_embedder(name, mapping, model_id, dimension)
    recorded = mapping.get("_meta", {}).get("compression", "")
    for vector in _form()["vectors"]:
        StoredVectors.of(mapping["properties"][vector]).check(name, recorded)


def check_embedder(name: str, mapping: Mapping[str, Any], model_id: str, dimension: int) -> None:
    """Raises `ConfigurationError` if the index holds another embedder's vectors, is an older one, or none of ours.

    An index without `_meta` was not created here: its name and dimension identify the embedder.
    """
    vector = mapping.get("properties", {}).get("vector", {})
    if "dimension" not in vector:
        raise ConfigurationError(f"The index {name} holds no passages of CICADA; name another one.")
    if missing := {"readers", "row_facets", "card_vector"} - mapping["properties"].keys():
        raise ConfigurationError(
            f"The index {name} was made by an earlier version of CICADA and has no field {min(missing)}; name another "
            "one and ingest again."
        )
    recorded = mapping.get("_meta") or _meta(model_id, vector["dimension"])
    wanted = _meta(model_id, dimension)
    if not wanted.items() <= recorded.items() or vector["dimension"] != dimension:
        raise ConfigurationError(
            f"The index {name} holds vectors of {recorded.get('embedder')} ({vector['dimension']} dimensions), and "
            f"the embedder is {model_id} ({dimension} dimensions); set the embedder back, or use another index and "
            "ingest again."
        )


@cache
def _form() -> dict[str, Any]:
    form: dict[str, Any] = json.loads(_INDEX_FILE.read_text("utf-8"))
    return form


def _meta(model_id: str, dimension: int) -> dict[str, Any]:
    return {"embedder": model_id, "dimension": dimension}


class IndexOptions(Struct, frozen=True):
    """The embedder of an index, the form of a new one, and the waits for its server.

    `vector_engine`: the kNN engine, empty for what the server supports. `compression`: of the vectors, `1x` for none.
    `given_name`: an index or an alias; empty to derive the name from the embedder. `clock` gives epoch seconds.
    `visibility_seconds`: how long a write waits to become visible.
    """

    model_id: str
    dimension: int
    vector_engine: str = "lucene"
    compression: str = PLAIN
    given_name: str = ""
    bm25: Bm25 = field(default_factory=Bm25)
    # A collection that wakes up refuses requests for 10 to 30 s. A request without a response takes 45 s of a
    # processor's 300 s and is not retried.
    retry: Retry = field(default_factory=lambda: Retry(attempts=20, within_seconds=45))
    clock: Callable[[], float] = time.time
    visibility_seconds: float = 120.0

    @property
    def name(self) -> str:
        return self.given_name or index_name(self.model_id, self.dimension)

    def bodies(self) -> list[dict[str, Any]]:
        """Settings and mapping of a new index, in the order in which a server is asked for them."""
        fields = json.loads(MAPPING_FILE.read_text(encoding="utf-8"))
        meta = {**_meta(self.model_id, self.dimension), "compression": self.compression}
        kept = [
            {"dynamic": False, "_meta": meta, "properties": fields | dict.fromkeys(_form()["vectors"], vector)}
            for vector in vector_forms(self.dimension, self.vector_engine, self.compression)
        ]
        return [{"settings": {"index": {"knn": True}}, "mappings": mapping} for mapping in kept]


# Decides which of several stored versions of a document is searched.
#
# OpenSearch Serverless has no custom ids and no transactions. A document is replaced by adding the new version's rows
# and then deleting the old ones, so both exist for a while. Each ingest writes a *generation*: a number that rises with
# time (a version is a hash and has no order). Each row also stores its generation's row count, so every reader can see
# whether a generation is complete; an ingest that died in the middle leaves an incomplete one.


class Generation(Struct, frozen=True):
    """`found` of `size` rows are visible; more than `size` if a bulk request was repeated after a timeout."""

    number: int
    found: int
    size: int

    @property
    def is_whole(self) -> bool:
        return self.found >= self.size


Generations = tuple[Generation, ...]


def answering(generations: Generations) -> Generation | None:
    """The generation to search: the oldest complete one, until its rows are deleted.

    With the oldest, the change happens at one moment, when the deletion becomes visible; an ingest that died before
    that has had no effect and is repeated. If none is complete, the newest one is used.
    """
    whole = [generation for generation in generations if generation.is_whole]
    if whole:
        return min(whole, key=_number)
    return max(generations, key=_number, default=None)


def _number(generation: Generation) -> int:
    return generation.number


def newest_whole(generations: Generations) -> int | None:
    """The newest complete generation, which is kept."""
    return max((generation.number for generation in generations if generation.is_whole), default=None)


def next_number(generations: Generations, now: float) -> int:
    """A number above all existing ones: epoch microseconds, unless a clock is behind."""
    return max([int(now * 1_000_000), *(generation.number + 1 for generation in generations)])


def stored(number: int) -> str:
    """A number as stored: text with the same sort order, because AWS documents no long integers."""
    return f"{number:020d}"


def read_generations(response: Mapping[str, Any]) -> dict[str, Generations]:
    """Generations by document id, from the response to `generations_body`."""
    documents = response["aggregations"]["documents"]
    if documents["sum_other_doc_count"]:
        raise UnavailableError("The index counted fewer documents than were asked for; try again.")
    return {
        document["key"]: tuple(
            Generation(int(bucket["key"]), int(bucket["doc_count"]), int(bucket["size"]["value"]))
            for bucket in document["generations"]["buckets"]
        )
        for document in documents["buckets"]
    }
