from __future__ import annotations

import pytest

from cicada.adapters.xray import TraceHeader, carried_header, header_text, parse_header
from cicada.observability.tracing import Origin

ROOT, PARENT = "1-5759e988-bd862e3fe1be46a994272793", "53995c3f42cd8ad8"
IDS = f"Root={ROOT};Parent={PARENT}"


@pytest.mark.parametrize("remote", [True, False])
def test_the_header_of_an_invocation_is_read(remote: bool) -> None:
    header = parse_header(f"{IDS};Sampled=1;Lineage=1:a87bd80c:0", remote=remote)
    assert header == TraceHeader(Origin(ROOT, PARENT, remote, "1:a87bd80c:0"), sampled=True)


@pytest.mark.parametrize(
    ("text", "sampled"),
    [
        (f"{IDS};Sampled=1", True),
        (f"Sampled=1; Parent={PARENT}; Root={ROOT}", True),
        (f"Self=1-67891233-abcdef012345678912345678;{IDS};Sampled=1", True),
        (f"{IDS};Sampled=0", False),
        (f"{IDS};Sampled=?", False),
        (IDS, False),
    ],
)
def test_only_a_trace_that_is_said_to_be_sampled_is(text: str, sampled: bool) -> None:
    assert parse_header(text, remote=True) == TraceHeader(Origin(ROOT, PARENT, True), sampled)


@pytest.mark.parametrize(
    "text",
    ["", "Sampled=1", f"Root={ROOT};Sampled=1", f"Parent={PARENT}", f"Root=1-2-3;Parent={PARENT}", f"{IDS}0", "="],
)
def test_a_text_without_a_trace_or_a_parent_is_no_header(text: str) -> None:
    assert parse_header(text, remote=False) is None


@pytest.mark.parametrize("lineage", ["", "1:a87bd80c:0|2:b1:1"])
def test_what_is_written_is_read_again(lineage: str) -> None:
    origin = Origin(ROOT, PARENT, True, lineage)
    assert parse_header(header_text(origin), remote=True) == TraceHeader(origin, sampled=True)


@pytest.mark.parametrize(
    ("record", "header"),
    [({"attributes": {"AWSTraceHeader": IDS}}, IDS), ({"attributes": {"SenderId": "A"}}, ""), ({"body": "{}"}, "")],
)
def test_a_message_has_the_header_that_it_was_sent_with(record: dict[str, object], header: str) -> None:
    assert carried_header(record) == header
