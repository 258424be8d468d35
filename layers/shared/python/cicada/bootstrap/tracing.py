"""Wires traces: those of X-Ray that Lambda samples (docs/operations/traces.md)."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, nullcontext

from cicada.adapters.xray import XRayTraceExporter, parse_header
from cicada.observability.tracing import Trace, tracing
from cicada.settings import invocation


def traced(name: str, carried: str = "") -> AbstractContextManager[None]:
    """Inside, the work is traced as `name`. Does nothing where no daemon listens, or for a trace that is not sampled.

    `carried`: the tracing header of the message that asks for the work; it decides. Without one the work belongs to
    the invocation's trace.
    """
    this = invocation()
    if not this.daemon_address:
        return nullcontext()
    header = parse_header(carried, remote=True) or parse_header(this.trace_header, remote=False)
    if header is None or not header.sampled:
        return nullcontext()
    exporter = XRayTraceExporter(this.daemon_address, this.function)
    return tracing(Trace(name, header.origin, time.time), exporter)
