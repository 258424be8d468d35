"""What an answer puts first: documents and passages of the standing, day or version that its message asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from cicada.answering.in_force import VERSIONS, YEAR, Described, Standings, are_versions, year_of
from cicada.documents.model import Condition, DocumentKey, Passage, SectionLocator
from cicada.documents.versions import version_order
from cicada.knowledge_bases.schema import Schema, Standing, StandingRule
from cicada.languages.terms import words
from cicada.retrieval.model import Candidate, RankedPassage

T = TypeVar("T")
# Passages whose relevance differs by less are about as near to the question.
_NEARLY = 0.05
# Words that ask for what held before; "before" does only at the end of a question or with what changed it.
_BEFORE = re.compile(
    r"(?<!how )(?<!years )\bold(?:er)?\b|\b(?:former|formerly|previous|previously|superseded|replaced|outdated|used to|"
    r"in the past|at (?:the|that) time|back then|earlier (?:version|edition|rules?|text|revision)|until (?:19|20)\d\d|"
    r"before (?:the|its|that|this) (?:revision|change|update|amendment|reform|last change|new (?:version|rules?))|"
    r"früher\w*|ehemal\w*|vorherige\w*|bisherige\w*|vorige\w*|alte[nrms]?|damals|"
    r"autrefois|ancien(?:ne)?s?|précédente?s?|antigu[ao]s?|anterior(?:es)?)\b"
    r"|\bbefore\W*$|以前|旧",
    re.IGNORECASE,
)
# Words that ask for what is to come.
_LATER = re.compile(
    r"\b(?:the|this|that|new|current|latest) draft"
    r"(?=\W*$| (?:of|for|says?|said|allows?|asks?|requires?|changes?|version)\b)|"
    rf"\b(?:draft version|drafted|proposed|upcoming|(?:next|future|coming|planned) {VERSIONS}|in future|"
    r"not yet in force|entwurf\w*|künftig\w*|geplante\w*|brouillon|futura?|borrador)\b",
    re.IGNORECASE,
)
# A version or a day that a question names: "version 2.1 of the plan", "the 2019 edition", "as of 2019".
_NAMED_VERSION = re.compile(rf"\b(?:v|{VERSIONS})[. ]{{0,2}}(\d{{1,3}}(?:\.\d+)*)(?![\d.]*\d)", re.IGNORECASE)
_IN_YEAR = re.compile(
    rf"\b((?:19|20)\d\d)(?:er)?[- ]{VERSIONS}|"
    rf"\b{VERSIONS}\s{{1,3}}(?:(?:of|from|in|von|de|del|aus)\s{{1,3}})?((?:19|20)\d\d)\b|"
    r"\b(?:did|was|were|had|galt|war|stand|était|era)\b.{0,200}"
    r"\b(?:in|im Jahr|im Jahre|en|as of|during)\s((?:19|20)\d\d)\b|"
    r"\bback in\s((?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(rf"\b{YEAR}\b")


class Preference(Struct, frozen=True):
    """What an answer puts first, by the base's rule: documents of the standing `first`.

    `day`: on which the standing is asked, as `2026-01-31`. `version`: first come the documents with this one. `years`:
    those that the question names; a document whose title ends with one stays where it is.
    """

    rule: StandingRule
    first: Standing
    day: str = ""
    version: str = ""
    years: frozenset[str] = frozenset()


def preference(
    message: str, schema: Schema, conditions: Iterable[Condition] = (), today: str = ""
) -> Preference | None:
    """What the message asks for: what is in force today, unless its words ask for another standing, day or version.

    None where nothing is to be put in order: no rule says what is in force, or conditions on its fields choose.
    """
    rule = schema.in_force
    chosen = {each.field for each in conditions}
    if rule is None or chosen & {rule.field, rule.version, rule.since, rule.until} - {""}:
        return None
    if (version := _NAMED_VERSION.search(message)) and rule.version:
        return Preference(rule, Standing.IN_FORCE, today, version_order(version[1]) or "")
    dated = StandingRule(since=rule.since or schema.date or "", until=rule.until, replaces=rule.replaces)
    if (year := _year(message)) and dated.since and year < today[:4]:
        # Values say what holds now: what held then, dates alone say.
        return Preference(replace(dated, number=rule.number, version=rule.version), Standing.IN_FORCE, f"{year}-12-31")
    return Preference(rule, _standing(message, schema, rule), today, years=frozenset(_YEAR.findall(message)))


def _year(message: str) -> str:
    found = _IN_YEAR.search(message)
    return next((each for each in found.groups() if each), "") if found else ""


def _standing(message: str, schema: Schema, rule: StandingRule) -> Standing:
    field = schema.fields.get(rule.field)
    said, synonyms = " ".join(["", *words(message), ""]), field.synonyms if field else {}
    for value, standing in rule.standings.items():
        named = (" ".join(["", *words(each), ""]) for each in (value, *synonyms.get(value, ())))
        if standing is not Standing.IN_FORCE and any(each in said for each in named):
            return standing
    if _LATER.search(message):
        return Standing.NOT_YET
    return Standing.NO_LONGER if _BEFORE.search(message) else Standing.IN_FORCE


def preferred(
    items: Sequence[T], of: Callable[[T], Described], order: Preference | None, more: Sequence[T] = ()
) -> list[T]:
    """The items, each of another standing behind one of a version of its document that comes first.

    Of a version's passages it is that under the same heading, else the first of them. `more`: others that it may be.
    """
    if order is None:
        return list(items)
    standings = Standings(order.rule, order.day, map(of, (*items, *more)))
    known = [each for each in (*items, *more) if _comes_first(of(each), order, standings)]
    placed: list[T] = []
    for item in items:
        here = of(item)
        if known and _is_other(here, order, standings):
            first = [each for each in known if are_versions(of(each), here, order.rule)]
            beside = [each for each in first if _heading(of(each)) == _heading(here)] or first
            if not any(each is done for each in beside for done in placed):
                placed += beside[:1]
        if not any(item is done for done in placed):
            placed.append(item)
    return placed


def _comes_first(item: Described, order: Preference, standings: Standings) -> bool:
    if order.version:
        return version_order(str(item.metadata.get(order.rule.version, ""))) == order.version
    return standings.of(item) is order.first or year_of(item.title) in order.years


def preferred_passages(
    passages: Sequence[RankedPassage], order: Preference | None, candidates: Sequence[Candidate] = ()
) -> list[RankedPassage]:
    """Passages by relevance: `preferred`, and of nearly the same relevance those of another standing last.

    `candidates`: all that the search found, where a version may be that is not among the best.
    """
    ranked = list(passages)
    if order is None:
        return ranked
    best = {each.passage.passage_id for each in ranked}
    more = [RankedPassage(each.passage, None) for each in candidates if each.passage.passage_id not in best]
    standings = Standings(order.rule, order.day, (each.passage for each in (*ranked, *more)))
    is_other = {each.passage.document: _is_other(each.passage, order, standings) for each in ranked}
    for place in range(len(ranked) - 1, -1, -1):
        while place + 1 < len(ranked) and _goes_behind(ranked[place], ranked[place + 1], is_other):
            ranked[place : place + 2] = ranked[place + 1], ranked[place]
            place += 1
    return preferred(ranked, lambda each: each.passage, order, more)


def _is_other(item: Described, order: Preference, standings: Standings) -> bool:
    """Whether the document is another than those that come first; one without any standing is neither."""
    return not _comes_first(item, order, standings) and (bool(order.version) or standings.of(item) is not None)


def _goes_behind(one: RankedPassage, other: RankedPassage, is_other: Mapping[DocumentKey, bool]) -> bool:
    if one.relevance is None or other.relevance is None or one.relevance - other.relevance >= _NEARLY:
        return False
    return is_other[one.passage.document] and not is_other[other.passage.document]


def _heading(item: Described) -> tuple[str, ...]:
    locator = item.locator if isinstance(item, Passage) else None
    return locator.path[-1:] if isinstance(locator, SectionLocator) else ()
