"""A context model as scripted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cicada.ingest.model import Contexts


@dataclass
class ScriptedContextWriter:
    """Says "On <text's first word>". From call `fails_at` on (counting texts), it fails with `failure`."""

    model_id: str = "context-model"
    failure: str = ""
    fails_at: int = 0
    asked: list[str] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)

    def write(self, document: str, texts: Sequence[str]) -> Contexts:
        self.documents.append(document)
        sentences = []
        failed = False
        for text in texts:
            failed = failed or bool(self.failure and len(self.asked) >= self.fails_at)
            if not failed:
                self.asked.append(text)
            sentences.append("" if failed else f"On {text.split()[0]}")
        return Contexts(tuple(sentences), self.failure if failed else "")
