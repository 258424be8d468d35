"""Dispatches the documents that a plan names, each with the passages of what is to be read of it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from cicada.document_routing.names import DocumentNames
from cicada.document_routing.part_names import part_name
from cicada.document_routing.parts import passages_of_part
from cicada.documents.catalogue import TITLE, DocumentRow, Sort
from cicada.documents.filter import PassageFilter
from cicada.documents.model import Passage
from cicada.documents.subject import Subject
from cicada.retrieval.ports import CataloguedIndex

# Versions of one document may have the same name; more are no answer to "which one?".
_MOST_OF_A_NAME = 3


class Dispatched(Struct, frozen=True):
    """A document, and the passages of it that are to be read, in its order. `is_part`: they are not all of it."""

    row: DocumentRow
    passages: tuple[Passage, ...]
    is_part: bool = False


class Dispatcher(Struct, frozen=True):
    """Reads the passages only of documents that are dispatched."""

    index: CataloguedIndex

    def dispatch(self, subjects: Sequence[Subject], filter: PassageFilter) -> tuple[Dispatched, ...]:
        """What the subjects name, in their order. Empty if one of them names nothing, or too much to be meant.

        `filter`: the documents that may be read. Failures are `DependencyError`s.
        """
        found: dict[tuple[str, str], Dispatched] = {}
        for subject in subjects:
            of_subject = self._of(subject, filter)
            if not of_subject:
                return ()
            for each in of_subject:
                found.setdefault((each.row.document.document_id, subject.section), each)
        return tuple(found.values())

    def _of(self, subject: Subject, filter: PassageFilter) -> list[Dispatched]:
        rows = self._rows(subject, filter)
        read = [each for row in rows if (each := self._read(row, subject.section)).passages]
        return read if len(read) <= _MOST_OF_A_NAME else []

    def _rows(self, subject: Subject, filter: PassageFilter) -> tuple[DocumentRow, ...]:
        """The documents of the name; without a name all of the filter, unless they are many."""
        if subject.document:
            rows = DocumentNames(self.index).find(subject.document, filter)
        else:
            rows = self.index.rows(filter, Sort(TITLE), _MOST_OF_A_NAME + 1).rows
            # "It" is a document only where there is no other.
            rows = rows if subject.section or len(rows) == 1 else ()
        return rows if len(rows) <= _MOST_OF_A_NAME else ()

    def _read(self, row: DocumentRow, section: str) -> Dispatched:
        whole = Dispatched(row, self.index.passages_of(row.document))
        part = part_name(section)
        if part is None:
            return whole
        return replace(whole, passages=passages_of_part(whole.passages, part), is_part=True)
