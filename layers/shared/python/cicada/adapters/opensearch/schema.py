"""The index of passages: its name, its mapping, and the check of its embedder.

`mapping.json` has every field but the vectors, `index.json` the name's form and the vector search. Both use only what
AWS documents for an index of Serverless (types, built-in analyzers, `index`).

The number in the name is the mapping's version. A changed mapping gets a new name, so its index is created beside the
old one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from cicada.errors import ConfigurationError
from cicada.languages.stemming import STEMMED, stemmed_language
from cicada.retrieval.bm25 import Bm25

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


def index_body(model_id: str, dimension: int, vector_engine: str, bm25: Bm25) -> dict[str, Any]:
    """Settings and mapping of a new index. `vector_engine` empty leaves the choice to the server."""
    # Vectors have length 1, so the inner product is the cosine. All engines support it; not all support cosine.
    method: dict[str, Any] = dict(_form()["vector_method"])
    if vector_engine:
        method["engine"] = vector_engine
    similarity = {"type": "BM25", "k1": bm25.k1, "b": bm25.b}
    fields = json.loads(MAPPING_FILE.read_text(encoding="utf-8"))
    for name in _form()["vectors"]:
        fields[name] = {"type": "knn_vector", "dimension": dimension, "method": method}
    return {
        "settings": {"index": {"knn": True, "similarity": {"default": similarity}}},
        "mappings": {"dynamic": False, "_meta": _meta(model_id, dimension), "properties": fields},
    }


def without_similarity(body: dict[str, Any]) -> dict[str, Any]:
    """The same index with the server's own BM25 (k1 = 1.2, b = .75), for servers without a choice."""
    return {**body, "settings": {"index": {"knn": True}}}


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
    if recorded != wanted or vector["dimension"] != dimension:
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
