"""`cicada documents list` and `show`: what a knowledge base holds."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cli.arguments import add_stack_option
from cli.text import clean_line, to_json

if TYPE_CHECKING:
    from cli.arguments import Subparsers
    from cli.operator.ingest_function import IngestFunction


def register(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "documents",
        help="list the documents of a knowledge base, or show one",
        description="The catalogue of a knowledge base on the local stage, or with --stack on AWS: every document with"
        " its metadata and readers, whoever may read it.",
    )
    parts = parser.add_subparsers(title="parts", metavar="PART", required=True)
    listing = parts.add_parser("list", help="documents that match, in order")
    listing.add_argument(
        "--filter",
        metavar="FILTER",
        action="append",
        default=[],
        help="as 'status=approved'; repeatable, all must hold",
    )
    listing.add_argument("--sort", metavar="FIELD", default="", help="a field, or -FIELD from last to first")
    listing.add_argument("--count-by", metavar="FIELD", default="", help="count the documents by this field's values")
    listing.add_argument("--limit", type=int, default=50, metavar="N", help="documents of a page (default: 50)")
    listing.add_argument("--offset", type=int, default=0, metavar="N", help="where the page begins (default: 0)")
    listing.set_defaults(run=run_list)
    shown = parts.add_parser("show", help="one document")
    shown.add_argument("id", metavar="ID", help="the document's id")
    shown.set_defaults(run=run_show)
    for each in (listing, shown):
        add_stack_option(each)
        each.add_argument("--tenant", default="default", metavar="NAME", help="the tenant (default: default)")
        each.add_argument("--knowledge-base", default="scripts", metavar="NAME", help="default: scripts")
        each.add_argument("--json", action="store_true", help="print one JSON object")


def run_list(options: argparse.Namespace) -> int:
    """0, also if nothing matches."""
    found = _function(options).call(
        {
            "documents": "list",
            "tenant": options.tenant,
            "knowledgeBase": options.knowledge_base,
            "filters": options.filter,
            "sort": options.sort,
            "countBy": options.count_by,
            "limit": options.limit,
            "offset": options.offset,
        }
    )
    print(to_json(found) if options.json else "\n".join(_lines(found, options.offset)))
    return 0


def run_show(options: argparse.Namespace) -> int:
    """0; an unknown document is an error."""
    event = {"tenant": options.tenant, "knowledgeBase": options.knowledge_base, "id": options.id}
    found = _function(options).call({"documents": "show", **event})
    print(to_json(found) if options.json else "\n".join(_described(found)))
    return 0


def _function(options: argparse.Namespace) -> IngestFunction:
    # Imported late: boto3 is slow to import.
    from cli.deployment_target import open_target
    from cli.operator.ingest_function import IngestFunction

    target = open_target(options.stack)
    return IngestFunction(target.client("lambda", 60), target.output("IngestFunction"), "The catalogue cannot be read")


def _lines(found: Mapping[str, Any], offset: int) -> list[str]:
    documents: Sequence[Mapping[str, Any]] = found["documents"]
    ids = max((len(each["documentId"]) for each in documents), default=0)
    rows = [f"{each['documentId']:<{ids}}  {clean_line(each['title'])}" for each in documents]
    counts = [f"{clean_line(_text(each['value']))}: {each['count']}" for each in found.get("counts", [])]
    if not documents:
        return [*counts, f"{found['total']} documents match."]
    return [*rows, *counts, f"{offset + 1} to {offset + len(documents)} of {found['total']} documents."]


def _described(found: Mapping[str, Any]) -> list[str]:
    lines = [
        clean_line(found["title"]),
        f"  id        {found['documentId']}",
        f"  passages  {found['passages']}",
        f"  ingested  {found['indexedAt'] or 'unknown'}",
        f"  version   {found['version']}",
        f"  readers   {', '.join(found['readers']) or 'everybody of the tenant'}",
        *(f"  {name}: {clean_line(_text(value))}" for name, value in found["metadata"].items()),
    ]
    copies = [f"  the same file is also here as {', '.join(found['copies'])}"] if found["copies"] else []
    return [*lines, *copies, *_card(found["card"])]


def _card(card: Mapping[str, Any] | None) -> list[str]:
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


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
