"""Reads a Word document's paragraph styles."""

from __future__ import annotations

import re
from collections.abc import Mapping

from docx.oxml.xmlchemy import BaseOxmlElement as Element
from msgspec import Struct

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
# Outline levels 0 to 8 are headings; 9 is body text.
DEEPEST_HEADING = 9
_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)


class Style(Struct, frozen=True):
    """`level`: of a heading from 1, 0 for none. A style is Word's own wherever its name is English in the file."""

    level: int = 0
    is_list: bool = False
    is_title: bool = False


def styles_of(root: Element) -> Mapping[str, Style]:
    """The paragraph styles by their id, each with what it has from the styles that it is based on."""
    elements = {style.get(f"{W}styleId", ""): style for style in root.findall(f"{W}style")}
    declared: dict[str, _Declared] = {}
    for style_id in elements:
        _resolve(style_id, elements, declared)
    return {style_id: each.style for style_id, each in declared.items()}


def value_of(parent: Element | None, path: str) -> str | None:
    """The `w:val` of the element at `path` (names with a slash between them), None where it is not there."""
    found = parent.find("/".join(W + name for name in path.split("/"))) if parent is not None else None
    return None if found is None else found.get(f"{W}val", "")


def number_of(text: str | None) -> int | None:
    """A whole number of at most four digits."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 5 else None


def heading_level(properties: Element | None) -> int | None:
    """The explicit heading level of a paragraph or a style; 0 for body text, None if it is not set."""
    level = number_of(value_of(properties, "outlineLvl"))
    return None if level is None else (level + 1 if level < DEEPEST_HEADING else 0)


class _Declared(Struct, frozen=True):
    """A style's own properties; `level` is None if it does not set one."""

    level: int | None
    is_list: bool
    is_title: bool
    base: str

    @property
    def style(self) -> Style:
        return Style(self.level or 0, self.is_list and not self.level, self.is_title)

    def on(self, base: _Declared) -> _Declared:
        level = base.level if self.level is None else self.level
        return _Declared(level, self.is_list or base.is_list, self.is_title or base.is_title, self.base)


def _resolve(style_id: str, elements: Mapping[str, Element], declared: dict[str, _Declared]) -> None:
    """Resolve each style once: hostile ones inherit a hundred thousand deep or in a cycle."""
    new: list[str] = []
    while style_id in elements and style_id not in declared:
        declared[style_id] = _own(elements[style_id])
        new.append(style_id)
        style_id = declared[style_id].base
    for each in reversed(new):
        if base := declared.get(declared[each].base):
            declared[each] = declared[each].on(base)


def _own(style: Element) -> _Declared:
    name = (value_of(style, "name") or "").strip()
    properties = style.find(f"{W}pPr")
    found = _HEADING.fullmatch(name)
    return _Declared(
        level=int(found[1]) if found else heading_level(properties),
        is_list=name.lower().startswith("list ") or value_of(properties, "numPr/numId") is not None,
        is_title=name.lower() == "title",
        base=value_of(style, "basedOn") or "",
    )
