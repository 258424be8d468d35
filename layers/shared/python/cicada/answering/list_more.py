"""Lists the further rows of a list that an answer has begun: by its stored plan, for whoever asked the question."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from cicada.answering.audit import shown_on
from cicada.answering.events import listings
from cicada.answering.listing import ListingAnswerer
from cicada.answering.parts import Listed
from cicada.conversation.listings import listing_of
from cicada.conversation.model import Connection, Question, RequestKey
from cicada.conversation.ports import RequestLog
from cicada.conversation.protocol import ListingPage, ListMore
from cicada.documents.catalogue import ListedPage
from cicada.errors import InvalidFrameError
from cicada.identity import Principal
from cicada.knowledge_bases.settings import KnowledgeBases
from cicada.observability.audit import DocumentsShown
from cicada.permissions import PermissionGate, check_base
from cicada.retrieval.ports import DocumentCatalogue
from cicada.understanding.last_answer import plan_of


class ListingPager(Struct, frozen=True):
    """Reads the catalogue as the answer did; the permission gate is asked for each page.

    `audit` is called with each page that is shown; it does not fail. `clock` gives epoch seconds. `charge` is called
    before rows are read, and raises `LimitExceededError`.
    """

    log: RequestLog
    catalogue: DocumentCatalogue
    gate: PermissionGate
    bases: Callable[[], KnowledgeBases]
    audit: Callable[[DocumentsShown], object]
    clock: Callable[[], float]
    charge: Callable[[Principal], object]

    def more(self, command: ListMore, connection: Connection) -> ListingPage:
        """The rows from the command's offset on, as many as the list's page has, or as fit into a frame.

        Raises `RequestNotFoundError` for an answer that is not the user's, `InvalidFrameError` for one that is no such
        list and for an offset behind its end, and `UnknownKnowledgeBaseError` where the user may not ask the base now.
        """
        principal = connection.principal
        listing, question = listing_of(RequestKey(principal, command.answer), self.log)
        if listing.subject:
            raise InvalidFrameError("What a search has found is not read on by its number: ask for the “next page”.")
        self.charge(principal)
        # The rows themselves say whether there are any: a base without one has nothing to show.
        check_base(self.bases(), principal, listing.knowledge_base, lambda: True)
        part = self._read(replace(listing, offset=command.offset), question, principal)
        if command.offset >= part.total:
            raise InvalidFrameError(f"There are no more: the list has {part.total:,} rows now.")
        page = _page(part, listing.knowledge_base)
        if shown := part.rows.items[: len(page.documents)]:
            path = f"list:{command.answer}"
            self.audit(shown_on(connection, command.request_id, "listed", shown, self.clock(), path))
        return page

    def _read(self, listing: ListedPage, question: Question, principal: Principal) -> Listed:
        plan = plan_of(listing, question.message)
        if not plan.asks_for_rows:
            raise InvalidFrameError("That answer lists no documents.")
        documents = frozenset(listing.documents) or None
        answer = ListingAnswerer(self.catalogue, self.bases(), self.gate).answer(plan, question, principal, documents)
        return next(part for part in answer if isinstance(part, Listed))


def _page(part: Listed, knowledge_base: str) -> ListingPage:
    """The reply with as many rows as have room in a frame."""
    shown = next(listings(replace(part, numbers=None)))
    is_whole = len(shown.documents) == len(part.rows)
    return ListingPage(
        total=part.total,
        documents=shown.documents,
        offset=part.offset,
        next_offset=part.next_offset if is_whole else part.offset + len(shown.documents),
        columns=shown.columns or (),
        knowledge_base=knowledge_base,
    )
