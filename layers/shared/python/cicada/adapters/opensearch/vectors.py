"""The vector fields of an index: the forms in which they are asked for, and what a server has made of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from cicada.errors import ConfigurationError

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
