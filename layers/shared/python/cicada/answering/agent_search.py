"""What an agent may read of the documents: those that the user may view."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct, field
from msgspec.structs import replace

from cicada.agents.evidence import Ground, Judgement, Standing, TurnEvidence
from cicada.agents.model import fitted, fitting
from cicada.answering.audit import document_of
from cicada.answering.evidence import EvidenceLoop, Verdict
from cicada.answering.in_force import OtherVersions
from cicada.answering.preference import preference, preferred_passages
from cicada.answering.prompt import evidence_text, passage_text
from cicada.documents.catalogue import TITLE, DocumentRow, Sort
from cicada.documents.model import passage_number
from cicada.identity import Principal
from cicada.observability.telemetry import note_shown
from cicada.permissions import PermissionGate, base_of, readable_passages
from cicada.retrieval.completeness import CheckIndex, unchecked
from cicada.retrieval.model import RankedPassage, Ranking, Retrieval
from cicada.retrieval.ports import CataloguedIndex
from cicada.retrieval.search import KnowledgeSearch


class PermittedAgentSearch(Struct, frozen=True):
    """The agent search over passages of the user's tenant that the user may view.

    `index`: where passages are read again that a verdict rests on, and versions are looked up. `judging`: judges what a
    search found and searches no further, because the agent does. `check_index` is called if there are no passages; it
    raises if the index lacks documents. `today`: as `2026-01-31`, to tell what is in force; empty where it does not
    count.
    """

    knowledge: KnowledgeSearch
    gate: PermissionGate
    index: CataloguedIndex
    judging: EvidenceLoop = field(default_factory=EvidenceLoop)
    check_index: CheckIndex = unchecked
    today: Callable[[], str] = str

    def search(
        self, principal: Principal, knowledge_base: str, query: str, evidence: TurnEvidence | None = None
    ) -> str:
        base = base_of(self.knowledge.bases, principal, knowledge_base)
        found = self.judging.gather(query, base, lambda text: self._found(text, principal, knowledge_base))
        if not found.passages:
            self.check_index(principal, knowledge_base)
        if evidence is not None:
            evidence.searched(query, found.path, found.confidence, found.verdict is not Verdict.BELOW_FLOOR)
        shown = found.passages
        note_shown(document_of(each.passage) for each in shown)
        texts = [evidence_text(each.passage, each.state) for each in shown]
        if evidence is not None:
            # A number is shorter than the heading in its place.
            kept = len(fitting(texts, "\n\n"))
            texts[:kept] = [passage_text(evidence.number(each), each.passage, each.state) for each in shown[:kept]]
        return fitted(texts, "\n\n")

    def standing(self, principal: Principal, knowledge_base: str, judgement: Judgement) -> Standing:
        """One look at the catalogue, and one at each passage whose document is as it was."""
        grounds = judgement.grounds
        ids = frozenset((*judgement.seen, *(each.document_id for each in grounds)))
        readable = readable_passages(principal, knowledge_base, documents=ids)
        rows = self.index.rows(readable, Sort(TITLE), len(ids)).rows if ids else ()
        permitted = self.gate.permit(principal, rows, lambda row: row.document)
        now = {row.document.document_id: row for row in permitted}
        versions = {each.document_id: each.version for each in grounds}
        known = {name: now[name] for name in versions if name in now}
        changed = {name: row.title for name, row in known.items() if row.version != versions[name]}
        same = [each for each in grounds if each.document_id in now and each.document_id not in changed]
        passages = [passage for each in same for passage in self._passages(now[each.document_id], each)]
        note_shown(document_of(each.passage) for each in passages)
        return Standing(tuple(passages), changed, ids.difference(now))

    def _passages(self, row: DocumentRow, ground: Ground) -> list[RankedPassage]:
        number = passage_number(ground.passage_id)
        found = self.index.passages_of(row.document, range(number, number + 1)) if number is not None else ()
        return [RankedPassage(each, None) for each in found]

    def _found(self, query: str, principal: Principal, knowledge_base: str) -> Retrieval:
        readable = readable_passages(principal, knowledge_base)
        found = self.knowledge.search(query, readable)
        found = found.of(frozenset(self.gate.permit(principal, tuple(found.documents), lambda each: each)))
        schema, today = base_of(self.knowledge.bases, principal, knowledge_base).schema, self.today()
        ordered = preferred_passages(found.passages, preference(query, schema, today=today), found.candidates)
        versions = OtherVersions(self.index, self.gate)
        stated = versions.stated(ordered, schema, today, readable, principal)
        return replace(found, ranking=Ranking(tuple(stated), found.ranking.by))
