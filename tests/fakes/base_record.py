"""The record of knowledge bases in memory."""

from __future__ import annotations

from dataclasses import dataclass, field

from cicada.documents.model import KnowledgeBaseKey, MetadataValue
from cicada.errors import CicadaError
from cicada.knowledge_bases.kept import Described, KeptBase, changes_of
from cicada.knowledge_bases.observed_fields import Observed, merged


@dataclass
class InMemoryBaseRecord:
    """`failure` is raised by every call. `reads`: how often it was read."""

    texts: dict[KnowledgeBaseKey, str] = field(default_factory=dict)
    rows: dict[tuple[KnowledgeBaseKey, str], Observed] = field(default_factory=dict)
    calibrations: str = ""
    failure: CicadaError | None = None
    reads: int = 0

    def read(self, base_key: KnowledgeBaseKey, viewers: frozenset[str]) -> KeptBase:
        self.reads += 1
        if self.failure:
            raise self.failure
        rows = [self.rows.get((base_key, each), ()) for each in ("", *sorted(viewers))]
        return KeptBase(self.texts.get(base_key, ""), merged(rows), self.calibrations)

    def names(self, tenant: str) -> frozenset[str]:
        keys = (*self.texts, *(key for key, _ in self.rows))
        return frozenset(each.knowledge_base for each in keys if each.tenant == tenant)

    def write_text(self, base_key: KnowledgeBaseKey, text: str) -> None:
        self.texts[base_key] = text

    def read_calibrations(self) -> str:
        return self.calibrations

    def write_calibrations(self, text: str) -> None:
        self.calibrations = text

    def observe(self, base_key: KnowledgeBaseKey, now: Described, before: Described | None) -> Observed:
        if self.failure:
            raise self.failure
        for viewer, change in changes_of(now, before):
            self.rows[base_key, viewer] = change(self.rows.get((base_key, viewer), ()))
        return self.read(base_key, frozenset(now.viewers)).observed


def says(*viewers: str, **metadata: MetadataValue) -> Described:
    """What a document says, to these viewers or to everybody."""
    return Described(viewers, metadata)
