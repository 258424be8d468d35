"""`cicada ingest`: files and folders into a knowledge base."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from cli.errors import CommandError
from cli.operator.documents import add_document_options, counted, follow
from cli.screen import Screen
from cli.text import to_json

if TYPE_CHECKING:
    from cli.arguments import Subparsers
    from clients.documents.files import Upload
    from clients.documents.uploader import DocumentResult


def register(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "ingest",
        help="upload files and folders, and see what becomes of them",
        description="Upload files to the local stage, or with --stack to a stage on AWS, and wait until each is"
        " searchable. A file's sidecar, FILE.metadata.json beside it, is uploaded with it. Of a folder all files are"
        " taken but hidden ones.",
    )
    parser.add_argument("paths", metavar="PATH", nargs="+", type=Path, help="a file or a folder")
    add_document_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """0 if every file is searchable now, 1 if one was rejected or its report did not come."""
    uploads = _uploads(options)
    results = follow(
        options,
        lambda uploader: uploader.ingest(uploads),
        len(uploads),
        _show,
        "Stopped. What has been uploaded is ingested all the same.",
    )
    outcomes = Counter(result.outcome for result in results)
    print(to_json(_fields(options, results)) if options.json else _summary(outcomes))
    return 1 if any(result.has_failed for result in results) else 0


def _uploads(options: argparse.Namespace) -> list[Upload]:
    from clients.documents.errors import InvalidUploadError  # imported late: the library is slow to import
    from clients.documents.files import uploads_of

    try:
        return uploads_of(options.paths, options.tenant, options.knowledge_base)
    except InvalidUploadError as error:
        raise CommandError(str(error), 2) from error


def _show(result: DocumentResult, screen: Screen) -> None:
    if result.outcome == "unreported":
        screen.line(
            f"{result.path}: nothing was heard of it yet; its report will be at {result.report_key} in the bucket"
        )
    else:
        passages = f", {result.passages} passage{'' if result.passages == 1 else 's'}" if result.passages else ""
        screen.line(f"{result.path}: {result.outcome}{passages}")
    for problem in result.problems:
        place = f"{problem['place']}: " if problem["place"] else ""
        screen.note(f"{result.path}: {place}{problem['reason']}")
    if result.kept_sidecar:
        screen.note(
            f"{result.path}: the sidecar of an earlier upload still holds; `cicada remove` the document first to take"
            " it away"
        )


def _summary(outcomes: Counter[str]) -> str:
    return f"{counted(outcomes.total())}: {', '.join(f'{number} {outcome}' for outcome, number in outcomes.items())}."


def _fields(options: argparse.Namespace, results: list[DocumentResult]) -> dict[str, object]:
    return {
        "tenant": options.tenant,
        "knowledgeBase": options.knowledge_base,
        "files": [
            {
                "path": str(result.path),
                "documentId": result.document.document_id,
                "outcome": result.outcome,
                "passages": result.passages,
                "problems": list(result.problems),
                "keptSidecar": result.kept_sidecar,
            }
            for result in sorted(results, key=lambda result: str(result.path))
        ],
    }
