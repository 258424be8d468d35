"""The index file: its tables, the embedder that it belongs to, and transactions on it.

`path` is a symbolic link to the file of the live index. A rebuild fills a file of its own, and a rename of a new link
switches. A link, because SQLite finds a file's log by the file's name: were the file itself replaced, a process that
has the old one open would write and delete the new one's log.
https://sqlite.org/howtocorrupt.html#_unlinking_or_renaming_a_database_file_while_in_use
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from glob import escape
from pathlib import Path
from threading import Lock
from uuid import uuid4

import numpy as np
from msgspec import Struct

from cicada.adapters.passage_codec import metadata_from_json, readers_from_json, row_from_json
from cicada.documents.catalogue import DocumentRow
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, PassageFilter, meets
from cicada.errors import ConfigurationError, UnavailableError
from cicada.retrieval.fusion import CARD_FIELDS
from cicada_embedded.texts import Facts, Mask, Row, Texts, texts

# How long a writer waits for another: replacing a long document takes seconds.
BUSY_SECONDS = 30.0
LAYOUT = "6"
_OVER = "This index is not being built any more; begin again."

# Numbers are never reused (AUTOINCREMENT), so what a process keeps by number does not become stale: a replaced document
# has new ones.
_TABLES = """
CREATE TABLE property (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE base (
    number INTEGER PRIMARY KEY, tenant TEXT NOT NULL, knowledge_base TEXT NOT NULL, revision INTEGER NOT NULL,
    UNIQUE (tenant, knowledge_base));
CREATE TABLE document (
    number INTEGER PRIMARY KEY AUTOINCREMENT, base INTEGER NOT NULL REFERENCES base, document_id TEXT NOT NULL,
    row TEXT NOT NULL, card TEXT, language TEXT, lengths BLOB, terms BLOB, vector BLOB, UNIQUE (base, document_id));
CREATE TABLE passage (
    number INTEGER PRIMARY KEY AUTOINCREMENT, document INTEGER NOT NULL REFERENCES document ON DELETE CASCADE,
    passage_id TEXT NOT NULL, metadata TEXT NOT NULL, readers TEXT NOT NULL, language TEXT NOT NULL,
    lengths BLOB NOT NULL, terms BLOB NOT NULL, vector BLOB NOT NULL, body TEXT NOT NULL,
    UNIQUE (document, passage_id));
CREATE INDEX passage_name ON passage (passage_id);
"""


class IndexFile:
    """SQLite files in WAL mode, shared by any number of threads and processes; created if missing.

    Raises `ConfigurationError` for a file of another embedder, `UnavailableError` when the file is busy for too long.
    """

    def __init__(self, path: Path, model_id: str, dimension: int) -> None:
        self._path = path
        self._embedder = (model_id, dimension)

    @contextmanager
    def reading(self, build: str | None = None) -> Iterator[tuple[sqlite3.Connection, str]]:
        """A read transaction on a snapshot of the live file, or of an unfinished one, and the file's name."""
        with self._building(build, "BEGIN") if build else self._current("BEGIN") as (connection, file):
            yield connection, file.name

    @contextmanager
    def writing(self, build: str | None = None) -> Iterator[tuple[sqlite3.Connection, ...]]:
        """A write transaction on the live file, and one on that of a rebuild: a killed process leaves none half done.

        The live file's is committed last: until then the write has not happened, and is repeated in both. What
        `delete_rows` has deleted leaves the disk. `build` is the file of a rebuild that is to be written alone; raises
        `UnavailableError` where the rebuild is over.
        """
        with self._current() as (live, _), ExitStack() as others:
            if build:
                _check_unfinished(live, build)
            filled = unfinished(live)
            other = others.enter_context(self._building(filled))[:1] if filled else ()
            yield other if build else (live, *other)
        self._tidy()

    def unfinished(self) -> str | None:
        """The file of the current rebuild, None without one."""
        with self._current("BEGIN") as (live, _):
            return unfinished(live)

    def begin(self) -> str:
        """Make an empty file, which is not searched yet; an unfinished one is dropped."""
        with self._current() as (live, _):
            build = self._make().name
            live.execute("INSERT OR REPLACE INTO property VALUES ('unfinished', ?)", (build,))
        self._tidy()
        return build

    def switch(self, build: str | None) -> None:
        """Make this file the live one. Raises `UnavailableError` if another rebuild has begun since."""
        with self._current() as (live, _):
            _check_unfinished(live, build)
            link = self._path.with_name(f"{self._path.name}.{uuid4().hex}")
            link.symlink_to(str(build))
            link.replace(self._path)
        self._tidy()

    def abandon(self, build: str | None) -> None:
        """Drop this file; nothing happens where it is dropped already."""
        with self._current() as (live, _):
            live.execute("DELETE FROM property WHERE name = 'unfinished' AND value = ?", (build,))
        self._tidy()

    @contextmanager
    def _current(self, begin: str = "BEGIN IMMEDIATE") -> Iterator[tuple[sqlite3.Connection, Path]]:
        """A transaction on the file that is live when it has begun. A write transaction holds off switches."""
        with sqlite_errors(self._path), ExitStack() as opened:
            while True:
                file = self._live()
                try:
                    connection = opened.enter_context(self._opened(file))
                    connection.execute(begin)
                    connection.execute("SELECT 1 FROM property").fetchone()  # From here on it sees one snapshot.
                except (sqlite3.Error, UnavailableError):
                    if file == self._live():
                        raise
                    continue
                if file == self._live():
                    break
            yield connection, file
            connection.execute("COMMIT")

    @contextmanager
    def _building(self, build: str, begin: str = "BEGIN IMMEDIATE") -> Iterator[tuple[sqlite3.Connection, Path]]:
        """A transaction on the file of a rebuild."""
        with sqlite_errors(self._path), self._opened(file := self._path.with_name(build)) as connection:
            connection.execute(begin)
            yield connection, file
            connection.execute("COMMIT")

    @contextmanager
    def _opened(self, file: Path) -> Iterator[sqlite3.Connection]:
        """A connection of its own for each transaction, which takes half a millisecond. Closing rolls back."""
        try:
            opened = _connect(file)
        except sqlite3.OperationalError:
            if file.exists():
                raise
            raise UnavailableError(_OVER) from None
        with closing(opened) as connection:
            self._check(dict(connection.execute("SELECT name, value FROM property").fetchall()))
            yield connection

    def _live(self) -> Path:
        """The file of the live index, made if there is none."""
        gone = None
        while True:
            try:
                file = self._path.with_name(self._path.readlink().name)
            except FileNotFoundError:
                self._make_live()
                continue
            except OSError:
                return self._path  # No link: a file of an earlier version, or of another program.
            if file.exists():
                return file
            if file == gone:  # Seen once it may be the file before a switch, and the link the new one's.
                self._path.unlink(missing_ok=True)
            gone = file

    def _make_live(self) -> None:
        """The first process wins, and none opens half a file. A write removes what the others have made, or make."""
        try:
            self._path.symlink_to(self._make().name)
        except (FileExistsError, sqlite3.OperationalError):
            if not self._path.is_symlink():
                raise

    def _make(self) -> Path:
        fresh = self._path.with_name(f"{self._path.name}.{uuid4().hex}")
        model_id, dimension = self._embedder
        properties = [("layout", LAYOUT), ("embedder", model_id), ("dimension", str(dimension))]
        try:
            fresh.touch()
        except OSError as error:
            raise ConfigurationError(
                f"The index file {self._path} cannot be made ({error.strerror}); name one on another disk."
            ) from error
        with closing(_connect(fresh)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(_TABLES)
            connection.executemany("INSERT INTO property VALUES (?, ?)", properties)
        return fresh

    def _check(self, properties: dict[str, str]) -> None:
        if properties.get("layout") != LAYOUT:
            raise ConfigurationError(
                f"The index file {self._path} was made by another version of CICADA; delete it and ingest again."
            )
        found = f"{properties['embedder']} ({properties['dimension']} dimensions)"
        wanted = "{} ({} dimensions)".format(*self._embedder)
        if found != wanted:
            raise ConfigurationError(
                f"The index file {self._path} holds vectors of {found}, and the embedder is {wanted}; "
                "set the embedder back, or name another file and ingest again."
            )

    def _tidy(self) -> None:
        """After a write: remove the files of indexes that are over, and what was deleted from the others."""
        with self._current() as (live, file):
            used = {file.name, unfinished(live) or file.name}
            for each in self._path.parent.glob(f"{escape(self._path.name)}.{'[0-9a-f]' * 32}*"):
                if not each.name.startswith(tuple(used)):
                    each.unlink(missing_ok=True)
        for name in used:
            try:
                with sqlite_errors(self._path), self._opened(self._path.with_name(name)) as connection:
                    _forget_removed(connection)
            except UnavailableError:
                # Another process may have ended the rebuild meanwhile.
                if self._path.with_name(name).exists():
                    raise


def unfinished(live: sqlite3.Connection) -> str | None:
    """The name of the file that a rebuild fills, None without one."""
    row = live.execute("SELECT value FROM property WHERE name = 'unfinished'").fetchone()
    return row[0] if row else None


def _check_unfinished(live: sqlite3.Connection, build: str | None) -> None:
    if build is None or unfinished(live) != build:
        raise UnavailableError(_OVER)


def delete_rows(connection: sqlite3.Connection, statement: str, values: Sequence[object]) -> None:
    """Run the DELETE. If it deletes anything, the file is written anew after the transaction, or by the next one.

    SQLite overwrites a row that it deletes (`_connect`), but not the copies that it has left on other pages when it
    moved rows between them.
    """
    if connection.execute(statement, values).rowcount:
        connection.execute("INSERT OR REPLACE INTO property VALUES ('removed', ?)", (uuid4().hex,))


def _forget_removed(connection: sqlite3.Connection) -> None:
    """Write the file anew if rows were deleted, and cut its log, whose earlier pages still hold them.

    A process that removes something meanwhile sets another mark, and sees to it. A reader that takes long leaves the
    log to the next write. https://sqlite.org/pragma.html#pragma_wal_checkpoint
    """
    for (mark,) in connection.execute("SELECT value FROM property WHERE name = 'removed'").fetchall():
        connection.execute("VACUUM")
        connection.execute("DELETE FROM property WHERE name = 'removed' AND value = ?", (mark,))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _connect(path: Path) -> sqlite3.Connection:
    """Open the file, which must be there."""
    uri = f"{path.absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    # Deleted content is overwritten with zeros. https://sqlite.org/pragma.html#pragma_secure_delete
    connection.execute("PRAGMA secure_delete = ON")
    return connection


_PASSING = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_PROTOCOL,
)


@contextmanager
def sqlite_errors(path: Path) -> Iterator[None]:
    """Translate sqlite3's errors and chain the cause. https://sqlite.org/rescode.html"""
    try:
        yield
    except sqlite3.Error as error:
        # The low byte is the primary code. Errors that Python's module raises itself have none.
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_MISUSE) & 0xFF
        name = getattr(error, "sqlite_errorname", type(error).__name__)
        if code in _PASSING:
            raise UnavailableError(f"The index file is busy or its disk is full ({name}); try again.") from error
        raise ConfigurationError(
            f"The index file {path} cannot be used ({name}); check that its folder exists and can be written, "
            "or delete the file and ingest again."
        ) from error


PASSAGE_FIELDS = ("words", "title", "context")
# Knowledge bases that a process keeps.
_MAX_KEPT = 64


class Snapshot(Struct, frozen=True):
    """`documents`: the rows without their cards, by the documents' numbers, in ascending order."""

    revision: int
    documents: Mapping[int, DocumentRow]
    passages: Texts
    cards: Texts

    def matching(self, filter: PassageFilter) -> list[DocumentRow]:
        """The rows that match."""
        reads = _reads(filter.reader)
        return [
            row
            for row in self.documents.values()
            if (filter.document_ids is None or row.document.document_id in filter.document_ids)
            and reads(row.readers)
            and meets(row.metadata, filter.conditions)
        ]

    def shown(self, found: Texts, filter: PassageFilter) -> Mask:
        """Which of the passages or cards match."""
        mask = readable(found, filter)
        if filter.conditions:
            mask &= found.having([meets(each.metadata, filter.conditions) for each in found.facts])
        if filter.document_ids is not None:
            wanted = [
                number for number, row in self.documents.items() if row.document.document_id in filter.document_ids
            ]
            mask &= np.isin(found.documents, wanted)
        return mask


def readable(found: Texts, filter: PassageFilter) -> Mask:
    """Which of the passages or cards the filter's reader may read, whatever else it asks for."""
    reads = _reads(filter.reader)
    return found.having([reads(each.readers) for each in found.facts])


def _reads(reader: frozenset[str] | None) -> Callable[[tuple[str, ...]], bool]:
    return lambda readers: reader is None or not readers or not reader.isdisjoint(readers)


class Snapshots:
    """The snapshots of a process. Thread-safe. Only what was written since the last one is read from the file."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        nothing = (texts((), dimension, len(PASSAGE_FIELDS)), texts((), dimension, len(CARD_FIELDS)))
        self._empty = Snapshot(-1, {}, *nothing)
        self._file = ""
        self._kept: dict[int, Snapshot] = {}
        self._lock = Lock()

    def of(self, connection: sqlite3.Connection, file: str, base_key: KnowledgeBaseKey) -> Snapshot:
        """The snapshot of the transaction; an empty one for an unknown knowledge base."""
        found = connection.execute(
            "SELECT number, revision FROM base WHERE tenant = ? AND knowledge_base = ?",
            (base_key.tenant, base_key.knowledge_base),
        ).fetchone()
        if found is None:
            return self._empty
        number, revision = found
        with self._lock:
            if file != self._file:
                self._file, self._kept = file, {}
            kept = self._kept.pop(number, self._empty)
            made = kept if kept.revision == revision else self._read(connection, number, revision, base_key, kept)
            # A thread whose transaction is older than what is kept reads all, for itself alone.
            self._kept[number] = max(kept, made, key=lambda each: each.revision)
            while len(self._kept) > _MAX_KEPT:
                del self._kept[next(iter(self._kept))]
        return made

    def _read(
        self, connection: sqlite3.Connection, base: int, revision: int, base_key: KnowledgeBaseKey, kept: Snapshot
    ) -> Snapshot:
        numbers = [number for (number,) in connection.execute("SELECT number FROM document WHERE base = ?", (base,))]
        living = np.array(sorted(numbers), np.int64)
        if kept.revision > revision:
            kept = self._empty
        last, alive = max(kept.documents, default=0), set(numbers)
        documents = {number: row for number, row in kept.documents.items() if number in alive}
        documents |= _documents(connection, base, last, base_key)
        passages = texts(_passages(connection, base, last), self._dimension, len(PASSAGE_FIELDS))
        cards = texts(_cards(connection, base, last, documents), self._dimension, len(CARD_FIELDS))
        return Snapshot(
            revision, documents, kept.passages.extended(living, passages), kept.cards.extended(living, cards)
        )


def _documents(
    connection: sqlite3.Connection, base: int, last: int, base_key: KnowledgeBaseKey
) -> dict[int, DocumentRow]:
    rows = connection.execute(
        "SELECT number, document_id, row FROM document WHERE base = ? AND number > ? ORDER BY number", (base, last)
    )
    return {number: row_from_json(row, DocumentKey(base_key, name)) for number, name, row in rows}


def _passages(connection: sqlite3.Connection, base: int, last: int) -> list[Row]:
    rows = connection.execute(
        "SELECT passage.number, document, metadata, readers, passage.language, passage.lengths, passage.terms, "
        "passage.vector FROM passage JOIN document ON document.number = document "
        "WHERE document > ? AND base = ? ORDER BY passage.number",
        (last, base),
    )
    shared = cache(lambda metadata, readers: Facts(metadata_from_json(metadata), readers_from_json(readers)))
    return [Row(number, document, shared(fields, readers), *rest) for number, document, fields, readers, *rest in rows]


def _cards(connection: sqlite3.Connection, base: int, last: int, documents: Mapping[int, DocumentRow]) -> list[Row]:
    rows = connection.execute(
        "SELECT number, language, lengths, terms, vector FROM document "
        "WHERE base = ? AND number > ? AND card IS NOT NULL ORDER BY number",
        (base, last),
    )
    facts = {number: Facts(row.metadata, row.readers) for number, row in documents.items()}
    return [Row(number, number, facts[number], *rest) for number, *rest in rows]
