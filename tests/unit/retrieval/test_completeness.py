"""An index that lacks documents, as its users see it."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, SectionLocator
from cicada.errors import IndexIncompleteError, UnavailableError
from cicada.identity import Principal
from cicada.retrieval.completeness import IndexCompleteness
from cicada.retrieval.model import EmbeddedPassage
from tests.fakes.access import OpenAccess
from tests.fakes.clock import Clock
from tests.fakes.passage_index import InMemoryPassageIndex

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


@dataclass
class Stage:
    """`kept` documents were written at the time 0, an hour ago."""

    kept: Kept
    access: OpenAccess = field(default_factory=OpenAccess)
    index: InMemoryPassageIndex = field(default_factory=lambda: InMemoryPassageIndex("fixed", 1))
    clock: Clock = field(default_factory=lambda: Clock(3600.0))

    def __post_init__(self) -> None:
        self.completeness = IndexCompleteness(lambda: self.kept, self.index, self.access, self.clock, 900)

    def show(self, *names: str) -> Stage:
        for name in names:
            document = DocumentKey(STORE, name)
            text = Passage(f"{name}#0", document, "v1", name, "Text.", "", SectionLocator(()))
            self.index.replace(document, [EmbeddedPassage(text, [1.0])])
        return self

    def lacks(self, principal: Principal = ANN, base: str = "store") -> bool:
        try:
            self.completeness.check(principal, base)
        except IndexIncompleteError as error:
            assert "rebuild" in str(error)
            return True
        return False


def stage(*names: str) -> Stage:
    return Stage(Kept(dict.fromkeys(names, 0.0)))


def test_an_empty_index_of_kept_documents_is_incomplete_and_an_empty_base_is_not() -> None:
    assert stage("a", "b").lacks()
    assert not stage().lacks()
    assert not stage("a").lacks(base="another")
    assert not stage("a").lacks(Principal("others", "ann"))


def test_an_index_with_fewer_than_half_of_the_documents_is_incomplete() -> None:
    assert stage("a", "b", "c").show("a").lacks()
    assert not stage("a", "b", "c", "d").show("a", "b").lacks()


def test_who_may_read_none_of_the_documents_does_not_learn_that_they_exist() -> None:
    here = stage("a", "b")
    here.access = OpenAccess({"a": ("user:bob",), "b": ("group:hr",)})
    here.__post_init__()
    assert not here.lacks()
    assert here.lacks(Principal("acme", "bob"))
    assert here.lacks(Principal("acme", "cyd", frozenset({"hr"})))


def test_documents_withdrawn_from_everybody_do_not_count() -> None:
    here = Stage(Kept(dict.fromkeys("abcde", 0.0)), OpenAccess(unknown=set("abcd"))).show("e")
    assert not here.lacks()


def test_a_document_on_its_way_into_the_index_does_not_count() -> None:
    here = Stage(Kept({"a": 3600.0 - 899}))
    assert not here.lacks()
    here.clock.now += 120
    assert here.lacks()


def test_what_is_kept_is_listed_once_a_minute_and_again_before_anything_is_said() -> None:
    here = stage("a").show("a")
    assert not any(here.lacks() for _ in range(5))
    assert here.kept.looks == 1
    here.index.delete(DocumentKey(STORE, "a"))
    assert here.lacks()
    del here.kept.written_at["a"]
    assert not here.lacks()


def test_a_store_that_cannot_be_listed_is_no_complete_index() -> None:
    here = stage("a")
    here.access.failure = UnavailableError("Out of reach.")
    with pytest.raises(UnavailableError):
        here.lacks()
