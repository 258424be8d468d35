"""The embedded index in a file of its own, which goes with the object, and a view into it for tests."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from tempfile import mkdtemp
from weakref import finalize

from msgspec.structs import replace

from cicada.documents.catalogue import DocumentRow
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.retrieval.model import EmbeddedPassage
from cicada_embedded.file import IndexFile
from cicada_embedded.index_rebuild import SqliteIndexRebuild
from cicada_embedded.passage_index import SqlitePassageIndex


class IndexContents:
    """What outlives the index object: the file."""

    def __init__(self, model_id: str, dimension: int) -> None:
        self.embedder = (model_id, dimension)
        folder = mkdtemp(prefix="cicada-index-")
        self.path = Path(folder) / "index.sqlite"
        self.file = IndexFile(self.path, *self.embedder)
        self.documents = Documents(self)
        finalize(self, shutil.rmtree, folder, ignore_errors=True)

    @property
    def building(self) -> Documents | None:
        """The documents of the unfinished index."""
        build = self.file.unfinished()
        return Documents(self, build) if build else None

    def end_rebuild(self) -> None:
        """Drop the unfinished index, as another process may."""
        self.file.abandon(self.file.unfinished())

    def change_row(self, row: DocumentRow) -> None:
        """Show this row of the document, with the same passages."""
        SqlitePassageIndex(self.path, *self.embedder).replace(row.document, self.documents[row.document], row)


class Documents(MutableMapping[DocumentKey, tuple[EmbeddedPassage, ...]]):
    """The passages of each document, with vectors of length 1; a change writes to the index."""

    def __init__(self, contents: IndexContents, build: str | None = None) -> None:
        self._index = SqlitePassageIndex(contents.path, *contents.embedder, build=build)
        self._file, self._build = contents.file, build

    def __getitem__(self, document: DocumentKey) -> tuple[EmbeddedPassage, ...]:
        passages = self._index.passages_of(document)
        if not passages:
            raise KeyError(document)
        vectors = self._index.vectors_of(document.base_key, [each.passage_id for each in passages])
        return tuple(EmbeddedPassage(each, list(vectors[each.passage_id])) for each in passages)

    def __setitem__(self, document: DocumentKey, passages: tuple[EmbeddedPassage, ...]) -> None:
        row = self._index.row(document)
        self._index.replace(document, passages, row and replace(row, passages=len(passages)))

    def __delitem__(self, document: DocumentKey) -> None:
        self._index.delete(document)

    def __iter__(self) -> Iterator[DocumentKey]:
        with self._file.reading(self._build) as (connection, _):
            rows = connection.execute(
                "SELECT tenant, knowledge_base, document_id FROM document JOIN base ON base.number = base "
                "ORDER BY document.number"
            ).fetchall()
        return iter([DocumentKey(KnowledgeBaseKey(tenant, base), name) for tenant, base, name in rows])

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __repr__(self) -> str:
        return repr(dict(self))


class InMemoryPassageIndex(SqlitePassageIndex):
    """`contents`: those of another object, None for a new file."""

    def __init__(self, model_id: str, dimension: int, contents: IndexContents | None = None) -> None:
        self.contents = contents or IndexContents(model_id, dimension)
        super().__init__(self.contents.path, model_id, dimension)


class InMemoryIndexRebuild(SqliteIndexRebuild):
    def __init__(self, contents: IndexContents) -> None:
        super().__init__(contents.path, *contents.embedder)
        self.contents = contents
