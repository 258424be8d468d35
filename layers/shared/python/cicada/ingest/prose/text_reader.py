"""Plain text."""

from __future__ import annotations

from cicada.ingest.prose.encoding import decode
from cicada.ingest.prose.lines import text_blocks
from cicada.ingest.prose.model import Prose


def read_text(content: bytes) -> Prose:
    """Paragraphs and list items. There are no headings in it, so its title is left to the file name."""
    decoded = decode(content)
    # A form feed ends a page, and with it a paragraph.
    blocks = tuple(text_blocks(decoded.text.replace("\f", "\n\n").split("\n")))
    return Prose(blocks, problems=decoded.problems)
