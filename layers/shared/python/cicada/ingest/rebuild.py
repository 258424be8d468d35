"""Make a new index from the ground truth, without embedding anything again, and let it answer.

Nothing is missed and nothing comes back, for three reasons. An ingest writes the truth first and then both indexes. A
document counts as copied at the revision of the truth that was read before the copy was written, so that a copy that
overwrote something newer is found out and made again. And the switch is made when a look at all documents after the
last copy finds nothing new: whoever writes the truth after that look writes both indexes after it too.

A rebuild is done in slices, because a function may not run for as long as a large one takes; a record says what is
copied, and lets one process at a time work on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial

from cicada.documents.model import DocumentKey
from cicada.errors import ConfigurationError
from cicada.ingest.model import RebuildProgress, RebuildRecord, RebuildState, StoredDocument
from cicada.ingest.parallel import in_parallel
from cicada.ingest.ports import GroundTruth, RebuildLog
from cicada.retrieval.ports import IndexRebuild, PassageIndex


@dataclass(frozen=True, slots=True)
class Rebuilder:
    """`model_id` and `dimension` are those of the index. `threads`: documents copied at once.

    `clock` gives seconds of the epoch. `hold_seconds`: longer than a process can work on a slice, so that whoever finds
    the record held for longer knows that its holder is dead.
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

    def start(self, until: float) -> RebuildProgress:
        """Begin a new index, and copy until `until` (seconds of the epoch); what another rebuild left is dropped."""
        record, revision = self.log.read()
        if record and record.held_until > self.clock():
            return RebuildProgress(record.run, RebuildState.BUSY)
        mine = RebuildRecord(self.new_run(), self.clock() + self.hold_seconds)
        held = self.log.write(mine, revision)
        if held is None:
            return RebuildProgress(mine.run, RebuildState.BUSY)
        return self._slice(mine, held, until)

    def go_on(self, run: str, until: float) -> RebuildProgress:
        """Copy on where the last slice of this rebuild ended."""
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
        """The record of this run, held by us from now on; None if it is another one's or somebody else holds it."""
        record, revision = self.log.read()
        if record is None or record.run != run or record.held_until > self.clock():
            return None
        # Whoever still holds it has died in the middle of a copy, of which the record says nothing.
        copied = {} if record.held_until else record.copied
        mine = replace(record, held_until=self.clock() + self.hold_seconds, copied=copied)
        held = self.log.write(mine, revision)
        return (mine, held) if held else None

    def _slice(self, record: RebuildRecord, held: str, until: float) -> RebuildProgress:
        """Whatever fails in it, the new index is dropped and the old one goes on answering."""
        with ExitStack() as on_failure:
            on_failure.callback(self._drop, held)
            building = self.indexes.building() if record.copied else None
            # Where there is none, what was copied is gone.
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
        """Brings `copied` up to date, at least by a round of copies; whether nothing is left to do."""
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
        """The documents whose copies are not those of the truth as it is now, deleted ones included."""
        kept = dict(self.truth.list())
        changed = (each for each in kept.keys() | copied.keys() if kept.get(each) != copied.get(each))
        return sorted(changed, key=_place)

    def _copy(self, building: PassageIndex, document: DocumentKey) -> str | None:
        """The revision that the new index has; None for a document that it has not."""
        entry = self.truth.read(document)
        if entry is None:
            building.delete(document)
            return None
        self._require_our_embedder(entry.stored)
        building.replace(document, entry.stored.embedded())
        return entry.revision

    def _require_our_embedder(self, stored: StoredDocument) -> None:
        if (stored.model_id, stored.dimension) != (self.model_id, self.dimension):
            raise ConfigurationError(
                f"The ground truth on {stored.document.document_id} holds vectors of {stored.model_id} "
                f"({stored.dimension} dimensions), and the index is one of {self.model_id} ({self.dimension} "
                "dimensions); ingest the documents again, or set the embedder back."
            )


def _place(document: DocumentKey) -> tuple[str, str, str]:
    return document.base_key.tenant, document.base_key.knowledge_base, document.document_id
