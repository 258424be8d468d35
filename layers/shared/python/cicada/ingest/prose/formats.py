"""The parsers of prose by suffix. A format's library is imported when the first file of that format comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cicada.ingest.prose.kinds import SUFFIXES, Kind
from cicada.ingest.prose.model import Prose
from cicada.ingest.prose.parser import ProseParser
from cicada.knowledge_bases.schema import SchemaOf, no_schema


def prose_parsers(schema_of: SchemaOf = no_schema) -> dict[str, ProseParser]:
    """By the suffix of the file name, in lower case and with its dot. `schema_of`: see `ProseParser`."""
    return {suffix: ProseParser(kind, _READERS[kind], schema_of=schema_of) for suffix, kind in SUFFIXES.items()}


def _markdown(content: bytes) -> Prose:
    from cicada.ingest.prose.markdown_reader import read_markdown

    return read_markdown(content)


def _html(content: bytes) -> Prose:
    from cicada.ingest.prose.html_reader import read_html

    return read_html(content)


def _text(content: bytes) -> Prose:
    from cicada.ingest.prose.text_reader import read_text

    return read_text(content)


def _pdf(content: bytes) -> Prose:
    from cicada.ingest.prose.pdf_reader import read_pdf

    return read_pdf(content)


def _docx(content: bytes) -> Prose:
    from cicada.ingest.prose.docx_reader import read_docx

    return read_docx(content)


_READERS: Mapping[Kind, Callable[[bytes], Prose]] = {
    Kind.MARKDOWN: _markdown,
    Kind.HTML: _html,
    Kind.TEXT: _text,
    Kind.PDF: _pdf,
    Kind.DOCX: _docx,
}
