"""Evidence by the same retrieval that answers questions."""

from __future__ import annotations

from dataclasses import dataclass

from cicada.agents.text import fitted
from cicada.answering.passages import reader_names
from cicada.documents.model import Collection
from cicada.identity.principal import Principal
from cicada.retrieval.format import evidence_text
from cicada.retrieval.knowledge_search import KnowledgeSearch
from cicada.retrieval.model import PassageFilter


@dataclass(frozen=True, slots=True)
class RetrievedEvidence:
    """Searches only what the user's tenant owns and the user may see."""

    knowledge: KnowledgeSearch

    def search(self, principal: Principal, knowledge_base: str, query: str) -> str:
        filter = PassageFilter(Collection(principal.tenant, knowledge_base), reader=reader_names(principal))
        found = self.knowledge.search(query, filter).passages
        return fitted([evidence_text(each.passage) for each in found], "\n\n")
