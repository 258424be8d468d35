from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from cicada.agents.model import ANSWER_LIMIT_BYTES
from cicada.answering.evidence import RetrievedEvidence
from cicada.answering.prompt import evidence_text
from cicada.documents.catalogue import DocumentRow
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, PassageFilter, ScriptLocator
from cicada.errors import UnavailableError
from cicada.identity import Principal
from cicada.permissions import PermissionGate
from cicada.retrieval.model import EmbeddedPassage, Hit, IndexHits, IndexQuery, Vector
from cicada.retrieval.strategies.hybrid import HybridSearch
from tests.fakes.access import OpenAccess
from tests.fakes.retrieval import search_of

ANN = Principal("acme", "ann")


def passage(number: int, text: str) -> Passage:
    document = DocumentKey(KnowledgeBaseKey("acme", "scripts"), "macbeth")
    locator = ScriptLocator("macbeth", "Macbeth", "3.3", "A park", number, number + 1, ("BANQUO", "FLEANCE"))
    return Passage(f"p{number}", document, "1", "Macbeth", text, "", locator)


class FixedEmbedder:
    model_id = "fixed"
    dimension = 1

    def embed_query(self, text: str) -> Vector:
        return [1.0]

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return [[1.0]] * len(texts)


class FixedIndex:
    """Finds the same passages for every query; keeps the queries."""

    def __init__(self, *passages: Passage) -> None:
        self._passages = passages
        self.queries: list[IndexQuery] = []

    def search(self, query: IndexQuery) -> IndexHits:
        self.queries.append(query)
        return IndexHits(tuple(Hit(each, 1.0) for each in self._passages), ())

    def replace(
        self,
        document: DocumentKey,
        passages: Sequence[EmbeddedPassage],
        row: DocumentRow | None = None,
        card_vector: Vector = (),
    ) -> None: ...

    def delete(self, document: DocumentKey) -> None: ...

    def count(self, filter: PassageFilter) -> int:
        return len(self._passages)

    def passages_with(self, filter: PassageFilter, terms: Sequence[str]) -> Mapping[str, int]:
        raise NotImplementedError

    def passages_of(self, document: DocumentKey) -> tuple[Passage, ...]:
        return self._passages

    def vectors_of(self, base_key: KnowledgeBaseKey, passage_ids: Sequence[str]) -> Mapping[str, Vector]:
        return {}


class BrokenIndex(FixedIndex):
    def search(self, query: IndexQuery) -> IndexHits:
        raise UnavailableError("The index could not be reached; try again.")


def evidence(index: FixedIndex) -> RetrievedEvidence:
    return RetrievedEvidence(search_of(HybridSearch(index, FixedEmbedder())), PermissionGate(OpenAccess()))


def test_passages_have_their_places_and_no_numbers_that_would_cite_nothing() -> None:
    first, second = passage(1, "O, treachery! Fly, good Fleance!"), passage(3, "Who did strike out the light?")
    text = evidence(FixedIndex(first, second)).search(ANN, "scripts", "Banquo is killed")
    assert text == f"{evidence_text(first)}\n\n{evidence_text(second)}"
    assert text.startswith(
        "Passage:\nEpisode:\n| Macbeth\nChapter:\n| 3.3 A park\nMessages: 1–2\nSpeakers:\n| BANQUO, FLEANCE\n"
        "Text:\n| O, treachery!"
    )
    assert "[" not in text


def test_only_the_users_tenant_and_the_sessions_base_are_searched() -> None:
    index = FixedIndex()
    evidence(index).search(ANN, "novels", "Banquo is killed")
    (query,) = index.queries
    assert query.filter == PassageFilter(KnowledgeBaseKey("acme", "novels"), reader=frozenset({"user:ann"}))
    assert query.text == "Banquo is killed"


def test_a_tool_reads_what_its_users_groups_may() -> None:
    index = FixedIndex()
    evidence(index).search(Principal("acme", "ann", frozenset({"legal"})), "novels", "Banquo is killed")
    assert index.queries[0].filter.reader == frozenset({"user:ann", "group:legal"})


def test_nothing_found_is_an_empty_text() -> None:
    assert evidence(FixedIndex()).search(ANN, "scripts", "aliens") == ""


def test_a_search_that_fails_is_not_an_empty_text() -> None:
    with pytest.raises(UnavailableError):
        evidence(BrokenIndex()).search(ANN, "scripts", "Banquo is killed")


def test_what_does_not_fit_an_action_groups_answer_is_counted_and_passages_stay_whole() -> None:
    passages = [passage(number, f"{number} " + "夜" * 1500) for number in range(1, 9)]
    text = evidence(FixedIndex(*passages)).search(ANN, "scripts", "night")
    assert len(text.encode()) < ANSWER_LIMIT_BYTES + 100
    assert text.endswith(f"{'夜' * 1500}\n\n(4 more not shown here.)")
