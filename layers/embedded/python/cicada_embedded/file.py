"""The index file: its tables, the embedder that it belongs to, and transactions on it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from msgspec import Struct

from cicada.errors import ConfigurationError, UnavailableError

# How long a writer waits for another: replacing a long document takes seconds.
BUSY_SECONDS = 30.0
LAYOUT = "5"

# Numbers of passages and documents are never reused (AUTOINCREMENT), so nothing cached by number becomes stale. A
# replaced document gets a new number.
# `build` tells the live index from the one that is being built: see `cicada_embedded.index_rebuild`.
_TABLES = """
CREATE TABLE property (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE collection (
    number INTEGER PRIMARY KEY AUTOINCREMENT, build INTEGER NOT NULL, tenant TEXT NOT NULL,
    knowledge_base TEXT NOT NULL, revision INTEGER NOT NULL, UNIQUE (build, tenant, knowledge_base));
CREATE TABLE passage (
    number INTEGER PRIMARY KEY AUTOINCREMENT, collection INTEGER NOT NULL REFERENCES collection,
    document_id TEXT NOT NULL, passage_id TEXT NOT NULL, is_restricted INTEGER NOT NULL);
CREATE UNIQUE INDEX passage_place ON passage (collection, document_id, passage_id);
CREATE INDEX passage_name ON passage (collection, passage_id);
CREATE INDEX passage_restricted ON passage (collection) WHERE is_restricted;
CREATE TABLE body (
    number INTEGER PRIMARY KEY REFERENCES passage ON DELETE CASCADE, version TEXT NOT NULL, title TEXT NOT NULL,
    text TEXT NOT NULL, context TEXT NOT NULL, locator TEXT NOT NULL, language TEXT NOT NULL, metadata TEXT NOT NULL,
    readers TEXT NOT NULL);
CREATE TABLE vector (
    number INTEGER PRIMARY KEY REFERENCES passage ON DELETE CASCADE, vector BLOB NOT NULL);
CREATE TABLE words (
    number INTEGER PRIMARY KEY REFERENCES passage ON DELETE CASCADE, language TEXT NOT NULL, lengths BLOB NOT NULL,
    counts BLOB NOT NULL);
CREATE TABLE attribute (
    collection INTEGER NOT NULL, name TEXT NOT NULL, value NOT NULL,
    number INTEGER NOT NULL REFERENCES passage ON DELETE CASCADE,
    PRIMARY KEY (collection, name, value, number)) WITHOUT ROWID;
CREATE INDEX attribute_passage ON attribute (number);
CREATE TABLE document (
    number INTEGER PRIMARY KEY AUTOINCREMENT, collection INTEGER NOT NULL REFERENCES collection,
    document_id TEXT NOT NULL, title TEXT NOT NULL, is_restricted INTEGER NOT NULL, content_hash TEXT NOT NULL,
    row TEXT NOT NULL, UNIQUE (collection, document_id));
CREATE INDEX document_content ON document (collection, content_hash);
CREATE INDEX document_restricted ON document (collection) WHERE is_restricted;
CREATE TABLE card (number INTEGER PRIMARY KEY REFERENCES document ON DELETE CASCADE, card TEXT NOT NULL);
CREATE TABLE card_vector (
    number INTEGER PRIMARY KEY REFERENCES document ON DELETE CASCADE, vector BLOB NOT NULL);
CREATE TABLE card_words (
    number INTEGER PRIMARY KEY REFERENCES document ON DELETE CASCADE, language TEXT NOT NULL, lengths BLOB NOT NULL,
    counts BLOB NOT NULL);
CREATE TABLE document_attribute (
    collection INTEGER NOT NULL, name TEXT NOT NULL, value NOT NULL, place INTEGER NOT NULL,
    number INTEGER NOT NULL REFERENCES document ON DELETE CASCADE,
    PRIMARY KEY (collection, name, value, number)) WITHOUT ROWID;
CREATE INDEX document_attribute_document ON document_attribute (number);
CREATE TABLE document_reader (
    collection INTEGER NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL REFERENCES document ON DELETE CASCADE,
    PRIMARY KEY (collection, name, number)) WITHOUT ROWID;
CREATE INDEX document_reader_document ON document_reader (number);
CREATE TABLE reader (
    collection INTEGER NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL REFERENCES passage ON DELETE CASCADE,
    PRIMARY KEY (collection, name, number)) WITHOUT ROWID;
CREATE INDEX reader_passage ON reader (number);
"""


class _Opened(Struct, frozen=True):
    connection: sqlite3.Connection
    inode: int | None


class IndexFile:
    """One SQLite file in WAL mode, shared by any number of threads and processes; created if missing.

    Raises `ConfigurationError` for a file of another embedder, `UnavailableError` when the file is busy for too long.
    """

    def __init__(self, path: Path, model_id: str, dimension: int) -> None:
        self._path = path
        self._model_id = model_id
        self._dimension = dimension
        self._idle: list[_Opened] = []

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A read transaction: it sees one snapshot of the file."""
        with self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A write transaction: atomic, even if the process dies in the middle.

        What `delete_rows` has deleted in it leaves the disk.
        """
        with self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection
        with self._pooled() as connection:
            _forget_removed(connection)
            _empty_log(connection)

    def close(self) -> None:
        """Close the pooled connections."""
        while self._idle:
            self._idle.pop().connection.close()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._pooled() as connection:
            connection.execute(begin)
            yield connection
            connection.execute("COMMIT")

    @contextmanager
    def _pooled(self) -> Iterator[sqlite3.Connection]:
        with sqlite_errors(self._path):
            opened = self._take()
            finished = False
            try:
                yield opened.connection
                finished = True
            finally:
                # Closing rolls back; a failed connection is not reused.
                self._idle.append(opened) if finished else opened.connection.close()

    def _take(self) -> _Opened:
        inode = _inode(self._path)
        while self._idle:
            opened = self._idle.pop()
            if opened.inode == inode:
                return opened
            opened.connection.close()  # The file was deleted or replaced.
        return self._open()

    def _open(self) -> _Opened:
        if not self._path.exists():
            self._make()
        with ExitStack() as if_refused:
            connection = if_refused.enter_context(closing(_connect(self._path)))
            self._check(dict(connection.execute("SELECT name, value FROM property").fetchall()))
            if_refused.pop_all()
        return _Opened(connection, _inode(self._path))

    def _make(self) -> None:
        """Create the file under another name, then link it: no process opens half a file, and the first one wins."""
        fresh = self._path.with_name(f"{self._path.name}.{uuid4().hex}")
        try:
            with closing(_connect(fresh)) as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.executescript(_TABLES)
                connection.executemany(
                    "INSERT INTO property VALUES (?, ?)",
                    [
                        ("layout", LAYOUT),
                        ("identity", uuid4().hex),
                        ("embedder", self._model_id),
                        ("dimension", str(self._dimension)),
                        ("live", "1"),
                        ("newest", "1"),
                    ],
                )
            with suppress(FileExistsError):
                self._path.hardlink_to(fresh)
        except OSError as error:
            raise ConfigurationError(
                f"The index file {self._path} cannot be made ({error.strerror}); name one on another disk."
            ) from error
        finally:
            fresh.unlink(missing_ok=True)

    def _check(self, properties: dict[str, str]) -> None:
        if properties.get("layout") != LAYOUT:
            raise ConfigurationError(
                f"The index file {self._path} was made by another version of CICADA; delete it and ingest again."
            )
        found = f"{properties['embedder']} ({properties['dimension']} dimensions)"
        wanted = f"{self._model_id} ({self._dimension} dimensions)"
        if found != wanted:
            raise ConfigurationError(
                f"The index file {self._path} holds vectors of {found}, and the embedder is {wanted}; "
                "set the embedder back, or name another file and ingest again."
            )


def delete_rows(connection: sqlite3.Connection, statement: str, values: Sequence[object]) -> None:
    """Run the DELETE. If it deletes anything, the file is written anew after the transaction, or by the next one.

    SQLite overwrites a row that it deletes (`_connect`), but not the copies that it has left on other pages when it
    moved rows between them.
    """
    if connection.execute(statement, values).rowcount:
        connection.execute("INSERT OR REPLACE INTO property VALUES ('removed', ?)", (uuid4().hex,))


def _forget_removed(connection: sqlite3.Connection) -> None:
    """A process that removes something meanwhile has set another mark, and sees to it."""
    for (mark,) in connection.execute("SELECT value FROM property WHERE name = 'removed'").fetchall():
        connection.execute("VACUUM")
        connection.execute("DELETE FROM property WHERE name = 'removed' AND value = ?", (mark,))


def _empty_log(connection: sqlite3.Connection) -> None:
    """Write the log's pages into the file and cut the log: its earlier pages still hold what was deleted since.

    https://sqlite.org/pragma.html#pragma_wal_checkpoint. A reader that takes long leaves it to the next write.
    """
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA foreign_keys = ON")
    # Deleted content is overwritten with zeros. https://sqlite.org/pragma.html#pragma_secure_delete
    connection.execute("PRAGMA secure_delete = ON")
    return connection


def _inode(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None


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
