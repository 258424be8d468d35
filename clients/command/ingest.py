"""`cicada ingest`: files and folders into a knowledge base."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from clients.command.errors import CommandError
from clients.command.screen import Screen, open_screen
from clients.command.settings import read_settings
from clients.command.text import to_json

if TYPE_CHECKING:
    from clients.command.subcommand import Subparsers
    from clients.command.uploading import Followed

_PATIENCE_SECONDS = 900.0


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
    parser.add_argument("--knowledge-base", metavar="NAME", default="scripts", help="where to (default: scripts)")
    parser.add_argument("--tenant", metavar="NAME", default="default", help="whose documents they are")
    parser.add_argument("--stack", metavar="NAME", help="a stack on AWS, as Cicada-prod")
    parser.add_argument(
        "--patience",
        metavar="SECONDS",
        type=float,
        default=_PATIENCE_SECONDS,
        help="give up when nothing was heard for so long (default: 900)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """0 if every file is searchable now, 1 if one was rejected or nothing was heard of it."""
    from cicada.errors import CicadaError  # the library and boto3 take a while: only who ingests pays
    from clients.command.place import open_place
    from clients.command.uploading import Uploader
    from clients.command.uploads import uploads_of

    uploads = uploads_of(options.paths, options.tenant, options.knowledge_base)
    place = open_place(options.stack)
    uploader = Uploader(place.client("s3"), place.output("DocumentsBucket"), options.patience)
    show = None if options.json else _show
    screen = open_screen(read_settings())
    try:
        results = follow(uploader.ingest(uploads), len(uploads), screen, show)
    except CicadaError as error:
        screen.end_line()
        raise CommandError(str(error)) from error
    except KeyboardInterrupt:
        screen.note("Stopped. What has been uploaded is ingested all the same.")
        raise
    counted = Counter(result.outcome for result in results)
    print(to_json(_fields(options, results)) if options.json else _summary(counted))
    return 1 if any(result.has_failed for result in results) else 0


def follow(
    followed: Generator[Followed], files: int, screen: Screen, show: Callable[[Followed, Screen], None] | None
) -> list[Followed]:
    """All of them in the end, each shown when it is known, and how many there are meanwhile."""
    results: list[Followed] = []
    with closing(followed):
        _tell(screen, files, 0)
        for result in followed:
            results.append(result)
            if show:
                show(result, screen)
            _tell(screen, files, len(results))
    screen.end_line()
    return results


def _tell(screen: Screen, files: int, done: int) -> None:
    screen.status(f"{done} of {_count(files)} done …")


def _show(result: Followed, screen: Screen) -> None:
    if result.outcome == "unreported":
        screen.line(
            f"{result.path}: nothing was heard of it; it is tried three times, and its report will be at "
            f"{result.report_key} in the bucket"
        )
        _note_kept_sidecar(result, screen)
        return
    passages = f", {result.passages} passage{'' if result.passages == 1 else 's'}" if result.passages else ""
    screen.line(f"{result.path}: {result.outcome}{passages}")
    for problem in result.problems:
        place = f"{problem['place']}: " if problem["place"] else ""
        screen.note(f"{result.path}: {place}{problem['reason']}")
    _note_kept_sidecar(result, screen)


def _note_kept_sidecar(result: Followed, screen: Screen) -> None:
    if result.kept_sidecar:
        screen.note(
            f"{result.path}: the sidecar of an earlier upload still holds; `cicada remove` the document first to take"
            " it away"
        )


def _summary(counted: Counter[str]) -> str:
    return f"{_count(counted.total())}: {', '.join(f'{number} {outcome}' for outcome, number in counted.items())}."


def _count(files: int) -> str:
    return f"{files} file" if files == 1 else f"{files} files"


def _fields(options: argparse.Namespace, results: list[Followed]) -> dict[str, object]:
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
