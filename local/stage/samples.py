"""Ingests the sample documents, as `cicada ingest` does, unless they are indexed already."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from cicada.ingest.model import version_of
from clients.documents.files import Upload, uploads_of
from clients.documents.uploader import UNREPORTED, DocumentResult
from local.stage.aws import aws_client, deployed_name
from local.stage.settings import ROOT, StageConfig, StageError

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

_SAMPLES = ROOT / "samples"
# The uploader gives up when no report has come for so long.
PATIENCE_SECONDS = 900
_EVERY = 25
_PAGE = 500


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """The version of a document that the index has, and its number of passages."""

    version: str
    passages: int


# What a knowledge base has, by the documents' ids.
Indexed = Callable[[str], Mapping[str, IndexedDocument]]


class DocumentUploader(Protocol):
    """Uploads documents and gives the result of each; `Uploader` is one."""

    def ingest(self, uploads: Sequence[Upload]) -> Iterator[DocumentResult]: ...


def ingest_samples(uploader: DocumentUploader, indexed: Indexed, bases: Collection[str]) -> Iterator[str]:
    """Ingest the samples of these bases that are not `indexed` in this version; yields lines of progress.

    `StageError` when a file is refused or no report comes.
    """
    if "scripts" in bases:
        plays = uploads_of(sorted(_SAMPLES.glob("*.json")), "default", "scripts")
        for result in _ingested(uploader, plays, indexed("scripts")):
            yield f"{result.path.name}: {result.outcome}, {result.passages} passages"
    if "store" in bases:
        documents = uploads_of([_SAMPLES / "store"], "default", "store")
        yield from _store(_ingested(uploader, documents, indexed("store")), len(documents))


def _store(results: Iterator[DocumentResult], expected: int) -> Iterator[str]:
    """A line for every few documents, because there are many, and one at the end."""
    outcomes: Counter[str] = Counter()
    for number, result in enumerate(results, start=1):
        outcomes[result.outcome] += 1
        if number % _EVERY == 0 and number < expected and result.outcome != "unchanged":
            yield f"store: {number} of {expected} documents …"
    yield f"store: {', '.join(f'{number} {outcome}' for outcome, number in sorted(outcomes.items()))}"


def _ingested(
    uploader: DocumentUploader, uploads: Sequence[Upload], indexed: Mapping[str, IndexedDocument]
) -> Iterator[DocumentResult]:
    """The results of all: first of those that are indexed already, then of the others, which are uploaded."""
    others = []
    for upload in uploads:
        found = indexed.get(upload.document.document_id)
        if found and found.version == _version(upload):
            yield DocumentResult(upload.document, "unchanged", found.passages, path=upload.path)
        else:
            others.append(upload)
    for result in uploader.ingest(others):
        name = result.path.name
        if result.outcome == UNREPORTED:
            raise StageError(f"Ingest has not reported on {name} within {PATIENCE_SECONDS} s; see the emulator's log.")
        if result.has_failed:
            raise StageError(f"Ingest refused {name}: {result.problems}")
        yield result


def _version(upload: Upload) -> str:
    return version_of(upload.path.read_bytes(), upload.sidecar.read_bytes() if upload.sidecar else None)


def indexed_documents(config: StageConfig, knowledge_base: str) -> dict[str, IndexedDocument]:
    """The documents of a knowledge base, by their ids; none if the function fails, which an ingest will report."""
    client: LambdaClient = aws_client(config, "lambda")
    found: dict[str, IndexedDocument] = {}
    offset: int | None = 0
    while offset is not None:
        page = _page(client, {"documents": "list", "knowledgeBase": knowledge_base, "limit": _PAGE, "offset": offset})
        found |= {each["documentId"]: IndexedDocument(each["version"], each["passages"]) for each in page["documents"]}
        offset = page["nextOffset"]
    return found


def _page(client: LambdaClient, event: dict[str, Any]) -> dict[str, Any]:
    reply = client.invoke(FunctionName=deployed_name("ingest_document"), Payload=json.dumps(event).encode())
    if "FunctionError" in reply:
        return {"documents": [], "nextOffset": None}
    page: dict[str, Any] = json.loads(reply["Payload"].read())
    return page
