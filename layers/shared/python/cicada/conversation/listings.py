"""What an answer has listed, as its user goes on from it: the next rows, or the same without a condition."""

from __future__ import annotations

from msgspec.structs import replace

from cicada.conversation.model import Question, RequestKey, Status
from cicada.conversation.ports import RequestLog
from cicada.documents.catalogue import ListedPage
from cicada.errors import InvalidFrameError, RequestNotFoundError


def listing_of(key: RequestKey, log: RequestLog) -> tuple[ListedPage, Question]:
    """The page that a complete answer listed, and the question of it.

    Raises `RequestNotFoundError` for a request that does not exist or is another user's, and `InvalidFrameError` for an
    answer that is no list.
    """
    head, question = log.head(key), log.question(key)
    if head is None or question is None:
        raise RequestNotFoundError("There is no such answer of yours: it has been deleted, or has expired. Ask again.")
    record = head.record if head.status is Status.COMPLETE else None
    if record is None or record.listing is None:
        raise InvalidFrameError("That answer lists no documents.")
    return record.listing, question


def asked_without(place: int, key: RequestKey, log: RequestLog, question: Question) -> Question:
    """The question for an answer's listing, without the condition that has this place in its `plan.filters`.

    The conditions of that question's scope come first there and cannot be left out: a client that wants them sends its
    scope again. Raises as `listing_of` does.
    """
    listing, before = listing_of(key, log)
    number = place - len(before.scope)
    if not 0 <= number < len(listing.conditions):
        raise InvalidFrameError("That answer has no such condition that can be left out.")
    conditions = (*listing.conditions[:number], *listing.conditions[number + 1 :])
    left_out = (*listing.left_out, listing.conditions[number])
    listing = replace(listing, conditions=conditions, left_out=left_out, offset=0)
    return replace(question, listing=listing, restates=before.restates or before.message)
