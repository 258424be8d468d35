"""The search that an agent may call, for what the user may view."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from cicada.agents.model import Cite, fitted, fitting, uncited
from cicada.answering.audit import document_of
from cicada.answering.in_force import preference, preferred_passages, stated
from cicada.answering.prompt import evidence_text
from cicada.identity import Principal
from cicada.observability.telemetry import note_shown
from cicada.permissions import PermissionGate, base_of, readable_passages
from cicada.retrieval.completeness import CheckIndex, unchecked
from cicada.retrieval.search import KnowledgeSearch


class PermittedAgentSearch(Struct, frozen=True):
    """The agent search over passages of the user's tenant that the user may view.

    `check_index` is called if there are none; it raises if the index lacks documents. `today`: as `2026-01-31`, to tell
    what is in force; empty where it does not count.
    """

    knowledge: KnowledgeSearch
    gate: PermissionGate
    check_index: CheckIndex = unchecked
    today: Callable[[], str] = str

    def search(self, principal: Principal, knowledge_base: str, query: str, cite: Cite = uncited) -> str:
        found = self.knowledge.search(query, readable_passages(principal, knowledge_base))
        documents = self.gate.permit(principal, tuple(found.documents), lambda each: each)
        found = found.of(frozenset(documents))
        schema = base_of(self.knowledge.bases, principal, knowledge_base).schema
        today = self.today()
        ordered = preferred_passages(found.passages, preference(query, schema, today=today))
        known = [*(each.passage for each in found.candidates), *(each.passage for each in ordered)]
        ordered = stated(ordered, schema, today, known)
        shown = self.gate.permit(principal, ordered, lambda each: each.passage.document)
        if not shown:
            self.check_index(principal, knowledge_base)
        note_shown(document_of(each.passage) for each in shown)
        texts = [evidence_text(each.passage, each.state) for each in shown]
        cite(shown.only(shown.items[: len(fitting(texts, "\n\n"))]))
        return fitted(texts, "\n\n")
