"""The knowledge bases that a user may ask: what each is about, how much of it there is, and questions to begin with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from cicada.answering.audit import document_of
from cicada.answering.opening_questions import OpeningQuestion, opening_questions
from cicada.conversation.limits import BASE
from cicada.conversation.protocol import (
    FRAME_LIMIT_BYTES,
    BaseSummary,
    KnowledgeBasesListed,
    ListKnowledgeBases,
    frame,
)
from cicada.documents.catalogue import TITLE, DocumentRow, Sort
from cicada.identity import Principal
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.observability.audit import DocumentsShown, shown_to
from cicada.permissions import PermissionGate, base_of, may_ask, readable_passages
from cicada.retrieval.ports import DocumentCatalogue

# From so many documents the questions are made.
_SAMPLE = 20


class BaseList(Struct, frozen=True):
    """`names`: those of a tenant's bases that have had a document or a setting, besides those of the library.

    `spend`: charges the user for the bases that are read. `gate`: asked for each document that a question names.
    `audit` is called with these; it does not fail.
    """

    index: DocumentCatalogue
    gate: PermissionGate
    spend: Callable[[Principal, int], object]
    bases: Callable[[], KnowledgeBases]
    names: Callable[[str], Iterable[str]]
    audit: Callable[..., object]
    clock: Callable[[], float]

    def listed(self, command: ListKnowledgeBases, principal: Principal) -> KnowledgeBasesListed:
        """The bases by name. One without a document that the user may read is listed only if it is known by name.

        Raises `DependencyError` and `LimitExceededError`.
        """
        bases = self.bases()
        found: list[BaseSummary] = []
        shown: list[DocumentsShown] = []
        known = (base_of(bases, principal, name) for name in sorted({*bases.named, *self.names(principal.tenant)}))
        askable = [each for each in known if may_ask(each, principal)]
        self.spend(principal, BASE * len(askable))
        for base in askable:
            name = base.name
            page = self.index.rows(readable_passages(principal, name), Sort(TITLE), _SAMPLE)
            if not (page.total and bases.open_names) and not base.kept and name not in bases.named:
                continue
            questions = self._questions(base, page.rows, principal)
            found.append(_summary(base, page.total, questions))
            shown += self._shown(command, principal, name, questions, page.rows)
        self.audit(*shown)
        return _fitting(KnowledgeBasesListed(bases=tuple(found)), command.request_id)

    def _questions(
        self, base: KnowledgeBase, rows: Sequence[DocumentRow], principal: Principal
    ) -> tuple[OpeningQuestion, ...]:
        """Only from documents that the user may read at this moment."""
        permitted = self.gate.permit(principal, rows, lambda row: row.document)
        return opening_questions(base.schema, permitted.items)

    def _shown(
        self,
        command: ListKnowledgeBases,
        principal: Principal,
        name: str,
        questions: Iterable[OpeningQuestion],
        rows: Sequence[DocumentRow],
    ) -> list[DocumentsShown]:
        named = {each.document for each in questions if each.document}
        documents = tuple(document_of(row) for row in rows if row.document in named)
        now = self.clock()
        return [shown_to(principal, command.request_id, 0, "suggested", documents, now, name)] if documents else []


def _summary(base: KnowledgeBase, documents: int, questions: Iterable[OpeningQuestion]) -> BaseSummary:
    return BaseSummary(base.name, documents, base.description or None, tuple(each.text for each in questions))


def _fitting(listed: KnowledgeBasesListed, request_id: str) -> KnowledgeBasesListed:
    """The list, without questions and then without its last bases until it has room in a frame."""
    if not _fits(listed, request_id):
        listed = replace(listed, bases=tuple(replace(each, questions=()) for each in listed.bases))
    while not _fits(listed, request_id):
        listed = replace(listed, bases=listed.bases[:-1])
    return listed


def _fits(listed: KnowledgeBasesListed, request_id: str) -> bool:
    return len(frame(listed, request_id=request_id).encode()) <= FRAME_LIMIT_BYTES
