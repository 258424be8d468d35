"""Which knowledge bases a user is told of, and the questions to begin with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pytest
from msgspec.structs import replace

from cicada.answering.base_list import BaseList, opening_questions
from cicada.conversation.limits import BASE
from cicada.conversation.protocol import FRAME_LIMIT_BYTES, BaseSummary, KnowledgeBasesListed, ListKnowledgeBases, frame
from cicada.documents.catalogue import Card, CardSection, DocumentRow
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import UnavailableError
from cicada.identity import Principal
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.observability.audit import DocumentsShown, ShownDocument
from cicada.permissions import PermissionGate
from tests.fakes.access import OpenAccess
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.fakes.passages import passage
from tests.unit.answering.situation import make_searchable

ANN = Principal("acme", "ann", frozenset({"board"}))
BOB = Principal("acme", "bob")
COMMAND = ListKnowledgeBases("7e57d004-2b97-4e7a-b45f-5387367791cd")
LIST_ALL = "Which documents are there?"


@dataclass
class Stage:
    """Bases `open` and `closed`, which the settings name, and others that have documents."""

    access: OpenAccess = field(default_factory=OpenAccess)
    index: InMemoryPassageIndex = field(default_factory=lambda: InMemoryPassageIndex("fixed", 1))
    audited: list[DocumentsShown] = field(default_factory=list)
    spent: list[int] = field(default_factory=list)
    bases: KnowledgeBases = field(
        default_factory=lambda: KnowledgeBases(
            named={"open": KnowledgeBase("open", "For all."), "closed": KnowledgeBase("closed", groups=("board",))}
        )
    )
    names: tuple[str, ...] = ()

    def put(
        self, base: str, name: str, hints: Iterable[str] = (), readers: tuple[str, ...] = (), **fields: Any
    ) -> None:
        key = DocumentKey(KnowledgeBaseKey("acme", base), name)
        written = passage(key, title=name.title(), readers=readers, **fields)
        make_searchable(self.index, written, card=Card(written.title, question_hints=tuple(hints)))
        self.names = (*self.names, base)

    def listed(self, principal: Principal = ANN) -> tuple[BaseSummary, ...]:
        def spend(_who: Principal, cost: int) -> None:
            self.spent.append(cost)

        def audit(*records: DocumentsShown) -> None:
            self.audited.extend(records)

        gate = PermissionGate(self.access)
        made = BaseList(self.index, gate, spend, lambda: self.bases, lambda _: self.names, audit, lambda: 7.0)
        return made.listed(COMMAND, principal).bases


@pytest.fixture
def stage() -> Stage:
    return Stage()


def test_only_bases_that_the_user_may_ask_are_listed_with_what_the_user_may_read(stage: Stage) -> None:
    stage.put("open", "a")
    stage.put("open", "b", readers=("user:bob",))
    stage.put("minutes", "c", readers=("group:board",))
    stage.put("closed", "d")
    of_ann = {each.name: each.documents for each in stage.listed()}
    assert of_ann == {"closed": 1, "minutes": 1, "open": 1}
    assert stage.listed(BOB) == (BaseSummary("open", 2, "For all.", (LIST_ALL,)),)
    assert stage.spent == [3 * BASE, 2 * BASE]


def test_with_closed_names_only_those_of_the_settings_are_listed(stage: Stage) -> None:
    stage.bases = replace(stage.bases, open_names=False)
    stage.put("minutes", "c")
    assert [(each.name, each.documents) for each in stage.listed()] == [("closed", 0), ("open", 0)]


def test_a_question_names_only_what_may_be_read_at_this_moment_and_that_is_recorded(stage: Stage) -> None:
    stage.put("open", "handbook", ["Did it rain?", "What about why?", "What about travel costs?"])
    question = "What does “Handbook” say about travel costs?"
    [_, summary] = stage.listed()
    assert summary.questions == (question, LIST_ALL)
    [record] = stage.audited
    assert (record.outcome, record.knowledge_base) == ("suggested", "open")
    assert record.documents == (ShownDocument("open", "handbook", "v1"),)
    stage.access.readers["handbook"] = ("user:bob",)
    assert stage.listed()[1].questions == ()
    assert len(stage.audited) == 1


def test_a_gate_that_fails_is_no_empty_list(stage: Stage) -> None:
    stage.put("open", "handbook")
    stage.access.failure = UnavailableError("The table cannot be read.")
    with pytest.raises(UnavailableError):
        stage.listed()


def test_the_list_has_room_in_a_frame(stage: Stage) -> None:
    for number in range(90):
        stage.put(f"base-{number}", "語" * 60, ["What about " + "語" * 20 + " " + "語" * 30 + "?"])
    listed = stage.listed()
    assert len(listed) == 92
    assert not any(each.questions for each in listed)
    stage.bases = KnowledgeBases(named={f"b{number}": KnowledgeBase(f"b{number}", "語" * 500) for number in range(60)})
    listed = stage.listed()
    assert 10 < len(listed) < 30
    assert len(frame(KnowledgeBasesListed(listed), request_id=COMMAND.request_id).encode()) <= FRAME_LIMIT_BYTES


def rows(*metadata: dict[str, Any], card: Card | None = None) -> list[DocumentRow]:
    key = KnowledgeBaseKey("acme", "open")
    return [
        DocumentRow(DocumentKey(key, str(number)), f"Title {number}", "v1", 1, 0.0, metadata=each, card=card)
        for number, each in enumerate(metadata)
    ]


def test_fields_that_tell_documents_apart_are_asked_for_those_that_are_shown_first() -> None:
    schema = Schema(
        {
            "case_no": SchemaField("case_no", FieldType.KEYWORD),
            "standing_of_it": SchemaField("standing_of_it", FieldType.KEYWORD),
            "kind": SchemaField("kind", FieldType.KEYWORD, display="Kind", shown=True),
            "day": SchemaField("day", FieldType.DATE),
        }
    )
    found = rows(
        *({"case_no": "7", "standing_of_it": "in force", "kind": str(number % 2), "day": "x"} for number in range(5)),
        {"case_no": "7", "standing_of_it": "draft"},
    )
    assert [each.text for each in opening_questions(schema, found)] == [
        "How many documents are there by kind?",
        "Which documents have the standing of it in force?",
        LIST_ALL,
    ]
    assert opening_questions(schema, []) == ()


def test_a_play_is_summarised_and_asked_for_a_scene() -> None:
    card = Card("Macbeth", sections=(CardSection("1.3 A heath near Forres.", 0, 1),))
    texts = [each.text for each in opening_questions(Schema(), rows({}, {}, card=card))]
    assert texts == ["Summarise Title 0", "What happens in act 1 scene 3 of Title 0?", LIST_ALL]


def test_nothing_is_asked_of_a_document_in_another_language() -> None:
    card = Card("Reisen", question_hints=("What about travel costs?",), language="de")
    assert [each.text for each in opening_questions(Schema(), rows({}, card=card))] == [LIST_ALL]
