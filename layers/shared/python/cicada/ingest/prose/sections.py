"""Splits a document into sections at its headings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from cicada.ingest.prose.characters import clip
from cicada.ingest.prose.model import Block, Heading, Paragraph

# A longer heading is usually a paragraph in a heading's style; it is cut in the path.
MAX_HEADING = 200


class Section(Struct, frozen=True):
    """`path`: the headings above, outermost first, each of at most 200 characters. `blocks`: what follows the last."""

    path: tuple[str, ...]
    blocks: tuple[Block, ...]


def sections(blocks: Sequence[Block]) -> Iterator[Section]:
    """The sections that have text, in order. No text is lost: a heading with nothing below it is its section's text."""
    above: list[Heading] = []
    body: list[Block] = []
    for block, following in zip(blocks, [*blocks[1:], None], strict=False):
        if not isinstance(block, Heading):
            body.append(block)
            continue
        yield from _section(above, body)
        above = [*(heading for heading in above if heading.level < block.level), block]
        stands_alone = following is None or (isinstance(following, Heading) and following.level <= block.level)
        body = [Paragraph(block.text)] if stands_alone or len(block.text) > MAX_HEADING else []
    yield from _section(above, body)


def _section(above: list[Heading], body: list[Block]) -> Iterator[Section]:
    if body:
        yield Section(tuple(clip(heading.text, MAX_HEADING) for heading in above), tuple(body))
