"""The search that an agent may call, for what the user may view."""

from __future__ import annotations

from msgspec import Struct

from cicada.agents.model import Cite, fitted, fitting, uncited
from cicada.answering.audit import document_of
from cicada.answering.in_force import preference, preferred_passages
from cicada.answering.prompt import evidence_text
from cicada.identity import Principal
from cicada.observability.telemetry import note_shown
from cicada.permissions import PermissionGate, base_of, readable_passages
from cicada.retrieval.completeness import CheckIndex, unchecked
from cicada.retrieval.search import KnowledgeSearch


class PermittedAgentSearch(Struct, frozen=True):
    """The agent search over passages of the user's tenant that the user may view.

    `check_index` is called if there are none; it raises if the index lacks documents.
    """

    knowledge: KnowledgeSearch
    gate: PermissionGate
    check_index: CheckIndex = unchecked

    def search(self, principal: Principal, knowledge_base: str, query: str, cite: Cite = uncited) -> str:
        found = self.knowledge.search(query, readable_passages(principal, knowledge_base))
        permitted = self.gate.permit(principal, found.ranked, lambda each: each.passage.document)
        shown = permitted.only(found.of(frozenset(each.passage.document for each in permitted)).passages)
        if not shown:
            self.check_index(principal, knowledge_base)
        note_shown(document_of(each.passage) for each in shown)
        schema = base_of(self.knowledge.bases, principal, knowledge_base).schema
        ordered = preferred_passages(shown.items, preference(query, schema))
        texts = [evidence_text(each.passage, schema.in_force) for each in ordered]
        cite(shown.only(ordered[: len(fitting(texts, "\n\n"))]))
        return fitted(texts, "\n\n")
