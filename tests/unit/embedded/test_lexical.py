"""The embedded index's BM25, against the formula worked out from the texts."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, PassageFilter, SectionLocator
from cicada.retrieval.fusion import Bm25
from cicada.retrieval.model import EmbeddedPassage, IndexQuery
from cicada_embedded.passage_index import SqlitePassageIndex
from cicada_embedded.texts import analyzer

BASE = KnowledgeBaseKey("tenant", "plays")
WORDS = ("crown", "dagger", "forest", "ghost", "king", "night", "queen", "storm", "throne", "witch")
WEIGHTS = (Bm25(), Bm25(k1=0.9, b=0.4, title=0, context=0), Bm25(b=1.0, title=2.0, context=0.5))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "index.sqlite"


def document(rng: random.Random, name: str, version: int) -> list[Passage]:
    def text(low: int, high: int) -> str:
        return " ".join(rng.choices(WORDS, k=rng.randint(low, high)))

    key = DocumentKey(BASE, name)
    title = text(0, 3)
    return [
        Passage(
            f"{name}#{number}-{version}", key, str(version), title, text(1, 30), text(0, 4), SectionLocator(()),
            rng.choice(("en", "en", "de")),
        )
        for number in range(rng.randint(1, 5))
    ]  # fmt: skip


def fields(passage: Passage) -> dict[str, list[str]]:
    title = "" if passage.title in passage.context else passage.title
    words = f"{title} {passage.context} {passage.text}"
    return {"words": words.split(), "title": passage.title.split(), "context": passage.context.split()}


def expected(bm25: Bm25, question: list[str], passages: list[Passage]) -> Iterator[tuple[str, float]]:
    """BM25 by the book, each language and each field for itself."""
    for passage in passages:
        like = [fields(each) for each in passages if each.language == passage.language]
        yield (
            passage.passage_id,
            sum(
                weight
                * field_score(bm25, question, fields(passage)[field], [each[field] for each in like if each[field]])
                for field, weight in {"words": 1.0, "title": bm25.title, "context": bm25.context}.items()
            ),
        )


def field_score(bm25: Bm25, question: list[str], own: list[str], all_texts: list[list[str]]) -> float:
    total = 0.0
    for word in set(question) & set(own):
        holding = sum(word in text for text in all_texts)
        idf = math.log(1 + (len(all_texts) - holding + 0.5) / (holding + 0.5))
        mean = sum(map(len, all_texts)) / len(all_texts)
        often = own.count(word)
        total += idf * often / (often + bm25.k1 * (1 - bm25.b + bm25.b * len(own) / mean))
    return total


@pytest.mark.parametrize("bm25", WEIGHTS)
@pytest.mark.parametrize("seed", range(4))
def test_scores_are_those_of_the_formula_after_any_writes(path: Path, bm25: Bm25, seed: int) -> None:
    rng = random.Random(seed)
    index = SqlitePassageIndex(path, "model", 2, bm25=bm25)
    kept: dict[str, list[Passage]] = {}
    for step in range(25):
        name = f"d{rng.randint(0, 7)}"
        kept[name] = document(rng, name, step) if rng.random() < 0.8 else []
        index.replace(DocumentKey(BASE, name), [EmbeddedPassage(each, [1.0, 0.0]) for each in kept[name]])
        if rng.random() < 0.6:
            _compare(index, bm25, rng.sample(WORDS, rng.randint(1, 4)), [each for all in kept.values() for each in all])


def _compare(index: SqlitePassageIndex, bm25: Bm25, question: list[str], passages: list[Passage]) -> None:
    query = IndexQuery(PassageFilter(BASE), " ".join(question), [1.0, 0.0], 1000)
    found = {hit.passage.passage_id: hit.score for hit in index.search(query).lexical}
    wanted = {name: score for name, score in expected(bm25, question, passages) if score > 0}
    assert found == pytest.approx(wanted, rel=1e-4)


def test_a_word_that_is_there_more_often_than_a_byte_can_count_is_found(path: Path) -> None:
    index = SqlitePassageIndex(path, "model", 2)
    key = DocumentKey(BASE, "d")
    texts = ("crown " * 1000, "crown ghost " * 3)
    passages = [Passage(f"d#{n}", key, "v", "", text, "", SectionLocator(())) for n, text in enumerate(texts)]
    index.replace(key, [EmbeddedPassage(each, [1.0, 0.0]) for each in passages])
    found = index.search(IndexQuery(PassageFilter(BASE), "crown", [1.0, 0.0])).lexical
    assert sorted(hit.passage.passage_id for hit in found) == ["d#0", "d#1"]


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("english", "witches", "Witch"),
        ("german", "Häuser", "Haus"),
        ("french", "l’homme", "hommes"),
        ("italian", "dell'attore", "attori"),
        ("", "Yemen", "yemen"),
        ("english", "café", "cafe"),
        ("russian", "письма", "письмо"),
        ("german", "王妃", "王妃"),
    ],
)
def test_forms_of_a_word_are_one_term(language: str, one: str, other: str) -> None:
    assert analyzer(language).terms(one) == analyzer(language).terms(other) != []


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [("", "witches", "witch"), ("russian", "мой край", "мои краи"), ("", "が", "か"), ("english", "king", "queen")],
)
def test_different_words_are_different_terms(language: str, one: str, other: str) -> None:
    assert analyzer(language).terms(one) != analyzer(language).terms(other)


@pytest.mark.parametrize(
    ("language", "text"), [("english", "It is what it is"), ("german", "und der die das"), ("french", "qu'il")]
)
def test_stop_words_are_no_terms(language: str, text: str) -> None:
    assert analyzer(language).terms(text) == []


def test_a_word_of_broken_characters_is_a_term_like_any_other() -> None:
    assert len(analyzer("").terms("crown \ud800 x\udfffy")) >= 1
