"""The mapping of the OpenSearch index."""

from __future__ import annotations

import json

import pytest

from cicada.adapters.opensearch.queries import cosine
from cicada.adapters.opensearch.schema import ANALYZERS, MAPPING_FILE, OTHER_ANALYZER, analyzer, index_body
from cicada.retrieval.terms import MAX_TERMS

FIELDS = json.loads(MAPPING_FILE.read_text("utf-8"))
# https://lucene.apache.org/core/10_0_0/core/org/apache/lucene/search/IndexSearcher.html#getMaxClauseCount()
LUCENE_CLAUSES = 1024


@pytest.mark.parametrize("name", sorted({*ANALYZERS.values(), OTHER_ANALYZER}))
def test_every_analyzer_has_a_field_for_words_and_one_for_context(name: str) -> None:
    assert FIELDS[f"words_{name}"] == FIELDS[f"context_{name}"] == {"type": "text", "analyzer": name}


def test_the_mapping_says_nothing_that_cloudformation_cannot_say() -> None:
    for field in FIELDS.values():
        assert field.keys() <= {"type", "analyzer", "index"}


def test_the_longest_question_stays_below_the_clauses_that_lucene_allows() -> None:
    analyzers = len({*ANALYZERS.values(), OTHER_ANALYZER})
    assert MAX_TERMS * 2 * analyzers < LUCENE_CLAUSES


@pytest.mark.parametrize(
    ("language", "name"),
    [("en", "english"), ("EN-gb", "english"), ("ja", "cjk"), ("zh-Hant", "cjk"), ("th", "standard")],
)
def test_a_content_language_has_an_analyzer(language: str, name: str) -> None:
    assert analyzer(language) == name


def test_the_engine_is_left_to_the_server_where_none_is_named() -> None:
    method = index_body("embedder", 8, "")["mappings"]["properties"]["vector"]["method"]
    assert "engine" not in method
    assert index_body("embedder", 8, "faiss")["mappings"]["properties"]["vector"]["method"]["engine"] == "faiss"


@pytest.mark.parametrize(("score", "expected"), [(2.0, 1.0), (1.5, 0.5), (1.0, 0.0), (1 / 1.5, -0.5), (0.5, -1.0)])
def test_the_cosine_is_read_back_from_the_score(score: float, expected: float) -> None:
    assert cosine(score) == pytest.approx(expected)
