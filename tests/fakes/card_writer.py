"""A card model as scripted."""

from __future__ import annotations

from dataclasses import dataclass, field

from cicada.ingest.model import CardDraft, DocumentExcerpt


@dataclass
class ScriptedCardWriter:
    """Writes `draft` for every document."""

    draft: CardDraft
    model_id: str = "card-model"
    asked: list[DocumentExcerpt] = field(default_factory=list)

    def write(self, excerpt: DocumentExcerpt) -> CardDraft:
        self.asked.append(excerpt)
        return self.draft
