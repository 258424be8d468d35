"""What a user gets does not depend on documents that the user may not read.

Documents of another tenant, of another knowledge base and of other viewers are added, changed and deleted beside those
that a user may read. The user's searches, cards, counts and listings stay the same to the last digit.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest
from msgspec.structs import replace

from cicada.document_routing.router import BaseRouting, BaseSizes, DocumentRouter
from cicada.documents.catalogue import DOCUMENTS, TITLE, Aggregate, Sort
from cicada.documents.model import AnyOf, DocumentKey, KnowledgeBaseKey, PassageFilter
from cicada.identity import Principal
from cicada.permissions import every_document, readable_passages
from cicada.retrieval.model import CardQuery, EmbeddedPassage, IndexQuery, Retrieval
from cicada.retrieval.ports import CataloguedIndex
from cicada.retrieval.quality import evidence_quality
from cicada.retrieval.rerank.local import LocalReranker
from cicada.retrieval.strategies.hybrid import FilteredSearch, HybridSearch
from tests.contract.card_index import card, described
from tests.contract.passage_indexes import DIMENSION, MODEL, IndexUnderTest, eventually
from tests.contract.passages import PLAYS, WORDS, passage, random_vector, vector

BOB = Principal("tenant-a", "bob", frozenset({"clerks"}))
ELSEWHERE = KnowledgeBaseKey("tenant-b", "plays")
BESIDE = KnowledgeBaseKey("tenant-a", "letters")
OPEN_TO_BOB: tuple[tuple[str, ...], ...] = ((), ("user:bob",), ("group:clerks", "user:ann"))
HIDDEN: tuple[tuple[KnowledgeBaseKey, tuple[str, ...]], ...] = (
    (PLAYS, ("user:ann",)),
    (PLAYS, ("group:directors", "user:ann")),
    (ELSEWHERE, ()),
    (ELSEWHERE, ("user:bob",)),
    (BESIDE, ()),
)
# Two words of the readable documents, one that stands in few of them, and one that stands in hidden ones alone.
QUESTIONS = ("the queen and the king", "storm", "dagger night", "merger of the crown")
SECRET = "merger"
LANGUAGES = ("en", "de", "ja")
# The readable documents alone are few enough to search all.
READABLE = ROUTED_ABOVE = 8


class Vectors:
    """A vector for each question."""

    model_id, dimension = MODEL, DIMENSION

    def embed_query(self, text: str) -> Sequence[float]:
        return vector(1.0, len(text), text.count("e"))

    def embed_passages(self, texts: Sequence[str]) -> list[Sequence[float]]:
        return [self.embed_query(text) for text in texts]


@dataclass
class Library:
    """An index with documents that Bob may read, and others that come and go."""

    index: CataloguedIndex
    rng: random.Random

    def put(self, base_key: KnowledgeBaseKey, name: str, readers: tuple[str, ...], *words: str) -> None:
        """One to four passages of the usual words and of these."""
        document, rng = DocumentKey(base_key, name), self.rng
        language = rng.choice(LANGUAGES)
        texts = [" ".join(rng.choices((*WORDS, *words), k=rng.randint(2, 30))) for _ in range(rng.randint(1, 4))]
        kept = [
            passage(document, number, text, language=language, metadata={"act": rng.choice("12")}, readers=readers)
            for number, text in enumerate(texts)
        ]
        passages = [EmbeddedPassage(each, random_vector(rng)) for each in kept]
        named = card(rng.choice(WORDS), texts[0], rng.choice(WORDS), tag=rng.choice((*WORDS, *words)))
        self.index.replace(document, passages, described(passages, named), random_vector(rng))

    def settled(self, documents: int) -> bool:
        """Whether the index shows so many documents of all bases, each once."""
        bases = (PLAYS, ELSEWHERE, BESIDE)
        return eventually(lambda: sum(self.index.count_documents(every_document(each)) for each in bases) == documents)

    def seen_by_bob(self) -> list[object]:
        """All that a search, a listing and a count give to Bob."""
        filter = readable_passages(BOB, "plays")
        with_act = replace(filter, conditions=(AnyOf("act", frozenset({"1"})),))
        return [
            self.index.count(filter),
            self.index.count_documents(filter),
            self.index.rows(filter, Sort(TITLE), 100),
            self.index.aggregate(filter, (DOCUMENTS, Aggregate("count", "act"), Aggregate("max", "act"))),
            self.index.aggregate(filter, (DOCUMENTS,), ("act",)),
            self.index.aggregate(filter, (), ("act",), Sort("act")),
            *(each for text in QUESTIONS for each in self.searched(text, filter)),
            *(each for text in QUESTIONS for each in self.filtered(text, with_act)),
        ]

    def searched(self, text: str, filter: PassageFilter) -> Iterator[object]:
        towards = Vectors().embed_query(text)
        yield self.index.search(IndexQuery(filter, text, towards, 10))
        yield self.index.find_cards(CardQuery(filter, text, towards))
        yield from self.judged(text, self.hybrid().retrieve(text, filter))

    def filtered(self, text: str, filter: PassageFilter) -> Iterator[object]:
        for filter_first in (0, 1000):
            yield from self.judged(text, FilteredSearch(self.hybrid(), self.index, filter_first).retrieve(text, filter))

    def hybrid(self) -> HybridSearch:
        sizes = BaseSizes(self.index, lambda: 0.0)
        routing = BaseRouting(DocumentRouter(self.index), self.index, sizes, ROUTED_ABOVE, 3)
        return HybridSearch(self.index, Vectors(), reranker=LocalReranker(self.index), routing=routing)

    def judged(self, text: str, found: Retrieval) -> Iterator[object]:
        yield found
        yield evidence_quality(text, found)


@pytest.fixture(params=range(2))
def library(deployed_under_test: IndexUnderTest, request: pytest.FixtureRequest) -> Library:
    """Documents for Bob, and one hidden from him in each way."""
    library = Library(deployed_under_test.open(), random.Random(request.param))
    for number in range(READABLE):
        library.put(PLAYS, f"open-{number}", OPEN_TO_BOB[number % len(OPEN_TO_BOB)])
    for number, (base_key, readers) in enumerate(HIDDEN):
        library.put(base_key, f"hidden-{number}", readers, SECRET)
    assert library.settled(READABLE + len(HIDDEN))
    return library


def added(library: Library) -> int:
    for number, (base_key, readers) in enumerate(HIDDEN):
        library.put(base_key, f"another-{number}", readers, SECRET, "storm", "storm")
    return 2 * len(HIDDEN)


def changed(library: Library) -> int:
    for number, (base_key, readers) in enumerate(HIDDEN):
        library.put(base_key, f"hidden-{number}", readers, "queen", "queen", "crown")
    return 2 * len(HIDDEN)


def deleted(library: Library) -> int:
    for number, (base_key, _) in enumerate(HIDDEN):
        library.index.delete(DocumentKey(base_key, f"hidden-{number}"))
    return len(HIDDEN)


def test_a_hidden_document_changes_nothing_that_a_user_gets(library: Library) -> None:
    before = library.seen_by_bob()
    for happens in (added, changed, deleted):
        hidden = happens(library)
        assert library.settled(READABLE + hidden)
        for one, other in zip(before, library.seen_by_bob(), strict=True):
            assert one == other, happens


def test_a_document_that_the_user_may_read_does_change_it(library: Library) -> None:
    before = library.seen_by_bob()
    library.put(PLAYS, "another", ("group:clerks",), "storm", "queen")
    assert library.settled(READABLE + 1 + len(HIDDEN))
    assert library.seen_by_bob() != before
