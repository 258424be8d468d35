"""Finds figures in pages, docstrings and comments that nothing computes.

A figure is what looks like a measured result: a share, a score of two decimals or more, milliseconds, an amount of
memory. It may stand

* in a rendered block of a page (`record.py`);
* in a paragraph, docstring or comment that names its record, `figures/NAME.json`, and then the record must hold it;
* between the marks `<!-- measured: COMMAND, DATE, MACHINE -->` and `<!-- /measured -->`, which name the benchmark that
  prints it;
* in `sourced.toml`, with what it is if it is no measurement: a limit, a setting, a price, a figure of the literature.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from local.stage.settings import ROOT
from tools.figures.record import Record, pages, without_blocks

SOURCED = Path(__file__).with_name("sourced.toml")
_OURS = ("local", "evals", "bench", "tools", "functions", "infra", "cli", "clients")
_CODE = ("layers/shared/python", "layers/embedded/python", *_OURS)
_FIGURE = re.compile(
    r"(?<![\w.])[+−-]?0?\.\d{2,}\b"
    r"|(?<![\w.])\d+(?:\.\d+)? ?(?:%|ms\b|milliseconds\b|[KMG]B\b)"
    r"|(?<=\btakes )\d+ seconds|(?<=\btake )\d+ seconds"
)
_NAMED = re.compile(r"figures/([a-z0-9-]+)\.json")
_MEASURED = re.compile(r"<!-- measured: (.+?) -->(.*?)<!-- /measured -->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Written:
    """A paragraph of a page, a docstring, or a block of comments."""

    file: str
    text: str

    @property
    def figures(self) -> list[str]:
        return _FIGURE.findall(self.text)

    @property
    def records(self) -> list[str]:
        return _NAMED.findall(self.text)


@dataclass(frozen=True, slots=True)
class Sourced:
    """Words of a file that look like a measured figure, and why they are not one."""

    file: str
    words: str
    why: str


def sourced() -> list[Sourced]:
    files = tomllib.loads(SOURCED.read_text("utf-8"))
    return [Sourced(file, words, why) for file, each in files.items() for words, why in each.items()]


def written() -> list[Written]:
    """All prose: pages, settings files, docstrings and comments."""
    found = [each for page in pages() for each in paragraphs(_name(page), page.read_text("utf-8"))]
    for folder in _CODE:
        for path in sorted((ROOT / folder).rglob("*.py")):
            found += source_passages(_name(path), path.read_text("utf-8"))
        for path in sorted((ROOT / folder).rglob("*.toml")):
            lines = path.read_text("utf-8").splitlines()
            found.append(Written(_name(path), "\n".join(line for line in lines if line.startswith("#"))))
    return found


def paragraphs(file: str, text: str) -> list[Written]:
    """The paragraphs outside rendered and measured blocks."""
    rest = _MEASURED.sub("", without_blocks(text))
    return [Written(file, each) for each in re.split(r"\n\s*\n", rest) if each.strip()]


def measured_marks(text: str) -> list[str]:
    """The benchmarks that a page's marks name: command, date, machine."""
    return [found[1] for found in _MEASURED.finditer(text)]


def source_passages(file: str, source: str) -> list[Written]:
    nodes = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    documented = (node for node in ast.walk(ast.parse(source)) if isinstance(node, nodes))
    return [Written(file, text) for text in (*filter(None, map(ast.get_docstring, documented)), *_comments(source))]


def strays(
    passages: Iterable[Written], records: Mapping[str, Record], allowed: Iterable[Sourced]
) -> list[tuple[str, str]]:
    """File and figure, for each figure that has neither a record nor a source."""
    exempt = list(allowed)
    return [
        (passage.file, figure)
        for passage in passages
        for figure in _FIGURE.findall(_without(passage, exempt))
        if not any(records[name].holds(figure) for name in passage.records if name in records)
    ]


def _without(passage: Written, allowed: Iterable[Sourced]) -> str:
    """The text in one line, without the words that have a source."""
    text = " ".join(passage.text.split())
    for each in allowed:
        if each.file == passage.file:
            text = text.replace(each.words, "")
    return text


def _comments(source: str) -> Iterator[str]:
    """Comments on consecutive lines are one block."""
    lines: list[str] = []
    last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            if lines and token.start[0] != last + 1:
                yield " ".join(lines)
                lines = []
            lines.append(token.string.lstrip("# "))
            last = token.start[0]
    if lines:
        yield " ".join(lines)


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
