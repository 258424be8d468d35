"""Opens a document: a page of its stored text, its outline, and the place of a passage."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from cicada.answering.audit import shown_on
from cicada.answering.ports import Originals
from cicada.conversation.model import Connection
from cicada.conversation.protocol import (
    FRAME_LIMIT_BYTES,
    DocumentBlock,
    DocumentPage,
    OpenDocument,
    OutlineEntry,
    SourceLocator,
    frame,
)
from cicada.conversation.withholding import Withholding
from cicada.documents.catalogue import TITLE, Card, DocumentRow, Sort
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, ScriptLocator, passage_number
from cicada.errors import DocumentNotFoundError, InvalidFrameError, UnavailableError
from cicada.identity import Principal
from cicada.ingest.chunks import repeated
from cicada.observability.audit import DocumentsShown
from cicada.permissions import readable_passages
from cicada.retrieval.ports import CataloguedIndex

PAGE_PASSAGES = 8
"""Passages of a page. The longest passages, in letters of three bytes, take two thirds of a frame."""

# A key of S3 has no more bytes, so a longer id is no document's.
_LONGEST_ID_BYTES = 1024
_NAME_LENGTH = 120


class DocumentOpener(Struct, frozen=True):
    """Reads documents from the index. The permission gate is asked for every page.

    `withholding`: says who may read which document at this moment. `audit` is called with each page that is shown; it
    does not fail. `clock` gives epoch seconds. `originals`: None where no address of a file is given away.
    """

    index: CataloguedIndex
    withholding: Withholding
    audit: Callable[[DocumentsShown], object]
    clock: Callable[[], float]
    originals: Originals | None = None

    def open(self, command: OpenDocument, connection: Connection) -> DocumentPage:
        """The page that the command asks for.

        Raises `DocumentNotFoundError` for a document that does not exist, is gone, or is not for the user, and
        `InvalidFrameError` for a page that the document does not have.
        """
        row = self._row(command, connection.principal)
        wanted = _wanted(command, row)
        pages = max(1, -(-row.passages // PAGE_PASSAGES))
        number = command.page or (1 if wanted is None else _page_of(wanted))
        if number > pages:
            raise InvalidFrameError(f"The document has {pages} page{'' if pages == 1 else 's'}; there is no {number}.")
        passages = self._passages(row.document, number, connection.principal)
        original = self.originals.address(row) if self.originals and command.original else None
        page = DocumentPage(
            knowledge_base=command.knowledge_base,
            document_id=command.document_id,
            title=row.title,
            version=passages[0].version,
            page=number,
            pages=pages,
            blocks=tuple(each for each in _blocks(passages, wanted) if _page_of(each.number) == number),
            outline=_outline(row.card) if command.page is None else None,
            originals=True if self.originals else None,
            original=original,
        )
        self._record(page, passages[:1], connection, command.request_id)
        return _fitting(page, command.request_id)

    def _row(self, command: OpenDocument, principal: Principal) -> DocumentRow:
        """The document's row, if the record of access lists and those in the index let the user read it."""
        name = command.document_id
        key = DocumentKey(KnowledgeBaseKey(principal.tenant, command.knowledge_base), name)
        if len(name.encode()) > _LONGEST_ID_BYTES or self.withholding.withheld(principal, frozenset({key})):
            raise no_such_document()
        readable = readable_passages(principal, command.knowledge_base, documents=frozenset({name}))
        if rows := self.index.rows(readable, Sort(TITLE), 1).rows:
            return rows[0]
        if self.index.row(key) is None:
            raise UnavailableError("The search index does not show this document now; try again in a minute.")
        raise no_such_document()

    def _passages(self, document: DocumentKey, number: int, principal: Principal) -> Sequence[Passage]:
        """The passages of a page, with the ones before and after: neighbours overlap, and say what they have of it."""
        first, after = (number - 1) * PAGE_PASSAGES, number * PAGE_PASSAGES
        passages = self.index.passages_of(document, range(max(0, first - 1), after + 1))
        # Asked once more: the document may have been closed to the user while it was read.
        if not passages or self.withholding.withheld(principal, frozenset({document})):
            raise no_such_document()
        return passages

    def _record(self, page: DocumentPage, passages: Sequence[Passage], connection: Connection, request_id: str) -> None:
        path = f"page:{page.page}/{page.pages}"
        record = shown_on(connection, request_id, "opened", passages, self.clock(), path)
        self.audit(record)
        if page.original:
            self.audit(replace(record, outcome="original", path=()))


def no_such_document() -> DocumentNotFoundError:
    """The same of a document that does not exist and of one that the user may not read."""
    return DocumentNotFoundError("There is no such document: it was removed, or you may not read it.")


def _page_of(passage: int) -> int:
    """The number of the page that has this passage."""
    return passage // PAGE_PASSAGES + 1


def _wanted(command: OpenDocument, row: DocumentRow) -> int | None:
    """The number of the passage that is to be marked; None for one that the document does not have."""
    number, _, version = (command.passage or "").partition("@")
    there = bool(number) and int(number) < row.passages and row.version.startswith(version)
    return int(number) if there else None


def _blocks(passages: Sequence[Passage], wanted: int | None) -> Iterator[DocumentBlock]:
    """The blocks of consecutive passages. Of the passage `wanted` is marked what its block and the one before have."""
    repeats = ["", *(_repeat(*both) for both in pairwise(passages)), ""]
    for passage, (repeat, following) in zip(passages, pairwise(repeats), strict=True):
        text = passage.text[len(repeat) + 1 :] if repeat else passage.text
        number, length = passage_number(passage.passage_id) or 0, len(text)
        marked: tuple[int, int] | None = None
        if number == wanted:
            marked = (0, length)
        elif following and number + 1 == wanted:
            marked = (max(0, length - len(following)), length)
        yield DocumentBlock(number, _locator(passage), text, marked)


def _repeat(before: Passage, passage: Passage) -> str:
    """What the passage has of the one before: chunks of one place overlap."""
    same = _place(before) == _place(passage) and before.language == passage.language
    return repeated(before.text, passage.text) if same else ""


def _place(passage: Passage) -> tuple[str, ...]:
    locator = passage.locator
    return (locator.chapter_id,) if isinstance(locator, ScriptLocator) else locator.path


def _locator(passage: Passage) -> SourceLocator:
    """The place below the document; speakers stand in the text."""
    locator = passage.locator
    if isinstance(locator, ScriptLocator):
        chapter = f"{locator.chapter_id} {locator.chapter_title}".strip()[:_NAME_LENGTH]
        return SourceLocator(chapter=chapter, messages=(locator.first_message, locator.last_message))
    return SourceLocator(section=tuple(name[:_NAME_LENGTH] for name in locator.path))


def _outline(card: Card | None) -> tuple[OutlineEntry, ...]:
    sections = card.sections if card else ()
    return tuple(OutlineEntry(each.heading, _page_of(each.first), each.first) for each in sections)


def _fitting(page: DocumentPage, request_id: str) -> DocumentPage:
    """The page, with less and less beside its text until it has room in a frame."""
    if not _fits(page, request_id):
        page = replace(page, blocks=tuple(replace(each, locator=_innermost(each.locator)) for each in page.blocks))
    while page.outline and not _fits(page, request_id):
        page = replace(page, outline=page.outline[::2] if len(page.outline) > 1 else None)
    if not _fits(page, request_id):
        page = replace(page, blocks=tuple(replace(each, locator=SourceLocator()) for each in page.blocks))
    return page


def _innermost(locator: SourceLocator) -> SourceLocator:
    return replace(locator, section=locator.section[-1:]) if locator.section else locator


def _fits(page: DocumentPage, request_id: str) -> bool:
    return len(frame(page, request_id=request_id).encode()) <= FRAME_LIMIT_BYTES
