"""`cicada bases`: the knowledge bases that the settings name."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cli.text import clean_line, to_json

if TYPE_CHECKING:
    from cli.arguments import Subparsers


def register(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "bases",
        help="list the knowledge bases",
        description="The knowledge bases that knowledge_bases.toml names, as this checkout would deploy them.",
        epilog="example: cicada bases --json",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """0."""
    # Imported late: pydantic is slow to import.
    from cicada.knowledge_bases.file import load_knowledge_bases

    found = load_knowledge_bases()
    bases = [
        {
            "name": name,
            "description": base.description,
            "content": base.content,
            "language": base.content_language,
            "groups": list(base.groups),
            "fields": list(base.schema.fields),
        }
        for name, base in sorted(found.named.items())
    ]
    shown = {"bases": bases, "openNames": found.open_names}
    print(to_json(shown) if options.json else "\n".join(_lines(bases, found.open_names)))
    return 0


def _lines(bases: Sequence[Mapping[str, Any]], open_names: bool) -> list[str]:
    lines = []
    for base in bases:
        groups = ", ".join(base["groups"]) or "everybody of the tenant"
        language = base["language"] or "several languages"
        lines += [
            f"{base['name']}: {clean_line(base['description'])}",
            f"  {base['content']}, {language}, for {groups}",
        ]
    return [*lines, "Uploading a document to another name makes a base of this name."] if open_names else lines
