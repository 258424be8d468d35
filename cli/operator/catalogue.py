"""`cicada documents list` and `show`: what a knowledge base holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from cli.arguments import Group, Options, json_option, stack_option, together
from cli.errors import CommandError
from cli.operator.document_states import STATES
from cli.operator.document_text import EVERYBODY, card_lines, described, time_text, value_text
from cli.operator.ingest_report import reason_of, report_lines, state_fields
from cli.operator.reader_names import note_on, note_on_failure, reader_names
from cli.operator.tenants import tenant_of_documents, tenant_option
from cli.screen import Screen, open_screen
from cli.settings import read_settings
from cli.text import clean_line, to_json

if TYPE_CHECKING:
    from cli.operator.ingest_function import IngestFunction

_PAGE = 500


documents = Group(
    "documents",
    short_help="list the documents of a knowledge base, or show one",
    help="The catalogue of a knowledge base on the local stage, or with --stack on AWS: every document with its"
    " metadata and readers, whoever may read it.",
    epilog="example: cicada documents list --knowledge-base store --state rejected --stack Cicada-dev",
)
_base_options = together(
    stack_option,
    tenant_option("whose documents they are"),
    click.option("--knowledge-base", metavar="NAME", default="scripts", help="default: scripts"),
    json_option,
)


@documents.command("list", short_help="documents that match, in order")
@click.option("--filter", metavar="FILTER", multiple=True, help="as 'status=approved'; repeatable, all must hold")
@click.option("--sort", metavar="FIELD", default="", help="a field, or -FIELD from last to first")
@click.option("--count-by", metavar="FIELD", default="", help="count the documents by this field's values")
@click.option("--limit", metavar="N", type=int, default=50, help="documents of a page (default: 50)")
@click.option("--offset", metavar="N", type=int, default=0, help="where the page begins (default: 0)")
@click.option(
    "--state",
    type=click.Choice((*STATES, "all")),
    help="instead, what the bucket holds in this state, searchable or not: rejected and waiting with the reason",
)
@_base_options
def list_(options: Options) -> int:
    """0, also if nothing matches."""
    if options.state:
        return _run_states(options)
    found = _function(options).call(
        {
            "documents": "list",
            "tenant": tenant_of_documents(options),
            "knowledgeBase": options.knowledge_base,
            "filters": list(options.filter),
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
    _show(found, options.offset, screen)
    for name, readers in unknown.items():
        if readers:
            screen.note(f"{clean_line(name)} {note_on(readers)}")
    if names.failure:
        screen.note(note_on_failure(names.failure))
    return 0


def _require_documents(options: Options) -> None:
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


def _run_states(options: Options) -> int:
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
    rows = [(name, each.in_words, time_text(each.changed_at), reason_of(each)) for name, each in shown.items()]
    if rows:
        open_screen(read_settings()).table([("ID", "STATE", "CHANGED", "REASON"), *rows])
    print(f"{len(shown)} of {len(found)} documents.")
    return 0


def _listed(options: Options) -> Iterator[tuple[str, datetime | None]]:
    """The ids in the catalogue and when they were ingested, page by page."""
    function = _function(options)
    event = {"documents": "list", "tenant": tenant_of_documents(options), "knowledgeBase": options.knowledge_base}
    offset: int | None = 0
    while offset is not None:
        page = function.call({**event, "limit": _PAGE, "offset": offset})
        for each in page["documents"]:
            yield each["documentId"], datetime.fromisoformat(each["indexedAt"]) if each["indexedAt"] else None
        offset = page["nextOffset"]


@documents.command("show", short_help="one document")
@click.argument("id", metavar="ID", help="the document's id")
@_base_options
def show(options: Options) -> int:
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


def _function(options: Options) -> IngestFunction:
    # Imported late: boto3 is slow to import.
    from cli.deployment_target import open_target
    from cli.operator.ingest_function import IngestFunction

    target = open_target(options.stack)
    return IngestFunction(target.client("lambda", 60), target.output("IngestFunction"), "The catalogue cannot be read")


def _show(found: Mapping[str, Any], offset: int, screen: Screen) -> None:
    documents: Sequence[Mapping[str, Any]] = found["documents"]
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
    if rows:
        screen.table([("ID", "TITLE", "PASSAGES", "INGESTED", "READERS"), *rows])
    for each in found.get("counts", []):
        screen.line(f"{value_text(each['value'])}: {each['count']}")
    extent = f"{offset + 1} to {offset + len(rows)} of {found['total']} documents." if rows else ""
    screen.line(extent or f"{found['total']} documents match.")
