"""What the embedded index guarantees beyond the port: one file, several processes and threads, killed processes."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from cicada.documents.model import DocumentKey, PassageFilter
from cicada.errors import ConfigurationError, UnavailableError
from cicada_embedded.index_rebuild import SqliteIndexRebuild
from cicada_embedded.passage_index import SqlitePassageIndex
from tests.contract.passage_indexes import DIMENSION, MODEL
from tests.contract.passages import HAMLET, MACBETH, PLAYS, asking, embedded

ROOT = Path(__file__).parents[2]
EVERYTHING = PassageFilter(PLAYS)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "index.sqlite"


@pytest.fixture
def index(path: Path) -> SqlitePassageIndex:
    return opened(path)


def opened(path: Path) -> SqlitePassageIndex:
    return SqlitePassageIndex(path, MODEL, DIMENSION)


def versions(index: SqlitePassageIndex) -> list[str]:
    found = index.search(asking("queen", limit=1000))
    return sorted({hit.passage.version for hit in (*found.lexical, *found.semantic)})


def test_a_process_killed_while_replacing_leaves_the_old_version(index: SqlitePassageIndex, path: Path) -> None:
    index.replace(MACBETH, embedded(MACBETH, "The queen is dead."))
    for _ in range(3):
        command = [sys.executable, "-m", "tests.contract.interrupted_replace", str(path)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "half\n"
            assert versions(index) == ["v1"]
            os.kill(writer.pid, signal.SIGKILL)
        assert versions(index) == ["v1"]
        assert index.count(EVERYTHING) == 1
    index.replace(MACBETH, embedded(MACBETH, "The queen lives.", version="v3"))
    assert versions(index) == ["v3"]


def test_a_warm_reader_finds_what_another_process_has_written(index: SqlitePassageIndex, path: Path) -> None:
    index.replace(MACBETH, embedded(MACBETH, "The queen is dead."))
    assert versions(index) == ["v1"]
    program = (
        "import sys\n"
        "from cicada_embedded.passage_index import SqlitePassageIndex\n"
        "from tests.contract.passages import MACBETH, embedded\n"
        f"index = SqlitePassageIndex(sys.argv[1], {MODEL!r}, {DIMENSION})\n"
        "index.replace(MACBETH, embedded(MACBETH, 'queen', 'queen', version='v2'))\n"
    )
    subprocess.run([sys.executable, "-c", program, str(path)], cwd=ROOT, check=True)
    assert versions(index) == ["v2"]
    assert len(index.search(asking("")).semantic) == 2


def test_many_processes_can_make_the_file_at_once(path: Path) -> None:
    program = (
        "import sys\n"
        "from cicada_embedded.passage_index import SqlitePassageIndex\n"
        "from cicada.documents.model import KnowledgeBaseKey, DocumentKey\n"
        "from tests.contract.passages import PLAYS, embedded\n"
        "document = DocumentKey(PLAYS, sys.argv[2])\n"
        f"SqlitePassageIndex(sys.argv[1], {MODEL!r}, {DIMENSION}).replace(document, embedded(document, 'queen'))\n"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", program, str(path), str(number)], cwd=ROOT) for number in range(6)
    ]
    assert [writer.wait() for writer in writers] == [0] * 6
    assert opened(path).count(EVERYTHING) == 6


def test_an_index_that_another_process_makes_meanwhile_is_used(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite3.connect

    def late(*arguments: Any, **options: Any) -> sqlite3.Connection:
        monkeypatch.setattr(sqlite3, "connect", connect)
        # Its write removes the file that this process is about to fill.
        opened(path).replace(MACBETH, embedded(MACBETH, "The queen is dead."))
        return sqlite3.Connection(*arguments, **options)

    monkeypatch.setattr(sqlite3, "connect", late)
    assert opened(path).count(EVERYTHING) == 1


def test_threads_that_read_while_others_write_see_whole_versions(index: SqlitePassageIndex) -> None:
    for document in (MACBETH, HAMLET):
        index.replace(document, embedded(document, *["queen"] * 8))
    problems: list[object] = []

    def write(document: object) -> None:
        key = MACBETH if document == "macbeth" else HAMLET
        for number in range(15):
            index.replace(key, embedded(key, *["queen"] * 8, version=f"v{number}"))

    def read() -> None:
        for _ in range(40):
            found = index.search(asking("queen", limit=100))
            problems.extend(len(retriever) for retriever in (found.lexical, found.semantic) if len(retriever) != 16)

    threads = [threading.Thread(target=write, args=(name,)) for name in ("macbeth", "hamlet")]
    threads += [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


def test_a_warm_reader_follows_a_file_that_was_deleted_and_made_anew(index: SqlitePassageIndex, path: Path) -> None:
    index.replace(MACBETH, embedded(MACBETH, "The queen is dead.", "The king is dead."))
    assert len(index.search(asking("")).semantic) == 2
    for file in path.parent.iterdir():
        file.unlink()
    assert index.count(EVERYTHING) == 0
    index.replace(MACBETH, embedded(MACBETH, "The queen lives.", version="v2"))
    assert [hit.passage.version for hit in index.search(asking("")).semantic] == ["v2"]


def test_a_reader_that_a_switch_overtakes_leaves_the_new_file_where_it_is(
    index: SqlitePassageIndex, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.replace(MACBETH, embedded(MACBETH, "The queen is dead."))
    rebuild = SqliteIndexRebuild(path, MODEL, DIMENSION)
    rebuild.begin().replace(MACBETH, embedded(MACBETH, "The queen is dead.", version="v2"))
    exists = Path.exists

    def overtaken(file: Path, **options: bool) -> bool:
        monkeypatch.undo()
        rebuild.switch()
        return exists(file, **options)

    monkeypatch.setattr(Path, "exists", overtaken)
    assert versions(index) == ["v2"]


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
    index.replace(MACBETH, embedded(MACBETH, "The queen is dead."))
    for _ in range(3):
        rebuild = SqliteIndexRebuild(path, MODEL, DIMENSION)
        rebuild.begin().replace(MACBETH, embedded(MACBETH, "The queen lives.", version="v2"))
        rebuild.switch()
    with closing(sqlite3.connect(path)) as file:
        for table in ("base", "document", "passage"):
            assert file.execute(f"SELECT count(*) FROM {table}").fetchone() == (1,)  # noqa: S608 - a constant


def test_a_file_that_is_no_index_is_refused_with_its_name(path: Path) -> None:
    path.write_bytes(b"not a database, but long enough to be read as the header of one" * 40)
    with pytest.raises(ConfigurationError, match=r"index\.sqlite"):
        opened(path).count(EVERYTHING)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="missing"):
        opened(tmp_path / "missing" / "index.sqlite").count(EVERYTHING)


def residue(path: Path, text: str) -> int:
    """How often the text stands in the index file and in SQLite's files beside it."""
    return sum(each.read_bytes().count(text.encode()) for each in path.parent.iterdir() if each.is_file())


def test_what_is_deleted_is_overwritten_in_the_file_and_in_its_log(index: SqlitePassageIndex, path: Path) -> None:
    index.replace(HAMLET, embedded(HAMLET, "To be or not to be."))
    index.replace(MACBETH, embedded(MACBETH, *["The zugzwang stands here." * 200] * 20))
    assert residue(path, "zugzwang")
    index.delete(MACBETH)
    assert residue(path, "zugzwang") == 0
    assert versions(index) == ["v1"]


def test_a_replaced_version_is_overwritten(index: SqlitePassageIndex, path: Path) -> None:
    index.replace(MACBETH, embedded(MACBETH, "The zugzwang stands here."))
    index.replace(MACBETH, embedded(MACBETH, "It stands here no more.", version="v2"))
    assert residue(path, "zugzwang") == 0


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
    index.replace(
        document,
        [
            replace(each, passage=replace(each.passage, metadata={"keeper": (word,), "note": (word[::-1],)}))
            for each, word in zip(embedded(document, *words), words, strict=True)
        ],
    )
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


def test_the_index_that_a_rebuild_replaced_is_overwritten(index: SqlitePassageIndex, path: Path) -> None:
    index.replace(MACBETH, embedded(MACBETH, "The zugzwang stands here."))
    rebuild = SqliteIndexRebuild(path, MODEL, DIMENSION)
    rebuild.begin()
    rebuild.switch()
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
    index = opened(path)
    index.replace(MACBETH, embedded(MACBETH, "The zugzwang stands here."))
    index.delete(MACBETH)
    assert residue(path, "zugzwang") == 0
