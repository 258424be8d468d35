"""`cicada open`: a document's text, a page at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from cli.arguments import Options, command, json_option
from cli.errors import CommandError
from cli.screen import open_screen
from cli.text import to_json
from cli.user.client import DEFAULT_KNOWLEDGE_BASE, open_client, system_options, user_option
from cli.user.rendering import render_outline, render_page

if TYPE_CHECKING:
    from cicada_client.client import Client
    from cicada_client.document import DocumentPage


@command(
    "open",
    short_help="read a document",
    help="Show a page of a document's text: the one with --passage, whose text is marked by », or the first. The ids"
    " are those of the sources of `cicada ask --json`; in `cicada chat`, /open N opens source N.",
    epilog="example: cicada open macbeth.json --passage 130",
)
@click.argument("document", metavar="DOCUMENT_ID", help="the document's id")
@click.option(
    "--knowledge-base",
    metavar="NAME",
    default=DEFAULT_KNOWLEDGE_BASE,
    help=f"the base that has the document (default: {DEFAULT_KNOWLEDGE_BASE})",
)
@click.option("--passage", metavar="PASSAGE", help="open at this passage, as a source names it, or at its number")
@click.option("--page", metavar="N", type=click.IntRange(min=1), help="show this page")
@click.option("--all", "every", is_flag=True, help="show this page and all that follow")
@click.option("--outline", is_flag=True, help="show the headings or scenes with their pages, and no text")
@click.option("--original", is_flag=True, help="print an address of the file itself, which is good for a minute")
@json_option
@system_options
@user_option
def open_document(options: Options) -> int:
    """0, if the document was shown."""
    screen = open_screen()
    if options.original and options.page:
        raise CommandError("Give --original or --page: the file is of the whole document.", 2)
    if options.outline and options.page:
        raise CommandError("Give --outline or --page: the outline is of the whole document.", 2)
    with open_client(options, screen.observe) as client:
        pages = _pages(client, options)
        if options.json:
            print(to_json([_as_json(page) for page in pages]))
        elif options.original:
            print(_address(next(pages)))
        elif options.outline:
            render_outline(next(pages), screen)
        else:
            for page in pages:
                render_page(page, screen, more="" if options.every else _more(options, page))
    return 0


def _pages(client: Client, options: Options) -> Iterator[DocumentPage]:
    """The page that is asked for; with --all those after it too."""
    asked = options.knowledge_base, options.document, options.passage, options.page
    shown = client.open_document(*asked, original=options.original)
    yield shown
    while options.every and shown.page < shown.pages:
        following = shown.page + 1
        shown = client.open_document(options.knowledge_base, options.document, options.passage, following)
        yield shown


def _address(page: DocumentPage) -> str:
    if not page.original:
        reason = "The stage gives no address of this document's file: it has none, or is deployed without originals."
        raise CommandError(f"{reason} `cicada open {page.document_id}` shows its text.")
    return page.original


def _more(options: Options, page: DocumentPage) -> str:
    base = "" if options.knowledge_base == DEFAULT_KNOWLEDGE_BASE else f" --knowledge-base {options.knowledge_base}"
    return f"`cicada open {options.document}{base} --page {page.page + 1}` shows the next page"


def _as_json(page: DocumentPage) -> dict[str, Any]:
    """The page under the protocol's names."""
    return {
        "knowledgeBase": page.knowledge_base,
        "documentId": page.document_id,
        "title": page.title,
        "version": page.version,
        "page": page.page,
        "pages": page.pages,
        "blocks": [
            {"number": each.number, "text": each.text} | ({"marked": list(each.marked)} if each.marked else {})
            for each in page.blocks
        ],
        "outline": [{"heading": each.heading, "page": each.page, "number": each.number} for each in page.outline],
    } | ({"original": page.original} if page.original else {})
