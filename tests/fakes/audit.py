"""The audit trail in memory."""

from __future__ import annotations

from collections.abc import Sequence

from cicada.errors import CicadaError
from cicada.observability.audit import Administered, AuditRecord, DocumentsShown, Handshake


class RecordingTrail:
    """Keeps the records in their order; `failure` is raised while set, and then nothing is kept."""

    def __init__(self) -> None:
        self.records: list[AuditRecord] = []
        self.failure: CicadaError | None = None

    def write(self, records: Sequence[AuditRecord]) -> None:
        if self.failure:
            raise self.failure
        self.records += records

    def record(self, *records: AuditRecord) -> None:
        self.write(records)

    @property
    def shown(self) -> list[DocumentsShown]:
        return [each for each in self.records if isinstance(each, DocumentsShown)]

    @property
    def administered(self) -> list[Administered]:
        return [each for each in self.records if isinstance(each, Administered)]

    @property
    def handshakes(self) -> list[Handshake]:
        return [each for each in self.records if isinstance(each, Handshake)]
