"""What a stack keeps for a knowledge base: what its operator set, and the fields that were inferred at ingest."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from cicada.documents.model import KnowledgeBaseKey, MetadataValue
from cicada.knowledge_bases.inference import Observed, completed
from cicada.knowledge_bases.settings import KnowledgeBase


class KeptBase(Struct, frozen=True):
    """`text`: TOML of settings and schema, empty where nothing is set. `observed`: the fields of the documents."""

    text: str = ""
    observed: Observed = ()


class Described(Struct, frozen=True):
    """What a document says of itself, and to whom. `viewers`: none for everybody."""

    viewers: tuple[str, ...]
    metadata: Mapping[str, MetadataValue]


def changes_of(
    now: Described, before: Described | None
) -> list[tuple[str, Mapping[str, MetadataValue], Mapping[str, MetadataValue] | None]]:
    """What the document says now, and what it said before, for each viewer; the viewer `""` is everybody."""
    then = {} if before is None else dict.fromkeys(before.viewers or ("",), before.metadata)
    here = dict.fromkeys(now.viewers or ("",), now.metadata)
    return [(viewer, here.get(viewer, {}), then.get(viewer)) for viewer in {**here, **then}]


class BaseRecord(Protocol):
    """The settings and the fields of knowledge bases. Failures are `DependencyError`s."""

    def read(self, base_key: KnowledgeBaseKey, viewers: frozenset[str]) -> KeptBase:
        """What is kept, with the fields of documents for everybody and of those for one of the viewers."""
        ...

    def write_text(self, base_key: KnowledgeBaseKey, text: str) -> None:
        """Replace what the operator has set; the fields stay."""
        ...


class FieldRecord(Protocol):
    """The fields of documents as ingest learns them. Failures are `DependencyError`s."""

    def observe(self, base_key: KnowledgeBaseKey, now: Described, before: Described | None) -> Observed:
        """Record that a document is described so, and was so `before`; returns the fields that its viewers know now.

        Ingests of one base at the same moment lose nothing of each other.
        """
        ...


class CompletedBases:
    """Completes deployed settings by the record, for `KnowledgeBases.completed`. What was read holds for `seconds`."""

    SECONDS = 10.0

    def __init__(
        self, record: BaseRecord, clock: Callable[[], float], seconds: float = SECONDS, entries: int = 500
    ) -> None:
        self._record = record
        self._clock = clock
        self._seconds = seconds
        self._entries = entries
        self._found: OrderedDict[tuple[KnowledgeBaseKey, frozenset[str]], tuple[float, KnowledgeBase]] = OrderedDict()
        self._lock = Lock()

    def __call__(self, deployed: KnowledgeBase, base_key: KnowledgeBaseKey, viewers: frozenset[str]) -> KnowledgeBase:
        now = self._clock()
        with self._lock:
            read_at, found = self._found.get((base_key, viewers), (0.0, None))
        if found is not None and now - read_at < self._seconds:
            return found
        made = completed_base(deployed, self._record.read(base_key, viewers))
        with self._lock:
            self._found[(base_key, viewers)] = (now, made)
            self._found.move_to_end((base_key, viewers))
            while len(self._found) > self._entries:
                self._found.popitem(last=False)
        return made


def completed_base(deployed: KnowledgeBase, kept: KeptBase) -> KnowledgeBase:
    """The deployed settings with what is kept. Raises `ConfigurationError` for a text that is not understood."""
    base = deployed
    if kept.text:
        # Imported here: nothing is set for most bases.
        from cicada.knowledge_bases.file import parse_kept

        base = parse_kept(kept.text, f"What is set for {deployed.name}", deployed)
    return replace(base, schema=completed(base.schema, kept.observed, deployed.name))
