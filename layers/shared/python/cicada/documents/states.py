"""The state of a document's ingest: what its file, the last report on it and the catalogue say together."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct, field

SEARCHABLE, WAITING, INGESTING, REJECTED, LEAVING = "searchable", "waiting", "ingesting", "rejected", "leaving"
_IN_WORDS = {
    SEARCHABLE: "searchable",
    WAITING: "waits for ingest",
    INGESTING: "is being ingested",
    REJECTED: "rejected",
    LEAVING: "is out of the bucket and waits to leave the index",
}


class DocumentState(Struct, frozen=True):
    """`changed_at`: of the file in the bucket, None without one. `report`: what ingest said last, empty for nothing."""

    state: str
    changed_at: datetime | None = None
    reported_at: datetime | None = None
    report: Mapping[str, Any] = field(default_factory=dict)

    @property
    def in_words(self) -> str:
        words = _IN_WORDS[self.state]
        return f"{words}: {progress(self.report)}" if self.state == INGESTING else words

    @property
    def remark(self) -> str:
        """What the report says of the file as it is: its problems, or how far it is; empty for nothing."""
        if self.state == INGESTING:
            return f"{progress(self.report)}."
        problems = self.report.get("problems", ()) if self.state in (SEARCHABLE, REJECTED) else ()
        return " ".join(f"{each['place']}: {each['reason']}" if each["place"] else each["reason"] for each in problems)


def state_of(changed_at: datetime | None, reported_at: datetime | None, outcome: str, *, is_listed: bool) -> str | None:
    """The state of a document; None if it is neither in the bucket nor in the catalogue.

    S3 gives the time of an object in whole seconds in one reply, and more exactly in another.
    """
    if changed_at is None:
        return LEAVING if is_listed else None
    if reported_at is None or reported_at < changed_at.replace(microsecond=0):
        return WAITING
    return {"rejected": REJECTED, "under_way": INGESTING}.get(outcome, SEARCHABLE)


def progress(report: Mapping[str, Any]) -> str:
    """How far the ingest of a large file is."""
    return progress_text(report["passages"], report["embedded"])


def progress_text(passages: int, embedded: int) -> str:
    """Before its passages are known, the text of a scan is recognised."""
    return (
        f"{embedded:,} of {passages:,} passages embedded" if passages else "the text of its pages is being recognised"
    )
