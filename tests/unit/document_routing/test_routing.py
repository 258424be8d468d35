"""Routing as a part of the search."""

from __future__ import annotations

from dataclasses import dataclass, field

from msgspec.structs import replace

from cicada.document_routing.router import DocumentRouter
from cicada.document_routing.routing import BaseRouting, BaseSizes
from cicada.documents.model import PassageFilter
from cicada.retrieval.fusion import fuse
from cicada.retrieval.model import EncodedQuery, IndexQuery, Routed
from tests.fakes.clock import Clock
from tests.fakes.passages import PLAYS
from tests.fakes.retrieval import LetterEmbedder, LetterIndex

FILTER = PassageFilter(PLAYS)


@dataclass
class Shelf:
    """Documents about letters, each with a card of its own."""

    index: LetterIndex = field(default_factory=LetterIndex)
    clock: Clock = field(default_factory=Clock)

    def routed(self, text: str, above: int = 2, documents: int = 2, filter: PassageFilter = FILTER) -> Routed:
        vector = LetterEmbedder().embed_query(text)
        hits = self.index.search(IndexQuery(filter, text, vector, 1))
        sizes = BaseSizes(self.index, self.clock)
        routing = BaseRouting(DocumentRouter(self.index), self.index, sizes, above, documents)
        return routing.routed(EncodedQuery(text, vector), filter, fuse(hits, "zscore"))


def shelf() -> Shelf:
    made = Shelf()
    made.index.put("alpha", "dagger aaa", "about aaa")
    made.index.put("beta", "bbb", "about bbb and a dagger")
    made.index.put("gamma", "ccc", "about ccc")
    return made


def test_a_small_base_is_searched_whole() -> None:
    assert shelf().routed("dagger", above=3) == Routed()


def test_in_a_larger_one_the_documents_of_cards_and_passages_count() -> None:
    made = shelf()
    found = made.routed("dagger aaa")
    assert (found.document_ids, found.path[0]) == (frozenset({"alpha", "beta"}), "route:2/3")
    # Those of the document that only its card found are fetched.
    assert {hit.passage.document.document_id for hit in found.hits.semantic} == {"beta"}
    made.index.queries.clear()
    assert made.routed("dagger aaa", documents=1).hits.semantic == ()
    assert len(made.index.queries) == 1


def test_nothing_is_routed_to_that_the_asker_may_not_read_and_the_path_says_nothing_of_it() -> None:
    made, ann = shelf(), replace(FILTER, reader=frozenset({"user:ann"}))
    before = made.routed("dagger", filter=ann)
    made.index.put("secret", "dagger dagger", "all about a dagger", readers=("group:thanes",))
    for documents in (2, 4):
        found = made.routed("dagger", documents=documents, filter=ann)
        assert found.document_ids is not None
        assert "secret" not in found.document_ids
    assert made.routed("dagger", filter=ann).path == before.path != ()
    thane = replace(FILTER, reader=frozenset({"group:thanes"}))
    assert made.routed("dagger", documents=4, filter=thane).path[0] == "route:4/4"


def test_a_bases_size_is_the_number_of_documents_that_the_asker_may_read_counted_now_and_then() -> None:
    made, ann = shelf(), replace(FILTER, reader=frozenset({"user:ann"}))
    sizes = BaseSizes(made.index, made.clock, seconds=60)
    assert (sizes.documents(FILTER), sizes.documents(ann)) == (3, 3)
    made.index.put("delta", "ddd", readers=("user:ann",))
    assert (sizes.documents(FILTER), sizes.documents(ann)) == (3, 3)
    made.clock.now += 61
    assert (sizes.documents(FILTER), sizes.documents(ann)) == (3, 4)
    assert made.routed("dagger aaa", above=3) == Routed()


def test_only_so_many_sizes_are_kept() -> None:
    made = shelf()
    sizes = BaseSizes(made.index, made.clock)
    for number in range(2500):
        sizes.documents(replace(FILTER, reader=frozenset({f"user:{number}"})))
    assert len(sizes._counted) <= 1000
