"""What a Word document's styles say of its paragraphs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from docx.oxml.xmlchemy import BaseOxmlElement as Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
# Outline levels 0 to 8 are headings; 9 is body text.
DEEPEST_HEADING = 9
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Style:
    """`level`: of a heading from 1, 0 for none. A style is Word's own wherever its name is English in the file."""

    level: int = 0
    is_list: bool = False
    is_title: bool = False


def styles_of(root: Element) -> Mapping[str, Style]:
    """The paragraph styles by their id."""
    elements = {style.get(f"{W}styleId", ""): style for style in root.findall(f"{W}style")}
    return {style_id: _style(style_id, elements) for style_id in elements}


def value_of(parent: Element | None, path: str) -> str | None:
    """The `w:val` of the element at `path` (names with a slash between them), None where it is not there."""
    found = parent.find("/".join(W + name for name in path.split("/"))) if parent is not None else None
    return None if found is None else found.get(f"{W}val", "")


def number_of(text: str | None) -> int | None:
    """A whole number of at most four digits."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 5 else None


def heading_level(properties: Element | None) -> int | None:
    """The level that a paragraph or a style is given as such; 0 says that it is none, None that nothing is said."""
    level = number_of(value_of(properties, "outlineLvl"))
    return None if level is None else (level + 1 if level < DEEPEST_HEADING else 0)


def _style(style_id: str, elements: Mapping[str, Element]) -> Style:
    """With what it has from the styles that it is based on; a circle of styles ends where it began."""
    level: int | None = None
    is_list = is_title = False
    seen: set[str] = set()
    while style_id in elements and style_id not in seen:
        seen.add(style_id)
        element = elements[style_id]
        name = (value_of(element, "name") or "").strip()
        properties = element.find(f"{W}pPr")
        if level is None:
            found = _HEADING.fullmatch(name)
            level = int(found[1]) if found else heading_level(properties)
        is_list |= name.lower().startswith("list ") or value_of(properties, "numPr/numId") is not None
        is_title |= name.lower() == "title"
        style_id = value_of(element, "basedOn") or ""
    return Style(level or 0, is_list and not level, is_title)
