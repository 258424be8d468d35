"""An index that lacks documents, as its users see it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import IndexIncompleteError, UnavailableError
from cicada.identity import Principal
from cicada.retrieval.completeness import IndexCompleteness
from cicada.retrieval.model import EmbeddedPassage
from tests.fakes.access import OpenAccess
from tests.fakes.clock import Clock
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.fakes.passages import passage

STORE = KnowledgeBaseKey("acme", "store")
ANN = Principal("acme", "ann")


@dataclass
class Kept:
    """What is kept of one base, with the times at which it was written."""

    written_at: dict[str, float]
    looks: int = 0

    def settled(self, base_key: KnowledgeBaseKey, before: float) -> tuple[str, ...]:
        self.looks += 1
        return tuple(name for name, at in self.written_at.items() if base_key == STORE and at < before)


class Stage:
    """`kept` documents were written at the time 0, an hour ago."""

    def __init__(self, *kept: str, shown: str = "", access: OpenAccess | None = None) -> None:
        self.kept, self.clock = Kept(dict.fromkeys(kept, 0.0)), Clock(3600.0)
        self.index = InMemoryPassageIndex("one", 1)
        for name in shown:
            kept_passage = passage(DocumentKey(STORE, name))
            self.index.replace(kept_passage.document, [EmbeddedPassage(kept_passage, [1.0])])
        self.access = access or OpenAccess()
        self.completeness = IndexCompleteness(lambda: self.kept, self.index, self.access, self.clock, 900)

    def lacks(self, principal: Principal = ANN, base: str = "store") -> bool:
        try:
            self.completeness.check(principal, base)
        except IndexIncompleteError as error:
            assert "rebuild" in str(error)
            return True
        return False


def test_an_empty_index_of_kept_documents_is_incomplete_and_an_empty_base_is_not() -> None:
    assert Stage("a", "b").lacks()
    assert not Stage().lacks()
    assert not Stage("a").lacks(base="another")
    assert not Stage("a").lacks(Principal("others", "ann"))


def test_an_index_with_fewer_than_half_of_the_documents_is_incomplete() -> None:
    assert Stage(*"abc", shown="a").lacks()
    assert not Stage(*"abcd", shown="ab").lacks()


def test_who_may_read_none_of_the_documents_does_not_learn_that_they_exist() -> None:
    here = Stage("a", "b", access=OpenAccess({"a": ("user:bob",), "b": ("group:hr",)}))
    assert not here.lacks()
    assert here.lacks(Principal("acme", "bob"))
    assert here.lacks(Principal("acme", "cyd", frozenset({"hr"})))


def test_documents_withdrawn_from_everybody_do_not_count() -> None:
    assert not Stage(*"abcde", shown="e", access=OpenAccess(unknown=set("abcd"))).lacks()


def test_a_document_on_its_way_into_the_index_does_not_count() -> None:
    here = Stage("a")
    here.kept.written_at["a"] = here.clock.now - 899
    assert not here.lacks()
    here.clock.now += 120
    assert here.lacks()


def test_what_is_kept_is_listed_once_a_minute_and_again_before_anything_is_said() -> None:
    here = Stage("a", shown="a")
    assert not any(here.lacks() for _ in range(5))
    assert here.kept.looks == 1
    here.index.delete(DocumentKey(STORE, "a"))
    assert here.lacks()
    del here.kept.written_at["a"]
    assert not here.lacks()


def test_a_store_that_cannot_be_listed_is_no_complete_index() -> None:
    with pytest.raises(UnavailableError):
        Stage("a", access=OpenAccess(failure=UnavailableError("Out of reach."))).lacks()
