from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from cicada.answering.events import complete, events_of
from cicada.answering.parts import AnswerPart, Cited, Finished, Listed, Numbers, Progress, Text, Used
from cicada.conversation.protocol import (
    FRAME_LIMIT_BYTES,
    AnyEventBody,
    Chunk,
    Complete,
    Listing,
    PlanSummary,
    Source,
    SourceLocator,
    SourcesFound,
    StatusChanged,
    Usage,
    event_body,
    stored_frame,
)
from cicada.documents.aggregates import Aggregation, Figure, Group
from cicada.documents.catalogue import Aggregate, DocumentRow
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Locator, NoneOf, ScriptLocator, SectionLocator
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.knowledge_bases.values import described
from cicada.retrieval.model import RankedPassage
from cicada.understanding.plan import Intent, Plan, Shape
from tests.fakes.access import permitted
from tests.unit.answering.situation import SEYTON, only, passage
from tests.unit.knowledge_bases.schemas import SCHEMA

ID = "7e57d004-2b97-4e7a-b45f-5387367791cd"


def made_of(parts: list[AnswerPart]) -> list[AnyEventBody]:
    """The events; each fits in a frame, whatever its number is."""
    events = list(events_of(parts))
    for event in events:
        frame = stored_frame(event_body(event), request_id=ID, seq=99_999_999)
        assert len(frame.encode()) <= FRAME_LIMIT_BYTES
    return events


def text(events: list[AnyEventBody]) -> str:
    return "".join(event.content for event in events if isinstance(event, Chunk))


def test_text_that_came_together_is_one_chunk() -> None:
    assert made_of([Text("Sey"), Text("ton"), Text("."), Finished((), None)]) == [Chunk(content="Seyton.")]


def test_the_order_of_parts_is_the_order_of_events() -> None:
    assert made_of([Text("a"), Progress("searching"), Text("b"), Text("c"), Progress("agent", "profiles")]) == [
        Chunk(content="a"),
        StatusChanged(stage="searching"),
        Chunk(content="bc"),
        StatusChanged(stage="agent", detail="profiles"),
    ]


@pytest.mark.parametrize("parts", [[], [Text("")], [Text(""), Text("")], [Finished(("general",), None)]])
def test_where_there_is_nothing_to_say_there_is_no_event(parts: list[AnswerPart]) -> None:
    assert made_of(parts) == []


@given(st.lists(st.text(max_size=60), max_size=6), st.integers(1, 900))
@example(["\x00"], 40_000)
@example(['"', "\\", "\x1f"], 30_000)
@example(["😀", "é", "a", "​"], 20_000)
@example(["e\u0301\u0302"], 20_000)
def test_however_long_the_text_each_chunk_fits_and_together_they_are_the_text(pieces: list[str], times: int) -> None:
    parts: list[AnswerPart] = [Text(piece * times) for piece in pieces]
    events = made_of(parts)
    assert all(isinstance(event, Chunk) and event.content for event in events)
    assert text(events) == "".join(piece * times for piece in pieces)


def test_half_of_a_surrogate_pair_does_not_stop_the_answer() -> None:
    assert text(made_of([Text("a\ud83d"), Text("b")])) == "a?b"


def test_a_source_says_what_it_is_and_where_it_stands() -> None:
    ranked = RankedPassage(passage("The queen, my lord, is dead."), 0.123456)
    assert made_of([Cited(permitted((ranked,)))]) == [
        SourcesFound(
            sources=(
                Source(
                    n=1,
                    document_id="macbeth.json",
                    title="Macbeth",
                    locator=SourceLocator(
                        episode="Macbeth", chapter="5.5 Dunsinane", messages=(12, 15), speakers=("Seyton", "Macbeth")
                    ),
                    excerpt="The queen, my lord, is dead.",
                    relevance=0.12,
                    passage="1@v1",
                ),
            ),
            knowledge_base="scripts",
        )
    ]


@pytest.mark.parametrize(
    ("locator", "shown"),
    [
        (SectionLocator(("Storage", "Heat")), SourceLocator(section=("Storage", "Heat"))),
        (
            ScriptLocator("h", "Hamlet", "1", "", 1, 1, ()),
            SourceLocator(episode="Hamlet", chapter="1", messages=(1, 1), speakers=()),
        ),
    ],
)
def test_a_source_has_the_place_that_its_document_has(locator: Locator, shown: SourceLocator) -> None:
    [source] = sources(made_of([Cited(permitted((RankedPassage(passage("x", locator=locator), None),)))]))
    assert (source.locator, source.relevance) == (shown, None)


def test_a_source_shows_what_the_schema_shows_of_its_document() -> None:
    found = replace(passage("x"), metadata={"status": "retired", "public": False, "tags": ("gmp",), "colour": "red"})
    event = only(SourcesFound, made_of([Cited(permitted((RankedPassage(found, None),)), SCHEMA)]))
    assert event.sources[0].fields == {"Status": "retired", "public": "no"}
    assert json.loads(event_body(event))["sources"][0]["fields"] == {"Status": "retired", "public": "no"}
    [other] = made_of([Cited(permitted((RankedPassage(found, None),)))])
    assert "fields" not in event_body(other)


def sources(events: list[AnyEventBody]) -> list[Source]:
    return [source for event in events if isinstance(event, SourcesFound) for source in event.sources]


@given(st.lists(st.tuples(st.text(max_size=30), st.text(max_size=10), st.integers(1, 120)), min_size=1, max_size=25))
@example([("\x00" * 30, "\x01" * 10, 1000)] * 12)
@example([("説" * 30, "話" * 10, 500)] * 30)
def test_however_many_and_long_the_sources_each_event_fits_and_none_is_lost(
    contents: list[tuple[str, str, int]],
) -> None:
    found = [
        passage(
            text * times, number, ScriptLocator("e", name * times, "1", name * times, 1, 2, (name * times,) * times)
        )
        for number, (text, name, times) in enumerate(contents, start=1)
    ]
    names = [f"{number}{'f' * 70}" for number in range(12)]
    schema = Schema({name: SchemaField(name, FieldType.KEYWORD, shown=True) for name in names})
    found = [replace(each, metadata=dict.fromkeys(names, each.text)) for each in found]
    ranked = tuple(RankedPassage(each, 0.5) for each in found)
    spans = {number: tuple((at, at + 1) for at in range(len(each.text))) for number, each in enumerate(found, start=1)}
    events = made_of([Cited(permitted(ranked), schema)])
    events_after = made_of([Used(dict(enumerate(ranked, start=1)), spans, schema)])
    for made in (sources(events), sources(events_after)):
        assert [source.n for source in made] == list(range(1, len(found) + 1))
        assert all(source.excerpt.strip("… ") in each.text for each, source in zip(found, made, strict=True))
    assert all(isinstance(event, SourcesFound) and event.sources for event in events)


def test_what_the_text_rests_on_is_sent_again_with_its_spans() -> None:
    first, second = (RankedPassage(passage(text), 0.5) for text in ("The queen is dead.", "The king is well."))
    shown, again = made_of([Cited(permitted((first, second))), Used({2: second}, {2: ((4, 8),)})])
    assert isinstance(shown, SourcesFound)
    assert [source.spans for source in shown.sources] == [None, None]
    assert again == SourcesFound(sources=(replace(shown.sources[1], spans=((4, 8),)),), knowledge_base="scripts")


def test_a_passage_is_shown_whole_unless_it_is_very_long() -> None:
    whole, long = "The queen, my lord, is dead. " * 31, "The queen, my lord, is dead. " * 400
    found = tuple(RankedPassage(replace(passage(text), context="Macbeth, 5.5"), 0.5) for text in (whole, long))
    first, second = sources(made_of([Cited(permitted(found))]))
    assert first.excerpt == whole
    assert second.excerpt.endswith("The queen, my lord, is dead. …")
    assert 3_900 < len(second.excerpt) < 4_200


def test_sources_that_fit_are_one_event() -> None:
    found = tuple(RankedPassage(passage("The queen, my lord, is dead. " * 20, n, SEYTON), 0.5) for n in range(10))
    assert len(made_of([Cited(permitted(found))])) == 1


def test_the_last_event_says_what_the_answer_took() -> None:
    end = Finished(("script_query", "retrieve", "generate"), 0.7532, 90, 4)
    assert complete(end, {"total": 1200}) == Complete(
        usage=Usage(input_tokens=90, output_tokens=4),
        timings={"total": 1200},
        path=("script_query", "retrieve", "generate"),
        confidence=0.75,
    )


def test_the_last_event_says_what_was_understood_and_how_many_documents_were_withheld() -> None:
    plan = Plan(Intent.SCRIPT_QUERY, Shape.HYBRID, "Who died?", "deaths", knowledge_base="plays", by="model")
    end = Finished(("retrieve",), 0.5, plan=plan, conditions=("status: draft",), matching=3, withheld=2)
    assert complete(end, {}).plan == PlanSummary(
        strategy="Hybrid",
        knowledge_base="plays",
        query="deaths",
        by="model",
        filters=("status: draft",),
        documents=3,
        withheld=2,
    )


@pytest.mark.parametrize(("by", "shown"), [("rules_after_model_failed", 0.62), ("model:cached", None)])
def test_the_last_event_says_how_sure_the_rules_were_of_their_plan(by: str, shown: float | None) -> None:
    plan = Plan(Intent.SCRIPT_QUERY, Shape.NO_MATCH, "Who?", confidence=0.6184, by=by)
    summary = complete(Finished((), None, plan=plan), {}).plan
    assert summary
    assert summary.confidence == shown


LONGEST = "\x01" * 256


@pytest.mark.parametrize("number", [1, 20, 60])
def test_however_many_and_long_the_filters_the_last_event_fits(number: int) -> None:
    values = frozenset(f"{LONGEST}{value}" for value in range(50))
    words = tuple(described(NoneOf(f"f{each}", values), Schema()) for each in range(number))
    plan = Plan(Intent.SCRIPT_QUERY, Shape.HYBRID, "\x01" * 8000, knowledge_base="store")
    last = complete(Finished(("retrieve",) * 20, 0.5, plan=plan, conditions=words), {"total": 1200})
    assert last.plan is not None
    assert last.plan.filters[0] == words[0]
    frame = stored_frame(event_body(last), request_id=ID, seq=99_999_999)
    assert len(frame.encode()) <= FRAME_LIMIT_BYTES


def test_however_long_the_values_and_fields_each_event_of_a_listing_fits() -> None:
    columns = {f"f{number}": LONGEST for number in range(30)}
    metadata = dict.fromkeys(columns, LONGEST)
    rows = tuple(replace(a_row(), title=LONGEST, metadata=metadata) for _ in range(20))
    figures = (Figure(LONGEST, 1),) * 6
    groups = tuple(Group((f"{number} {LONGEST * 80}", None), 1, figures) for number in range(200))
    numbers = Numbers(
        (Aggregate("max", LONGEST),) * 6, (LONGEST,) * 6, (LONGEST,) * 2, Aggregation(200, figures, groups, 200)
    )
    events = made_of([Listed(permitted(rows), 20, columns, 0, None, numbers)])
    listings = [event for event in events if isinstance(event, Listing)]
    assert sum(len(each.documents) for each in listings) == 20
    assert [bool(each.columns) for each in listings] == [not number for number in range(len(listings))]
    first = listings[0]
    assert (len(first.aggregates or ()), first.group_count) == (6, 200)
    assert first.groups and (first.groups[0].values[0] or "").startswith("0 ")


def a_row() -> DocumentRow:
    return DocumentRow(DocumentKey(KnowledgeBaseKey("acme", "store"), "d" * 1024), "Lease", "v1", 1, 0.0)


def test_a_long_title_of_a_row_keeps_the_rows_number() -> None:
    row = DocumentRow(DocumentKey(KnowledgeBaseKey("acme", "desk"), "a.csv"), f"{'A' * 130}, row 317", "v1", 1, 0.0)
    title = only(Listing, made_of([Listed(permitted((row,)), 1, {}, 0, None)])).documents[0].title
    assert (len(title), title[-10:]) == (120, "A, row 317")
