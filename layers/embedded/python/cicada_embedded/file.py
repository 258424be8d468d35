"""The index file: its tables, the embedder that it belongs to, and transactions on it.

`path` is a symbolic link to the file of the live index. A rebuild fills a file of its own, and a rename of a new link
switches. A link, because SQLite finds a file's log by the file's name: were the file itself replaced, a process that
has the old one open would write and delete the new one's log.
https://sqlite.org/howtocorrupt.html#_unlinking_or_renaming_a_database_file_while_in_use
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from glob import escape
from pathlib import Path
from uuid import uuid4

from cicada.errors import ConfigurationError, UnavailableError

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
