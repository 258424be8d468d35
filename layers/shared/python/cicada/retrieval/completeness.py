"""Whether an index has the documents that it is built from.

An index can be lost, or be a new one: another collection, another embedding model. It answers searches all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from cicada.documents.model import KnowledgeBaseKey
from cicada.errors import IndexIncompleteError
from cicada.identity import Principal
from cicada.permissions import AccessLists, every_document, viewer_names
from cicada.retrieval.ports import MOST_SETTLED, DocumentCatalogue, KeptDocuments

_KEPT_SECONDS = 60.0
CheckIndex = Callable[[Principal, str], object]


def unchecked(principal: Principal, knowledge_base: str) -> None:
    """The default: every index has all documents."""


def lacking(
    base_key: KnowledgeBaseKey, kept: Sequence[str], catalogue: DocumentCatalogue, access: AccessLists
) -> Mapping[str, tuple[str, ...]]:
    """The viewers of the `kept` documents if the index has fewer than half as many; empty if it has enough.

    A document that was withdrawn from all viewers is kept without an access list, and is not in the index.
    """
    indexed = catalogue.count_documents(every_document(base_key))
    if not _far_fewer(indexed, len(kept)):
        return {}
    viewers = access.readers_of(base_key, kept)
    return viewers if _far_fewer(indexed, len(viewers)) else {}


def _far_fewer(indexed: int, kept: int) -> bool:
    return indexed * 2 < kept


class IndexCompleteness:
    """Asked before "there is nothing" or a number is said. What is kept is listed once a minute for each base.

    A document that changed less than `settled_seconds` ago may be on its way into the index, and does not count; a
    list is not used for longer than that either.
    """

    def __init__(
        self,
        kept: Callable[[], KeptDocuments],
        catalogue: DocumentCatalogue,
        access: AccessLists,
        clock: Callable[[], float],
        settled_seconds: float,
    ) -> None:
        self._kept, self._catalogue, self._access = kept, catalogue, access
        self._clock, self._settled_seconds = clock, settled_seconds
        self._listed: dict[KnowledgeBaseKey, tuple[float, int]] = {}

    def check(self, principal: Principal, knowledge_base: str) -> None:
        """Raises `IndexIncompleteError` if the index lacks most of the base's documents, and this user may read one.

        To others the base looks as if it had none, as it always does. Failures are `DependencyError`s.
        """
        base_key = KnowledgeBaseKey(principal.tenant, knowledge_base)
        indexed = self._catalogue.count_documents(every_document(base_key))
        if not _far_fewer(indexed, MOST_SETTLED) or not _far_fewer(indexed, self._number(base_key)):
            return
        # Listed again: documents may have been removed within the minute.
        missing = lacking(base_key, self._settled(base_key), self._catalogue, self._access)
        names = viewer_names(principal)
        if any(not viewers or names.intersection(viewers) for viewers in missing.values()):
            raise IndexIncompleteError(
                f"The search index lacks documents of the knowledge base “{knowledge_base}”, so this cannot be answered"
                " now. Ask an operator to run `cicada rebuild`; the documents themselves are not lost."
            )

    def _number(self, base_key: KnowledgeBaseKey) -> int:
        listed_at, number = self._listed.get(base_key, (0.0, -1))
        if number < 0 or self._clock() - listed_at > min(_KEPT_SECONDS, self._settled_seconds):
            number = len(self._settled(base_key))
        return number

    def _settled(self, base_key: KnowledgeBaseKey) -> Sequence[str]:
        now = self._clock()
        found = self._kept().settled(base_key, now - self._settled_seconds)
        # Anybody may ask for bases of any name.
        if len(self._listed) >= MOST_SETTLED:
            self._listed.clear()
        self._listed[base_key] = (now, len(found))
        return found
