"""The mapping of the OpenSearch index."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cicada.adapters.opensearch.lexical import MAX_LENGTH, first_tokens, question_words
from cicada.adapters.opensearch.queries import card_words, cosine, nearest_cards_body
from cicada.adapters.opensearch.schema import ANALYZERS, MAPPING_FILE, IndexOptions, analyzer, check_index, index_name
from cicada.documents.model import KnowledgeBaseKey, PassageFilter
from cicada.errors import ConfigurationError
from cicada.languages.terms import query_terms
from cicada.retrieval.fusion import CARD_FIELDS, Bm25
from cicada.retrieval.model import CardQuery

FIELDS = json.loads(MAPPING_FILE.read_text("utf-8"))


@pytest.mark.parametrize("name", ANALYZERS)
def test_every_analyzer_has_a_field_for_each_part_of_passages_and_cards(name: str) -> None:
    for field in ("words", "title", "context", *(f"card_{each}" for each in CARD_FIELDS)):
        assert FIELDS[f"{field}_{name}"] == {"type": "text", "analyzer": name}


def test_the_mapping_says_nothing_that_cloudformation_cannot_say() -> None:
    for field in FIELDS.values():
        assert field.keys() <= {"type", "analyzer", "index"}


def vector_fields(options: IndexOptions) -> list[Any]:
    """The vector fields of each form, which are alike."""
    fields = [body["mappings"]["properties"] for body in options.bodies()]
    assert [each["vector"] for each in fields] == [each["card_vector"] for each in fields]
    return [each["vector"] for each in fields]


def test_faiss_is_asked_for_and_then_what_the_server_chooses() -> None:
    plain = {"type": "knn_vector", "dimension": 4, "space_type": "innerproduct", "compression_level": "1x"}
    named = {**plain, "method": {"name": "hnsw", "engine": "faiss"}}
    assert vector_fields(IndexOptions("titan", 4, "")) == [named, plain]


def test_a_server_whose_engine_is_known_is_asked_for_no_other() -> None:
    [field] = vector_fields(IndexOptions("titan", 4, "lucene", "32x"))
    assert field["method"] == {"name": "hnsw", "engine": "lucene"}
    assert (field["mode"], field["compression_level"]) == ("on_disk", "32x")


@pytest.mark.parametrize("field", ["card_vector", "readers"])
def test_an_index_without_cards_or_viewers_is_refused(field: str) -> None:
    mapping = IndexOptions("titan", 4).bodies()[0]["mappings"]
    check_index("passages", mapping, "titan", 4)
    del mapping["properties"][field]
    with pytest.raises(ConfigurationError, match=f"earlier version of CICADA and has no field {field}"):
        check_index("passages", mapping, "titan", 4)


def test_an_index_is_named_by_its_mapping_and_its_embedder() -> None:
    assert index_name("amazon.titan-embed-text-v2:0", 512) == "passages-v4-amazon-titan-embed-text-v2-0-512"
    assert index_name("arn::Model/X", 4) == "passages-v4-arn-model-x-4"


def test_cards_are_asked_for_within_one_base_and_by_the_viewer_whichever_retriever_asks() -> None:
    filter = PassageFilter(KnowledgeBaseKey("t", "b"), reader=frozenset({"user:ross"}))
    query = CardQuery(filter, "queen", [1.0])
    words = card_words(query, Bm25())
    assert words
    statistics = words.statistics_body()
    weights = dict.fromkeys(statistics["aggs"]["words"]["filters"]["filters"], 1.0)
    near = nearest_cards_body(query, 1)["query"]["knn"]["card_vector"]["filter"]
    for body in (near, statistics["query"], words.candidates_body(weights)["query"]):
        conditions = body["bool"]["filter"]
        assert conditions[:2] == [{"term": {"tenant": "t"}}, {"term": {"knowledge_base": "b"}}]
        assert {"terms": {"readers": ["*", "=user:ross"]}} in conditions


def asked(text: str) -> tuple[str, ...]:
    """The words that a question is searched for."""
    return question_words(text, Bm25().fields)


@pytest.mark.parametrize(
    "text",
    [
        "Who tells Macbeth that the queen is dead?",
        "Does version 3.14.15 of lib.so run on U.S.A. gpt4 machines, and don't drown'd foo_bar and C3PO?",
        "Кто сказал Макбету, что королева умерла?",
        "Wer überbringt Macbeth die Nachricht von Größe und Straße?",
        "من قال إن الملكة ماتت؟ מי אמר שהמלכה מתה?",
        "रानी की मृत्यु किसने बताई और किले में कौन था?",
        "ใครบอกแม็คเบธว่าราชินีสิ้นพระชนม์แล้ว",
        " ".join(f"word{number}" for number in range(35)),
        " ".join(f"नगर{number}" for number in range(35)),
    ],
)
def test_the_words_of_an_ordinary_question_are_all_asked_for(text: str) -> None:
    assert asked(text) == query_terms(text)


def test_the_words_and_pairs_of_a_mixed_question_are_all_asked_for() -> None:
    found = asked("Macbeth王妃の死 in Shakespeare's 悲劇")
    assert " ".join(found) == "macbeth shakespeare 王妃 妃の の死 悲劇"


@pytest.mark.parametrize(
    ("terms", "most", "kept"),
    [
        (["u.s.a", "3.14", "don't", "gpt4", "queen"], 4, ["u.s.a", "3.14", "don't", "gpt4"]),
        (["candle", "aa.0.ba.1", "queen"], 4, ["candle", "aa.0.ba"]),
        (["a_.b", "queen"], 2, ["a_.b"]),
        (["กขค1กข", "queen"], 3, ["กขค1กข"]),
        (["〡〢〣", "queen"], 2, ["〡〢"]),
        (["\U0001b001\U0001b002\U0001b003"], 2, ["\U0001b001\U0001b002"]),
        (["a" * 300, "queen"], 2, ["a" * MAX_LENGTH, "queen"]),
        (["queen"], 0, []),
    ],
)
def test_as_many_terms_are_kept_as_lucene_may_make_tokens_of(terms: list[str], most: int, kept: list[str]) -> None:
    assert list(first_tokens(terms, most)) == kept


@pytest.mark.parametrize(
    ("languages", "name"),
    [
        ("en EN-gb", "english"),
        ("ja zh-Hant", "cjk"),
        ("pt_BR", "portuguese"),
        ("nn", "norwegian"),
        ("th", "standard"),
    ],
)
def test_a_content_language_has_an_analyzer(languages: str, name: str) -> None:
    assert {analyzer(language) for language in languages.split()} == {name}


@pytest.mark.parametrize(("score", "expected"), [(2.0, 1.0), (1.5, 0.5), (1.0, 0.0), (1 / 1.5, -0.5), (0.5, -1.0)])
def test_the_cosine_is_read_back_from_the_score(score: float, expected: float) -> None:
    assert cosine(score) == pytest.approx(expected)
