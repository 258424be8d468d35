"""What a stack keeps for a knowledge base: what its operator set, and the fields that were inferred at ingest."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import partial
from threading import Lock
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from cicada.documents.model import KnowledgeBaseKey, MetadataValue
from cicada.errors import CicadaError, ConfigurationError
from cicada.knowledge_bases.calibrations import SHIPPED, Calibrations, calibrations_for, read_calibrations
from cicada.knowledge_bases.inference import completed
from cicada.knowledge_bases.observed_fields import Observed, observed_with, observed_with_records
from cicada.knowledge_bases.settings import KnowledgeBase
from cicada.observability.telemetry import ignore


class KeptBase(Struct, frozen=True):
    """`text`: TOML of settings and schema, empty where nothing is set. `observed`: the fields of the documents.

    `calibrations`: those that the stack keeps, which are the same for every base; empty for none.
    """

    text: str = ""
    observed: Observed = ()
    calibrations: str = ""


class Described(Struct, frozen=True):
    """What a document says of itself, and to whom. `viewers`: none for everybody. `records`: fields of a table."""

    viewers: tuple[str, ...]
    metadata: Mapping[str, MetadataValue]
    records: Observed = ()


_NOTHING = Described((), {})
# Bases, each for the viewers who ask, whose settings are kept in memory.
_ENTRIES = 500


def changes_of(now: Described, before: Described | None) -> list[tuple[str, Callable[[Observed], Observed]]]:
    """What becomes of the fields that each viewer knows; the viewer `""` is everybody."""
    then = {} if before is None else dict.fromkeys(before.viewers or ("",), before)
    here = dict.fromkeys(now.viewers or ("",), now)
    return [
        (viewer, partial(_changed, now=here.get(viewer, _NOTHING), before=then.get(viewer)))
        for viewer in {**here, **then}
    ]


def _changed(known: Observed, now: Described, before: Described | None) -> Observed:
    found = observed_with(known, now.metadata, before.metadata if before else None)
    earlier = before.records if before else ()
    return observed_with_records(found, now.records, earlier) if now.records or earlier else found


class BaseRecord(Protocol):
    """The settings and the fields of knowledge bases. Failures are `DependencyError`s."""

    def read(self, base_key: KnowledgeBaseKey, viewers: frozenset[str]) -> KeptBase:
        """What is kept, with the fields of documents for everybody and of those for one of the viewers."""
        ...

    def names(self, tenant: str) -> frozenset[str]:
        """The tenant's bases that have had a document or a setting, whoever may ask them."""
        ...

    def write_text(self, base_key: KnowledgeBaseKey, text: str) -> None:
        """Replace what the operator has set; the fields stay."""
        ...

    def read_calibrations(self) -> str:
        """What `write_calibrations` has kept, empty for nothing."""
        ...

    def write_calibrations(self, text: str) -> None:
        """Replace the calibrations of the stack."""
        ...


class FieldRecord(Protocol):
    """The fields of documents as ingest learns them. Failures are `DependencyError`s."""

    def observe(self, base_key: KnowledgeBaseKey, now: Described, before: Described | None) -> Observed:
        """Record that a document is described so, and was so `before`; returns the fields that its viewers know now.

        Ingests of one base at the same moment lose nothing of each other.
        """
        ...


class CompletedBases:
    """Completes deployed settings by the record, for `KnowledgeBases.completed`. What was read holds for `seconds`.

    `embedder`: the stack's, as calibrations name it. `report` is called once with why those that are kept are not used.
    """

    SECONDS = 10.0

    def __init__(
        self,
        record: BaseRecord,
        clock: Callable[[], float],
        seconds: float = SECONDS,
        embedder: str = SHIPPED.embedder,
        report: Callable[[CicadaError], object] = ignore,
    ) -> None:
        self._record = record
        self._clock = clock
        self._seconds = seconds
        self._embedder = embedder
        self._report = report
        self._calibrations: tuple[str, Calibrations] = "", calibrations_for(embedder)
        self._found: OrderedDict[tuple[KnowledgeBaseKey, frozenset[str]], tuple[float, KnowledgeBase]] = OrderedDict()
        self._lock = Lock()

    def __call__(self, deployed: KnowledgeBase, base_key: KnowledgeBaseKey, viewers: frozenset[str]) -> KnowledgeBase:
        now = self._clock()
        with self._lock:
            read_at, found = self._found.get((base_key, viewers), (0.0, None))
        if found is not None and now - read_at < self._seconds:
            return found
        kept = self._record.read(base_key, viewers)
        made = replace(completed_base(deployed, kept), calibrations=self._calibrated(kept.calibrations))
        with self._lock:
            self._found[(base_key, viewers)] = (now, made)
            self._found.move_to_end((base_key, viewers))
            while len(self._found) > _ENTRIES:
                self._found.popitem(last=False)
        return made

    def _calibrated(self, text: str) -> Calibrations:
        """What is kept for the embedder, or was shipped where that cannot be used: no answer fails by it."""
        if text == self._calibrations[0]:
            return self._calibrations[1]
        try:
            kept = read_calibrations(text)
            found = calibrations_for(self._embedder, kept)
            if not any(each.embedder == self._embedder for each in kept):
                raise ConfigurationError(f"The stack keeps calibrations, but none for {self._embedder}.")
        except ConfigurationError as error:
            found = calibrations_for(self._embedder)
            self._report(error)
        self._calibrations = text, found
        return found


def completed_base(deployed: KnowledgeBase, kept: KeptBase) -> KnowledgeBase:
    """The deployed settings with what is kept. Raises `ConfigurationError` for a text that is not understood."""
    base = deployed
    if kept.text:
        # Imported here: nothing is set for most bases.
        from cicada.knowledge_bases.file import parse_kept

        base = parse_kept(kept.text, f"What is set for {deployed.name}", deployed)
    return replace(base, schema=completed(base.schema, kept.observed, deployed.name))
