"""A message on one document that the last answer showed: "the second one", "who wrote it?", "is this SOP approved?"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from cicada.understanding.asking_back import asked_of_chosen, chosen, points_at_kind, with_name
from cicada.understanding.plan import PlanRequest

if TYPE_CHECKING:
    from cicada.understanding.understood import Understood


def chosen_document(request: PlanRequest) -> str | None:
    """The id of the document that a reply such as "the second one" chooses from those that were shown."""
    shown = request.listing.documents if request.listing else ()
    if request.listing and not shown and asked_of_chosen(request.message):
        shown = tuple(each.document_id for each in request.shown.documents if not each.excerpt)
    place = chosen(request.message, len(shown))
    return None if place is None else shown[place]


def of_shown_document(
    request: PlanRequest, earlier: Sequence[str], understand: Callable[[Sequence[str]], Understood]
) -> Understood | None:
    """What such a message means; None for any other. `understand`: reads messages as those of one conversation."""
    if earlier and (document := chosen_document(request)):
        return _of_chosen(document, asked_of_chosen(request.message), earlier, understand)
    document = _only_one(request)
    if document is None:
        return None
    if whole := with_name(request.message, document, bare=True):
        found = understand([whole])
        # What is asked of a cited document beside its fields, its text may say.
        asks_a_field = found.strategy == "M" and found.meaning.fields and not found.meaning.restricted
        if found.meaning.named and (request.listing is not None or asks_a_field):
            return _on(document, found)
    if request.listing is None and points_at_kind(request.message):
        found = understand([request.message])
        return _on(document, found, wanted={}) if found.single else None
    return None


def _of_chosen(
    document: str, asked: str, earlier: Sequence[str], understand: Callable[[Sequence[str]], Understood]
) -> Understood:
    """`asked`: what is asked of it, if anything; else it completes what was asked back."""
    if asked:
        found = understand([with_name(asked, document, bare=True) or f"{asked} in {document}?"])
        return _on(document, found, topic=found.meaning.topic or ("" if found.meaning.fields else asked))
    before = understand(earlier)
    # Of a list about a subject the document itself is wanted.
    return _on(document, before, topic="" if before.wants_documents else before.meaning.topic)


def _only_one(request: PlanRequest) -> str | None:
    """The id of the document that "it" is: the only one listed, the first in an order ("the newest?"), or cited."""
    shown, listing = request.shown.documents, request.listing
    if not shown or request.shown.knowledge_base not in ("", request.knowledge_base):
        return None
    if listing is None:
        return next((each.document_id for each in request.shown.cited), None)
    is_one = len(shown) == 1 or listing.sort is not None
    return shown[0].document_id if is_one and not shown[0].excerpt else None


def _on(document: str, found: Understood, **changes: Any) -> Understood:
    meaning = replace(found.meaning, named=(document,), **changes)
    return replace(found, meaning=meaning, single=False, continues=True, wants_documents=False)
