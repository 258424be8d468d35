"""Routing as a part of the search."""

from __future__ import annotations

from dataclasses import dataclass, field

from msgspec.structs import replace

from cicada.document_routing.router import DocumentRouter
from cicada.document_routing.routing import BaseRouting, BaseSizes
from cicada.documents.catalogue import Card, row_of
from cicada.documents.model import DocumentKey, Passage, PassageFilter, SectionLocator
from cicada.retrieval.fusion import fuse
from cicada.retrieval.model import EmbeddedPassage, EncodedQuery, IndexQuery, Routed
from tests.fakes.clock import Clock
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.unit.retrieval.test_search import PLAYS, LetterEmbedder

FILTER = PassageFilter(PLAYS)


@dataclass
class Shelf:
    """Documents about letters, each with a card of its own."""

    index: InMemoryPassageIndex = field(default_factory=lambda: InMemoryPassageIndex("letters", 4))
    clock: Clock = field(default_factory=Clock)

    def put(self, name: str, text: str, about: str = "", readers: tuple[str, ...] = ()) -> None:
        key = DocumentKey(PLAYS, name)
        passage = Passage(f"{name}#0", key, "1", name, text, "", SectionLocator(()), readers=readers)
        vector, card_vector = LetterEmbedder().embed_passages([text, about])
        row = row_of([passage])
        assert row
        self.index.replace(key, [EmbeddedPassage(passage, vector)], replace(row, card=Card(name, about)), card_vector)

    def routed(self, text: str, above: int = 2, documents: int = 2, filter: PassageFilter = FILTER) -> Routed:
        sizes = BaseSizes(self.index, self.clock)
        vector = LetterEmbedder().embed_query(text)
        hits = self.index.search(IndexQuery(filter, text, vector, 1))
        routing = BaseRouting(DocumentRouter(self.index), self.index, sizes, above, documents)
        return routing.routed(EncodedQuery(text, vector), filter, fuse(hits, "zscore"))


def shelf() -> Shelf:
    made = Shelf()
    made.put("alpha", "dagger aaa", "about aaa")
    made.put("beta", "bbb", "about bbb and a dagger")
    made.put("gamma", "ccc", "about ccc")
    return made


def test_a_small_base_is_searched_whole() -> None:
    assert shelf().routed("dagger", above=3) == Routed()


def test_in_a_larger_one_the_documents_of_cards_and_passages_count() -> None:
    found = shelf().routed("dagger aaa")
    assert found.document_ids == frozenset({"alpha", "beta"})
    assert found.path[0] == "route:2/3"


def test_passages_of_documents_that_only_their_card_found_are_fetched() -> None:
    found = shelf().routed("dagger aaa")
    assert {hit.passage.document.document_id for hit in found.hits.semantic} == {"beta"}
    assert shelf().routed("dagger aaa", documents=1).hits.semantic == ()


def test_nothing_is_routed_to_that_the_filter_does_not_let_through() -> None:
    made = shelf()
    made.put("secret", "dagger dagger", "all about a dagger", readers=("group:thanes",))
    found = made.routed("dagger", documents=4)
    assert found.document_ids is not None
    assert "secret" not in found.document_ids
    assert made.routed("dagger", documents=4, filter=replace(FILTER, reader=frozenset({"group:thanes"}))).path[0] == (
        "route:4/4"
    )


def test_the_path_says_nothing_of_documents_that_the_asker_may_not_read() -> None:
    made = shelf()
    before = made.routed("dagger", filter=replace(FILTER, reader=frozenset({"user:ann"})))
    made.put("secret", "dagger dagger", "all about a dagger", readers=("group:thanes",))
    after = made.routed("dagger", filter=replace(FILTER, reader=frozenset({"user:ann"})))
    assert before.path == after.path
    assert before.path


def test_a_bases_size_is_counted_again_after_a_while() -> None:
    made = shelf()
    sizes = BaseSizes(made.index, made.clock, seconds=60)
    assert sizes.documents(FILTER) == 3
    made.put("delta", "ddd")
    assert sizes.documents(FILTER) == 3
    made.clock.now += 61
    assert sizes.documents(FILTER) == 4


def test_a_bases_size_is_the_number_of_documents_that_the_asker_may_read() -> None:
    made = shelf()
    made.put("delta", "ddd", readers=("user:ann",))
    sizes = BaseSizes(made.index, made.clock)
    assert sizes.documents(FILTER) == 3
    assert sizes.documents(replace(FILTER, reader=frozenset({"user:ann"}))) == 4
    assert made.routed("dagger aaa", above=3) == Routed()


def test_only_so_many_sizes_are_kept() -> None:
    made = shelf()
    sizes = BaseSizes(made.index, made.clock)
    for number in range(2500):
        sizes.documents(replace(FILTER, reader=frozenset({f"user:{number}"})))
    assert len(sizes._counted) <= 1000
