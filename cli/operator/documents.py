"""What `cicada ingest` and `cicada remove` share: their options, and waiting for the result of each document."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from typing import TYPE_CHECKING

import click

from cli.arguments import Options, stack_option, together
from cli.errors import library_errors
from cli.operator.tenants import tenant_option
from cli.screen import Screen, open_screen
from cli.text import counted

if TYPE_CHECKING:
    from clients.documents.uploader import DocumentResult, Uploader

# The options that say whose documents are meant, where they are, and how long to wait.
document_options = together(
    click.option("--knowledge-base", metavar="NAME", default="scripts", help="which one (default: scripts)"),
    tenant_option("whose documents they are"),
    stack_option,
    click.option(
        "--patience",
        metavar="SECONDS",
        type=float,
        default=900.0,
        help="give up when nothing was heard for so long (default: 900)",
    ),
    click.option("--json", is_flag=True, help="print one JSON object at the end"),
)


def follow(
    options: Options,
    work: Callable[[Uploader], Generator[DocumentResult]],
    documents: int,
    show: Callable[[DocumentResult, Screen], None],
    when_stopped: str,
) -> list[DocumentResult]:
    """The result of each document, shown as soon as it is known unless JSON is wanted. Ctrl-C shows `when_stopped`."""
    screen = open_screen()
    results: list[DocumentResult] = []
    uploader = _uploader(options, lambda of_a_file: _show_progress(screen, documents, len(results), of_a_file))
    try:
        with library_errors(), closing(work(uploader)) as followed:
            _show_progress(screen, documents, 0)
            for result in followed:
                results.append(result)
                if not options.json:
                    show(result, screen)
                _show_progress(screen, documents, len(results))
    except KeyboardInterrupt:
        screen.note(when_stopped)
        raise
    finally:
        screen.end_line()
    return results


def _uploader(options: Options, tell_progress: Callable[[str], None]) -> Uploader:
    """`tell_progress` is called with how far a file is, in words."""
    from cicada.documents.states import progress_text
    from cli.deployment_target import open_target  # imported late: the library and boto3 are slow to import
    from clients.documents.uploader import Uploader

    def told(result: DocumentResult) -> None:
        tell_progress(f"{result.path}: {progress_text(result.passages, result.embedded)}")

    target = open_target(options.stack)
    return Uploader(target.client("s3"), target.output("DocumentsBucket"), options.patience, told)


def _show_progress(screen: Screen, documents: int, done: int, of_a_file: str = "") -> None:
    screen.status(f"{done} of {counted(documents, 'file')} done{'; ' if of_a_file else ' …'}{of_a_file}")
