"""`cicada documents list` and `show`: what a knowledge base holds."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from cli.arguments import add_stack_option
from cli.errors import CommandError
from cli.operator.document_states import STATES
from cli.operator.document_text import EVERYBODY, card_lines, described, time_text, value_text
from cli.operator.ingest_report import reason_of, report_lines, state_fields
from cli.operator.reader_names import note_on, note_on_failure, reader_names
from cli.operator.tenants import add_tenant_option, tenant_of_documents
from cli.screen import open_screen
from cli.settings import read_settings
from cli.table import table
from cli.text import clean_line, to_json

if TYPE_CHECKING:
    from cli.arguments import Subparsers
    from cli.operator.ingest_function import IngestFunction

_PAGE = 500


def register(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "documents",
        help="list the documents of a knowledge base, or show one",
        description="The catalogue of a knowledge base on the local stage, or with --stack on AWS: every document with"
        " its metadata and readers, whoever may read it.",
        epilog="example: cicada documents list --knowledge-base store --state rejected --stack Cicada-dev",
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
    listing.add_argument(
        "--state",
        choices=(*STATES, "all"),
        help="instead, what the bucket holds in this state, searchable or not: rejected and waiting with the reason",
    )
    listing.set_defaults(run=run_list)
    shown = parts.add_parser("show", help="one document")
    shown.add_argument("id", metavar="ID", help="the document's id")
    shown.set_defaults(run=run_show)
    for each in (listing, shown):
        add_stack_option(each)
        add_tenant_option(each, "whose documents they are")
        each.add_argument("--knowledge-base", default="scripts", metavar="NAME", help="default: scripts")
        each.add_argument("--json", action="store_true", help="print one JSON object")


def run_list(options: argparse.Namespace) -> int:
    """0, also if nothing matches."""
    if options.state:
        return _run_states(options)
    found = _function(options).call(
        {
            "documents": "list",
            "tenant": tenant_of_documents(options),
            "knowledgeBase": options.knowledge_base,
            "filters": options.filter,
            "sort": options.sort,
            "countBy": options.count_by,
            "limit": options.limit,
            "offset": options.offset,
        }
    )
    if not found["total"]:
        _require_documents(options)
    names = reader_names(options)
    unknown = {each["documentId"]: names.unknown(each["readers"]) for each in found["documents"]}
    if options.json:
        rows = [{**each, "unknownReaders": unknown[each["documentId"]]} for each in found["documents"]]
        print(to_json({**found, "documents": rows, "readersNotLookedUp": names.failure or None}))
        return 0
    screen = open_screen(read_settings())
    screen.table(_lines(found, options.offset, screen.width))
    for name, readers in unknown.items():
        if readers:
            screen.note(f"{clean_line(name)} {note_on(readers)}")
    if names.failure:
        screen.note(note_on_failure(names.failure))
    return 0


def _require_documents(options: argparse.Namespace) -> None:
    """Raises `CommandError` if nothing is listed because there is no such base, or because the index has lost it."""
    from cli.deployment_target import open_target
    from cli.operator.bases import require_base

    tenant, base = tenant_of_documents(options), options.knowledge_base
    target = open_target(options.stack)
    require_base(target, tenant, base)
    for each in _function(options).call({"documents": "compare"})["bases"]:
        if each["isIncomplete"] and (each["tenant"], each["knowledgeBase"]) == (tenant, base):
            raise CommandError(
                f"The index lacks most of the {each['kept']} documents in {base}: run `cicada rebuild{target.flag}`."
            )


def _run_states(options: argparse.Namespace) -> int:
    """0, also if nothing is in that state."""
    from cicada.documents.model import KnowledgeBaseKey
    from cli.deployment_target import open_target
    from cli.operator.document_states import DocumentStates

    if options.filter or options.sort or options.count_by or options.offset:
        raise CommandError("With --state all documents are listed by id: leave out --filter, --sort and the like.", 2)
    base_key = KnowledgeBaseKey(tenant_of_documents(options), options.knowledge_base)
    found = DocumentStates(open_target(options.stack)).of_base(base_key, dict(_listed(options)))
    if not found:
        _require_documents(options)
    shown = {name: each for name, each in found.items() if options.state in ("all", each.state)}
    if options.json:
        print(to_json({"documents": [{"documentId": name, **state_fields(each)} for name, each in shown.items()]}))
        return 0
    screen = open_screen(read_settings())
    rows = [(name, each.in_words, time_text(each.changed_at), reason_of(each)) for name, each in shown.items()]
    screen.table(table(("ID", "STATE", "CHANGED", "REASON"), rows, screen.width) if rows else [])
    print(f"{len(shown)} of {len(found)} documents.")
    return 0


def _listed(options: argparse.Namespace) -> Iterator[tuple[str, datetime | None]]:
    """The ids in the catalogue and when they were ingested, page by page."""
    function = _function(options)
    event = {"documents": "list", "tenant": tenant_of_documents(options), "knowledgeBase": options.knowledge_base}
    offset: int | None = 0
    while offset is not None:
        page = function.call({**event, "limit": _PAGE, "offset": offset})
        for each in page["documents"]:
            yield each["documentId"], datetime.fromisoformat(each["indexedAt"]) if each["indexedAt"] else None
        offset = page["nextOffset"]


def run_show(options: argparse.Namespace) -> int:
    """0; an unknown document is an error."""
    from cicada.documents.model import DocumentKey, KnowledgeBaseKey
    from cli.deployment_target import open_target
    from cli.operator.document_states import DocumentStates

    event = {"tenant": tenant_of_documents(options), "knowledgeBase": options.knowledge_base, "id": options.id}
    shown = _function(options).call({"documents": "show", "optional": True, **event})
    found = None if "missing" in shown else shown
    document = DocumentKey(KnowledgeBaseKey(tenant_of_documents(options), options.knowledge_base), options.id)
    state = DocumentStates(open_target(options.stack)).of(document, is_listed=found is not None)
    if state is None:
        _require_documents(options)
        raise CommandError(f"There is no document {options.id} in the knowledge base {options.knowledge_base}.")
    names = reader_names(options)
    unknown = names.unknown(found["readers"]) if found else []
    if options.json:
        fields = {"unknownReaders": unknown, "readersNotLookedUp": names.failure or None}
        print(to_json({"documentId": options.id, **(found or {}), **fields, **state_fields(state)}))
        return 0
    card = card_lines(found["card"]) if found else []
    for line in (*described(options.id, found, state), *report_lines(state), *card):
        print(line)
    screen = open_screen(read_settings())
    if unknown:
        screen.note(f"It {note_on(unknown)}")
    if names.failure:
        screen.note(note_on_failure(names.failure))
    return 0


def _function(options: argparse.Namespace) -> IngestFunction:
    # Imported late: boto3 is slow to import.
    from cli.deployment_target import open_target
    from cli.operator.ingest_function import IngestFunction

    target = open_target(options.stack)
    return IngestFunction(target.client("lambda", 60), target.output("IngestFunction"), "The catalogue cannot be read")


def _lines(found: Mapping[str, Any], offset: int, width: int | None) -> list[str]:
    documents: Sequence[Mapping[str, Any]] = found["documents"]
    counts = [f"{clean_line(value_text(each['value']))}: {each['count']}" for each in found.get("counts", [])]
    if not documents:
        return [*counts, f"{found['total']} documents match."]
    rows = [
        (
            each["documentId"],
            each["title"],
            str(each["passages"]),
            each["indexedAt"] or "",
            ", ".join(each["readers"]) or EVERYBODY,
        )
        for each in documents
    ]
    lines = table(("ID", "TITLE", "PASSAGES", "INGESTED", "READERS"), rows, width)
    return [*lines, *counts, f"{offset + 1} to {offset + len(documents)} of {found['total']} documents."]
