"""What of stored events may still be shown: who may read a document is checked when it is shown again, not only once.

An excerpt whose document is gone, or which the user may not read any more, is replaced: the source keeps its number,
and has a note instead of all that came from the document. The note is the same for every reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from cicada.conversation.model import StoredEvent
from cicada.conversation.protocol import (
    ListedDocument,
    Listing,
    Source,
    SourceLocator,
    SourcesFound,
    answer_events,
    event_body,
    known_event,
)
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.identity import Principal
from cicada.knowledge_bases.settings import KnowledgeBases
from cicada.permissions import PermissionGate, may_ask

WITHHELD_TITLE = "Withheld"
WITHHELD = "This document was removed, or you may not read it any more."
WITHHELD_FROM_OTHERS = "This answer is withheld: it may say something of documents that you may not read."
WITHHELD_ANSWER = "This answer is withheld: a document of it was removed, or the user may not read it any more."

Documents = frozenset[DocumentKey]


class ShownAgain(Struct, frozen=True):
    """An event as its user may see it now. `withheld`: the documents that were replaced in it by notes."""

    event: StoredEvent
    withheld: Documents = frozenset()


class Withholding(Struct, frozen=True):
    """Asks the gate. If it cannot say who may read what, nothing is shown: its `DependencyError` is raised.

    `bases`: the settings that say who may ask which base. They are read when a document is shown again.
    """

    gate: PermissionGate
    bases: Callable[[], KnowledgeBases]

    def shown(self, principal: Principal, event: StoredEvent) -> ShownAgain:
        """The event as the user may see it now."""
        found = known_event(event.body)
        if isinstance(found, SourcesFound | Listing):
            gone = self.withheld(principal, _documents_in(found, principal))
            if gone:
                return ShownAgain(replace(event, body=event_body(_without(found, principal, gone))), gone)
        return ShownAgain(event)

    def withheld(self, principal: Principal, documents: Documents) -> Documents:
        """Find, in one look-up, the documents that are gone or that the user may not read any more."""
        if not documents:
            return frozenset()
        bases = self.bases()
        askable = tuple(each for each in documents if may_ask(bases.of(each.base_key), principal))
        permitted = self.gate.permit(principal, askable, lambda each: each)
        return documents.difference(permitted)


def documents_shown(principal: Principal, events: Iterable[StoredEvent]) -> Documents:
    """The documents of the answer that these events make up: those after the last reset."""
    found = (each for each in answer_events(events) if isinstance(each, SourcesFound | Listing))
    return frozenset().union(*(_documents_in(each, principal) for each in found))


def _documents_in(event: SourcesFound | Listing, principal: Principal) -> Documents:
    rows: Sequence[Source | ListedDocument] = event.sources if isinstance(event, SourcesFound) else event.documents
    return frozenset(_key(event, principal, each) for each in rows)


def _key(event: SourcesFound | Listing, principal: Principal, row: Source | ListedDocument) -> DocumentKey:
    """The document's key. An event of an earlier version does not say its base and gets a key of no document."""
    return DocumentKey(KnowledgeBaseKey(principal.tenant, event.knowledge_base or ""), row.document_id)


def _without(event: SourcesFound | Listing, principal: Principal, gone: Documents) -> SourcesFound | Listing:
    if isinstance(event, SourcesFound):
        kept = tuple(_source(each) if _key(event, principal, each) in gone else each for each in event.sources)
        return replace(event, sources=kept)
    nothing_left = ListedDocument("", WITHHELD_TITLE, withheld=True)
    rows = tuple(nothing_left if _key(event, principal, each) in gone else each for each in event.documents)
    # A value that only this document has would tell of it, and so would a number that it is part of.
    return replace(
        event,
        documents=rows,
        aggregates=() if event.aggregates is not None else None,
        groups=() if event.groups is not None else None,
        group_count=None,
    )


def _source(source: Source) -> Source:
    return Source(source.n, "", WITHHELD_TITLE, SourceLocator(), WITHHELD, None, withheld=True)
