"""`cicada ingest`: files and folders into a knowledge base."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

import click

from cli.arguments import PATH, Options, command
from cli.errors import CommandError
from cli.operator.documents import document_options, follow
from cli.operator.remove import show_removal
from cli.operator.tenants import tenant_of_documents
from cli.operator.viewer_names import ViewerNames, note_on, note_on_failure, viewer_names
from cli.screen import Screen, open_screen
from cli.text import counted, to_json

if TYPE_CHECKING:
    from cli.operator.prune import Surplus
    from clients.documents.files import Upload
    from clients.documents.uploader import DocumentResult


@command(
    "ingest",
    short_help="upload files and folders, and see what becomes of them",
    help="Upload files to the local stage, or with --stack to a stage on AWS, and wait until each is"
    " searchable. A file's sidecar, FILE.metadata.json beside it, is uploaded with it. Of a folder all files are"
    " taken but hidden and linked ones.",
    epilog="example: cicada ingest handbook --knowledge-base store --prune --dry-run --stack Cicada-dev",
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=PATH, help="a file or a folder")
@click.option(
    "--prune",
    is_flag=True,
    help="remove the documents of the knowledge base that the folder no longer has, when all others are uploaded;"
    " asks before it removes more than ten or half of them, or a sidecar",
)
@click.option(
    "--follow-links",
    is_flag=True,
    help="also upload the files that links in a folder lead to; without it they are left out and named",
)
@click.option("--dry-run", is_flag=True, help="only show what would be uploaded and removed")
@click.option("--yes", is_flag=True, help="with --prune: remove without asking")
@document_options
def ingest(options: Options) -> int:
    """0 if every file is searchable now, 1 if one was rejected or its report did not come."""
    if (options.prune or options.yes) and (len(options.paths) != 1 or not options.paths[0].is_dir()):
        raise CommandError("With --prune name one folder, which is all that the knowledge base is to hold.", 2)
    uploads = _uploads(options)
    surplus = _surplus(options, uploads) if options.prune else None
    if options.dry_run:
        return _show_plan(options, uploads, surplus)
    if surplus is not None:
        _prepare(options, surplus)
    names = viewer_names(options)
    results, removed = _ingested(options, uploads, names), []
    failed = any(result.has_failed for result in results)
    if surplus is not None and surplus.documents and not failed:
        removed = _removed(options, surplus)
    outcomes = Counter(result.outcome for result in (*results, *removed))
    if options.json:
        print(to_json(_fields(options, results, removed, names)))
    else:
        print(_summary(outcomes))
        if names.failure:
            open_screen().note(note_on_failure(names.failure))
    if surplus is not None and surplus.documents and failed:
        raise CommandError("Nothing was removed, because not every file is searchable.")
    return 1 if failed or any(result.has_failed for result in removed) else 0


def _surplus(options: Options, uploads: list[Upload]) -> Surplus:
    # Imported late: boto3 is slow to import.
    from cli.deployment_target import open_target
    from cli.operator.prune import surplus_of

    return surplus_of(open_target(options.stack), uploads, options)


def _show_plan(options: Options, uploads: list[Upload], surplus: Surplus | None) -> int:
    from cli.operator.prune import described
    from clients.documents.files import refusal

    refused = {str(each.path): reason for each in uploads if (reason := refusal(each.path)[0])}
    gone = [*surplus.documents, *surplus.sidecars] if surplus else []
    if options.json:
        names = [each.document_id for each in surplus.documents] if surplus else []
        sidecars = [each.document_id for each in surplus.sidecars] if surplus else []
        plan = {
            "upload": [str(each.path) for each in uploads if str(each.path) not in refused],
            "refuse": refused,
            "remove": names,
            "removeSidecarsOf": sidecars,
        }
        print(to_json(plan))
        return 0
    for path, reason in refused.items():
        open_screen().note(f"{path}: {reason}")
    upload, remove = counted(len(uploads) - len(refused), "file"), counted(len(gone), "file")
    print(f"Would upload {upload} and remove {remove}{':' if gone else '.'}")
    for line in described(surplus) if surplus else ():
        print(line)
    return 0


def _prepare(options: Options, surplus: Surplus) -> None:
    """Say what will be removed, ask where needed, and take the sidecars away."""
    from cli.deployment_target import open_target
    from cli.operator.prune import confirm, described, remove_sidecars

    gone = len(surplus.documents) + len(surplus.sidecars)
    if gone:
        open_screen().notes("\n".join([f"To be removed, {counted(gone, 'file')}:", *described(surplus)]))
        confirm(surplus, options)
        remove_sidecars(open_target(options.stack), surplus)


def _removed(options: Options, surplus: Surplus) -> list[DocumentResult]:
    return follow(
        options,
        lambda uploader: uploader.remove(surplus.documents),
        len(surplus.documents),
        show_removal,
        "Stopped. What was taken out of the bucket is removed all the same; do it again for the rest.",
    )


def _ingested(options: Options, uploads: list[Upload], names: ViewerNames) -> list[DocumentResult]:
    return follow(
        options,
        lambda uploader: uploader.ingest(uploads),
        len(uploads),
        partial(_show, names),
        "Stopped. What has been uploaded is ingested all the same.",
    )


def _uploads(options: Options) -> list[Upload]:
    from clients.documents.errors import InvalidUploadError  # imported late: the library is slow to import
    from clients.documents.files import linked_files, uploads_of

    try:
        links = linked_files(options.paths)
        uploads = uploads_of(
            options.paths, tenant_of_documents(options), options.knowledge_base, follow_links=options.follow_links
        )
    except InvalidUploadError as error:
        raise CommandError(str(error), 2) from error
    left = [each for each in links if each.is_dir() or not options.follow_links]
    if left and options.prune:
        raise CommandError(
            f"With --prune a folder has no links, for what they lead to would be removed: {', '.join(map(str, left))}. "
            "Put the files themselves there, or give --follow-links for linked files.",
            2,
        )
    for each in left:
        hint = "linked folders are not entered" if each.is_dir() else "give --follow-links if it is meant"
        open_screen().note(f"{each}: left out, since it is a link to {each.readlink()}; {hint}")
    return uploads


def _show(names: ViewerNames, result: DocumentResult, screen: Screen) -> None:
    if result.outcome == "unreported":
        screen.line(
            f"{result.path}: nothing was heard of it yet; its report will be at {result.report_key} in the bucket"
        )
    else:
        passages = f", {counted(result.passages, 'passage')}" if result.passages else ""
        screen.line(f"{result.path}: {result.outcome}{passages}")
    for problem in result.problems:
        place = f"{problem['place']}: " if problem["place"] else ""
        screen.note(f"{result.path}: {place}{problem['reason']}")
    if unknown := names.unknown(result.readers):
        screen.note(f"{result.path}: {note_on(unknown)}")
    if result.kept_sidecar:
        screen.note(
            f"{result.path}: the sidecar of an earlier upload still holds; `cicada remove` the document first to take"
            " it away"
        )


def _summary(outcomes: Counter[str]) -> str:
    numbers = ", ".join(f"{number} {outcome}" for outcome, number in outcomes.items())
    return f"{counted(outcomes.total(), 'file')}: {numbers}."


def _fields(
    options: Options, results: list[DocumentResult], removed: list[DocumentResult], names: ViewerNames
) -> dict[str, object]:
    gone = sorted(removed, key=lambda result: result.document.document_id)
    also = {"removed": [{"documentId": each.document.document_id, "outcome": each.outcome} for each in gone]}
    files = [
        {
            "path": str(result.path),
            "documentId": result.document.document_id,
            "outcome": result.outcome,
            "passages": result.passages,
            "problems": list(result.problems),
            "keptSidecar": result.kept_sidecar,
            "unknownReaders": names.unknown(result.readers),
        }
        for result in sorted(results, key=lambda result: str(result.path))
    ]
    return (also if options.prune else {}) | {
        "tenant": tenant_of_documents(options),
        "knowledgeBase": options.knowledge_base,
        "files": files,
        "readersNotLookedUp": names.failure or None,
    }
