"""A page of a document's text, and how it is read from a frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cicada_client.events import Frame, Locator, read_locator
from cicada_client.forms import count, count_or_none, objects, pair_of_counts, text, text_by_name, texts


@dataclass(frozen=True, slots=True)
class DocumentBlock:
    """A piece of the text. `number`: that of its passage, from 0. `locator`: the headings above it, or its scene.

    `marked`: from which character to before which one it belongs to the passage that was asked for.
    """

    number: int
    locator: Locator
    text: str
    marked: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A heading or a scene: the page that it begins on, and the number of its first block."""

    heading: str
    page: int
    number: int


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """Page `page` of `pages`, both from 1. `version` changes when the document does, and the pages with it.

    `outline`: empty where a page was asked for by its number. `original`: an address from which the document's
    file may be had for a minute; empty where none was asked for, or there is none.
    """

    knowledge_base: str
    document_id: str
    title: str
    version: str
    page: int
    pages: int
    blocks: tuple[DocumentBlock, ...]
    outline: tuple[OutlineEntry, ...] = ()
    original: str = ""


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """Another version of a listed document. `version` and `standing` are empty where nothing says them."""

    document_id: str
    title: str
    version: str = ""
    standing: str = ""


@dataclass(frozen=True, slots=True)
class DocumentSummary:
    """A document of a list. `passages` and `ingested_at` are 0 and empty while it is not searchable.

    For editors besides: `state`, what ingest has `said`, and `readers`, of which none is everybody.
    `standing`: `inForce`, `notYet`, `noLonger`, or empty where nothing says so. `versions`: others of the document.
    """

    document_id: str
    title: str
    passages: int
    ingested_at: str
    fields: dict[str, str]
    state: str = ""
    said: str = ""
    readers: tuple[str, ...] = ()
    standing: str = ""
    versions: tuple[DocumentVersion, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentsPage:
    """`next_offset`: where the next page of the `total` documents begins, None on the last.

    `values`: on the first page, known values of the fields that the base shows. `ranges`: those of which a filter may
    ask a range (`gte`, `lt` …), each with `number` or `date`.
    """

    total: int
    documents: tuple[DocumentSummary, ...]
    next_offset: int | None = None
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ranges: Mapping[str, str] = field(default_factory=dict)


def parse_documents(frame: Frame) -> DocumentsPage:
    """The page in a `documents` frame; items that are not objects are left out."""
    documents = tuple(map(_summary, objects(frame.get("documents"))))
    given = frame.get("values")
    values = {name: texts(each) for name, each in given.items()} if isinstance(given, dict) else {}
    ranges = text_by_name(frame.get("ranges")) or {}
    return DocumentsPage(count(frame.get("total")), documents, count_or_none(frame.get("nextOffset")), values, ranges)


def _summary(item: Frame) -> DocumentSummary:
    return DocumentSummary(
        document_id=text(item.get("documentId")),
        title=text(item.get("title")),
        passages=count(item.get("passages")),
        ingested_at=text(item.get("ingestedAt")),
        fields=text_by_name(item.get("fields")) or {},
        state=text(item.get("state")),
        said=text(item.get("said")),
        readers=texts(item.get("readers")),
        standing=text(item.get("standing")),
        versions=tuple(map(_version, objects(item.get("versions")))),
    )


def _version(item: Frame) -> DocumentVersion:
    said = (text(item.get(name)) for name in ("documentId", "title", "version", "standing"))
    return DocumentVersion(*said)


def parse_document(frame: Frame) -> DocumentPage:
    """The page in a `document` frame; items that are not objects are left out."""
    return DocumentPage(
        knowledge_base=text(frame.get("knowledgeBase")),
        document_id=text(frame.get("documentId")),
        title=text(frame.get("title")),
        version=text(frame.get("version")),
        page=count(frame.get("page")),
        pages=count(frame.get("pages")),
        blocks=tuple(map(_block, objects(frame.get("blocks")))),
        outline=tuple(map(_entry, objects(frame.get("outline")))),
        original=text(frame.get("original")),
    )


def _block(item: Frame) -> DocumentBlock:
    locator = item.get("locator")
    return DocumentBlock(
        number=count(item.get("number")),
        locator=read_locator(locator if isinstance(locator, dict) else {}),
        text=text(item.get("text")),
        marked=pair_of_counts(item.get("marked")),
    )


def _entry(item: Frame) -> OutlineEntry:
    return OutlineEntry(text(item.get("heading")), count(item.get("page")), count(item.get("number")))
