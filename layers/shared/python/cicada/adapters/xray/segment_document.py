"""A trace as X-Ray's segment document.

Source: https://docs.aws.amazon.com/xray/latest/devguide/xray-api-segmentdocuments.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cicada.tracing import Annotation, Span, Trace

# https://docs.aws.amazon.com/xray/latest/devguide/xray-sdk-python-segment.html
_LONGEST_ANNOTATION = 1000
_FLAGS = {"error": {"error": True}, "throttle": {"error": True, "throttle": True}, "fault": {"fault": True}}


def segment_document(trace: Trace, service: str) -> dict[str, Any]:
    """What a message brought is a segment of `service`; otherwise a subsegment of Lambda's own segment.

    Lambda writes the segment of an invocation by itself, in the invocation's own trace.
    """
    fields = _fields(trace.root, trace.root.end)
    if trace.origin.remote:
        fields["name"] = service
    else:
        fields["type"] = "subsegment"
    fields |= {"trace_id": trace.origin.trace_id, "parent_id": trace.origin.parent_id}
    return fields | ({"annotations": _annotations(trace.annotations)} if trace.annotations else {})


def _fields(span: Span, last: float | None) -> dict[str, Any]:
    """`last`: the end of a span that is still open."""
    fields: dict[str, Any] = {
        "name": span.name,
        "id": span.id,
        "start_time": span.start,
        "end_time": last if span.end is None else span.end,
    }
    if span.call:
        fields |= {"namespace": "aws", "aws": dict(span.call)}
    if span.failure:
        exception = {"id": span.failure.id, "type": span.failure.type}
        fields |= {**_FLAGS[span.failure.kind], "cause": {"exceptions": [exception]}}
    if span.children:
        fields["subsegments"] = [_fields(child, last) for child in span.children]
    return fields


def _annotations(annotations: Mapping[str, Annotation]) -> dict[str, Annotation]:
    return {
        name: value[:_LONGEST_ANNOTATION] if isinstance(value, str) else value for name, value in annotations.items()
    }
