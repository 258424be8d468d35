"""Lists of the documents about a subject."""

from __future__ import annotations

from msgspec.structs import replace

from cicada.answering.events import events_of
from cicada.answering.parts import AnswerPart, Listed
from cicada.conversation.model import Question
from cicada.conversation.protocol import Listing
from cicada.documents.catalogue import DOCUMENTS, Sort
from cicada.documents.model import ROW, TABLE, DocumentKey, Passage, SectionLocator
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.retrieval.model import EmbeddedPassage
from cicada.understanding.plan import Intent, Plan, Shape
from tests.fakes.access import OpenAccess
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.fakes.retrieval import FixedIndex
from tests.unit.answering.situation import Situation, end_of, only, text_of
from tests.unit.answering.test_listing import SCHEMA, STORE

PLAN = Plan(
    Intent.SCRIPT_QUERY,
    Shape.CONTENT_ONLY,
    "Which documents mention noise?",
    search_value="noise",
    knowledge_base="store",
    wants_documents=True,
)


def passage(number: int, name: str, text: str) -> Passage:
    """Of passages that are found alike, the one with the lower number is first."""
    return Passage(f"{number}", DocumentKey(STORE, name), "v1", name.title(), text, "", SectionLocator(("4 Limits",)))


def situation(*passages: Passage, closed: str = "") -> Situation:
    """Documents that the search finds in this order; the access lists close one of them by now."""
    catalogue = InMemoryPassageIndex("fixed", 1)
    for each in passages:
        catalogue.replace(each.document, [EmbeddedPassage(each, [1.0])])
    bases = KnowledgeBases(named={"store": KnowledgeBase("store", schema=SCHEMA)})
    access = OpenAccess({closed: ("user:bob",)} if closed else {})
    return Situation(index=FixedIndex(*passages), catalogue=catalogue, bases=bases, access=access)


SUPPLY, LEASE = passage(1, "supply", "Noise is measured."), passage(2, "lease", "Noise ends at ten.")


def answered(here: Situation, plan: Plan = PLAN) -> list[AnswerPart]:
    return here.planned(plan, Question(PLAN.query, "s1", "store"))


def listing(parts: list[AnswerPart]) -> Listing:
    return only(Listing, events_of(parts))


def test_documents_about_a_subject_are_listed_in_the_order_of_their_passages_with_what_matched() -> None:
    parts = answered(situation(SUPPLY, LEASE))
    found = listing(parts)
    assert [(each.document_id, each.reason, each.excerpt) for each in found.documents] == [
        ("supply", "“noise” in “4 Limits”", "Noise is measured."),
        ("lease", "“noise” in “4 Limits”", "Noise ends at ten."),
    ]
    assert text_of(parts) == "I found 2 documents about “noise”, best first."
    assert end_of(parts).path[-3:] == ("subject:2/2", "list", "documents:2")


def test_a_count_says_that_it_is_of_what_was_found() -> None:
    parts = answered(situation(SUPPLY, LEASE), replace(PLAN, aggregates=(DOCUMENTS,)))
    assert text_of(parts).endswith("best first. This counts what the search found, which need not be all.")
    assert listing(parts).total == 2


def row(number: int, name: str, text: str) -> Passage:
    return replace(passage(number, name, text), metadata={TABLE: name, ROW: float(number)})


def test_rows_of_tables_are_said_to_be_rows() -> None:
    rows = row(3, "boats", "Noise: loud"), row(4, "boats", "Noise: low"), row(5, "cars", "Noise: none")
    assert text_of(answered(situation(*rows))) == "I found 3 rows about “noise” in 2 tables, best first."
    assert text_of(answered(situation(*rows[:2]))) == "I found 2 rows about “noise” in 1 table."
    assert text_of(answered(situation(*rows, closed="boats"))) == "I found 1 row about “noise” in 1 table."
    assert text_of(answered(situation(*rows, LEASE))) == "I found 3 documents about “noise”, best first."


def test_an_order_that_is_asked_for_wins() -> None:
    parts = answered(situation(SUPPLY, LEASE), replace(PLAN, sort=Sort("title")))
    assert [each.document_id for each in listing(parts).documents] == ["lease", "supply"]
    assert text_of(parts).startswith("I found 2 documents about “noise”.")


def test_pages_go_on_where_the_page_before_ended() -> None:
    here = situation(SUPPLY, LEASE)
    first, second = (listing(answered(here, replace(PLAN, limit=1, offset=offset))) for offset in (0, 1))
    assert [each.document_id for each in (*first.documents, *second.documents)] == ["supply", "lease"]
    assert (first.next_offset, second.next_offset, second.total) == (1, None, 2)


def test_only_what_is_shown_is_quoted() -> None:
    parts = answered(situation(SUPPLY, LEASE), replace(PLAN, limit=1))
    assert set(only(Listed, parts).matches) == {SUPPLY.document}


def test_a_document_that_was_closed_meanwhile_is_neither_listed_nor_quoted_nor_counted() -> None:
    parts = answered(situation(SUPPLY, LEASE, closed="supply"))
    assert [each.document_id for each in listing(parts).documents] == ["lease"]
    assert (listing(parts).total, end_of(parts).withheld) == (1, 1)


def test_the_last_page_remembers_what_it_showed_and_what_it_was_about() -> None:
    page = end_of(answered(situation(SUPPLY, LEASE))).listing
    assert page is not None
    assert (page.documents, page.subject) == (("supply", "lease"), "noise")


def test_without_a_match_it_is_said_what_was_searched_for() -> None:
    parts = answered(situation(), PLAN)
    assert text_of(parts) == "I found no document about “noise”."
    assert listing(parts).documents == ()
