"""What is in force: the standing of documents on a day, by what they say and by the other versions of them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import PurePosixPath
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from cicada.documents.catalogue import TITLE, DocumentRow, Sort
from cicada.documents.model import AnyOf, Condition, DocumentKey, Passage, PassageFilter
from cicada.documents.versions import version_order
from cicada.identity import Principal
from cicada.knowledge_bases.schema import Schema, Standing, StandingRule
from cicada.knowledge_bases.values import folded
from cicada.observability.telemetry import phase
from cicada.permissions import PermissionGate
from cicada.retrieval.model import CardQuery, RankedPassage
from cicada.retrieval.ports import DocumentCatalogue

Described: TypeAlias = DocumentRow | Passage
# What people call versions, in the languages of the lexicon.
VERSIONS = r"(?:version|rev|revision|edition|issue|release|fassung|ausgabe|auflage|versión|edición|édition)"
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
# Of the documents that one names as replaced, so many are looked at.
_MOST_REPLACED = 50
# Versions of one document that are looked for, and documents of one title or number among which they are.
_MOST_VERSIONS = 100
_MOST_ALIKE = 200
# Documents of one title may have different numbers: with so many others versions are compared.
_MOST_COMPARED = 2_000
YEAR = r"(?:19|20)\d\d"
# What is written behind a title for the version: "Travel Policy v2", "Rules (version 2.1)", "Rules 2025", "… – draft".
_VERSION = re.compile(
    rf"(?<![\s,(–-])[\s,(–-]*+\b(?:{VERSIONS} (?:of|from|vom|von|du|de) [\w. ]{{0,15}}{YEAR}|"
    rf"(?:v|{VERSIONS})[. ]{{0,3}}\d[\d.]*+|{YEAR}(?: {VERSIONS})?|draft|entwurf)"
    r"\)?+\s*+$",
    re.IGNORECASE,
)


class Standings:
    """The standing of documents on a day, by what they say themselves and by the versions of them among `items`."""

    def __init__(self, rule: StandingRule, day: str, items: Iterable[Described]) -> None:
        self._rule, self._day = rule, day
        self._found: dict[DocumentKey, tuple[Standing | None, bool]] = {}
        self._by_mark = defaultdict[tuple[str, str], list[Described]](list)
        for each in {each.document: each for each in items}.values():
            for mark in _marks(each, rule):
                self._by_mark[mark].append(each)

    def of(self, item: Described) -> Standing | None:
        """The standing; None where nothing says it."""
        return self._known(item)[0]

    def state(self, item: Described) -> str:
        """The standing in words, as `approved (in force)` or `replaced (no longer in force)`; empty without one."""
        rule = self._rule
        standing, is_replaced = self._known(item)
        value = item.metadata.get(rule.field)
        said = [str(value)] if isinstance(value, str) and value in rule.standings else []
        since, until = (_day(item.metadata.get(name)) for name in (rule.since, rule.until))
        said += [f"from {since}"] if since > self._day and standing is Standing.NOT_YET else []
        said += [f"until {until}"] if until and until < self._day and standing is Standing.NO_LONGER else []
        said += ["replaced"] if is_replaced else []
        return f"{', '.join(said) or 'current'} ({standing})" if standing else ""

    def _known(self, item: Described) -> tuple[Standing | None, bool]:
        """The standing, and whether it is that of a document which another one replaces."""
        if item.document not in self._found:
            self._found[item.document] = self._standing(item)
        return self._found[item.document]

    def _standing(self, item: Described) -> tuple[Standing | None, bool]:
        own = self._rule.standing(item.metadata, self._day)
        if own in (Standing.NOT_YET, Standing.NO_LONGER):
            return own, False
        others = [each for each in self._alike(item) if each.document != item.document]
        if any(self._has_begun(each) and replaces(each, item, self._rule) for each in others):
            return Standing.NO_LONGER, True
        if own is None and self._rule.field not in item.metadata:
            return (Standing.IN_FORCE if any(replaces(item, each, self._rule) for each in others) else None), False
        return own, False

    def _alike(self, item: Described, most: int | None = None) -> Iterator[Described]:
        """The documents that may be versions of this one, and itself; of one mark at most so many."""
        for kind, text in _marks(item, self._rule):
            yield from self._by_mark.get((_OPPOSITE[kind], text), ())[:most]

    def versions(self, item: Described) -> list[Described]:
        """The other versions of the document, also those that are versions of its versions, of a bounded number."""
        found = {item.document: item}
        left = [item]
        pairs = ((near, each) for near in left for each in self._alike(near, _MOST_ALIKE) if each.document not in found)
        for near, each in islice(pairs, _MOST_COMPARED):
            if are_versions(each, near, self._rule):
                found[each.document] = each
                left.append(each)
            if len(found) > _MOST_VERSIONS:
                break
        return list(found.values())[1:]

    def _has_begun(self, other: Described) -> bool:
        """Whether the document can have replaced another; one that a value calls invalid may never have been valid."""
        own = self._rule.standing(other.metadata, self._day)
        return own in (Standing.IN_FORCE, None) or (own is Standing.NO_LONGER and not self._rule.field)


def replaces(new: Described, old: Described, rule: StandingRule) -> bool:
    """Whether one document replaces the other: it names it, or it is the higher or later version of the two."""
    if _names(new, old, rule):
        return True
    if _names(old, new, rule) or not are_versions(new, old, rule):
        return False
    one, other = (version_order(str(each.metadata.get(rule.version, ""))) for each in (new, old))
    if one is None or other is None or one == other:
        one, other = (_day(each.metadata.get(rule.since)) for each in (new, old))
    if not (one and other) and rule.standing(new.metadata, "") is Standing.IN_FORCE and rule.field not in old.metadata:
        one, other = (year_of(each.title) for each in (new, old))
    return bool(one and other) and str(one) > str(other)


def are_versions(one: Described, other: Described, rule: StandingRule) -> bool:
    """Whether these are versions of one document: of one number or else one title, or one names the other."""
    if _names(one, other, rule) or _names(other, one, rule):
        return True
    numbers = [str(each.metadata.get(rule.number, "")) for each in (one, other)]
    if all(numbers):
        return folded(numbers[0]) == folded(numbers[1])
    return _without_version(one.title) == _without_version(other.title)


def _names(one: Described, other: Described, rule: StandingRule) -> bool:
    """Whether the one names the other as replaced: by its id, its file's name, its title or its number."""
    return not _named(one, rule).isdisjoint(_called(other, rule)) and one.document != other.document


def _named(item: Described, rule: StandingRule) -> frozenset[str]:
    value = item.metadata.get(rule.replaces, ())
    number = folded(str(item.metadata.get(rule.number, "")))
    return _all_folded(value[:_MOST_REPLACED] if isinstance(value, tuple) else (str(value),)) - {number}


def _called(item: Described, rule: StandingRule) -> frozenset[str]:
    file = PurePosixPath(item.document.document_id)
    return _all_folded((str(file), file.stem, item.title, str(item.metadata.get(rule.number, ""))))


@lru_cache(maxsize=2_000)
def _all_folded(names: tuple[str, ...]) -> frozenset[str]:
    """Kept, because each document is compared with each other one."""
    return frozenset(map(folded, names)) - {""}


# The kinds of marks by which versions of one document are found; what one names, another is called.
_OPPOSITE = {"title": "title", "number": "number", "named": "called", "called": "named"}


def _marks(item: Described, rule: StandingRule) -> Iterator[tuple[str, str]]:
    yield "title", _without_version(item.title)
    if number := folded(str(item.metadata.get(rule.number, ""))):
        yield "number", number
    if rule.replaces:
        yield from (("named", each) for each in _named(item, rule))
        yield from (("called", each) for each in _called(item, rule))


def year_of(title: str) -> str:
    """The year that a title ends with, such as "Rules (edition 2025)"; empty without one."""
    found = _VERSION.search(title)
    year = re.search(YEAR, found[0]) if found else None
    return year[0] if year else ""


@lru_cache(maxsize=2_000)
def _without_version(title: str) -> str:
    return folded(_VERSION.sub("", title))


def _day(value: object) -> str:
    """A day as `2026-01-31`; empty for any other value, which may be a document's own words."""
    return value if isinstance(value, str) and _DAY.fullmatch(value) else ""


# Versions of the documents of one answer: a search may have found one of them alone.
_MOST = 100


class OtherVersions(Struct, frozen=True):
    """Looks versions up in the catalogue, as far as a base's rule needs them to tell what is in force."""

    catalogue: DocumentCatalogue
    gate: PermissionGate

    def stated(
        self, ranked: Sequence[RankedPassage], schema: Schema, today: str, readable: PassageFilter, principal: Principal
    ) -> list[RankedPassage]:
        """The passages with the states of their documents. Failures are `DependencyError`s."""
        shown = [each.passage for each in ranked]
        if schema.in_force is None or not shown:
            return list(ranked)
        with phase("searching"):
            rows = self._others(shown, schema.in_force, readable.readable)
        with phase("gate"):
            permitted = self.gate.permit(principal, rows, lambda row: row.document)
        standings = Standings(schema.in_force, today, [*permitted, *shown])
        return [replace(each, state=standings.state(each.passage)) for each in ranked]

    def _others(self, shown: Iterable[Passage], rule: StandingRule, readable: PassageFilter) -> list[DocumentRow]:
        documents = list({each.document: each for each in shown}.values())
        found: list[DocumentRow] = []
        for condition in _conditions(documents, rule):
            found += self.catalogue.rows(replace(readable, conditions=(condition,)), Sort(TITLE), _MOST).rows
        if (rule.version or rule.since or rule.field) and any(rule.number not in each.metadata for each in documents):
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
