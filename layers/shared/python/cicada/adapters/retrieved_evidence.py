"""Evidence by the same retrieval that answers questions."""

from __future__ import annotations

from dataclasses import dataclass

from cicada.agents.text import fitted
from cicada.documents.model import Collection
from cicada.permissions.model import Principal
from cicada.retrieval.format import passage_text
from cicada.retrieval.model import PassageFilter
from cicada.retrieval.search import Retriever


@dataclass(frozen=True, slots=True)
class RetrievedEvidence:
    """Searches only what the user's tenant owns."""

    retriever: Retriever

    def search(self, principal: Principal, knowledge_base: str, query: str) -> str:
        found = self.retriever.search(query, PassageFilter(Collection(principal.tenant, knowledge_base)))
        return fitted([passage_text(number, each.passage) for number, each in enumerate(found, start=1)], "\n\n")
