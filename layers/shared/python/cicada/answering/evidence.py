"""Evidence by the same retrieval that answers questions."""

from __future__ import annotations

from msgspec import Struct

from cicada.agents.text import fitted
from cicada.answering.prompt import evidence_text
from cicada.answering.shown import document_of
from cicada.audit.shown import note_shown
from cicada.identity.principal import Principal
from cicada.permissions.gate import PermissionGate
from cicada.permissions.readers import readable_passages
from cicada.retrieval.completeness import CheckIndex, unchecked
from cicada.retrieval.knowledge_search import KnowledgeSearch


class RetrievedEvidence(Struct, frozen=True):
    """Searches only passages of the user's tenant that the user may read.

    `check_index` is called if there are none; it raises if the index lacks documents.
    """

    knowledge: KnowledgeSearch
    gate: PermissionGate
    check_index: CheckIndex = unchecked

    def search(self, principal: Principal, knowledge_base: str, query: str) -> str:
        found = self.knowledge.search(query, readable_passages(principal, knowledge_base)).passages
        shown = self.gate.permit(principal, found, lambda each: each.passage.document)
        if not shown:
            self.check_index(principal, knowledge_base)
        note_shown(document_of(each.passage) for each in shown)
        return fitted([evidence_text(each.passage) for each in shown], "\n\n")
