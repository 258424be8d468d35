"""Reads HTML."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from bs4 import BeautifulSoup
from bs4.builder import ParserRejectedMarkup
from bs4.dammit import EncodingDetector
from bs4.element import CData, NavigableString, PageElement, Tag
from msgspec import Struct, field

from cicada.errors import DocumentRejectedError
from cicada.ingest.access_keys import refuse_misplaced_access_list
from cicada.ingest.prose.encoding import clean_code, clean_line, damage_reported, decode, whole_number
from cicada.ingest.prose.sections import (
    MAX_PROPERTIES,
    MAX_PROPERTY,
    Block,
    Code,
    Heading,
    ListItem,
    Paragraph,
    Prose,
    Table,
    first_heading,
    spread,
)

_DROPPED = set(
    """
    audio button canvas datalist dialog footer iframe math nav noscript object rp rt script select style svg template
    textarea title video
    """.split()  # noqa: SIM905 - as a list of literals it would not be readable
)
_DROPPED_ROLES = {"navigation", "search", "contentinfo"}
_INVISIBLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_BLOCKS = set(
    """
    address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure form h1 h2 h3
    h4 h5 h6 header hr html li main ol p pre section summary table tbody td tfoot th thead tr ul
    """.split()  # noqa: SIM905
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = {"ul", "ol"}
# A table that contains one of these is for layout.
_LAYOUT = {"table", "main", "article", *_HEADINGS}
# Rows are padded with empty cells up to this width.
_MOST_COLUMNS = 100


def blocks_of(root: Tag) -> Iterator[Block]:
    """The blocks below `root` in the page's order."""
    walk = _Walk()
    for opens, node in _events(root, whole=_is_leaf):
        if not isinstance(node, Tag):
            walk.texts.append(str(node))
        elif _is_leaf(node):
            yield from walk.flushed()
            yield from _leaf(node)
        elif node.name == "br":
            walk.texts.append(" ")
        elif node.name == "img":
            walk.texts.append(f" {node.get('alt') or ''} " if opens else "")
        elif node.name in _BLOCKS:
            yield from walk.flushed()
            walk.step(node, opens)
    yield from walk.flushed()


class _Walk(Struct):
    """The text since the last block, and the lists that are open: each the number of its next item, 0 for bullets."""

    texts: list[str] = field(default_factory=list)
    lists: list[int] = field(default_factory=list)
    marker: str = ""

    def flushed(self) -> Iterator[Block]:
        text = clean_line("".join(self.texts))
        self.texts.clear()
        if text and self.marker:
            yield ListItem(text, max(0, len(self.lists) - 1), self.marker)
            self.marker = ""
        elif text:
            yield Paragraph(text)

    def step(self, tag: Tag, opens: bool) -> None:
        if tag.name in _LISTS:
            if opens:
                self.lists.append(_number(tag, "start") if tag.name == "ol" else 0)
            else:
                self.lists.pop()
        elif tag.name == "li":
            self.marker = self._next_marker() if opens else ""

    def _next_marker(self) -> str:
        number = self.lists[-1] if self.lists else 0
        if not number:
            return "-"
        self.lists[-1] += 1
        return f"{number}."


def _events(root: Tag, whole: Callable[[Tag], bool]) -> Iterator[tuple[bool, PageElement]]:
    """The visible text below `root`, and the elements at their beginning (True) and end; `whole` ones once."""
    path: list[Iterator[PageElement]] = [iter(root.contents)]
    tags: list[Tag] = []
    while path:
        node = next(path[-1], None)
        if node is None:
            path.pop()
            if tags:
                yield False, tags.pop()
        elif isinstance(node, Tag):
            if not is_dropped(node):
                yield True, node
                if not whole(node):
                    path.append(iter(node.contents))
                    tags.append(node)
        # Comments, declarations and the like are kinds of strings too.
        elif type(node) in (NavigableString, CData):
            yield True, node


def is_dropped(tag: Tag) -> bool:
    """Whether an element is hidden, or surrounds the page's content, or has no text to read."""
    return (
        tag.name in _DROPPED
        or "hidden" in tag.attrs
        or tag.get("aria-hidden") == "true"
        or tag.get("role") in _DROPPED_ROLES
        or bool(_INVISIBLE.search(str(tag.get("style") or "")))
    )


def _is_leaf(tag: Tag) -> bool:
    return tag.name in _HEADINGS or tag.name == "pre" or (tag.name == "table" and not _arranges(tag))


def _arranges(table: Tag) -> bool:
    # `find` would look up the table's last descendant first, which in a deep tree takes longer each time.
    inside = _events(table, whole=lambda _: False)
    return any(isinstance(node, Tag) and node.name in _LAYOUT for _, node in inside)


def _leaf(tag: Tag) -> Iterator[Block]:
    if tag.name == "pre":
        if lines := clean_code(_raw_text(tag)):
            yield Code(lines)
    elif tag.name == "table":
        yield from _table(tag)
    elif text := _text(tag):
        yield Heading(_HEADINGS[tag.name], text)


def _raw_text(tag: Tag) -> str:
    """The text below a tag, with a line break at each block and `br`."""
    events = _events(tag, whole=lambda _: False)
    breaking = {"br", *_BLOCKS}
    return "".join(
        str(node) if not isinstance(node, Tag) else "\n" if node.name in breaking else "" for _, node in events
    )


def _text(tag: Tag) -> str:
    return clean_line(_raw_text(tag))


def _table(tag: Tag) -> Iterator[Block]:
    if (caption := tag.find("caption")) and (text := _text(caption)):
        yield Paragraph(text)
    rows = [row for row in tag.find_all("tr") if not is_dropped(row)]
    texts = [tuple(_cells(row)) for row in rows]
    has_header = bool(rows) and _is_header(rows[0])
    filled = [cells for cells in texts[int(has_header) :] if any(cells)]
    if filled or (has_header and any(texts[0])):
        yield Table(texts[0] if has_header else (), tuple(filled))


def _is_header(row: Tag) -> bool:
    in_head = row.parent is not None and row.parent.name == "thead"
    return in_head or {cell.name for cell in _cell_tags(row)} == {"th"}


def _cell_tags(row: Tag) -> list[Tag]:
    return [cell for cell in row.find_all(["td", "th"], recursive=False) if not is_dropped(cell)]


def _cells(row: Tag) -> Iterator[str]:
    return spread(((_text(cell), _number(cell, "colspan")) for cell in _cell_tags(row)), _MOST_COLUMNS)


def _number(tag: Tag, attribute: str) -> int:
    """The attribute's value if it is a whole number from 1 to 9999, else 1."""
    return whole_number(str(tag.get(attribute) or "")) or 1


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
    refuse_misplaced_access_list(decoded.text)
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
    """Refuse too many elements before parsing, since they take many times the memory of their text."""
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
