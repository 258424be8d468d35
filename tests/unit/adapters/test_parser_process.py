"""Parsers in processes of their own, with a parser that does what a hostile file makes of one."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from cicada.adapters.parser_process import ParserProcesses, serve
from cicada.bootstrap.ingest import document_parsers
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, MetadataValue, ScriptLocator
from cicada.errors import DocumentRejectedError, UnavailableError
from cicada.ingest.model import TOO_COSTLY, ParsedDocument, Problem, SourceFile
from cicada.ingest.ports import DocumentParser
from cicada.settings import inherited_environment
from tests.fakes.passages import passage

ROOT = Path(__file__).parents[3]
EPISODES = ROOT / "functions" / "ingest_document" / "episodes.toml"
MACBETH = (ROOT / "samples" / "macbeth.json").read_bytes()


def source(name: str, content: bytes, sidecar: bytes | None = None) -> SourceFile:
    return SourceFile(DocumentKey(KnowledgeBaseKey("acme", "rd"), name), name, content, "v1", sidecar)


class Puppet:
    """A parser that does what the file says. Run with one second and 300 MB."""

    def parse(self, source: SourceFile) -> ParsedDocument:
        match source.content:
            case b"loop":
                re.fullmatch(r"(a|a)*b", "a" * 60)
            case b"memory":
                len(b"x" * 2_000_000_000)
            case b"crash":
                os.abort()
            case b"killed":
                os.kill(os.getpid(), signal.SIGKILL)
            case b"mistake":
                raise KeyError("a secret of the file")
            case b"refused":
                raise DocumentRejectedError("No.", "damaged")
            case b"environment":
                return _parsed(source, Path("/proc/self/environ").read_text("utf-8"))
            case b"prints":
                sys.stdout.write("noise")
        return _parsed(source, str(os.getpid()))


def _parsed(source: SourceFile, text: str) -> ParsedDocument:
    metadata: dict[str, MetadataValue] = {"n": 1.0, "flag": True, "tags": ("a",), "day": "2026-01-31"}
    script = ScriptLocator("e", "E", "1", "One", 1, 2, ("X",))
    first = passage(source.document, 0, text, context="c", metadata=metadata, readers=("group:hr",))
    return ParsedDocument((first, passage(source.document, 1, text, locator=script)), (Problem("a", "b"),))


@contextmanager
def puppet() -> Iterator[DocumentParser]:
    with closing(ParserProcesses(["-m", __name__], inherited_environment())) as processes:
        yield processes.parser(".x")


@pytest.fixture(scope="module")
def parser() -> Iterator[DocumentParser]:
    with puppet() as made:
        yield made


def test_documents_come_back_as_they_were_parsed_by_one_process(parser: DocumentParser) -> None:
    found = [parser.parse(source("a.x", content)) for content in (b"hello", b"prints")]
    [process] = {each.passages[0].text for each in found}
    assert process != str(os.getpid())
    assert found == [_parsed(source("a.x", b"hello"), process)] * 2


@pytest.mark.parametrize(
    ("content", "said"), [(b"loop", "processor time"), (b"memory", "more memory"), (b"crash", "another form")]
)
def test_a_costly_file_is_refused_and_the_next_is_read(parser: DocumentParser, content: bytes, said: str) -> None:
    with pytest.raises(DocumentRejectedError, match=said) as caught:
        parser.parse(source("a.x", content))
    assert caught.value.kind == TOO_COSTLY
    assert parser.parse(source("b.x", b"b")).passages


def test_a_rejection_keeps_its_sentence_and_kind(parser: DocumentParser) -> None:
    with pytest.raises(DocumentRejectedError, match=r"^No\.$") as caught:
        parser.parse(source("a.x", b"refused"))
    assert caught.value.kind == "damaged"


@pytest.mark.parametrize("content", [b"mistake", b"killed"])
def test_a_fault_of_ours_is_tried_again_and_quotes_nothing_of_the_file(parser: DocumentParser, content: bytes) -> None:
    with pytest.raises(UnavailableError) as caught:
        parser.parse(source("a.x", content))
    assert "secret" not in str(caught.value)
    assert parser.parse(source("b.x", b"b")).passages


def test_the_process_has_no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    with puppet() as parser:
        environment = parser.parse(source("a.x", b"environment")).passages[0].text
    assert "PYTHONPATH" in environment
    assert "AWS" not in environment


def test_the_products_parsers_give_the_same_in_a_process() -> None:
    files = {"macbeth.json": MACBETH, "a.md": b"# A\n\nText.\n", "a.html": b"<p>Text.", "a.txt": b"Text."}
    command = ["-m", "cicada.bootstrap.ingest", str(EPISODES)]
    with closing(ParserProcesses(command, inherited_environment())) as processes:
        for name, content in files.items():
            suffix, file = Path(name).suffix, source(name, content, b'{"metadataAttributes": {"year": 2026}}')
            assert processes.parser(suffix).parse(file) == document_parsers(EPISODES)[suffix].parse(file)


if __name__ == "__main__":
    serve({".x": Puppet()}, seconds=1, megabytes=300)
