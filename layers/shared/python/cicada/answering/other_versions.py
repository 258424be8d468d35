"""The states of passages, told by all versions of their documents: a search may have found one of them alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from cicada.answering.in_force import Described, stated
from cicada.documents.catalogue import TITLE, DocumentRow, Sort
from cicada.documents.model import AnyOf, Condition, Passage, PassageFilter
from cicada.identity import Principal
from cicada.knowledge_bases.schema import Schema, StandingRule
from cicada.observability.telemetry import phase
from cicada.permissions import PermissionGate
from cicada.retrieval.model import CardQuery, RankedPassage
from cicada.retrieval.ports import DocumentCatalogue

# Versions of the documents of one answer.
_MOST = 100


class OtherVersions(Struct, frozen=True):
    """Looks versions up in the catalogue, as far as a base's rule needs them to tell what is in force."""

    catalogue: DocumentCatalogue
    gate: PermissionGate

    def stated(
        self,
        ranked: Sequence[RankedPassage],
        schema: Schema,
        today: str,
        readable: PassageFilter,
        principal: Principal,
    ) -> list[RankedPassage]:
        """The passages with the states of their documents. Failures are `DependencyError`s."""
        shown: list[Described] = [each.passage for each in ranked]
        if schema.in_force is None or not shown:
            return list(ranked)
        with phase("searching"):
            rows = self._others([each.passage for each in ranked], schema.in_force, readable.readable)
        with phase("gate"):
            permitted = self.gate.permit(principal, rows, lambda row: row.document)
        return stated(ranked, schema, today, [*permitted, *shown])

    def _others(self, shown: Iterable[Passage], rule: StandingRule, readable: PassageFilter) -> list[DocumentRow]:
        documents = list({each.document: each for each in shown}.values())
        found: list[DocumentRow] = []
        for condition in _conditions(documents, rule):
            found += self.catalogue.rows(replace(readable, conditions=(condition,)), Sort(TITLE), _MOST).rows
        if (rule.version or rule.since) and any(rule.number not in each.metadata for each in documents):
            titles = " ".join(dict.fromkeys(each.title for each in documents))
            found += [hit.row for hit in self.catalogue.find_cards(CardQuery(readable, titles, limit=_MOST)).lexical]
        return found


def _conditions(documents: Sequence[Passage], rule: StandingRule) -> Iterator[Condition]:
    """What other versions meet: they have the number of one of the documents, or name it as replaced."""
    numbers = {number for each in documents if isinstance(number := each.metadata.get(rule.number), str | float)}
    if numbers:
        yield AnyOf(rule.number, frozenset(numbers))
    if rule.replaces:
        files = [PurePosixPath(each.document.document_id) for each in documents]
        names = {str(each) for each in files} | {each.stem for each in files} | {each.title for each in documents}
        yield AnyOf(rule.replaces, frozenset(names | numbers))
