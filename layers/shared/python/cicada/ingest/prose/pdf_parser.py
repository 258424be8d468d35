"""Reads PDF."""

from __future__ import annotations

import logging
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from itertools import islice
from typing import Any

from msgspec import Struct
from pypdf import Configuration, PageObject, PasswordType, PdfReader, apply_configuration
from pypdf.errors import DependencyError, PyPdfError

from cicada.errors import DocumentRejectedError, ScanError
from cicada.ingest.model import Problem, RecognisedPage
from cicada.ingest.prose.encoding import STUMBLES, clean_line, damage_reported
from cicada.ingest.prose.sections import MAX_PROPERTIES, MAX_PROPERTY, Block, Heading, Prose, page_blocks

# A level below every heading of an outline, so that each page is a section of its own within them.
_PAGE_LEVEL = 100
_DIGITS = re.compile(r"\d+")
# A running head stands in the first or last two lines of at least half of the pages, and of three.
_EDGE = 2
_FEWEST = 3
# The number of a page's lines in which an entry's words are looked for; a page of text has up to 200.
_LOOKED_THROUGH = 1_000


class Page(Struct, frozen=True):
    """A page's lines, none of them empty. `number` counts from 1."""

    number: int
    lines: tuple[str, ...]


class OutlineItem(Struct, frozen=True):
    """An entry of the outline: `level` 1 is the outermost, `page` the number of the page that it leads to."""

    title: str
    level: int
    page: int


def pages_as_blocks(pages: Sequence[Page], outline: Sequence[OutlineItem]) -> Iterator[Block]:
    """The pages in order, each under the heading "page 3", which stands below those of the outline."""
    items: dict[int, list[OutlineItem]] = defaultdict(list)
    for item in outline:
        items[item.page].append(item)
    for page in _without_running_heads(pages):
        yield from _numbered_page(page, items[page.number])


def page_ranges(numbers: Sequence[int]) -> str:
    """Write page numbers as people do: `page 3` or `pages 3, 7–9`, at most 20 of them."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    shown = ", ".join("–".join(map(str, run)) for run in runs[:20])
    more = f" and {len(runs) - 20} more" if len(runs) > 20 else ""
    return f"page{'s' if len(numbers) > 1 else ''} {shown}{more}"


def _numbered_page(page: Page, items: Sequence[OutlineItem]) -> Iterator[Block]:
    """An entry whose words are not found on the page stands where the one before it does, or above the page."""
    start = 0
    headings: list[Block] = []
    lines = [_letters(line) for line in page.lines[:_LOOKED_THROUGH]] if items else []
    for item in items:
        found = _line_of(_letters(item.title), lines, start)
        if found is not None:
            yield from _text(page, start, found, headings)
            headings, start = [], found + 1
        headings.append(Heading(item.level, item.title))
    yield from _text(page, start, len(page.lines), headings)


def _text(page: Page, start: int, end: int, headings: Sequence[Block]) -> Iterator[Block]:
    yield from headings
    if start < end:
        yield Heading(_PAGE_LEVEL, f"page {page.number}")
        yield from page_blocks(page.lines[start:end])


def _line_of(wanted: str, lines: Sequence[str], start: int) -> int | None:
    """The line that is the title, or that ends with it after a number; both in their `_letters`."""
    for number in range(start, len(lines)):
        line = lines[number]
        if wanted and line.endswith(wanted) and not line.removesuffix(wanted).strip("0123456789."):
            return number
    return None


def _letters(text: str) -> str:
    return "".join(text.casefold().split())


def _without_running_heads(pages: Sequence[Page]) -> Iterator[Page]:
    edges = Counter(line for page in pages for line in {_shape(line) for line in _edge(page.lines)})
    often = max(_FEWEST, len(pages) / 2)
    running = {line for line, times in edges.items() if times >= often}
    for page in pages:
        first, last = _EDGE, len(page.lines) - _EDGE
        kept = (line for number, line in enumerate(page.lines) if first <= number < last or _shape(line) not in running)
        yield Page(page.number, tuple(kept))


def _edge(lines: Sequence[str]) -> list[str]:
    return [line for number, line in enumerate(lines) if number < _EDGE or number >= len(lines) - _EDGE]


def _shape(line: str) -> str:
    """The line with all numbers replaced by the same one, because running heads contain page numbers."""
    return _DIGITS.sub("#", line)


MAX_PAGES = 2_000
# Operators, operands and letters: some two minutes' work at most, and ingest may take fifteen. A page of text has up to
# 8,000, mostly half of that; a map a few hundred thousand.
MAX_OPERATIONS = 10_000_000
MAX_TEXT = 20_000_000
# Processor time, for what no count shows: fonts are read anew for each page, and a hostile one takes seconds.
MAX_SECONDS = 150.0
MAX_OUTLINE = 5_000
# Limits below pypdf's own, within which one large page can take longer than a function may run.
_LIMITS = Configuration(
    stream_parsing_work_maximum_count=1_000_000,
    zlib_maximum_output_length=20_000_000,
    lzw_maximum_output_length=20_000_000,
    run_length_maximum_output_length=20_000_000,
    array_based_stream_maximum_output_length=20_000_000,
    xform_maximum_invocations_per_extraction=500,
    outline_maximum_entries=MAX_OUTLINE,
)
_STUMBLES = (*STUMBLES, PyPdfError)
_DAMAGED = "The PDF is damaged; open it, save it as a new PDF and upload that."
# Titles that programs write into PDFs without a title.
_NO_TITLE = re.compile(r"(microsoft (word|powerpoint|excel) - .*|untitled.*|.*\.(docx?|dvi|indd|pptx?|qxd|tex))", re.I)
# Such as D:20260131120000+01'00'; month and day may be missing, and then it is no date.
_PDF_DATE = re.compile(r"D:([0-9]{4})([0-9]{2})([0-9]{2})")

# pypdf's warnings quote the document's text; the exceptions say what matters.
logging.getLogger("pypdf").addHandler(logging.NullHandler())
logging.getLogger("pypdf").propagate = False


def read_pdf(content: bytes, clock: Callable[[], float] = time.thread_time) -> Prose:
    """Each page is a section; the outline's entries are headings where their words stand on the page, else above it.

    `clock`: seconds of processor time.

    `DocumentRejectedError` for a PDF that is damaged, needs a password, or is too long or too intricate, and its
    `ScanError` for one without text.
    """
    with apply_configuration(_LIMITS):
        reader = _opened(content)
        pages, problems = _pages(reader, _Budget(clock))
        if not any(page.lines for page in pages):
            raise ScanError(
                f"The PDF has no text on its {len(pages):,} pages; if it is scanned, put it through a text recognition "
                "(OCR) and upload the result.",
                len(pages),
            )
        return _prose(reader, pages, problems)


def read_scan(
    content: bytes, recognised: Sequence[RecognisedPage], clock: Callable[[], float] = time.thread_time
) -> Prose:
    """The document with the text that was recognised on its pages, else as `read_pdf` reads it."""
    known = {each.number: each for each in recognised}
    budget = _Budget(clock)
    with apply_configuration(_LIMITS):
        reader = _opened(content)
        pages = []
        for number in range(1, len(reader.pages) + 1):
            found = known.get(number, RecognisedPage(number, has_failed=True))
            lines = tuple(line for line in map(clean_line, found.lines) if line)
            budget.keep(lines)
            pages.append(Page(number, lines))
        if not any(page.lines for page in pages):
            raise DocumentRejectedError(
                f"No text was recognised on the PDF's {len(pages):,} pages; scan it again, sharper and upright.",
                "no_text",
            )
        return _prose(reader, pages, list(_doubts(recognised)))


def _doubts(recognised: Sequence[RecognisedPage]) -> Iterator[Problem]:
    yield Problem("", "The text was recognised in pictures, where letters can be mistaken.", "recognised")
    if failed := [each.number for each in recognised if each.has_failed]:
        yield Problem(page_ranges(failed), "The text could not be recognised, and is left out.", "illegible")
    if doubtful := [each for each in recognised if each.left_out]:
        count = sum(each.left_out for each in doubtful)
        reason = (
            f"Too hard to read and left out: {count:,} line{'s' if count > 1 else ''}; scan the pages again, sharper."
        )
        yield Problem(page_ranges([each.number for each in doubtful]), reason, "illegible")


def _prose(reader: PdfReader, pages: Sequence[Page], problems: Sequence[Problem]) -> Prose:
    outline, doubts = _outline(reader, len(pages))
    title, properties = _title(reader), _properties(reader)
    blocks = tuple(pages_as_blocks(pages, outline))
    return Prose(blocks, title=title, problems=(*problems, *doubts), properties=properties)


def _opened(content: bytes) -> PdfReader:
    with damage_reported(_DAMAGED, PyPdfError):
        reader = PdfReader(BytesIO(content))
        if reader.is_encrypted and not _decrypted(reader):
            raise DocumentRejectedError(
                "The PDF needs a password; save it without one and upload it again.", "encrypted"
            )
        count = len(reader.pages)
    if count > MAX_PAGES:
        raise DocumentRejectedError(
            f"The PDF has {count:,} pages, more than {MAX_PAGES:,}; split it and upload the parts.", "too_large"
        )
    return reader


def _decrypted(reader: PdfReader) -> bool:
    """Decrypt with the empty password, which opens a PDF that only restricts printing or changes."""
    try:
        return reader.decrypt("") != PasswordType.NOT_DECRYPTED
    except DependencyError:
        return False


class _Budget:
    """Counts what the pages draw and say, and the time, over the whole document and also within forms."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._drawn = 0
        self._text = 0
        self._clock = clock
        self._until = clock() + MAX_SECONDS

    def draw(self, operator: Any, operands: Any, *_: Any) -> None:  # noqa: ARG002 - pypdf's signature
        self._drawn += 1
        for operand in operands:
            parts = operand if isinstance(operand, list) else (operand,)
            self._drawn += sum(len(part) if isinstance(part, str | bytes) else 1 for part in parts)
        self.check()

    def keep(self, lines: Sequence[str]) -> None:
        self._text += sum(map(len, lines))
        self.check()

    def check(self) -> None:
        if self._drawn > MAX_OPERATIONS:
            raise DocumentRejectedError(
                f"The PDF draws more than {MAX_OPERATIONS:,} things, so reading it would take too long; split it, or "
                "save it with its drawings as pictures.",
                "too_large",
            )
        if self._text > MAX_TEXT:
            raise DocumentRejectedError(f"The PDF has more than {MAX_TEXT:,} letters; split it.", "too_large")
        if self._clock() > self._until:
            raise DocumentRejectedError(
                f"The PDF takes longer than {MAX_SECONDS:g} seconds to read; split it.", "too_large"
            )


def _pages(reader: PdfReader, budget: _Budget) -> tuple[list[Page], list[Problem]]:
    pages: list[Page] = []
    broken: list[int] = []
    pictures: list[int] = []
    for number in range(1, len(reader.pages) + 1):
        lines: tuple[str, ...] = ()
        has_picture = False
        try:
            lines, has_picture = _page(reader, number, budget)
        except DocumentRejectedError:
            # The page alone is damaged, unless the whole document is too much.
            budget.check()
            broken.append(number)
        pages.append(Page(number, lines))
        if has_picture and not lines:
            pictures.append(number)
    if len(broken) == len(pages):
        raise DocumentRejectedError(
            "No page of the PDF can be read: all are damaged or too intricate; save it as a new PDF and upload that.",
            "damaged",
        )
    return pages, list(_problems(broken, pictures))


def _page(reader: PdfReader, number: int, budget: _Budget) -> tuple[tuple[str, ...], bool]:
    """The page's lines, and whether it shows a picture."""
    with damage_reported(_DAMAGED, PyPdfError):
        page = reader.pages[number - 1]
        text = page.extract_text(visitor_operand_before=budget.draw)
        lines = tuple(line for line in map(clean_line, text.splitlines()) if line)
        # Checked again, because pypdf swallows exceptions while it reads a form.
        budget.keep(lines)
        return lines, _has_picture(page)


def _problems(broken: Sequence[int], pictures: Sequence[int]) -> Iterator[Problem]:
    if broken:
        yield Problem(page_ranges(broken), "Damaged or too intricate to be read, and left out.", "damaged")
    if pictures:
        yield Problem(
            page_ranges(pictures),
            "Pictures without text; if they are scanned, put them through a text recognition (OCR) and upload again.",
            "no_text",
        )


def _has_picture(page: PageObject) -> bool:
    resources = page.get("/Resources")
    objects = resources.get_object().get("/XObject") if resources is not None else None
    found = objects.get_object().values() if objects is not None else ()
    return any(each.get_object().get("/Subtype") == "/Image" for each in found)


def _title(reader: PdfReader) -> str:
    try:
        title = clean_line(str((reader.metadata and reader.metadata.title) or ""))
    except _STUMBLES:
        return ""
    return "" if _NO_TITLE.fullmatch(title) else title


def _properties(reader: PdfReader) -> dict[str, str]:
    """The properties by name in lower case, without damaged ones; `date` is that of the creation."""
    found: dict[str, str] = {}
    try:
        for name, value in islice((reader.metadata or {}).items(), MAX_PROPERTIES):
            text = clean_line(str(value.get_object()))
            if text and len(text) <= MAX_PROPERTY:
                found[name.removeprefix("/").lower()] = text
    except _STUMBLES:
        return {}
    if created := _PDF_DATE.match(found.get("creationdate", "")):
        found.setdefault("date", "-".join(created.groups()))
    return found


def _outline(reader: PdfReader, pages: int) -> tuple[list[OutlineItem], list[Problem]]:
    """The outline in its order; an unreadable outline is a problem, and the pages get no headings from it."""
    try:
        return [item for item in _items(reader, reader.outline, 1) if item.page <= pages], []
    except _STUMBLES:
        reason = "Damaged or too long, and left out: the pages' numbers stand for the sections."
        return [], [Problem("outline", reason, "damaged")]


def _items(reader: PdfReader, entries: Sequence[Any], level: int) -> Iterator[OutlineItem]:
    for entry in entries:
        if isinstance(entry, list):
            yield from _items(reader, entry, level + 1)
            continue
        page = reader.get_destination_page_number(entry)
        title = clean_line(str(entry.title or ""))
        if page is not None and page >= 0 and title:
            yield OutlineItem(title, level, page + 1)
