"""A document of the catalogue as lines for people."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from cli.text import clean_line

if TYPE_CHECKING:
    from cli.operator.document_states import DocumentState

EVERYBODY = "everybody of the tenant"


def described(document_id: str, found: Mapping[str, Any] | None, state: DocumentState) -> list[str]:
    """`found` is the document's row of the catalogue, None for one that is not searchable."""
    lines = [
        clean_line(found["title"] if found else document_id),
        f"  id        {clean_line(document_id)}",
        f"  state     {state.in_words}",
        *([f"  uploaded  {time_text(state.changed_at)}, versions kept: {state.versions}"] if state.changed_at else []),
    ]
    if found is None:
        return lines
    lines += [
        f"  passages  {found['passages']}",
        f"  ingested  {found['indexedAt'] or 'unknown'}",
        f"  version   {found['version']}",
        f"  readers   {', '.join(found['readers']) or EVERYBODY}",
        *(f"  {name}: {clean_line(value_text(value))}" for name, value in found["metadata"].items()),
    ]
    copies = [f"  the same file is also here as {', '.join(found['copies'])}"] if found["copies"] else []
    return [*lines, *copies]


def card_lines(card: Mapping[str, Any] | None) -> list[str]:
    """The card that document routing searches, if there is one."""
    if card is None:
        return ["", "It has no card: it was ingested by an earlier version; cicada rebuild makes one."]
    sections = [
        f"    {clean_line(each['heading'])} (passages {each['first']} to {each['last']}):"
        f" {clean_line(', '.join(each['keywords']))}".rstrip(" :")
        for each in card["sections"]
    ]
    related = [f"    {each['documentId']}  {each['weight']:.2f}" for each in card["related"]]
    return [
        "",
        f"Card, by {clean_line(card['by'])}",
        f"  overview   {clean_line(card['overview'])}",
        f"  tags       {clean_line(', '.join(card['topicTags']))}",
        *(f"  question   {clean_line(each)}" for each in card["questionHints"]),
        "  sections",
        *sections,
        *(["  related", *related] if related else []),
    ]


def value_text(value: object) -> str:
    """A value of the metadata."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def time_text(time: datetime | None) -> str:
    """To the second; empty for none."""
    return time.isoformat(timespec="seconds") if time else ""
