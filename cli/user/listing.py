"""Render a listing: the documents as a table, how many there are, and the counts by value."""

from __future__ import annotations

from cicada_client.listing import ListedDocument, Listing
from cli.screen import Screen


def render_listing(listing: Listing, screen: Screen, next_page: str) -> None:
    """`next_page` says how the next page is asked for; it is shown where there is one."""
    if listing.documents:
        columns = listing.columns
        rows = [_row(document, columns) for document in listing.documents]
        screen.table([("Title", *columns), *rows])
        screen.note(f"{_extent(listing)}{f' · {next_page}' if listing.next_offset is not None else ''}")
    if listing.counts:
        screen.line()
        counted = [(each.value, f"{each.count:,}") for each in listing.counts]
        screen.table([(listing.counted_by or "Value", "Documents"), *counted])


def _row(document: ListedDocument, columns: tuple[str, ...]) -> list[str]:
    return [document.title or document.document_id, *(document.fields.get(name, "") for name in columns)]


def _extent(listing: Listing) -> str:
    """Which of the documents these are, such as `21–40 of 57`."""
    first, last = listing.offset + 1, listing.offset + len(listing.documents)
    return f"{first}–{last} of {listing.total:,}" if first < last else f"{first} of {listing.total:,}"
