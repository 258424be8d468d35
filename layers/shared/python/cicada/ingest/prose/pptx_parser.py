"""Reads PPTX: each slide under its number and title, with its tables and notes."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping

from lxml.etree import _Element as Element
from msgspec import Struct

from cicada.ingest.model import Problem
from cicada.ingest.prose.encoding import clean_line, whole_number
from cicada.ingest.prose.package import Package, PackageKind, core_properties, opened
from cicada.ingest.prose.sections import Block, Heading, ListItem, Paragraph, Prose, headed_table

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_ALTERNATIVES = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
# One slide after the other is read, so all may be larger than one Word document.
MAX_XML_BYTES = 40_000_000

_PRESENTATION = "ppt/presentation.xml"
_TITLES = ("title", "ctrTitle")
# What is on every slide: date, footer and number.
_REPEATED = ("dt", "ftr", "sldNum", "hdr", "sldImg")
_SLIDE, _NOTES_SLIDE = "/slide", "/notesSlide"
_DEEPEST = 8


class _Slide(Struct, frozen=True):
    """`title` is empty without one; `notes`: what the speaker sees."""

    title: str
    blocks: tuple[Block, ...]
    notes: tuple[str, ...]


def read_pptx(content: bytes) -> Prose:
    """The slides in their order. Hidden ones, charts, drawings of Smart Art and the texts of masters are not read.

    The title is the presentation's property, else that of its first slide.
    """
    kind = PackageKind("PowerPoint presentation", "PPTX", "PowerPoint", MAX_XML_BYTES)
    blocks: list[Block] = []
    problems: list[Problem] = []
    first = ""
    with opened(content, kind) as package:
        for number, name in enumerate(_slides(package), 1):
            slide = _slide(package, name)
            if slide is None:
                problems.append(_hidden(number))
                continue
            first = first or slide.title
            blocks += _of_slide(number, slide)
        title, properties = core_properties(package)
    return Prose(tuple(blocks), title=title or first, problems=tuple(problems), properties=properties)


def _of_slide(number: int, slide: _Slide) -> Iterator[Block]:
    """The slide's blocks under its heading, which stands alone if the slide has nothing but its title."""
    yield Heading(1, f"Slide {number}: {slide.title}" if slide.title else f"Slide {number}")
    yield from slide.blocks or ([Paragraph(slide.title)] if slide.title else ())
    if slide.notes:
        yield Heading(2, "Notes")
        yield from map(Paragraph, slide.notes)


def _hidden(number: int) -> Problem:
    reason = "The slide is hidden, so it was left out; show it and upload the file again."
    return Problem(f"slide {number}", reason, "hidden")


def _slides(package: Package) -> Iterator[str]:
    """The names of the slides' parts, in the order in which they are shown."""
    targets = _related(package, _PRESENTATION)
    listed = package.xml(_PRESENTATION).find(f"{P}sldIdLst")
    for each in listed if listed is not None else ():
        kind, name = targets.get(each.get(f"{R}id", ""), ("", ""))
        if kind.endswith(_SLIDE):
            yield name


def _related(package: Package, name: str) -> Mapping[str, tuple[str, str]]:
    """The types and names of the parts that a part refers to, by the references' ids."""
    folder, file = posixpath.split(name)
    relations = f"{folder}/_rels/{file}.rels"
    if relations not in package:
        return {}
    return {
        each.get("Id", ""): (
            each.get("Type", ""),
            posixpath.normpath(posixpath.join("/", folder, each.get("Target", ""))).lstrip("/"),
        )
        for each in package.xml(relations)
    }


def _slide(package: Package, name: str) -> _Slide | None:
    """What is on a slide, None for a hidden one. Its tree goes before the next one is read."""
    root = package.xml(name)
    if root.get("show") in ("0", "false"):
        return None
    title = ""
    blocks: list[Block] = []
    for shape in _shapes(root):
        role = _role(shape)
        if role in _TITLES and not title:
            title = clean_line(" ".join(_texts(shape)))
        elif role not in _REPEATED:
            blocks += _blocks(shape, role)
    related = _related(package, name).values()
    notes = next((part for kind, part in related if kind.endswith(_NOTES_SLIDE) and part in package), "")
    return _Slide(title, tuple(blocks), tuple(_notes(package.xml(notes))) if notes else ())


def _notes(root: Element) -> Iterator[str]:
    for shape in _shapes(root):
        if _role(shape) == "body":
            yield from filter(None, _texts(shape))


def _shapes(root: Element) -> Iterator[Element]:
    """The shapes with text and the tables, those in groups too, without what is not shown."""
    tree = root.find(f"{P}cSld/{P}spTree")
    return _within(tree) if tree is not None else iter(())


def _within(tree: Element) -> Iterator[Element]:
    for child in tree:
        if any(each.get("hidden") in ("1", "true") for each in child.iterfind(f"*/{P}cNvPr")):
            continue
        if child.tag == f"{P}grpSp":
            yield from _within(child)
        elif child.tag == _ALTERNATIVES and len(child):
            # The second form is for old programs.
            yield from _within(child[0])
        elif child.tag in (f"{P}sp", f"{P}graphicFrame"):
            yield child


def _role(shape: Element) -> str:
    """The kind of place that the shape fills; `obj` for one of any content, empty for a shape of the slide's own."""
    place = shape.find(f"{P}nvSpPr/{P}nvPr/{P}ph")
    return "" if place is None else place.get("type", "obj")


def _blocks(shape: Element, role: str) -> Iterator[Block]:
    for table in shape.iter(f"{A}tbl"):
        yield from headed_table(
            tuple(clean_line(" ".join(_texts(cell))) for cell in row.iterfind(f"{A}tc"))
            for row in table.iterfind(f"{A}tr")
        )
    body = shape.find(f"{P}txBody")
    for paragraph in body.iterfind(f"{A}p") if body is not None else ():
        text = _text(paragraph)
        depth = _depth(paragraph)
        if text and (depth or role in ("body", "obj")):
            yield ListItem(text, depth)
        elif text:
            yield Paragraph(text)


def _depth(paragraph: Element) -> int:
    properties = paragraph.find(f"{A}pPr")
    level = whole_number(properties.get("lvl")) if properties is not None else None
    return min(level or 0, _DEEPEST)


def _texts(element: Element) -> Iterator[str]:
    """The texts of the paragraphs below, each in one line."""
    return (_text(each) for each in element.iter(f"{A}p"))


def _text(paragraph: Element) -> str:
    pieces = (each.text or "" if each.tag == f"{A}t" else " " for each in paragraph.iter(f"{A}t", f"{A}br"))
    return clean_line("".join(pieces))
