"""Which samples a start of the stage uploads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pytest

from cicada.ingest.model import version_of
from clients.documents.files import Upload
from clients.documents.uploader import DocumentResult
from local.stage.samples import IndexedDocument, ingest_samples
from local.stage.settings import StageError

Base = dict[str, IndexedDocument]


class Stage:
    """An uploader whose documents are indexed at once, with their passages, unless `outcome` is another."""

    def __init__(self, outcome: str = "indexed") -> None:
        self.bases: dict[str, Base] = {"scripts": {}, "store": {}}
        self.uploaded: list[str] = []
        self.outcome = outcome

    def ingest(self, uploads: Sequence[Upload]) -> Iterator[DocumentResult]:
        for upload in uploads:
            self.uploaded.append(upload.document.document_id)
            sidecar = upload.sidecar.read_bytes() if upload.sidecar else None
            version = version_of(upload.path.read_bytes(), sidecar)
            base = self.bases[upload.document.base_key.knowledge_base]
            base[upload.document.document_id] = IndexedDocument(version, 7)
            yield DocumentResult(upload.document, self.outcome, 7, path=upload.path)

    def start(self, *bases: str) -> list[str]:
        """What the stage says; `uploaded` is what this start uploads."""
        self.uploaded = []
        return list(ingest_samples(self, self.indexed, bases or ("scripts", "store")))

    def indexed(self, knowledge_base: str) -> Mapping[str, IndexedDocument]:
        return dict(self.bases[knowledge_base])


def test_a_second_start_uploads_nothing() -> None:
    stage = Stage()
    first = stage.start()
    everything = list(stage.uploaded)
    assert {"macbeth.json", "hamlet.json"} < set(everything)
    assert len(everything) > 100
    assert f"store: {len(everything) - 2} indexed" in first
    said = stage.start()
    assert stage.uploaded == []
    assert said == [
        "hamlet.json: unchanged, 7 passages",
        "macbeth.json: unchanged, 7 passages",
        f"store: {len(everything) - 2} unchanged",
    ]


@pytest.mark.parametrize(("base", "document"), [("scripts", "hamlet.json"), ("store", None)])
def test_what_is_missing_or_is_another_version_is_uploaded(base: str, document: str | None) -> None:
    stage = Stage()
    stage.start()
    document = document or sorted(stage.bases[base])[3]
    stage.bases[base][document] = replace(stage.bases[base][document], version="another")
    stage.start()
    assert stage.uploaded == [document]
    del stage.bases[base][document]
    stage.start()
    assert stage.uploaded == [document]


def test_documents_of_others_are_left_alone() -> None:
    stage = Stage()
    stage.start()
    stage.bases["store"]["mine.md"] = IndexedDocument("mine", 1)
    stage.start()
    assert stage.uploaded == []
    assert stage.bases["store"]["mine.md"] == IndexedDocument("mine", 1)


@pytest.mark.parametrize(
    ("outcome", "said"), [("rejected", "Ingest refused hamlet"), ("unreported", "has not reported on")]
)
def test_a_sample_that_is_refused_or_not_reported_ends_the_start(outcome: str, said: str) -> None:
    with pytest.raises(StageError, match=said):
        Stage(outcome).start()
