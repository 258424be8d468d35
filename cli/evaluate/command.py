"""`cicada eval`: measure a part of the system on a file of labelled examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli.evaluate import conversations, documents, gate, planner, retrieval, router

if TYPE_CHECKING:
    from cli.arguments import Subparsers


def register(subparsers: Subparsers) -> None:
    """Add the subcommand, with one subcommand of its own for each part that can be measured."""
    parser = subparsers.add_parser(
        "eval",
        help="measure a part of the system",
        description="Measure a part of the system on labelled examples.",
        epilog="example: cicada eval router messages.jsonl",
    )
    parts = parser.add_subparsers(title="parts", metavar="PART", required=True)
    router.register(parts)
    planner.register(parts)
    retrieval.register(parts)
    gate.register(parts)
    conversations.register(parts)
    documents.register(parts)
