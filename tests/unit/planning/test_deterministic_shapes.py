"""How messages are answered, and what is asked of a list."""

from __future__ import annotations

import pytest

from cicada.documents.catalogue import DOCUMENTS, TITLE, Sort
from cicada.knowledge_bases.schema import Schema
from cicada.planning.deterministic.planner import DeterministicPlanner
from cicada.planning.plan import Shape
from tests.unit.planning.planned import NOW, planned


@pytest.mark.parametrize(
    ("message", "shape"),
    [
        ("list all ratified charters", Shape.METADATA_ONLY),
        ("how many letters does Ada Brook keep", Shape.METADATA_ONLY),
        ("which guilds have lapsed charters?", Shape.METADATA_ONLY),
        ("I joined the mill in spring - which ledgers do the Bakers have?", Shape.METADATA_ONLY),
        ("show me everything we have", Shape.METADATA_ONLY),
        ("What do lapsed charters say about tolls?", Shape.HYBRID),
        ("charters on night watches", Shape.HYBRID),
        ("anything from the Bakers about rye?", Shape.HYBRID),
        ("How is a broken seal repaired?", Shape.CONTENT_ONLY),
        ("documents about night watches", Shape.CONTENT_ONLY),
        ("thanks a lot!", Shape.NO_MATCH),
        ("delete the lapsed charters", Shape.NO_MATCH),
        ("please book a table for four", Shape.NO_MATCH),
        ("charters in stage 'frozen'", Shape.NO_MATCH),
        ("ledgers kept by Paul Miller", Shape.NO_MATCH),
        ("list all contracts", Shape.NO_MATCH),
        ("show me archived charters", Shape.NO_MATCH),
        ("documents tagged unicorns", Shape.NO_MATCH),
        ("letters from the Tailors guild", Shape.NO_MATCH),
        ("what does Paul Miller own?", Shape.NO_MATCH),
        ("letters over 20 pages", Shape.NO_MATCH),
        ("What must a letter contain?", Shape.CONTENT_ONLY),
        ("how are charters approved?", Shape.CONTENT_ONLY),
        ("open it", Shape.NEEDS_CLARIFICATION),
        ("the same for letters", Shape.NEEDS_CLARIFICATION),
        ("show me the charter", Shape.NEEDS_CLARIFICATION),
        ("when was it sealed?", Shape.NEEDS_CLARIFICATION),
        ("which one is newer?", Shape.NEEDS_CLARIFICATION),
    ],
)
def test_a_message_has_one_shape(message: str, shape: Shape) -> None:
    assert planned(message).shape is shape


def test_content_is_searched_for_without_the_conditions() -> None:
    plan = planned("What do lapsed charters of the Bakers say about night watches?")
    assert (plan.search_value, plan.key_concepts) == ("night watches", ("night", "watches"))


def test_a_question_on_content_alone_is_searched_for_whole() -> None:
    assert planned("How is a  broken seal repaired?").search_value == "How is a broken seal repaired?"


def test_newest_and_oldest_are_orders() -> None:
    assert planned("the three newest ledgers").sort == Sort("sealed_on", descending=True)
    assert planned("oldest charter").sort == Sort("sealed_on")
    assert planned("charters sorted by title").sort == Sort(TITLE)


def test_a_list_has_the_length_that_is_asked_for() -> None:
    assert planned("the three newest ledgers").limit == 3
    assert planned("newest ledger").limit == 1
    assert planned("all ledgers").limit is None


def test_documents_are_counted_as_a_whole_or_by_a_field() -> None:
    assert planned("how many ledgers are there?").aggregates == (DOCUMENTS,)
    assert planned("list the ledgers").aggregates == ()
    by_guild = planned("How many ledgers per guild?")
    assert (by_guild.aggregates, by_guild.group) == ((DOCUMENTS,), ("guild",))


def test_a_base_without_values_has_no_subject_that_is_not_its_own() -> None:
    open_base = DeterministicPlanner.of(Schema())
    assert open_base.plan("how deep is the Pacific Ocean", NOW).shape is Shape.CONTENT_ONLY
    assert open_base.plan("thanks a lot!", NOW).shape is Shape.NO_MATCH


def test_a_value_that_was_passed_over_costs_confidence() -> None:
    assert planned("charters on how millers bake").confidence > planned("charters on how bakers bake").confidence


def test_other_matters_are_less_sure_than_listings() -> None:
    assert planned("list all ratified charters").confidence > planned("hmm, ropes then").confidence


@pytest.mark.parametrize("message", ["letters over 2,500 EUR", "letters over 2,500 euros a year"])
def test_a_currency_is_a_part_of_the_number_and_not_searched_for(message: str) -> None:
    assert planned(message).shape is Shape.METADATA_ONLY


@pytest.mark.parametrize(
    "message", ["my charters", "charters that I own", "what do I own?", "What do my charters say about tolls?"]
)
def test_an_unknown_asker_is_asked_for_a_name(message: str) -> None:
    plan = planned(message)
    assert (plan.shape, plan.filters) == (Shape.NEEDS_CLARIFICATION, ())
    assert "your name" in plan.clarification
    assert planned(message, asker="Nora Brook").clarification == ""


@pytest.mark.parametrize(
    ("message", "named"),
    [
        ("show me the charter", "Which charter do you mean?"),
        ("when was it sealed?", 'What does "it" stand for?'),
        ("the same for letters", "continue"),
    ],
)
def test_a_clarification_names_what_is_missing(message: str, named: str) -> None:
    assert named in planned(message).clarification


def test_a_clarification_offers_the_fields_that_the_message_leaves_open() -> None:
    asked = planned("show me the charter").clarification
    assert "stage (sketch, ratified or lapsed)" in asked
    assert "kind (" not in asked
