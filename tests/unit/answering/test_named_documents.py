"""Documents that a message names, and documents of which the user is asked which one is meant."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from cicada.answering.parts import AnswerPart, Cited, Listed
from cicada.conversation.model import Question
from cicada.documents.catalogue import DOCUMENTS as TOTAL
from cicada.documents.catalogue import Sort
from cicada.documents.model import (
    TABLE,
    AnyOf,
    Condition,
    Contains,
    DocumentKey,
    KnowledgeBaseKey,
    MetadataValue,
    Passage,
    SectionLocator,
)
from cicada.errors import UnavailableError
from cicada.identity import Principal
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField, StandingRule
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.understanding.plan import Intent, Plan, Shape
from tests.fakes.access import OpenAccess
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.unit.answering.situation import ANN, Situation, end_of, make_searchable, only, text_of

STORE = KnowledgeBaseKey("acme", "store")
SCHEMA = Schema(
    {
        "type": SchemaField("type", FieldType.KEYWORD, ("SOP", "contract"), display="Type", shown=True),
        "owner": SchemaField("owner", FieldType.PERSON, display="Owner", shown=True),
        "expires": SchemaField("expires", FieldType.DATE, display="Expires", shown=True),
        "effective": SchemaField("effective", FieldType.DATE),
    }
)
QUESTION = Question("Who owns it?", "s1", "store")
DOCUMENTS: dict[str, tuple[str, dict[str, MetadataValue]]] = {
    "contract-1.md": ("Lease of the Warehouse", {"type": "contract", "expires": "2026-05-01", "owner": "Bob"}),
    "contract-2.md": ("Lease of Offices", {"type": "contract", "expires": "2027-05-01", "owner": "Bob"}),
    "sop-qa-003.md": ("Handling of Deviations", {"type": "SOP", "owner": "Alice", "effective": "2025-01-01"}),
    "sop-qa-006.md": ("Change Control", {"type": "SOP", "owner": "Bob", "effective": "2025-02-01"}),
    "sop-qa-009.md": ("Recall of Medicines", {"type": "SOP", "owner": "Carol", "effective": "2025-03-01"}),
}
CONTRACTS, SOPS = AnyOf("type", frozenset({"contract"})), AnyOf("type", frozenset({"SOP"}))


def put(
    here: Situation, name: str, title: str, metadata: dict[str, MetadataValue], readers: tuple[str, ...] = ()
) -> None:
    document = DocumentKey(STORE, name)
    kept = Passage(f"{name}#0", document, "v1", title, f"{title} text.", "", SectionLocator(()), readers=readers)
    make_searchable(here.catalogue, kept, metadata=metadata)


@pytest.fixture
def here() -> Situation:
    situation = Situation(
        catalogue=InMemoryPassageIndex("fixed", 1),
        bases=KnowledgeBases(named={"store": KnowledgeBase("store", schema=SCHEMA)}),
    )
    for name, (title, metadata) in DOCUMENTS.items():
        put(situation, name, title, metadata)
    return situation


def plan(shape: Shape, *named: str, search: str = "", single: bool = False, filters: Sequence[Condition] = ()) -> Plan:
    return Plan(
        Intent.SCRIPT_QUERY,
        shape,
        QUESTION.message,
        search_value=search,
        knowledge_base="store",
        filters=tuple(filters),
        named=named,
        single=single,
    )


def ask(here: Situation, plan: Plan, question: Question = QUESTION, principal: Principal = ANN) -> list[AnswerPart]:
    return here.planned(plan, question, principal)


def listed(parts: Sequence[AnswerPart]) -> list[str]:
    return [row.document.document_id for part in parts if isinstance(part, Listed) for row in part.rows]


@pytest.mark.parametrize(
    ("message", "confidence", "table", "is_searched"),
    [
        (QUESTION.message, 0.2, "", True),
        (QUESTION.message, 0.9, "", False),
        ("till when is the shop open?", 0.6, "orders", True),
        ("till when is the shop open?", 0.9, "orders", False),
        ("till when is the shop open?", 0.6, "", False),
        ("orders of nobody", 0.6, "orders", False),
    ],
)
def test_a_list_that_is_unsure_and_has_no_document_is_a_search(
    here: Situation, message: str, confidence: float, table: str, is_searched: bool
) -> None:
    nothing = [AnyOf("owner", frozenset({"Nobody"})), *([AnyOf(TABLE, frozenset({table}))] if table else [])]
    guessed = replace(plan(Shape.METADATA_ONLY, filters=nothing), confidence=confidence, query=message)
    end = end_of(ask(here, guessed))
    assert ("filter:0" in end.path, end.plan and end.plan.shape is Shape.CONTENT_ONLY) == (is_searched, is_searched)


def test_a_name_that_no_document_has_may_be_a_value_of_one(here: Situation) -> None:
    """The contract with Polarhaul is called otherwise, and has the name as its partner."""
    schema = Schema({**SCHEMA.fields, "partner": SchemaField("partner", FieldType.KEYWORD, display="Partner")})
    here.bases = KnowledgeBases(named={"store": KnowledgeBase("store", schema=schema)})
    partner: dict[str, MetadataValue] = {"type": "contract", "owner": "Bob", "partner": "Polarhaul Logistics"}
    put(here, "contract-3.md", "Refrigerated Haulage", partner)
    asked = replace(
        plan(Shape.METADATA_ONLY, "Polarhaul contract", single=True, filters=[CONTRACTS]), fields=("owner",)
    )
    parts = ask(here, asked)
    assert listed(parts) == ["contract-3.md"]
    assert text_of(parts).endswith("Refrigerated Haulage: Owner Bob.")
    for nobody in ("Nobody contract", "Polarhaul Smith"):
        said = text_of(ask(here, replace(asked, named=(nobody,))))
        assert said.startswith(f"There is no document “{nobody}”.")
    put(here, "contract-4.md", "Cold Storage", {"type": "contract", "partner": "Frostad"}, readers=("user:bea",))
    closed = replace(asked, named=("Frostad contract",))
    assert text_of(ask(here, closed)).startswith("There is no document “Frostad contract”.")


def test_a_list_by_a_name_that_no_document_has_is_searched_for_with_it(here: Situation) -> None:
    nobody = (Contains("owner", "Nobody"),)
    named = replace(plan(Shape.METADATA_ONLY, filters=nobody), confidence=0.9)
    shapes = [end_of(ask(here, each)).plan for each in (named, replace(named, aggregates=(TOTAL,)))]
    assert [(each.shape, each.filters) for each in shapes if each] == [
        (Shape.HYBRID, nobody),
        (Shape.METADATA_ONLY, nobody),
    ]


def searched(here: Situation) -> list[set[str] | None]:
    found = [query.filter.document_ids for query in here.index.queries]
    return [None if each is None else set(each) for each in found]


def test_a_question_on_metadata_shows_the_rows_of_the_documents_that_it_names(here: Situation) -> None:
    parts = ask(here, plan(Shape.METADATA_ONLY, "SOP QA 3"))
    assert listed(parts) == ["sop-qa-003.md"]
    end = end_of(parts)
    assert end.path == ("script_query", "plan:rules", "named:1", "list", "documents:1")
    assert end.conditions == ("document: Handling of Deviations (sop-qa-003.md)",)
    assert end.listing is not None
    assert end.listing.documents == ("sop-qa-003.md",)
    both = ask(here, plan(Shape.METADATA_ONLY, "SOP-QA-003", "the Chnage Control SOP"))
    assert listed(both) == ["sop-qa-006.md", "sop-qa-003.md"]


@pytest.mark.parametrize(("confidence", "search"), [(0.5, ["Were they released in the end?"]), (0.8, [])])
def test_a_guessed_field_that_the_document_lacks_is_a_question_on_its_text(
    here: Situation, confidence: float, search: list[str]
) -> None:
    asks = replace(
        plan(Shape.METADATA_ONLY, "SOP-QA-003"),
        query="Were they released in the end?",
        fields=("expires",),
        confidence=confidence,
    )
    ask(here, asks)
    assert [each.text for each in here.index.queries] == search
    ask(here, replace(asks, fields=("owner",)))
    assert len(here.index.queries) == len(search), "a field that it has is asked for"


VERSIONS = ("policy-1.md", "retired", "2019-01-01"), ("policy-2.md", "approved", "2024-01-01")


@pytest.fixture
def versions(here: Situation) -> Situation:
    fields = {**SCHEMA.fields, "status": SchemaField("status", FieldType.KEYWORD, ("approved", "retired"), shown=True)}
    schema = Schema(fields, in_force=StandingRule("status", ("approved",), no_longer=("retired",)))
    here.bases = KnowledgeBases(named={"store": KnowledgeBase("store", schema=schema)})
    for name, status, effective in VERSIONS:
        put(here, name, "Data Integrity Policy", {"status": status, "effective": effective})
    return here


@pytest.mark.parametrize(
    ("message", "order"),
    [
        ("Who owns the Data Integrity Policy?", ["policy-2.md", "policy-1.md"]),
        ("Who owned the old Data Integrity Policy?", ["policy-1.md", "policy-2.md"]),
    ],
)
def test_the_name_of_two_versions_means_both_the_one_asked_for_first(
    versions: Situation, message: str, order: list[str]
) -> None:
    question = replace(QUESTION, message=message)
    for single in (False, True):
        fields = plan(Shape.METADATA_ONLY, "Data Integrity Policy", single=single)
        assert listed(ask(versions, fields, question)) == order
    whole = ask(versions, plan(Shape.CONTENT_ONLY, "Data Integrity Policy"), question)
    assert [each.passage.document.document_id for each in only(Cited, whole).passages] == order


def test_an_order_that_is_asked_for_wins_over_what_is_in_force(versions: Situation) -> None:
    oldest = replace(plan(Shape.METADATA_ONLY, "Data Integrity Policy"), sort=Sort("effective"))
    assert listed(ask(versions, oldest)) == ["policy-1.md", "policy-2.md"]


def test_a_description_that_only_versions_of_one_document_meet_means_both(versions: Situation) -> None:
    described = AnyOf("status", frozenset({"approved", "retired"}))
    assert listed(ask(versions, plan(Shape.METADATA_ONLY, single=True, filters=[described]))) == [
        "policy-1.md",
        "policy-2.md",
    ]


def test_a_name_wins_over_a_condition_that_its_document_does_not_meet(here: Situation) -> None:
    named = ask(here, plan(Shape.METADATA_ONLY, "SOP-QA-003", filters=[CONTRACTS]))
    assert listed(named) == ["sop-qa-003.md"]
    kept = end_of(ask(here, plan(Shape.METADATA_ONLY, "SOP-QA-003", filters=[SOPS]))).plan
    assert kept is not None
    assert kept.filters == (SOPS,)


def test_a_condition_chooses_among_the_documents_of_a_name(here: Situation) -> None:
    expires = AnyOf("expires", frozenset({"2027-05-01"}))
    assert listed(ask(here, plan(Shape.METADATA_ONLY, "the lease", filters=[expires]))) == ["contract-2.md"]


def test_a_question_on_content_is_searched_for_in_the_named_documents_alone(here: Situation) -> None:
    parts = ask(here, plan(Shape.CONTENT_ONLY, "SOP-QA-003", search="extensions"))
    assert searched(here) == [{"sop-qa-003.md"}]
    assert here.index.queries[0].text == "extensions"
    assert "named:1" in end_of(parts).path
    ask(here, plan(Shape.HYBRID, "sop-qa-003", "sop-qa-006", search="extensions", filters=[CONTRACTS]))
    assert searched(here)[-1] == {"sop-qa-003.md", "sop-qa-006.md"}
    assert here.index.queries[-1].filter.conditions == ()


@pytest.mark.parametrize(
    ("owner", "others", "names"),
    [("Change Control", (), True), ("Change Control", (SOPS,), True), ("Change Control", (CONTRACTS,), False)],
)
def test_a_value_that_no_document_has_may_be_the_name_of_one(
    here: Situation, owner: str, others: Sequence[AnyOf], *, names: bool
) -> None:
    asked = plan(Shape.METADATA_ONLY, filters=[*others, AnyOf("owner", frozenset({owner}))])
    assert listed(ask(here, asked)) == (["sop-qa-006.md"] if names else [])


def test_a_value_that_some_document_has_stays_a_condition(here: Situation) -> None:
    put(here, "letter.md", "Alice", {"type": "letter", "owner": "Bob"})
    assert listed(ask(here, plan(Shape.METADATA_ONLY, filters=[AnyOf("owner", frozenset({"Alice"}))]))) == [
        "sop-qa-003.md"
    ]


def test_what_has_nothing_to_search_for_is_read_as_a_whole(here: Situation) -> None:
    parts = ask(here, plan(Shape.CONTENT_ONLY, "the Change Control SOP"))
    assert end_of(parts).path[2:4] == ("named:1", "read:document")
    assert [each.passage.text for each in only(Cited, parts).passages] == ["Change Control text."]
    assert here.index.queries == []


@pytest.mark.parametrize("shape", [Shape.METADATA_ONLY, Shape.CONTENT_ONLY, Shape.HYBRID])
def test_a_number_of_no_document_is_said_with_the_nearest_and_nothing_is_searched(
    here: Situation, shape: Shape
) -> None:
    parts = ask(here, plan(shape, "SOP-QA-999", search="extensions"))
    assert text_of(parts) == (
        "There is no document “SOP-QA-999”. The nearest are SOP-QA-009 (Recall of Medicines), "
        "SOP-QA-003 (Handling of Deviations) and SOP-QA-006 (Change Control)."
    )
    assert listed(parts) == ["sop-qa-009.md", "sop-qa-003.md", "sop-qa-006.md"]
    end = end_of(parts)
    assert end.path == ("script_query", "plan:rules", "no_such_document")
    assert end.listing is not None
    assert end.listing.documents == tuple(listed(parts))
    assert (here.index.queries, here.model.prompts) == ([], [])


def test_one_number_of_no_document_among_several_is_said(here: Situation) -> None:
    parts = ask(here, plan(Shape.METADATA_ONLY, "SOP-QA-003", "budget 77"))
    assert text_of(parts) == "There is no document “budget 77”."
    assert (listed(parts), end_of(parts).listing) == ([], None)


def test_other_words_that_name_nothing_are_searched_for_as_they_stand(here: Situation) -> None:
    parts = ask(here, plan(Shape.CONTENT_ONLY, "the unicorn handbook", search="unicorns"))
    assert searched(here) == [None]
    assert "no_such_document" not in end_of(parts).path
    ask(here, plan(Shape.CONTENT_ONLY, "the unicorn handbook", "SOP-QA-003", search="unicorns"))
    assert searched(here)[-1] == {"sop-qa-003.md"}


def test_a_listing_of_a_document_that_there_is_not_lists_no_others(here: Situation) -> None:
    parts = ask(here, plan(Shape.METADATA_ONLY, "the unicorn handbook"))
    assert text_of(parts) == "There is no document “the unicorn handbook”."
    assert listed(parts) == []


def test_what_a_message_calls_a_document_need_not_be_in_its_title(here: Situation) -> None:
    assert listed(ask(here, plan(Shape.METADATA_ONLY, "change control procedure"))) == ["sop-qa-006.md"]
    assert text_of(ask(here, plan(Shape.METADATA_ONLY, "change procedure"))).startswith("There is no document")


def test_a_guess_that_a_document_is_meant_is_a_search_where_there_is_none(here: Situation) -> None:
    """A question for the owner of the coffee machine may be answered by a text; a number is always a document's."""
    guess = replace(plan(Shape.METADATA_ONLY, "coffee machine"), confidence=0.2, fields=("owner",))
    path = end_of(ask(here, guess)).path
    assert ("named:0" in path, "no_such_document" in path, searched(here)) == (True, False, [None])
    assert "no_such_document" in end_of(ask(here, replace(guess, named=("SOP-QA-999",)))).path


def test_spaces_before_a_name_are_no_part_of_it(here: Situation) -> None:
    """However many: the beginning of a name is looked up, and that of these would be nothing."""
    asked = replace(plan(Shape.METADATA_ONLY, f"{' ' * 200}SOP-QA-003"), fields=("owner",))
    assert "named:1" in end_of(ask(here, asked)).path


def test_a_document_of_another_viewer_does_not_exist(here: Situation) -> None:
    put(here, "sop-qa-012.md", "Release of Batches", {"type": "SOP"}, ("user:bob",))
    hidden = ask(here, plan(Shape.METADATA_ONLY, "SOP-QA-012"))
    nothing = ask(here, plan(Shape.METADATA_ONLY, "SOP-QA-032"))
    assert text_of(hidden).replace("012", "032") == text_of(nothing)
    assert "Release" not in repr(hidden)
    assert listed(ask(here, plan(Shape.METADATA_ONLY, "SOP-QA-012"), principal=Principal("acme", "bob"))) == [
        "sop-qa-012.md"
    ]


def test_a_document_that_is_closed_by_now_does_not_exist(here: Situation) -> None:
    here.access = OpenAccess({"sop-qa-003.md": ("user:bob",), "sop-qa-009.md": ("user:bob",)})
    parts = ask(here, plan(Shape.CONTENT_ONLY, "SOP-QA-003"))
    assert text_of(parts).startswith("There is no document “SOP-QA-003”. The nearest is SOP-QA-006 (Change Control)")
    assert "Recall" not in repr(parts)
    assert end_of(parts).withheld == 0


def test_a_document_outside_the_users_filters_is_said_to_be_outside(here: Situation) -> None:
    parts = ask(here, plan(Shape.METADATA_ONLY, "SOP-QA-003"), replace(QUESTION, filters=(CONTRACTS,)))
    assert text_of(parts).startswith("Among the documents that your filters let through, there is no document")


@pytest.mark.parametrize("broken", ["find_cards", "rows"])
def test_a_catalogue_that_fails_is_no_missing_document(
    here: Situation, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise UnavailableError("Out of reach.")

    monkeypatch.setattr(here.catalogue, broken, failing)
    with pytest.raises(UnavailableError):
        ask(here, plan(Shape.METADATA_ONLY, "SOP-QA-999"))


def test_access_lists_that_fail_and_an_index_that_lacks_documents_are_no_missing_document(here: Situation) -> None:
    def incomplete(*_: object) -> None:
        raise UnavailableError("The index lacks documents.")

    for listings in (replace(here.listings, check_index=incomplete), here.listings):
        answerer = replace(here.answerer, plan=lambda *_: plan(Shape.METADATA_ONLY, "SOP-QA-999"), listings=listings)
        with pytest.raises(UnavailableError):
            list(answerer.answer(QUESTION, ANN))
        here.access.failure = UnavailableError("Out of reach.")


def test_of_several_documents_that_match_the_user_is_asked_which_one(here: Situation) -> None:
    parts = ask(here, plan(Shape.HYBRID, search="end of the lease", single=True, filters=[CONTRACTS]))
    assert text_of(parts) == (
        "2 documents match (Type: contract). Which one do you mean?\n\n"
        "1. Lease of Offices (Expires: 2027-05-01)\n"
        "2. Lease of the Warehouse (Expires: 2026-05-01)"
    )
    end = end_of(parts)
    assert end.path == ("script_query", "plan:rules", "clarify")
    assert listed(parts) == ["contract-2.md", "contract-1.md"]
    assert end.listing is not None
    assert (end.listing.documents, end.listing.conditions) == (("contract-2.md", "contract-1.md"), (CONTRACTS,))
    assert (end.listing.asked, end.listing.knowledge_base) == ("store", "store")
    assert (here.index.queries, here.model.prompts) == ([], [])


def test_a_question_on_metadata_is_asked_back_too_and_a_name_of_several_documents(here: Situation) -> None:
    assert text_of(ask(here, plan(Shape.METADATA_ONLY, single=True, filters=[CONTRACTS]))).startswith("2 documents")
    parts = ask(here, plan(Shape.CONTENT_ONLY, "the lease", search="end", single=True))
    assert text_of(parts).startswith("2 documents fit “the lease”. Which one do you mean?\n\n1. Lease of")


def test_the_only_document_that_matches_is_the_one_that_is_meant(here: Situation) -> None:
    filters = [AnyOf("owner", frozenset({"Alice"}))]
    parts = ask(here, plan(Shape.HYBRID, search="extensions", single=True, filters=filters))
    assert searched(here) == [{"sop-qa-003.md"}]
    assert "named:1" in end_of(parts).path
    assert listed(ask(here, plan(Shape.METADATA_ONLY, single=True, filters=filters))) == ["sop-qa-003.md"]
    assert "read:document" in end_of(ask(here, plan(Shape.HYBRID, single=True, filters=filters))).path


def test_the_only_document_that_may_be_viewed_is_the_one_that_is_meant(here: Situation) -> None:
    here.access = OpenAccess({"contract-1.md": ("user:bob",)})
    assert listed(ask(here, plan(Shape.METADATA_ONLY, single=True, filters=[CONTRACTS]))) == ["contract-2.md"]


def test_the_newest_document_is_one(here: Situation) -> None:
    newest = replace(
        plan(Shape.HYBRID, search="recall", single=True, filters=[SOPS]), sort=Sort("effective", True), limit=1
    )
    ask(here, newest)
    assert searched(here) == [{"sop-qa-009.md"}]


def test_a_message_of_one_document_without_a_condition_is_searched_for(here: Situation) -> None:
    ask(here, plan(Shape.CONTENT_ONLY, search="extensions", single=True))
    assert searched(here) == [None]


def test_documents_that_match_nothing_are_no_question_back(here: Situation) -> None:
    filters = [AnyOf("owner", frozenset({"Zoe"}))]
    parts = ask(here, plan(Shape.METADATA_ONLY, single=True, filters=filters))
    assert text_of(parts) == "No document matches (Owner: Zoe)."


def test_at_most_six_candidates_are_named_the_likely_ones_first(here: Situation) -> None:
    for number in range(20, 28):
        put(here, f"contract-{number}.md", f"Supply {number}", {"type": "contract", "owner": "Bob"})
    parts = ask(here, plan(Shape.HYBRID, search="warehouse", single=True, filters=[CONTRACTS]))
    text = text_of(parts)
    assert text.startswith("10 documents match (Type: contract). Which one do you mean?\n\n1. Lease of the Warehouse")
    assert text.endswith("There are 4 more: name the document if it is one of them.")
    assert len(listed(parts)) == 6
    assert "\n6. " in text
    assert "\n7. " not in text


def test_candidates_of_one_title_are_told_apart_by_fields_and_at_last_by_id(here: Situation) -> None:
    for name in ("lease-8.md", "lease-9.md"):
        put(here, name, "Lease", {"type": "lease", "owner": "Bob"})
    leases = AnyOf("type", frozenset({"lease"}))
    lines = text_of(ask(here, plan(Shape.HYBRID, search="end", single=True, filters=[leases]))).splitlines()
    assert lines[-2:] == ["1. Lease (lease-8.md)", "2. Lease (lease-9.md)"]


def test_a_number_of_many_documents_is_asked_back(here: Situation) -> None:
    for kind in ("hr", "it", "lab"):
        put(here, f"sop-{kind}-003.md", f"Procedure of {kind}", {"type": "SOP"})
    parts = ask(here, plan(Shape.CONTENT_ONLY, "SOP 3", search="extensions"))
    assert text_of(parts).startswith("4 documents fit “SOP 3”. Which one do you mean?")
    assert end_of(parts).path[-1] == "clarify"
