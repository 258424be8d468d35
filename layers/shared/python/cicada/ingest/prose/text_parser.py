"""Plain text."""

from __future__ import annotations

from cicada.errors import DocumentRejectedError
from cicada.ingest.access_keys import refuse_misplaced_access_list
from cicada.ingest.prose.encoding import decode
from cicada.ingest.prose.sections import Prose, text_blocks

# Memory for so many: docs/figures/reader-limits.json.
MAX_LINES = 1_000_000


def read_text(content: bytes) -> Prose:
    """Paragraphs and list items. There are no headings in it, so its title is left to the file name."""
    decoded = decode(content)
    if decoded.text.count("\n") > MAX_LINES:
        raise DocumentRejectedError(f"The file has more than {MAX_LINES:,} lines; split it.", "too_large")
    refuse_misplaced_access_list(decoded.text)
    # A form feed ends a page, and with it a paragraph.
    blocks = tuple(text_blocks(decoded.text.replace("\f", "\n\n").split("\n")))
    return Prose(blocks, problems=decoded.problems)
