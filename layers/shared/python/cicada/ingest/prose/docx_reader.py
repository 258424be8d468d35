"""DOCX: headings by their styles, paragraphs, lists and tables, in the document's order."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from io import BytesIO
from zipfile import BadZipFile

from docx import Document
from docx.document import Document as WordDocument
from docx.opc.exceptions import OpcError

from cicada.errors import DocumentRejectedError
from cicada.ingest.prose.characters import clean_line
from cicada.ingest.prose.damage import damage_reported
from cicada.ingest.prose.docx_package import safe_package
from cicada.ingest.prose.docx_styles import styles_of
from cicada.ingest.prose.docx_walk import blocks_of, text_of_title
from cicada.ingest.prose.model import MAX_PROPERTY, Prose, first_heading

# Names of fields, and python-docx's names of the properties: https://python-docx.readthedocs.io/en/latest/api/document.html
_PROPERTIES: Mapping[str, str] = {
    "title": "title",
    "author": "author",
    "subject": "subject",
    "category": "category",
    "keywords": "keywords",
    "status": "content_status",
    "version": "version",
    "date": "created",
    "created": "created",
    "modified": "modified",
}


def read_docx(content: bytes) -> Prose:
    """The title is the paragraph of the style Title, else the document's property, else the first heading.

    Deleted and hidden text is left out, inserted text is in, and headers, footers, notes and comments are not read.
    """
    document = _opened(content)
    styles = styles_of(document.styles.element)
    blocks = tuple(blocks_of(document.element.body, styles))
    properties = _properties(document)
    title = text_of_title(document.element.body, styles) or properties.pop("title", "")
    return Prose(blocks, title=title or first_heading(blocks), properties=properties)


def _opened(content: bytes) -> WordDocument:
    sentence = "The Word document is damaged, or of another form than Word's usual DOCX; save it as a new DOCX."
    with damage_reported(sentence, OpcError, SyntaxError, BadZipFile):
        document = Document(BytesIO(safe_package(content)))
        # Parts are read when they are first used.
        if document.element.body is None or document.styles.element is None:
            raise DocumentRejectedError(sentence, "damaged")
        return document


def _properties(document: WordDocument) -> dict[str, str]:
    """By their names in Word, without empty ones. Damaged ones are left out: they are no reason to refuse the text."""
    found: dict[str, str] = {}
    for name, attribute in _PROPERTIES.items():
        try:
            with damage_reported("damaged", OpcError, SyntaxError):
                value = getattr(document.core_properties, attribute)
                text = clean_line(value.date().isoformat() if isinstance(value, datetime) else value or "")
        except DocumentRejectedError:
            continue
        if text and (len(text) <= MAX_PROPERTY or name == "title"):
            found[name] = text
    return found
