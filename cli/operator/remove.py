"""`cicada remove`: documents out of a knowledge base."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from cli.arguments import Options, command
from cli.errors import CommandError, library_errors
from cli.operator.bases import require_base
from cli.operator.documents import document_options, follow
from cli.operator.tenants import tenant_of_documents
from cli.screen import Screen
from cli.text import counted, to_json

if TYPE_CHECKING:
    from cicada.documents.model import DocumentKey
    from clients.documents.purge import Purged
    from clients.documents.uploader import DocumentResult


@command(
    "remove",
    short_help="take documents out of a knowledge base",
    help="Take documents with their sidecars out of the local stage, or with --stack out of a stage on AWS,"
    " and wait until none of them is searchable any more.",
    epilog="example: cicada remove policies/leave.md --knowledge-base store --stack Cicada-dev",
)
@click.argument(
    "names",
    metavar="NAME...",
    nargs=-1,
    required=True,
    help="a document's id: the file's name, of a folder the path below it",
)
@document_options
@click.option("--purge", is_flag=True, help="also delete all earlier versions now, which a stage may keep for 30 days")
def remove(options: Options) -> int:
    """0 if every document is removed, 1 if one did not exist or its report did not come.

    With --purge, a document of which only earlier versions were left is removed too.
    """
    from cli.deployment_target import open_target  # imported late: boto3 is slow to import

    prefix = f"documents/{tenant_of_documents(options)}/{options.knowledge_base}"
    documents = [_document(prefix, name) for name in dict.fromkeys(options.names)]
    results = follow(
        options,
        lambda uploader: uploader.remove(documents),
        len(documents),
        show_removal,
        "Stopped. What was taken out of the bucket is removed all the same; name it again for its sidecar.",
    )
    purged = _purged(options, results) if options.purge else {}
    if all(result.outcome == "missing" and not _was_purged(result, purged) for result in results):
        require_base(open_target(options.stack), tenant_of_documents(options), options.knowledge_base)
    if options.json:
        print(to_json(_fields(options, results, purged)))
    return 1 if any(result.has_failed and not _was_purged(result, purged) for result in results) else 0


def _purged(options: Options, results: list[DocumentResult]) -> dict[DocumentKey, Purged]:
    """What was deleted of each document. One that ingest did not report is left: it may still be in the index."""
    from cli.deployment_target import open_target
    from clients.documents.purge import purge
    from clients.documents.uploader import UNREPORTED

    target = open_target(options.stack)
    found: dict[DocumentKey, Purged] = {}
    for result in results:
        if result.outcome == UNREPORTED:
            continue
        with library_errors():
            found[result.document] = purge(target.client("s3"), target.output("DocumentsBucket"), result.document)
        if not options.json:
            _show_purge(result.document, found[result.document])
    return found


def _show_purge(document: DocumentKey, purged: Purged) -> None:
    versions, markers = counted(purged.versions, "version"), counted(purged.markers, "delete marker")
    print(f"{document.document_id}: purged {versions} with {purged.bytes:,} bytes, and {markers}")


def _was_purged(result: DocumentResult, purged: dict[DocumentKey, Purged]) -> bool:
    found = purged.get(result.document)
    return found is not None and found.versions > 0


def _document(prefix: str, name: str) -> DocumentKey:
    from cicada.adapters.s3.keys import document_key, is_sidecar
    from cicada.errors import DocumentRejectedError

    if is_sidecar(name):
        raise CommandError(f"{name} only describes a document; name the document, and both are removed.", 2)
    try:
        return document_key(f"{prefix}/{name}")
    except DocumentRejectedError as error:
        raise CommandError(f"{name} cannot be the name of a document: {error}", 2) from error


def show_removal(result: DocumentResult, screen: Screen) -> None:
    """Show what became of a document, on one line."""
    name = result.document.document_id
    if result.outcome == "missing":
        screen.note(f"There is no document {name} in the knowledge base {result.document.base_key.knowledge_base}.")
    elif result.outcome == "unreported":
        screen.line(
            f"{name}: taken out of the bucket, but nothing was heard of it; its report will be at {result.report_key},"
            " and its sidecar stays until it is removed again"
        )
    else:
        screen.line(f"{name}: {result.outcome}")


def _fields(options: Options, results: list[DocumentResult], purged: dict[DocumentKey, Purged]) -> dict[str, object]:
    return {
        "tenant": tenant_of_documents(options),
        "knowledgeBase": options.knowledge_base,
        "documents": [
            {"documentId": result.document.document_id, "outcome": result.outcome}
            | ({"purged": asdict(purged[result.document])} if result.document in purged else {})
            for result in sorted(results, key=lambda result: result.document.document_id)
        ],
    }
