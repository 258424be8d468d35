"""The versions of listed documents, and which of them are in force."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from cicada.answering.in_force import Described, Standings
from cicada.conversation.protocol import DocumentSummary, DocumentVersion
from cicada.documents.catalogue import DocumentRow
from cicada.documents.model import DocumentKey
from cicada.documents.versions import version_order
from cicada.knowledge_bases.schema import Standing, StandingRule
from cicada.knowledge_bases.values import shown_value

# Of one document so many are shown.
_MOST = 20
# The versions that the documents of a page have together: each is looked at, and the page ends where they are so many.
_MOST_OF_A_PAGE = 600
_TITLE_LENGTH = 120
_VERSION_LENGTH = 40
_NAMES: Mapping[Standing, Literal["inForce", "notYet", "noLonger"]] = {
    Standing.IN_FORCE: "inForce",
    Standing.NOT_YET: "notYet",
    Standing.NO_LONGER: "noLonger",
}


class VersionsOfListed(Struct, frozen=True):
    """Tells of the documents of a page what is in force. `day`: as `2026-01-31`. `rows`: where versions are looked for.

    `withheld`: of documents, those that the user may not read any more.
    """

    rule: StandingRule
    day: str
    rows: Sequence[DocumentRow]
    withheld: Callable[[frozenset[DocumentKey]], Collection[DocumentKey]]

    def told(
        self, shown: Sequence[DocumentRow], summaries: Sequence[DocumentSummary]
    ) -> tuple[list[DocumentSummary], Mapping[str, DocumentRow]]:
        """The summaries of the first rows that are shown, with versions, and all rows that are in them by their ids."""
        every = Standings(self.rule, self.day, self.rows)
        near = _versions(shown, every)
        shown = shown[: len(near)]
        others = {each.document: each for found in near for each in found}
        gone = self.withheld(frozenset(others).difference(row.document for row in shown))
        permitted = [each for each in (*shown, *others.values()) if each.document not in gone]
        standings = Standings(self.rule, self.day, permitted)
        told = [
            self._told(summary, row, [each for each in found if each.document not in gone], standings)
            for row, summary, found in zip(shown, summaries, near, strict=False)
        ]
        return told, {each.document.document_id: each for each in permitted if isinstance(each, DocumentRow)}

    def _told(
        self, summary: DocumentSummary, row: DocumentRow, others: Sequence[Described], standings: Standings
    ) -> DocumentSummary:
        if not row.passages:
            return summary
        ordered = sorted(others, key=lambda each: self._place(each, standings), reverse=True)[:_MOST]
        versions = tuple(self._version(each, standings) for each in ordered)
        return replace(summary, standing=_named(standings.of(row)), versions=versions or None)

    def _version(self, item: Described, standings: Standings) -> DocumentVersion:
        title = item.title[:_TITLE_LENGTH]
        number = self._number(item)[:_VERSION_LENGTH] or None
        return DocumentVersion(item.document.document_id, title, number, _named(standings.of(item)))

    def _place(self, item: Described, standings: Standings) -> tuple[int, str, str, str]:
        """Behind all that are in force stand those that are not yet, and the others; of each the highest first."""
        standing = standings.of(item)
        rank = 2 if standing is Standing.IN_FORCE else 1 if standing is Standing.NOT_YET else 0
        number, since = (str(item.metadata.get(name, "")) for name in (self.rule.version, self.rule.since))
        return rank, version_order(number) or "", since, item.document.document_id

    def _number(self, item: Described) -> str:
        values = (item.metadata.get(name) for name in (self.rule.version, self.rule.since))
        return next((shown_value(value) for value in values if value not in (None, ())), "")


def _versions(shown: Sequence[DocumentRow], every: Standings) -> list[list[Described]]:
    """The other versions of each document, as far as the documents fill a page; of one at least."""
    known: dict[DocumentKey, list[Described]] = {}
    found: list[list[Described]] = []
    for row in shown:
        if row.passages and row.document not in known:
            versions = [row, *every.versions(row)]
            known |= {one.document: [each for each in versions if each is not one] for one in versions}
        if found and len(known) > _MOST_OF_A_PAGE:
            break
        found.append(known.get(row.document, []))
    return found


def _named(standing: Standing | None) -> Literal["inForce", "notYet", "noLonger"] | None:
    return _NAMES[standing] if standing else None
