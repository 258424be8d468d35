"""What the embedded index guarantees beyond the port: one file, several processes and threads, killed processes."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from cicada.documents.model import DocumentKey, PassageFilter
from cicada.errors import ConfigurationError, UnavailableError
from cicada.retrieval.model import EmbeddedPassage
from cicada_embedded.index_rebuild import SqliteIndexRebuild
from cicada_embedded.passage_index import SqlitePassageIndex
from tests.contract.card_index import asking as asking_for_cards
from tests.contract.card_index import card, described
from tests.contract.card_index import found as cards_found
from tests.contract.passage_indexes import DIMENSION, MODEL
from tests.contract.passages import HAMLET, MACBETH, PLAYS, asking, embedded, passage, vector

ROOT = Path(__file__).parents[2]
EVERYTHING = PassageFilter(PLAYS)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "index.sqlite"


@pytest.fixture
def index(path: Path) -> Iterator[SqlitePassageIndex]:
    with opened(path) as index:
        yield index


@contextmanager
def opened(path: Path) -> Iterator[SqlitePassageIndex]:
    index = SqlitePassageIndex(path, MODEL, DIMENSION)
    yield index
    index.close()


def versions(index: SqlitePassageIndex) -> list[str]:
    found = index.search(asking("queen", limit=1000))
    return sorted({hit.passage.version for hit in (*found.lexical, *found.semantic)})


def replacing(path: Path, name: str, texts: str, version: str) -> subprocess.Popen[bytes]:
    """Another process that replaces the document."""
    program = (
        "from cicada.documents.model import DocumentKey\n"
        "from cicada_embedded.passage_index import SqlitePassageIndex\n"
        "from tests.contract.passages import PLAYS, embedded\n"
        f"index, document = SqlitePassageIndex({str(path)!r}, {MODEL!r}, {DIMENSION}), DocumentKey(PLAYS, {name!r})\n"
        f"index.replace(document, embedded(document, *{texts!r}.split(), version={version!r}))\n"
    )
    return subprocess.Popen([sys.executable, "-c", program], cwd=ROOT)


def rebuild(path: Path, *texts: str) -> None:
    made = SqliteIndexRebuild(path, MODEL, DIMENSION)
    made.begin().replace(MACBETH, embedded(MACBETH, *texts, version="v2"))
    made.switch()
    made.close()


def test_a_process_killed_while_replacing_leaves_the_old_version(index: SqlitePassageIndex, path: Path) -> None:
    row = described(embedded(MACBETH, "The queen is dead."), card("Old card"))
    index.replace(MACBETH, embedded(MACBETH, "The queen is dead."), row, vector(1.0))
    for _ in range(3):
        command = [sys.executable, "-m", "tests.contract.interrupted_replace", str(path)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "half\n"
            assert versions(index) == ["v1"]
            os.kill(writer.pid, signal.SIGKILL)
        assert (versions(index), index.count(EVERYTHING), index.row(MACBETH)) == (["v1"], 1, row)
        assert cards_found(index, asking_for_cards("old new", vector(1.0))) == ([MACBETH.document_id],) * 2
    index.replace(MACBETH, embedded(MACBETH, "The queen lives.", version="v3"))
    assert versions(index) == ["v3"]


def test_a_warm_reader_finds_what_another_process_has_written(index: SqlitePassageIndex, path: Path) -> None:
    index.replace(MACBETH, embedded(MACBETH, "The queen is dead."))
    assert versions(index) == ["v1"]
    assert replacing(path, MACBETH.document_id, "queen queen", "v2").wait() == 0
    assert versions(index) == ["v2"]
    assert len(index.search(asking("")).semantic) == 2


def test_many_processes_can_make_the_file_at_once(path: Path) -> None:
    writers = [replacing(path, f"{number}", "queen", "v1") for number in range(6)]
    assert [writer.wait() for writer in writers] == [0] * 6
    with opened(path) as index:
        assert index.count(EVERYTHING) == 6


def test_threads_that_read_while_others_write_see_whole_versions(index: SqlitePassageIndex) -> None:
    for document in (MACBETH, HAMLET):
        index.replace(document, embedded(document, *["queen"] * 8))

    def write(document: DocumentKey) -> None:
        for number in range(15):
            index.replace(document, embedded(document, *["queen"] * 8, version=f"v{number}"))

    def read(reader: int) -> set[int]:
        found = [index.search(asking("queen", limit=100)) for _ in range(40)]
        return {len(retriever) for each in found for retriever in (each.lexical, each.semantic)}

    with ThreadPoolExecutor(5) as threads:
        writing = threads.map(write, (MACBETH, HAMLET))
        assert list(threads.map(read, range(3))) == [{16}] * 3
        list(writing)


def test_a_warm_reader_follows_a_file_that_was_deleted_and_made_anew(index: SqlitePassageIndex, path: Path) -> None:
    index.replace(MACBETH, embedded(MACBETH, "The queen is dead.", "The king is dead."))
    assert len(index.search(asking("")).semantic) == 2
    for file in path.parent.iterdir():
        file.unlink()
    assert index.count(EVERYTHING) == 0
    index.replace(MACBETH, embedded(MACBETH, "The queen lives.", version="v2"))
    assert [hit.passage.version for hit in index.search(asking("")).semantic] == ["v2"]


def test_only_the_new_vectors_are_read_after_a_write(index: SqlitePassageIndex) -> None:
    index.replace(MACBETH, embedded(MACBETH, "one", "two", "three"))
    index.replace(HAMLET, embedded(HAMLET, "four"))
    assert len(index.search(asking("")).semantic) == 4
    index.replace(MACBETH, embedded(MACBETH, "five"))
    found = index.search(asking("", [0.8, 0.6] + [0.0] * 6)).semantic
    assert [(hit.passage.text, round(hit.score, 3)) for hit in found] == [("four", 0.8), ("five", 0.8)]


def test_nothing_of_an_index_stays_in_the_file_when_another_has_taken_its_place(
    index: SqlitePassageIndex, path: Path
) -> None:
    index.replace(MACBETH, embedded(MACBETH, "The zugzwang stands here."))
    for _ in range(3):
        rebuild(path, "The queen lives.")
    assert residue(path, "zugzwang") == 0
    with closing(sqlite3.connect(path)) as file:
        for table in ("base", "document", "passage"):
            assert file.execute(f"SELECT count(*) FROM {table}").fetchone() == (1,)  # noqa: S608 - a constant


def test_a_file_that_is_no_index_is_refused_with_its_name(path: Path, tmp_path: Path) -> None:
    path.write_bytes(b"not a database, but long enough to be read as the header of one" * 40)
    for file, named in ((path, r"index\.sqlite"), (tmp_path / "missing" / "index.sqlite", "missing")):
        with pytest.raises(ConfigurationError, match=named), opened(file) as index:
            index.count(EVERYTHING)


def residue(path: Path, text: str) -> int:
    """How often the text stands in the index file and in SQLite's files beside it."""
    return sum(each.read_bytes().count(text.encode()) for each in path.parent.iterdir() if each.is_file())


@pytest.mark.parametrize("deletes", [True, False], ids=["deleted", "replaced"])
def test_what_is_deleted_is_overwritten_in_the_file_and_in_its_log(
    index: SqlitePassageIndex, path: Path, deletes: bool
) -> None:
    index.replace(HAMLET, embedded(HAMLET, "To be or not to be."))
    index.replace(MACBETH, embedded(MACBETH, *["The zugzwang stands here." * 200] * 20))
    assert residue(path, "zugzwang")
    if deletes:
        index.delete(MACBETH)
    else:
        index.replace(MACBETH, embedded(MACBETH, "It stands here no more."))
    assert residue(path, "zugzwang") == 0
    assert versions(index) == ["v1"]


@pytest.mark.parametrize("seed", [0, 3, 5])
def test_copies_that_sqlite_made_of_what_is_deleted_are_overwritten(
    index: SqlitePassageIndex, path: Path, seed: int
) -> None:
    """SQLite moves rows to other pages when others come between, and leaves their bytes behind."""
    rng = random.Random(seed)
    for number in range(20):
        put_words(index, f"kept {number}", [f"{rng.randrange(16**20):020x}" for _ in range(rng.randint(4, 12))])
        word = f"{rng.randrange(16**20):020x}"
        index.delete(put_words(index, "deleted", [word] * 3))
        assert residue(path, word) == 0


def put_words(index: SqlitePassageIndex, name: str, words: list[str]) -> DocumentKey:
    """A passage and two values of metadata for each word."""
    document = DocumentKey(PLAYS, name)
    metadata = [{"keeper": (word,), "note": (word[::-1],)} for word in words]
    kept = [passage(document, number, word, metadata=metadata[number]) for number, word in enumerate(words)]
    index.replace(document, [EmbeddedPassage(each, vector(1.0)) for each in kept])
    return document


def test_what_a_process_died_after_deleting_is_overwritten_by_the_next_write(
    index: SqlitePassageIndex, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_words(index, "deleted", ["zugzwang"] * 100)

    def die(connection: sqlite3.Connection) -> None:
        raise UnavailableError("The process was ended.")

    with monkeypatch.context() as dying, pytest.raises(UnavailableError):
        dying.setattr("cicada_embedded.file._forget_removed", die)
        index.delete(DocumentKey(PLAYS, "deleted"))
    free = "PRAGMA freelist_count"
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(free).fetchone()[0] > 0
    put_words(index, "kept", ["queen"])
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(free).fetchone()[0] == 0
    assert residue(path, "zugzwang") == 0


def test_content_is_overwritten_where_sqlite_does_not_do_it_by_itself(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Debian's SQLite does, others do not."""

    def connect(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection = sqlite3.Connection(*arguments, **options)
        connection.execute("PRAGMA secure_delete = OFF")
        return connection

    monkeypatch.setattr(sqlite3, "connect", connect)
    with opened(path) as index:
        index.replace(MACBETH, embedded(MACBETH, "The zugzwang stands here."))
        index.delete(MACBETH)
        assert residue(path, "zugzwang") == 0
