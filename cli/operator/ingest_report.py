"""The last report of ingest on a document, for people and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cli.text import clean_line

if TYPE_CHECKING:
    from cli.operator.document_states import DocumentState


def state_fields(state: DocumentState) -> dict[str, Any]:
    """`lastReport` is as ingest wrote it, null without one."""
    return {
        "state": state.state,
        "uploadedAt": state.changed_at.isoformat() if state.changed_at else None,
        "reportedAt": state.reported_at.isoformat() if state.reported_at else None,
        "lastReport": dict(state.report) or None,
        "storedVersions": state.versions,
    }


def reason_of(state: DocumentState) -> str:
    """The first thing that ingest complained about; empty for nothing."""
    problems = state.report.get("problems", [])
    return clean_line(problems[0]["reason"]) if problems else ""


def report_lines(state: DocumentState) -> list[str]:
    """What ingest said last, with each problem."""
    if not state.report:
        return ["", "Ingest has reported nothing on it yet."]
    when = state.report.get("reportedAt", "")
    lines = ["", f"Last report, {clean_line(when)}: {clean_line(state.report['outcome']).replace('_', ' ')}"]
    for problem in state.report.get("problems", []):
        place = f"{clean_line(problem['place'])}: " if problem["place"] else ""
        lines.append(f"  {place}{clean_line(problem['reason'])}")
    return lines
