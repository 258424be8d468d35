"""Routing questions to documents, by itself and as a part of the search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from cicada.document_routing.router import BaseRouting, BaseSizes, DocumentRouter, Routing
from cicada.documents.catalogue import DocumentRow
from cicada.documents.model import PassageFilter
from cicada.errors import CicadaError, ConfigurationError, UnavailableError
from cicada.knowledge_bases.settings import RouteMode
from cicada.retrieval.fusion import fuse
from cicada.retrieval.model import EncodedQuery, IndexQuery, Routed
from tests.fakes.clock import Clock
from tests.fakes.passages import PLAYS
from tests.fakes.retrieval import LetterEmbedder, LetterIndex
from tests.unit.document_routing.documents import BASE, EVERYTHING, Written, candidates, encoded, index_of

TRAVEL = "flights must be booked in economy class"
STORE = {
    "travel": Written("Travel policy", ("flights", "hotels"), (TRAVEL, "hotels cost at most ninety euros")),
    "leave": Written("Annual leave", ("holidays",), ("thirty days of holidays a year",)),
    "visits": Written("Visitors", ("badges",), ("every visitor wears a badge",)),
    "lease": Written("Lease of the laboratory", ("rent",), ("the rent is due each month",)),
}


def route(documents: dict[str, Written], text: str, filter: PassageFilter = EVERYTHING) -> Routing:
    index = index_of(documents)
    return DocumentRouter(index).route(encoded(text), (), filter, candidates(index, text, filter))


def ids(routing: Routing) -> list[str]:
    return [each.document.document_id for each in routing.documents]


def test_the_document_whose_passages_and_card_match_is_first() -> None:
    found = route(STORE, "Which class must flights be booked in?")
    assert ids(found)[0] == "travel"
    assert set(found.documents[0].signals) == {
        "card_words", "card_vector", "card", "concepts", "passage_words", "passage_vector", "passages", "feedback",
        "fused",
    }  # fmt: skip
    assert found.path == ()
    assert [found.first(1), found.first(15)] == [{"travel"}, set(STORE)]


def test_cards_alone_find_a_document_whose_passages_were_not_found() -> None:
    found = DocumentRouter(index_of(STORE)).route(encoded("annual leave"), (), EVERYTHING, ())
    assert ids(found)[0] == "leave"
    assert not found.documents[0].signals.keys() & {"passages", "feedback"}


def test_passages_alone_find_a_document_without_a_card() -> None:
    found = route({**STORE, "travel": replace(STORE["travel"], has_card=False)}, "flights in economy class")
    assert ids(found)[0] == "travel"
    assert not found.documents[0].signals.keys() & {"card_words", "card_vector", "concepts"}


def test_nothing_is_routed_to_in_an_empty_base() -> None:
    assert route({}, "flights") == Routing((), 1.0)


def test_a_document_that_the_user_may_not_read_is_not_routed_to() -> None:
    documents = {**STORE, "secret": replace(STORE["travel"], readers=("group:board",))}
    assert "secret" not in ids(route(documents, "flights in economy class"))
    allowed = PassageFilter(BASE, reader=frozenset({"group:board"}))
    assert "secret" in ids(route(documents, "flights in economy class", allowed))


def test_the_best_passages_ask_for_more_like_them() -> None:
    """Two passages share no word with the question; the one that is like the best passage comes before the other."""
    documents = {
        "first": Written("", (), ("zebra quagga",)),
        "like": Written("", (), ("quagga quagga",)),
        "other": Written("", (), ("wombat wombat",)),
    }
    found = route(documents, "zebra")
    signals = {each.document.document_id: each.signals for each in found.documents}
    assert signals["first"]["feedback"] > signals["like"]["feedback"] > signals["other"]["feedback"]
    assert ids(found) == ["first", "like", "other"]


def test_key_concepts_are_compared_with_topics() -> None:
    index = index_of(STORE)
    found = DocumentRouter(index).route(encoded("how much is it?"), ("hotels", "flights"), EVERYTHING, ())
    concepts = {each.document.document_id: each.signals["concepts"] for each in found.documents}
    assert concepts == {"travel": 1.0, "leave": 0.0, "visits": 0.0, "lease": 0.0}


def test_the_topics_of_a_document_that_only_its_passages_found_are_read() -> None:
    index, text = index_of(STORE), "rent due"
    found = DocumentRouter(index, cards=1).route(encoded(text), ("badges",), EVERYTHING, candidates(index, text))
    concepts = {each.document.document_id: each.signals.get("concepts") for each in found.documents}
    assert concepts == {"travel": 0.0, "leave": 0.0, "visits": 1.0, "lease": 0.0}


@dataclass
class Ranker:
    """Answers with `order`, or fails; keeps what it was shown."""

    order: Sequence[str] = ()
    failure: CicadaError | None = None
    shown: list[str] = field(default_factory=list)

    def rank(self, question: str, rows: Sequence[DocumentRow]) -> tuple[str, ...]:
        self.shown = [row.document.document_id for row in rows]
        if self.failure:
            raise self.failure
        return tuple(self.order)


CLEAR, UNCLEAR = "flights must be booked in economy class", "due"


def routed_by(mode: RouteMode, ranker: Ranker, text: str, asked: int = 30) -> Routing:
    # Two documents with the same words are ambiguous by any measure.
    index = index_of({**STORE, "lease-2": STORE["lease"]})
    router = DocumentRouter(index, mode=mode, ranker=ranker, asked=asked)
    return router.route(encoded(text), (), EVERYTHING, candidates(index, text))


@pytest.mark.parametrize(
    ("mode", "text", "is_asked"),
    [("fast", UNCLEAR, False), ("balanced", CLEAR, False), ("balanced", UNCLEAR, True), ("precise", CLEAR, True)],
)
def test_a_model_is_asked_by_mode_and_ambiguity(mode: RouteMode, text: str, is_asked: bool) -> None:
    ranker = Ranker(["visits"])
    found = routed_by(mode, ranker, text)
    assert bool(ranker.shown) == is_asked
    assert found.path == (("route:model",) if is_asked else ())
    assert (ids(found)[0] == "visits") == is_asked


def test_the_model_ranks_what_it_was_shown_and_nothing_is_lost() -> None:
    ranker = Ranker(["visits", "unknown", "visits", "travel"])
    plain = ids(routed_by("fast", ranker, UNCLEAR))
    found = ids(routed_by("precise", ranker, UNCLEAR))
    assert found == ["visits", "travel", *(each for each in plain if each not in ("visits", "travel"))]
    routed_by("precise", ranker, UNCLEAR, asked=2)
    assert ranker.shown == plain[:2]


@pytest.mark.parametrize("failure", [UnavailableError("Throttled."), ConfigurationError("No such model.")])
def test_the_order_of_the_scores_stays_if_the_model_fails(failure: CicadaError) -> None:
    reported: list[CicadaError] = []
    index = index_of(STORE)
    router = DocumentRouter(index, mode="precise", ranker=Ranker(failure=failure), report=reported.append)
    found = router.route(encoded(CLEAR), (), EVERYTHING, candidates(index, CLEAR))
    assert (ids(found)[0], found.path[-1], reported) == ("travel", "route:model_failed", [failure])


FILTER = PassageFilter(PLAYS)


@dataclass
class Shelf:
    """Documents about letters, each with a card of its own."""

    index: LetterIndex = field(default_factory=LetterIndex)
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.index.put("alpha", "dagger aaa", "about aaa")
        self.index.put("beta", "bbb", "about bbb and a dagger")
        self.index.put("gamma", "ccc", "about ccc")

    def routed(self, text: str, above: int = 2, filter: PassageFilter = FILTER, **settings: int) -> Routed:
        vector = LetterEmbedder().embed_query(text)
        hits = self.index.search(IndexQuery(filter, text, vector, 1))
        sizes = BaseSizes(self.index, self.clock)
        routing = BaseRouting(DocumentRouter(self.index), self.index, sizes, above, **settings)
        return routing.routed(EncodedQuery(text, vector), filter, fuse(hits, "zscore"))


def test_a_small_base_is_searched_whole() -> None:
    assert Shelf().routed("dagger", above=3) == Routed()


def test_in_a_larger_one_the_documents_of_cards_and_passages_count() -> None:
    made = Shelf()
    found = made.routed("dagger aaa", documents=2)
    assert (found.document_ids, found.path[0]) == (frozenset({"alpha", "beta"}), "route:2/3")
    # Those of the document that only its card found are fetched.
    assert {hit.passage.document.document_id for hit in found.hits.semantic} == {"beta"}
    made.index.queries.clear()
    assert made.routed("dagger aaa", documents=1).hits.semantic == ()
    assert len(made.index.queries) == 1


def test_nothing_is_routed_to_that_the_asker_may_not_read_and_the_path_says_nothing_of_it() -> None:
    made, ann = Shelf(), replace(FILTER, reader=frozenset({"user:ann"}))
    before = made.routed("dagger", filter=ann, documents=2)
    made.index.put("secret", "dagger dagger", "all about a dagger", readers=("group:thanes",))
    for documents in (2, 4):
        found = made.routed("dagger", documents=documents, filter=ann)
        assert found.document_ids is not None
        assert "secret" not in found.document_ids
    assert made.routed("dagger", filter=ann, documents=2).path == before.path != ()
    thane = replace(FILTER, reader=frozenset({"group:thanes"}))
    assert made.routed("dagger", documents=4, filter=thane).path[0] == "route:4/4"


def test_a_bases_size_is_the_number_of_documents_that_the_asker_may_read_counted_now_and_then() -> None:
    made, ann = Shelf(), replace(FILTER, reader=frozenset({"user:ann"}))
    sizes = BaseSizes(made.index, made.clock, seconds=60)
    assert (sizes.documents(FILTER), sizes.documents(ann)) == (3, 3)
    made.index.put("delta", "ddd", readers=("user:ann",))
    assert (sizes.documents(FILTER), sizes.documents(ann)) == (3, 3)
    made.clock.now += 61
    assert (sizes.documents(FILTER), sizes.documents(ann)) == (3, 4)
    assert made.routed("dagger aaa", above=3) == Routed()


def test_only_so_many_sizes_are_kept() -> None:
    made = Shelf()
    sizes = BaseSizes(made.index, made.clock)
    for number in range(2500):
        sizes.documents(replace(FILTER, reader=frozenset({f"user:{number}"})))
    assert len(sizes._counted) <= 1000
