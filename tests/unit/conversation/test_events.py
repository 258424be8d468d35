from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cicada.conversation.protocol import (
    Accepted,
    Aggregate,
    AnyEventBody,
    Cancelled,
    Chunk,
    Complete,
    Failed,
    Figure,
    Group,
    HistoryPage,
    ListedDocument,
    Listing,
    PlanSummary,
    Pong,
    Reset,
    Source,
    SourceLocator,
    SourcesFound,
    StatusChanged,
    Usage,
    event_body,
    failed,
    frame,
    parse_event,
    stored_frame,
)
from cicada.errors import (
    CicadaError,
    ConfigurationError,
    LimitExceededError,
    NotConnectedError,
    RequestConflictError,
    StreamBrokenError,
    ThrottledError,
)

ID = "7e57d004-2b97-4e7a-b45f-5387367791cd"
TEXT = st.text(max_size=40)
COUNT = st.integers(0, 10**9)
NAMES = st.lists(TEXT, max_size=3).map(tuple)
SHARE = st.none() | st.floats(0, 1)
LOCATOR = st.builds(
    SourceLocator,
    episode=st.none() | TEXT,
    chapter=st.none() | TEXT,
    messages=st.none() | st.tuples(COUNT, COUNT),
    speakers=st.none() | NAMES,
    section=st.none() | NAMES,
)
SOURCE = st.builds(
    Source,
    n=COUNT,
    document_id=TEXT,
    title=TEXT,
    locator=LOCATOR,
    excerpt=TEXT,
    relevance=SHARE,
    fields=st.dictionaries(TEXT, TEXT),
)
LISTED = st.builds(ListedDocument, document_id=TEXT, title=TEXT, fields=st.dictionaries(TEXT, TEXT, max_size=3))
FIGURE = st.builds(Figure, value=st.none() | TEXT, number=st.none() | COUNT)
AGGREGATE = st.builds(
    Aggregate,
    op=st.sampled_from(["count", "sum", "avg", "min", "max"]),
    name=TEXT,
    figure=FIGURE,
    documents=COUNT,
    field=st.none() | TEXT,
)
GROUP = st.builds(
    Group,
    values=st.lists(st.none() | TEXT, max_size=2).map(tuple),
    documents=COUNT,
    figures=st.lists(FIGURE, max_size=3).map(tuple),
)
LISTING = st.builds(
    Listing,
    total=COUNT,
    documents=st.lists(LISTED, max_size=3).map(tuple),
    offset=COUNT,
    next_offset=st.none() | COUNT,
    columns=st.none() | NAMES,
    aggregates=st.none() | st.lists(AGGREGATE, max_size=3).map(tuple),
    grouped_by=st.none() | NAMES,
    groups=st.none() | st.lists(GROUP, max_size=3).map(tuple),
    group_count=st.none() | COUNT,
)
PLAN = st.builds(
    PlanSummary,
    strategy=st.sampled_from(["MetadataOnly", "ContentOnly", "Hybrid", "NoMatch", "NeedsClarification"]),
    knowledge_base=TEXT,
    query=TEXT,
    by=TEXT,
    filters=NAMES,
    documents=st.none() | COUNT,
    withheld=COUNT,
)
EVENT = st.one_of(
    st.builds(Accepted, session_id=TEXT),
    st.builds(StatusChanged, stage=st.sampled_from(["planning", "searching", "ranking", "answering", "agent"])),
    st.builds(StatusChanged, stage=st.just("agent"), detail=TEXT),
    st.builds(SourcesFound, sources=st.lists(SOURCE, max_size=3).map(tuple)),
    LISTING,
    st.builds(Chunk, content=TEXT),
    st.builds(Reset, reason=TEXT),
    st.builds(
        Complete,
        usage=st.builds(Usage, input_tokens=COUNT, output_tokens=COUNT),
        timings=st.dictionaries(TEXT, COUNT, max_size=3),
        path=NAMES,
        confidence=SHARE,
        plan=st.none() | PLAN,
    ),
    st.builds(Cancelled),
    st.builds(Failed, error=TEXT, code=TEXT, retryable=st.booleans(), retry_after_seconds=st.none() | COUNT),
)


@given(EVENT, st.integers(1, 99_999_999))
def test_what_is_stored_is_what_is_sent_and_what_is_read_back(event: AnyEventBody, seq: int) -> None:
    body = event_body(event)
    assert parse_event(body) == event
    sent = json.loads(stored_frame(body, request_id=ID, seq=seq))
    assert sent == {"requestId": ID, "seq": seq} | json.loads(body)
    assert sent == json.loads(frame(event, request_id=ID, seq=seq))
    assert list(sent)[:3] == ["requestId", "seq", "type"]


@pytest.mark.parametrize("event", [Cancelled(), Accepted(session_id="s1")])
def test_the_request_id_is_sent_as_the_client_wrote_it(event: AnyEventBody) -> None:
    assert json.loads(stored_frame(event_body(event), request_id=ID.upper(), seq=1))["requestId"] == ID.upper()


def test_a_relevance_that_is_not_known_is_null_and_not_absent() -> None:
    source = Source(n=1, document_id="d", title="t", locator=SourceLocator(), excerpt="…", relevance=None)
    assert json.loads(event_body(SourcesFound(sources=(source,))))["sources"] == [
        {"n": 1, "documentId": "d", "title": "t", "locator": {}, "excerpt": "…", "relevance": None}
    ]


def test_a_confidence_that_was_not_judged_is_null_and_not_absent() -> None:
    complete = Complete(usage=Usage(), timings={"total": 5}, path=("general",), confidence=None)
    assert json.loads(event_body(complete)) == {
        "type": "complete",
        "usage": {"inputTokens": 0, "outputTokens": 0},
        "timings": {"total": 5},
        "path": ["general"],
        "confidence": None,
    }


def test_what_is_optional_is_absent_when_it_is_not_set() -> None:
    assert json.loads(event_body(StatusChanged(stage="searching"))) == {"type": "status", "stage": "searching"}
    assert json.loads(event_body(Failed(error="No.", code="internal", retryable=False))) == {
        "type": "error",
        "error": "No.",
        "code": "internal",
        "retryable": False,
    }


def test_replies_that_belong_to_no_request_have_neither_its_id_nor_a_number() -> None:
    assert json.loads(frame(Pong())) == {"type": "pong"}
    page = json.loads(frame(HistoryPage()))
    assert page == {"type": "history", "sessionId": None, "sessions": [], "turns": [], "before": None}
    assert json.loads(frame(Failed(error="No.", code="x", retryable=True), request_id=ID))["requestId"] == ID


@pytest.mark.parametrize(
    ("error", "code", "retryable"),
    [
        (RequestConflictError("Send it with a new requestId."), "request_conflict", False),
        (NotConnectedError("Connect again."), "unauthorized", True),
        (ThrottledError("Try later."), "dependency_throttled", True),
        (StreamBrokenError("Ask again."), "stream_broken", True),
        (CicadaError("Ask again."), "internal", False),
    ],
)
def test_a_failure_is_told_with_its_sentence_and_code(error: CicadaError, code: str, retryable: bool) -> None:
    assert failed(error) == Failed(error=str(error), code=code, retryable=retryable)


def test_a_wrong_deployment_is_told_without_its_details() -> None:
    told = failed(ConfigurationError("The role of function x may not read table y."))
    assert (told.code, told.retryable) == ("misconfigured", False)
    assert "table" not in told.error


def test_a_limit_says_how_long_to_wait() -> None:
    assert json.loads(event_body(failed(LimitExceededError("Too many.", 7))))["retryAfterSeconds"] == 7
