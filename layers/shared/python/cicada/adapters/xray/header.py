"""X-Ray's tracing header: `Root=<trace>;Parent=<span>;Sampled=1`.

Source: https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from cicada.tracing import Origin

_TRACE_ID = re.compile("1-[0-9a-f]{8}-[0-9a-f]{24}")
_SPAN_ID = re.compile("[0-9a-f]{16}")


class TraceHeader(Struct, frozen=True):
    """`sampled`: whether the trace is recorded; who began it has decided."""

    origin: Origin
    sampled: bool


def carried_header(record: Mapping[str, Any]) -> str:
    """The header that a message was sent with, empty without one. `record`: of SQS, as Lambda passes it on."""
    return str(record.get("attributes", {}).get("AWSTraceHeader", ""))


def parse_header(text: str, *, remote: bool) -> TraceHeader | None:
    """None for a text that names no trace or no parent. `remote`: it came with a message."""
    fields = dict(part.strip().partition("=")[::2] for part in text.split(";"))
    trace_id, parent_id = fields.get("Root", ""), fields.get("Parent", "")
    if not (_TRACE_ID.fullmatch(trace_id) and _SPAN_ID.fullmatch(parent_id)):
        return None
    return TraceHeader(Origin(trace_id, parent_id, remote, fields.get("Lineage", "")), fields.get("Sampled") == "1")


def header_text(origin: Origin) -> str:
    """The header of a trace that is recorded. Its lineage, by which Lambda detects loops, is passed on."""
    lineage = f";Lineage={origin.baggage}" if origin.baggage else ""
    return f"Root={origin.trace_id};Parent={origin.parent_id};Sampled=1{lineage}"
