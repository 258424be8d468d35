"""HTML: the visible main content of a page."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping

from bs4 import BeautifulSoup
from bs4.builder import ParserRejectedMarkup
from bs4.dammit import EncodingDetector
from bs4.element import Tag

from cicada.errors import DocumentRejectedError
from cicada.ingest.prose.characters import clean_line
from cicada.ingest.prose.damage import damage_reported
from cicada.ingest.prose.encoding import decode
from cicada.ingest.prose.html_walk import blocks_of, is_dropped
from cicada.ingest.prose.misplaced_readers import refuse_misplaced_readers
from cicada.ingest.prose.model import MAX_PROPERTIES, MAX_PROPERTY, Block, Prose, first_heading

# Memory for so many: docs/figures/reader-limits.json.
MAX_TAGS = 300_000
# The parser looks through all open elements at each end tag that has no beginning.
MAX_DEPTH = 10_000

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9:-]{0,40})")
# https://www.dublincore.org/specifications/dublin-core/dcq-html/ and https://ogp.me/#type_article
_META_PREFIX = re.compile(r"(?:dc|dcterms)\.")
_PUBLISHED = ("issued", "article:published_time")
# They need no end tag, so their beginnings say nothing of the depth.
_NOT_NESTING = set(
    """
    area base br col dd dt embed hr img input li link meta option p param source tbody td tfoot th thead tr track wbr
    """.split()  # noqa: SIM905 - as a list of literals it would not be readable
)


def read_html(content: bytes) -> Prose:
    """The `main` element, else the only `article`, else the whole body: the first of them that has text.

    The title is the `title` element, else the first heading. The encoding is that of the byte order mark, else the one
    that the page declares, else a guess (see `decode`).
    """
    declared = EncodingDetector.find_declared_encoding(content, is_html=True, search_entire_document=False)
    decoded = decode(content, declared or "")
    refuse_misplaced_readers(decoded.text)
    soup = _parsed(decoded.text)
    blocks = next((blocks for root in _roots(soup) if (blocks := tuple(blocks_of(root)))), ())
    title = soup.find("title")
    language = soup.html.get("lang") if soup.html else None
    return Prose(
        blocks,
        title=clean_line(title.get_text()) if title else first_heading(blocks),
        language=str(language or ""),
        problems=decoded.problems,
        properties=_properties(soup),
    )


def _properties(soup: BeautifulSoup) -> Mapping[str, str]:
    """The page's own description by the names in lower case; `DC.` in front of a name does not count."""
    found: dict[str, str] = {}
    for each in soup.find_all("meta", limit=MAX_PROPERTIES):
        name = _META_PREFIX.sub("", str(each.get("name") or each.get("property") or "").strip().lower())
        content = clean_line(str(each.get("content") or ""))
        if name and content and len(content) <= MAX_PROPERTY:
            found.setdefault("date" if name in _PUBLISHED else name, content)
    return found


def html_blocks(text: str) -> Iterator[Block]:
    """The blocks of a piece of HTML."""
    yield from blocks_of(_parsed(text))


def _parsed(text: str) -> BeautifulSoup:
    _check_size(text)
    # bs4 warns of markup that looks like a file name or like XML; such a file is read as well.
    with (
        damage_reported("The HTML cannot be read; save the page again.", ParserRejectedMarkup),
        warnings.catch_warnings(action="ignore"),
    ):
        return BeautifulSoup(text, "lxml")


def _check_size(text: str) -> None:
    """Before parsing, since elements take many times the memory of their text."""
    if text.count("<") > MAX_TAGS:
        raise DocumentRejectedError(
            f"The page has more than {MAX_TAGS:,} tags; split it and upload the parts.", "too_large"
        )
    open_now: Counter[str] = Counter()
    depth = 0
    for found in _TAG.finditer(text):
        name = found[2].lower()
        if name in _NOT_NESTING:
            continue
        if not found[1]:
            open_now[name] += 1
            depth += 1
        elif open_now[name]:
            open_now[name] -= 1
            depth -= 1
        if depth > MAX_DEPTH:
            raise DocumentRejectedError(
                f"The page opens {MAX_DEPTH:,} elements in one another; simplify it.", "too_large"
            )


def _roots(soup: BeautifulSoup) -> Iterator[Tag]:
    main = soup.find("main") or soup.find(role="main")
    articles = soup.find_all("article", limit=2)
    article = articles[0] if len(articles) == 1 else None
    yield from (root for root in (main, article, soup.body) if root and not is_dropped(root))
