"""The mapping of the OpenSearch index."""

from __future__ import annotations

import json

import pytest

from cicada.adapters.opensearch.queries import cosine, lane_bodies
from cicada.adapters.opensearch.schema import ANALYZERS, MAPPING_FILE, analyzer, index_body
from cicada.documents.model import Collection
from cicada.retrieval.bm25 import Bm25
from cicada.retrieval.model import IndexQuery, PassageFilter

FIELDS = json.loads(MAPPING_FILE.read_text("utf-8"))
# https://lucene.apache.org/core/10_0_0/core/org/apache/lucene/search/IndexSearcher.html#getMaxClauseCount()
LUCENE_CLAUSES = 1024


@pytest.mark.parametrize("name", ANALYZERS)
def test_every_analyzer_has_a_field_for_words_title_and_context(name: str) -> None:
    for field in ("words", "title", "context"):
        assert FIELDS[f"{field}_{name}"] == {"type": "text", "analyzer": name}


def test_the_mapping_says_nothing_that_cloudformation_cannot_say() -> None:
    for field in FIELDS.values():
        assert field.keys() <= {"type", "analyzer", "index"}


@pytest.mark.parametrize("bm25", [Bm25(), Bm25(context=0.5), Bm25(title=0)])
@pytest.mark.parametrize("letters", ["a", "\u738b", "a\u738b"])
def test_the_longest_question_stays_below_the_clauses_that_lucene_allows(bm25: Bm25, letters: str) -> None:
    text = " ".join(f"{letter}{chr(0x4E00 + n) if letter != 'a' else n}" for n in range(200) for letter in letters)
    query = IndexQuery(PassageFilter(Collection("t", "b")), text, [1.0], 10)
    parts = lane_bodies(query, 1, bm25)["lexical"]["query"]["bool"]["should"]
    counts = [len(part["multi_match"]["query"].split()) * len(part["multi_match"]["fields"]) for part in parts]
    assert 0 < sum(counts) < LUCENE_CLAUSES


@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("en", "english"),
        ("EN-gb", "english"),
        ("ja", "cjk"),
        ("zh-Hant", "cjk"),
        ("pt_BR", "portuguese"),
        ("nn", "norwegian"),
        ("th", "standard"),
    ],
)
def test_a_content_language_has_an_analyzer(language: str, name: str) -> None:
    assert analyzer(language) == name


def test_the_engine_is_left_to_the_server_where_none_is_named() -> None:
    method = index_body("embedder", 8, "", Bm25())["mappings"]["properties"]["vector"]["method"]
    assert "engine" not in method
    assert index_body("embedder", 8, "faiss", Bm25())["mappings"]["properties"]["vector"]["method"]["engine"] == "faiss"


@pytest.mark.parametrize(("score", "expected"), [(2.0, 1.0), (1.5, 0.5), (1.0, 0.0), (1 / 1.5, -0.5), (0.5, -1.0)])
def test_the_cosine_is_read_back_from_the_score(score: float, expected: float) -> None:
    assert cosine(score) == pytest.approx(expected)
