"""What an answer shows to whom, with the real search, catalogue and gate on the fake and on both engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from cicada.agents.model import AgentTurn
from cicada.answering.agent_search import PermittedAgentSearch
from cicada.answering.answer import Answerer
from cicada.answering.listing import ListingAnswerer
from cicada.answering.parts import AnswerPart, Finished, Listed, Progress
from cicada.answering.passages import PassageAnswerer
from cicada.answering.whole_documents import WholeDocumentAnswerer
from cicada.conversation.model import Question
from cicada.document_routing.naming import Dispatcher
from cicada.documents.aggregates import Key
from cicada.documents.catalogue import TITLE, Aggregate, DocumentRow, Sort
from cicada.documents.model import DocumentKey, Exists, KnowledgeBaseKey, PassageFilter
from cicada.errors import UnavailableError
from cicada.generation import ModelUsage
from cicada.identity import Principal
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.permissions import PermissionGate
from cicada.retrieval.model import EmbeddedPassage, Vector
from cicada.retrieval.ports import CataloguedIndex, SearchBackend
from cicada.retrieval.rerank.local import LocalReranker
from cicada.retrieval.search import KnowledgeSearch
from cicada.retrieval.strategies import strategies
from cicada.understanding.plan import Intent, Plan, Shape
from tests.contract.passage_indexes import DIMENSION, MODEL, IndexUnderTest, eventually
from tests.contract.passages import PLAYS, passage, vector
from tests.fakes.chat_model import ScriptedModel

ELSEWHERE = KnowledgeBaseKey("tenant-b", "plays")
SECRET = DocumentKey(PLAYS, "zanzibar.md")
MARK = "zanzibar"
"""Stands in every part of the secret document and nowhere else."""

READER = Principal("tenant-a", "ross", frozenset({"thanes"}))
OTHER = Principal("tenant-a", "lennox", frozenset({"lords"}))
# The same user id and groups: only the tenant tells them from the viewer.
STRANGER = Principal("tenant-b", "ross", frozenset({"thanes"}))

QUESTION = Question("What is the password of the castle?", "s1", "plays")
SCHEMA = Schema({"status": SchemaField("status", FieldType.KEYWORD, display="Status", shown=True)})
BASE = KnowledgeBase("plays", score_threshold=0.0, quality_judge="none", schema=SCHEMA)
WITH_STATUS = (Exists("status"),)


def planned(shape: Shape, intent: Intent = Intent.SCRIPT_QUERY, **more: object) -> Plan:
    return Plan(intent, shape, QUESTION.message, knowledge_base="plays", **more)  # type: ignore[arg-type]


# The ways to an answer that show documents, and the settings of the base.
WAYS: Mapping[str, tuple[Plan, KnowledgeBase]] = {
    "listing": (planned(Shape.METADATA_ONLY), BASE),
    "counts": (planned(Shape.METADATA_ONLY, filters=WITH_STATUS, group=("status",), fields=("status",)), BASE),
    "content": (planned(Shape.CONTENT_ONLY), BASE),
    "filter first": (planned(Shape.HYBRID, filters=WITH_STATUS), BASE),
    "rank first": (planned(Shape.HYBRID, filters=WITH_STATUS), replace(BASE, filter_first=0)),
    "below floor": (planned(Shape.CONTENT_ONLY), replace(BASE, score_threshold=1.1)),
    "agent": (planned(Shape.NO_MATCH, Intent.THEORY_REQUEST), BASE),
    "one document": (planned(Shape.HYBRID, search_value="password", filters=WITH_STATUS, single=True), BASE),
}
BARE = {"no match": planned(Shape.NO_MATCH), "clarification": planned(Shape.NEEDS_CLARIFICATION)}


class OneVector:
    """Every text is equally near to every other: the semantic search finds all that the filter lets through."""

    model_id, dimension = MODEL, DIMENSION

    def embed_query(self, text: str) -> Vector:
        return vector(1.0)

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return [vector(1.0) for _ in texts]


@dataclass
class SearchingAgent:
    """Replies with the evidence that its tool finds."""

    search: PermittedAgentSearch

    def reply(self, turn: AgentTurn) -> Iterator[str]:
        yield self.search.search(turn.principal, turn.knowledge_base, turn.message, turn.evidence)


@dataclass
class LateAccess:
    """The index's access lists, after `change`: so they change between the search and the gate."""

    index: CataloguedIndex
    change: Callable[[], object]

    def readers_of(self, base_key: KnowledgeBaseKey, document_ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        self.change()
        return self.index.readers_of(base_key, document_ids)


def put(index: CataloguedIndex, document: DocumentKey, word: str, *readers: str) -> None:
    """A document with the word in every part."""
    metadata = {"status": f"status {word}"}
    kept = passage(document, 0, f"The password of the castle is {word}.", metadata=metadata, readers=readers)
    row = DocumentRow(document, f"Title {word}", "v1", 1, 0.0, "", metadata, readers)
    index.replace(document, [EmbeddedPassage(replace(kept, title=row.title, context=word), vector(1.0))], row)


@dataclass
class Castle:
    """An index with a secret document and two that everybody of their tenant may read, and answerers on it.

    `change` is made between the search and the gate.
    """

    index: CataloguedIndex
    change: Callable[[], object] | None = None
    model: ScriptedModel = field(default_factory=lambda: ScriptedModel(["It is [1].", ModelUsage(1, 1)]))

    def ask(self, plan: Plan, base: KnowledgeBase, principal: Principal) -> list[AnswerPart]:
        return list(self.parts(plan, base, principal))

    def parts(self, plan: Plan, base: KnowledgeBase, principal: Principal) -> Iterator[AnswerPart]:
        gate = PermissionGate(LateAccess(self.index, self.change or (lambda: None)))
        backend = SearchBackend(self.index, OneVector(), {"auto": LocalReranker(self.index)})
        search = KnowledgeSearch(strategies(backend), KnowledgeBases(base))
        answerer = Answerer(
            lambda *_: plan,
            PassageAnswerer(search, self.model, gate),
            WholeDocumentAnswerer(Dispatcher(self.index), search.bases, gate, self.model),
            ListingAnswerer(self.index, search.bases, gate),
            SearchingAgent(PermittedAgentSearch(search, gate, self.index)),
            self.model,
        )
        return answerer.answer(QUESTION, principal)

    def shown(self, plan: Plan, base: KnowledgeBase, principal: Principal) -> str:
        """All that the answer and the model's prompt say."""
        return repr((self.ask(plan, base, principal), self.model.prompts)).lower()


@pytest.fixture(scope="module")
def index(shared_under_test: IndexUnderTest) -> CataloguedIndex:
    index = shared_under_test.open()
    put(index, DocumentKey(PLAYS, "birnam.md"), "birnam")
    put(index, DocumentKey(ELSEWHERE, "cawdor.md"), "cawdor")
    put(index, SECRET, MARK, "group:thanes")
    return index


@pytest.fixture
def castle(index: CataloguedIndex) -> Iterator[Castle]:
    """Whatever became of the secret document, it is then as it was."""
    castle = Castle(index)
    yield castle
    if castle.change:
        put(index, SECRET, MARK, "group:thanes")
        thanes = PassageFilter(PLAYS, reader=frozenset({"group:thanes"}))
        assert eventually(lambda: index.count(thanes) == index.rows(thanes, Sort(TITLE), 9).total == 2)
        assert eventually(lambda: index.count(PassageFilter(PLAYS, reader=frozenset({"user:duncan"}))) == 1)


@pytest.mark.parametrize("way", WAYS)
def test_a_document_for_a_group_is_shown_to_its_members_alone(castle: Castle, way: str) -> None:
    for principal, seen in ((OTHER, {"birnam"}), (STRANGER, {"cawdor"}), (READER, {"birnam", MARK})):
        said = castle.shown(*WAYS[way], principal)
        assert {word for word in ("birnam", "cawdor", MARK) if word in said} == seen, principal
        castle.model.prompts.clear()


@pytest.mark.parametrize("way", BARE)
def test_an_answer_without_a_search_shows_no_document(castle: Castle, way: str) -> None:
    for principal in (OTHER, STRANGER, READER):
        said = castle.shown(BARE[way], BASE, principal)
        assert {word for word in ("birnam", "cawdor", MARK) if word in said} == set()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("is_removed", [False, True], ids=["closed", "removed"])
def test_a_document_that_is_closed_or_removed_between_search_and_gate_is_not_shown(
    castle: Castle, way: str, is_removed: bool
) -> None:
    def removed() -> None:
        castle.index.delete(SECRET)
        assert eventually(lambda: castle.index.row(SECRET) is None)

    castle.change = removed if is_removed else lambda: put(castle.index, SECRET, MARK, "user:duncan")
    said = castle.shown(*WAYS[way], READER)
    assert MARK not in said
    assert "birnam" in said


@pytest.mark.parametrize("way", WAYS)
def test_a_document_that_is_opened_between_search_and_gate_is_shown_to_the_next(castle: Castle, way: str) -> None:
    castle.change = lambda: put(castle.index, SECRET, MARK)
    assert MARK not in castle.shown(*WAYS[way], OTHER)
    assert eventually(lambda: MARK in castle.shown(*WAYS[way], OTHER))


@pytest.mark.parametrize("way", ["listing", "counts", "filter first", "rank first"])
def test_a_count_counts_what_the_asker_may_see(castle: Castle, way: str) -> None:
    def counted(principal: Principal) -> tuple[int | None, int]:
        end = castle.ask(*WAYS[way], principal)[-1]
        assert isinstance(end, Finished)
        return end.matching, end.withheld

    assert counted(OTHER) == (1, 0)
    assert counted(STRANGER) == (1, 0)
    assert counted(READER) == (2, 0)
    castle.change = lambda: put(castle.index, SECRET, MARK, "user:duncan")
    assert counted(READER) == (1, 1)


def test_a_listing_counts_by_value_what_the_asker_may_see(castle: Castle) -> None:
    def listed(principal: Principal) -> tuple[int, list[tuple[Key, int]]]:
        [part] = [part for part in castle.ask(*WAYS["counts"], principal) if isinstance(part, Listed)]
        assert part.numbers is not None
        return part.total, [(each.values, each.documents) for each in part.numbers.found.groups]

    assert listed(READER) == (2, [(("status birnam",), 1), ((f"status {MARK}",), 1)])
    assert listed(OTHER) == (1, [(("status birnam",), 1)])
    castle.change = lambda: put(castle.index, SECRET, MARK, "user:duncan")
    assert listed(READER) == (1, [(("status birnam",), 1)])


@pytest.mark.parametrize("group", [(), ("status",)])
def test_numbers_without_documents_are_of_what_the_asker_may_see(castle: Castle, group: tuple[str, ...]) -> None:
    asked = (Aggregate("count"), Aggregate("count", "status"))
    plan = planned(Shape.METADATA_ONLY, filters=WITH_STATUS, aggregates=asked, group=group)

    def numbers(principal: Principal) -> list[object]:
        [part] = [part for part in castle.ask(plan, BASE, principal) if isinstance(part, Listed)]
        assert part.numbers is not None
        assert len(part.rows) == 0
        assert all(MARK not in repr(each.values) for each in part.numbers.found.groups) or principal == READER
        return [each.value for each in part.numbers.found.figures]

    assert (numbers(READER), numbers(OTHER), numbers(STRANGER)) == ([2, 2], [1, 1], [1, 1])
    castle.change = lambda: put(castle.index, SECRET, MARK, "user:duncan")
    assert numbers(READER) == [1, 1]


@pytest.mark.parametrize("way", WAYS)
def test_without_the_access_lists_nothing_is_shown(castle: Castle, way: str) -> None:
    def broken() -> None:
        raise UnavailableError("Out of reach.")

    castle.change = broken
    seen: list[AnswerPart] = []
    with pytest.raises(UnavailableError, match="Out of reach"):
        seen.extend(castle.parts(*WAYS[way], READER))
    # Which document is meant is looked up before anything is said.
    assert seen or WAYS[way][0].single
    assert all(isinstance(part, Progress) for part in seen)
    assert castle.model.prompts == []
