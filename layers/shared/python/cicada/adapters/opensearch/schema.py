"""The index that passages are kept in: its name, its mapping, and whose vectors it holds.

`mapping.json` has every field but the vector. It uses only what CloudFormation's index resource can say too (types,
built-in analyzers, `index`), so that an index made at deployment and one made here are the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cicada.errors import ConfigurationError

MAPPING_FILE = Path(__file__).with_name("mapping.json")

# Built-in analyzers: Serverless has no others without an upload.
ANALYZERS = {
    "en": "english",
    "de": "german",
    "fr": "french",
    "it": "italian",
    "es": "spanish",
    "ja": "cjk",
    "zh": "cjk",
    "ko": "cjk",
}
OTHER_ANALYZER = "standard"


def analyzer(language: str) -> str:
    """The analyzer of a content language such as `en` or `pt-BR`."""
    return ANALYZERS.get(language.split("-")[0].lower(), OTHER_ANALYZER)


def index_name(model_id: str, dimension: int) -> str:
    """An index for each embedder: another one gets a new index, and the old one goes on answering until then."""
    return f"passages-{re.sub('[^a-z0-9]+', '-', model_id.lower()).strip('-')}-{dimension}"


def index_body(model_id: str, dimension: int, vector_engine: str) -> dict[str, Any]:
    """Settings and mapping of a new index. `vector_engine` empty leaves the choice to the server."""
    # Vectors are stored at length 1, where the inner product is the cosine. All engines have it; cosine, not all.
    method: dict[str, Any] = {"name": "hnsw", "space_type": "innerproduct"}
    if vector_engine:
        method["engine"] = vector_engine
    fields = json.loads(MAPPING_FILE.read_text(encoding="utf-8"))
    fields["vector"] = {"type": "knn_vector", "dimension": dimension, "method": method}
    return {
        "settings": {"index": {"knn": True}},
        "mappings": {"dynamic": False, "_meta": _meta(model_id, dimension), "properties": fields},
    }


def check_embedder(name: str, mapping: Mapping[str, Any], model_id: str, dimension: int) -> None:
    """Raises `ConfigurationError` if the index holds another embedder's vectors, or is none of ours.

    An index made by CloudFormation has no `_meta`: there, its name and its dimension stand for the embedder.
    """
    vector = mapping.get("properties", {}).get("vector", {})
    if "dimension" not in vector:
        raise ConfigurationError(f"The index {name} holds no passages of CICADA; name another one.")
    recorded = mapping.get("_meta") or _meta(model_id, vector["dimension"])
    wanted = _meta(model_id, dimension)
    if recorded != wanted or vector["dimension"] != dimension:
        raise ConfigurationError(
            f"The index {name} holds vectors of {recorded.get('embedder')} ({vector['dimension']} dimensions), and "
            f"the embedder is {model_id} ({dimension} dimensions); set the embedder back, or use another index and "
            "ingest again."
        )


def _meta(model_id: str, dimension: int) -> dict[str, Any]:
    return {"embedder": model_id, "dimension": dimension}
