"""Building a new index from the ground truth, step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from cicada.documents.model import DocumentKey
from cicada.errors import ConfigurationError, InvalidFrameError
from cicada.ingest.cards.make import with_card
from cicada.ingest.model import RebuildProgress, RebuildRecord, RebuildState, StoredDocument
from cicada.ingest.parallel import in_parallel
from cicada.ingest.ports import AccessListRecord, GroundTruth, RebuildLog
from cicada.ingest.stage import with_stored_facts
from cicada.retrieval.ports import IndexRebuild, PassageIndex

# Builds a new index from the ground truth, without embedding anything again, and switches to it.
#
# No change is lost and no deleted document returns, for three reasons. Ingest writes the truth first and then both
# indexes. A copy is recorded with the revision of the truth that was read before the copy was written, so a copy that
# overwrote something newer is detected and repeated. The switch is made when a listing of all documents after the last
# copy shows nothing new: an ingest that writes the truth after the listing also writes both indexes after it.
#
# A rebuild runs in slices, because a large one takes longer than a function may run. A record holds the progress and
# lets one process at a time work on it.


class Rebuilder(Struct, frozen=True):
    """`model_id` and `dimension` are those of the index. `threads`: documents copied at once.

    `clock` gives epoch seconds. `hold_seconds`: longer than any slice, so that a holder of the record for longer than
    this is known to be dead. `access_lists`: where documents' viewers are recorded; what is missing there is added.
    """

    truth: GroundTruth
    indexes: IndexRebuild
    log: RebuildLog
    model_id: str
    dimension: int
    clock: Callable[[], float]
    new_run: Callable[[], str]
    hold_seconds: float = 960.0
    threads: int = 8
    access_lists: AccessListRecord | None = None

    def start(self, until: float) -> RebuildProgress:
        """Begin a new index and copy until `until` (epoch seconds); an unfinished index is dropped."""
        record, revision = self.log.read()
        if record and record.held_until > self.clock():
            return RebuildProgress(record.run, RebuildState.BUSY)
        mine = RebuildRecord(self.new_run(), self.clock() + self.hold_seconds)
        held = self.log.write(mine, revision)
        if held is None:
            return RebuildProgress(mine.run, RebuildState.BUSY)
        return self._slice(mine, held, until)

    def go_on(self, run: str, until: float) -> RebuildProgress:
        """Continue this rebuild after its last slice."""
        taken = self._taken(run)
        if taken is None:
            return RebuildProgress(run, RebuildState.BUSY)
        return self._slice(*taken, until)

    def abandon(self, run: str) -> RebuildProgress:
        """Drop the new index of this rebuild."""
        taken = self._taken(run)
        if taken is None:
            return RebuildProgress(run, RebuildState.BUSY)
        self.indexes.building()
        self._drop(taken[1])
        return RebuildProgress(run, RebuildState.ABANDONED)

    def _taken(self, run: str) -> tuple[RebuildRecord, str] | None:
        """Take hold of this run's record; None if it is another run's or another process holds it."""
        record, revision = self.log.read()
        if record is None or record.run != run or record.held_until > self.clock():
            return None
        # The previous holder died in the middle of a copy, which the record does not show.
        copied = {} if record.held_until else record.copied
        mine = replace(record, held_until=self.clock() + self.hold_seconds, copied=copied)
        held = self.log.write(mine, revision)
        return (mine, held) if held else None

    def _slice(self, record: RebuildRecord, held: str, until: float) -> RebuildProgress:
        """Copy one slice. On any failure the new index is dropped and the old one stays live."""
        with ExitStack() as on_failure:
            on_failure.callback(self._drop, held)
            building = self.indexes.building() if record.copied else None
            # Without an unfinished index, all copies are gone.
            copied = dict(record.copied) if building else {}
            is_complete = self._copy_all(building or self.indexes.begin(), copied, until)
            documents = len(copied) if is_complete else len(dict(self.truth.list()).keys() | copied.keys())
            if is_complete:
                self.indexes.switch()
            on_failure.pop_all()
        self.log.write(None if is_complete else replace(record, held_until=0, copied=copied), held)
        state = RebuildState.SWITCHED if is_complete else RebuildState.COPYING
        return RebuildProgress(record.run, state, len(copied), documents)

    def _drop(self, held: str) -> None:
        self.indexes.abandon()
        self.log.write(None, held)

    def _copy_all(self, building: PassageIndex, copied: dict[DocumentKey, str], until: float) -> bool:
        """Update `copied` by at least one round of copies; returns whether nothing is left to do."""
        while pending := self._pending(copied):
            for start in range(0, len(pending), self.threads):
                batch = pending[start : start + self.threads]
                revisions = in_parallel(partial(self._copy, building), batch, self.threads)
                for document, revision in zip(batch, revisions, strict=True):
                    copied.pop(document, None)
                    if revision is not None:
                        copied[document] = revision
                if self.clock() >= until:
                    return False
        return True

    def _pending(self, copied: Mapping[DocumentKey, str]) -> list[DocumentKey]:
        """The documents whose copies differ from the current truth, including deleted ones."""
        kept = dict(self.truth.list())
        changed = (each for each in kept.keys() | copied.keys() if kept.get(each) != copied.get(each))
        return sorted(changed, key=_place)

    def _copy(self, building: PassageIndex, document: DocumentKey) -> str | None:
        """Copy a document; returns the copied revision, or None if the document was deleted."""
        entry = self.truth.read(document)
        if entry is None:
            self._hide(building, document)
            return None
        self._require_our_embedder(entry.stored)
        stored = with_stored_facts(with_card(entry.stored))
        row = stored.row()
        if row is None:
            self._hide(building, document)
            return entry.revision
        if self.access_lists:
            self.access_lists.record_if_missing(document, row.readers)
        building.replace(document, stored.embedded(), row, stored.card_vector)
        return entry.revision

    def _hide(self, building: PassageIndex, document: DocumentKey) -> None:
        if self.access_lists:
            self.access_lists.forget(document)
        building.delete(document)

    def _require_our_embedder(self, stored: StoredDocument) -> None:
        if not stored.has_vectors_of(self.model_id, self.dimension):
            raise ConfigurationError(
                f"The ground truth on {stored.document.document_id} holds vectors of {stored.model_id} "
                f"({stored.dimension} dimensions), and the index is one of {self.model_id} ({self.dimension} "
                "dimensions); ingest the documents again, or set the embedder back."
            )


def _place(document: DocumentKey) -> tuple[str, str, str]:
    return document.base_key.tenant, document.base_key.knowledge_base, document.document_id


# Time reserved for a round of copies and the end of a slice.
MARGIN_SECONDS = 120.0


def rebuild_at_once(event: Mapping[str, Any], rebuilder: Rebuilder, remaining_seconds: float) -> dict[str, Any]:
    """A slice of a rebuild: `{"rebuild": "start"}`, then `"continue"` with the `run` until `state` is `switched`.

    `"abandon"` drops the new index. `seconds`: how long a slice may take, by default as long as the function may.
    Returns `run`, `state` (`RebuildState`), and how many `documents` there are and are `copied`.
    """
    wanted, run = event["rebuild"], str(event.get("run", ""))
    longest = max(0.0, remaining_seconds - MARGIN_SECONDS)
    until = rebuilder.clock() + min(longest, _seconds(event, longest))
    if wanted in ("start", True):
        progress = rebuilder.start(until)
    elif wanted == "continue" and run:
        progress = rebuilder.go_on(run, until)
    elif wanted == "abandon" and run:
        progress = rebuilder.abandon(run)
    else:
        raise InvalidFrameError(
            'A test event is {"rebuild": "start"}, or {"rebuild": "continue", "run": "…"} with its run.'
        )
    return dict(to_builtins(progress))


def _seconds(event: Mapping[str, Any], default: float) -> float:
    seconds = event.get("seconds", default)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds >= 0:
        raise InvalidFrameError("The seconds of a slice are a number that is not negative.")
    return float(seconds)
