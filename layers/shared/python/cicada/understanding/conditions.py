"""The conditions on records that a message states, by its reading, and what has their form and is read as none."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from itertools import pairwise

from msgspec.structs import replace

from cicada.documents.model import TABLE, Scalar
from cicada.knowledge_bases.schema import FieldType
from cicada.understanding.dates import DatePhrase
from cicada.understanding.facts import Mention, MentionKind
from cicada.understanding.features import is_year
from cicada.understanding.meaning import Bounds, Meaning
from cicada.understanding.periods import DateRange, Unit, shifted
from cicada.understanding.reading import CONDITIONS, OR, Reading, Role
from cicada.understanding.vocabulary import EARLY, Kind, Level, Vocabulary
from cicada.understanding.words import SENTENCE_ENDS, lexicon, split_words

_NAMES = (MentionKind.WORD, MentionKind.NAME)
_UNREAD = frozenset({"none", "unk", "carrier", "topic"})
_LONGEST_CONDITION = 3  # words; of more, some are no condition
_IDLE = frozenset({"nt", "n't", "n’t", "there", "exist", "gibt", "es"})
_AGED = ("older", "younger")
_TAGGED = frozenset({"tag", "tags", "tagged"})
_BIRTH = EARLY - {"year"}
_LIKELY, _PERHAPS = 0.5, 0.25
_RELATIVE = frozenset({"that", "which", "who", "whose"})
_LATER = frozenset({"after", "later", "past", "beyond"})
_MEASURED = (FieldType.NUMBER, FieldType.DATE)
_COMPARED_WITH = frozenset(
    {"after", "before", "below", "under", "above", "over", "than", "exceeding", "exceed", "exceeds"}
)
_BEFORE_A_COLUMN = frozenset({"the", "its", "their", "his", "her", "a", "minimum", "maximum"})
_PLACING = frozenset({"in", "at", "from", "by", "of", "for", "with"})
_ARTICLES = frozenset({"the", "a", "an", "any"})
_MOST_YEARS_BEFORE = 20


def with_condition(
    found: Meaning, mention: Mention, role: Role, reading: Reading, vocabulary: Vocabulary, asker: str
) -> Meaning:
    """The meaning with the condition that the mention states, if it states one."""
    if mention.kind is MentionKind.ASKER and role.name == "cond":
        return _of_asker(found, role, vocabulary, asker)
    if mention.kind is MentionKind.VALUE and role.name == "cond":
        return _of_value(found, mention, role, reading, vocabulary)
    if mention.kind is MentionKind.NUMBER and role.name in CONDITIONS and role.field:
        aged, than = (["", "", *(each.text for each in reading.facts.tokens[: mention.start])])[-2:]
        if aged in _AGED and than == "than":
            return _of_age(found, mention, aged, reading.now, vocabulary)
        return _of_number(found, mention, role, vocabulary.types[role.field])
    if mention.kind is MentionKind.DATE and role.name == "cond" and role.field:
        return _of_date(found, mention, role, reading, vocabulary)
    if mention.kind in (MentionKind.NAME, MentionKind.DOCUMENT) and role.name in ("cond", "contains"):
        return _of_name(found, mention, role, reading)
    return found


def _of_asker(found: Meaning, role: Role, vocabulary: Vocabulary, asker: str) -> Meaning:
    if not asker:
        has_persons = FieldType.PERSON in vocabulary.types.values()
        return replace(found, lacks_asker=found.lacks_asker or has_persons)
    return found.adding(role.field, asker, negated=role.negated > _LIKELY) if role.field else found


def _of_value(found: Meaning, mention: Mention, role: Role, reading: Reading, vocabulary: Vocabulary) -> Meaning:
    values = [each for each in mention.meanings if each.kind is Kind.VALUE]
    value = next((each for each in values if each.field == role.field), values[0])
    negated = role.negated > _LIKELY and not (_begins_a_clause(mention, reading) or _denies_another(mention, reading))
    if value.field == TABLE:  # "Not paid invoices" are invoices all the same.
        negated = negated and _follows_not(mention, reading)
    if vocabulary.types[value.field] is FieldType.BOOLEAN:
        return found.setting(value.field, (value.value == "true") is not negated)
    # "Tom" is any of those who are called so.
    called = [each.value for each in values if each.field == value.field and each.level is value.level is Level.PART]
    for each in called or [value.value]:
        found = found.adding(value.field, each, negated=negated)
    return found


def _of_age(found: Meaning, mention: Mention, aged: str, now: date, vocabulary: Vocabulary) -> Meaning:
    """Adds an age in years, on a column of ages or of the day or year of birth; without one it is left out."""
    years, is_older, types = round(mention.number), aged == "older", vocabulary.types
    numbers = [name for name, each in types.items() if each is FieldType.NUMBER]
    if age := next((name for name in numbers if "age" in split_words(name)), None):
        return found.bounding(age, Bounds(gt=years) if is_older else Bounds(lt=years))
    dates = (name for name, each in types.items() if each is FieldType.DATE)
    birth = next((name for name in (*dates, *numbers) if not _BIRTH.isdisjoint(split_words(name))), None)
    if birth is None:
        return replace(found, unknown=(*found.unknown, f"{aged} than {mention.text}"))
    day = shifted(now, Unit.YEAR, -years)
    edge: float | str = day.isoformat() if types[birth] is FieldType.DATE else day.year
    return found.bounding(birth, Bounds(lt=edge) if is_older else Bounds(gt=edge))


def _of_number(found: Meaning, mention: Mention, role: Role, type: FieldType) -> Meaning:
    field, comparison = role.field or "", role.name or ""
    number = int(mention.number) if mention.number == int(mention.number) else mention.number
    if type is FieldType.DATE:
        return found.bounding(field, _years(comparison, int(number)))
    if comparison == "eq":
        value: Scalar = number if type is FieldType.NUMBER else mention.text
        return found.adding(field, value, negated=role.negated > _LIKELY)
    # A keyword that is compared with a number is a version, and is kept as text: 7.0 is not 7.
    bound = number if type is FieldType.NUMBER else mention.text
    return found.bounding(field, replace(Bounds(), **{comparison: bound}))


def _years(comparison: str, year: int) -> Bounds:
    """The days that compare with a year so."""
    first, after = f"{year:04}-01-01", f"{year + 1:04}-01-01"
    return Bounds(
        gte=first if comparison in ("gte", "eq") else after if comparison == "gt" else None,
        lt=first if comparison == "lt" else after if comparison in ("lte", "eq") else None,
    )


def _of_date(found: Meaning, mention: Mention, role: Role, reading: Reading, vocabulary: Vocabulary) -> Meaning:
    field = role.field or ""
    if mention.days is None:
        return found
    type = vocabulary.types[field]
    days = days_meant(mention.days, role, vocabulary.months.get(field, frozenset()))
    least, below = days.least, days.below
    if role.negated > _PERHAPS and type is FieldType.DATE:
        if least and below:
            return replace(found, unknown=(*found.unknown, f"not {mention.text}"))
        least, below = below, least  # "Not inspected since June" was inspected before.
    if type is FieldType.DATE:
        period = Bounds(gte=iso_day(least), lt=iso_day(below))
        if field in found.bounds and _follows_or(mention, reading):
            return _of_either(found, field, period, mention)
        return found.bounding(field, period)
    return _of_years(found, field, least, below, mention)


def _of_years(found: Meaning, field: str, least: date | None, below: date | None, mention: Mention) -> Meaning:
    """The period as years, which are numbers: "after 1950" is more than 1950."""
    if least and below and below.year - least.year <= 2:
        for year in range(least.year, max(below.year, least.year + 1)):
            found = found.adding(field, year, negated=False)
        return found
    if below is None and least:
        is_after = mention.text.split()[0].lower() in _LATER and (least.month, least.day) == (1, 1)
        return found.bounding(field, Bounds(gt=least.year - 1) if is_after else Bounds(gte=least.year))
    if below is None:
        return found
    bounds = Bounds(gte=least.year, lte=below.year - 1) if least else Bounds(lt=below.year)
    return found.bounding(field, bounds)


def _of_either(found: Meaning, field: str, period: Bounds, mention: Mention) -> Meaning:
    """Both periods, where one begins as the other ends; else the first, and that the second is left out."""
    earlier, later = sorted((found.bounds[field], period), key=lambda each: str(each.gte))
    if earlier.lt and earlier.lt == later.gte:
        return replace(found, bounds={**found.bounds, field: Bounds(gte=earlier.gte, lt=later.lt)})
    return replace(found, unknown=(*found.unknown, mention.text))


def _follows_or(mention: Mention, reading: Reading) -> bool:
    return mention.start > 0 and reading.facts.tokens[mention.start - 1].text in OR


def days_meant(phrase: DatePhrase, role: Role, months: frozenset[str]) -> DateRange:
    """The latest such days, or the next: those that the field has, else those that the message is read to mean.

    If the field has neither, but days of such a month in other years, the latest of these are meant.
    """
    if phrase.upcoming is None:
        return phrase.days
    has_latest, has_next = _has_days(phrase.days, months), _has_days(phrase.upcoming, months)
    if months and not (has_latest or has_next):
        earlier = (_years_before(phrase.days, years) for years in range(1, _MOST_YEARS_BEFORE))
        return next((each for each in earlier if _has_days(each, months)), phrase.days)
    if months and has_latest is not has_next:
        return phrase.upcoming if has_next else phrase.days
    return phrase.upcoming if role.upcoming > _LIKELY else phrase.days


def _years_before(days: DateRange, years: int) -> DateRange:
    least, below = (each and shifted(each, Unit.YEAR, -years) for each in (days.least, days.below))
    return DateRange(least, below)


def _has_days(days: DateRange, months: frozenset[str]) -> bool:
    """Whether one of these months is among the days; an open end goes on."""
    first = f"{days.least:%Y-%m}" if days.least else ""
    last = f"{days.below - timedelta(days=1):%Y-%m}" if days.below else "9999-99"
    return any(first <= month <= last for month in months)


def iso_day(day: date | None) -> str | None:
    return day.isoformat() if day else None


def _of_name(found: Meaning, mention: Mention, role: Role, reading: Reading) -> Meaning:
    if role.field is None:
        return replace(found, unknown=(*found.unknown, mention.text))
    if role.name == "contains" and role.negated <= _LIKELY:
        return found.bounding(role.field, Bounds(contains=mention.text))
    if role.name == "contains" and "contain" in reading.facts.base[: mention.start]:
        return replace(found, unknown=(*found.unknown, f"not {mention.text}"))  # No condition can say it.
    return found.adding(role.field, mention.text, negated=role.negated > _LIKELY)


def _begins_a_clause(mention: Mention, reading: Reading) -> bool:
    """Whether the value stands in a clause after the one with "not".

    "Flats without balcony that are let" are let, and "not vaccinated yet but available" is available.
    """
    words = [each.text for each in reading.facts.tokens[: mention.start]]
    nots = [at for at, word in enumerate(words) if lexicon().cues.get(word) == "NOT"]
    is_opposed = len(nots) > 1 and words[nots[-1]] == "but" and nots[-1] - nots[-2] > 1
    return is_opposed or (bool(nots) and not _RELATIVE.isdisjoint(words[nots[-1] :]))


def _denies_another(mention: Mention, reading: Reading) -> bool:
    """Whether the "not" before the value is of another one: "cats not insured in Millbrook" are in Millbrook."""
    before = reading.facts.tokens[mention.start - 1].text if mention.start else ""
    values = (each for each, role in reading.of_kind(MentionKind.VALUE) if role.name == "cond")
    return before in _PLACING and any(each.end < mention.start and _follows_not(each, reading) for each in values)


def _follows_not(mention: Mention, reading: Reading) -> bool:
    """Whether a "not" stands right before the value or its article."""
    words = [each.text for each in reading.facts.tokens[: mention.start] if each.text not in _ARTICLES]
    return bool(words) and lexicon().cues.get(words[-1]) == "NOT"


def with_tag(found: Meaning, reading: Reading, vocabulary: Vocabulary) -> Meaning:
    """The meaning with the word behind "tagged", where there are too many tags to know them all."""
    lists = (name for name, each in vocabulary.types.items() if each is FieldType.KEYWORDS and name in vocabulary.open)
    tags = next((name for name in lists if not _TAGGED.isdisjoint(split_words(name))), None)
    if tags is None or tags in found.restricted:
        return found
    for before, word in pairwise(reading.facts.tokens):
        if before.text in _TAGGED and word.raw[:1].isalnum() and word.text not in lexicon().function | _TAGGED:
            return replace(found.adding(tags, word.raw, negated=False), topic="")
    return found


def unread_conditions(reading: Reading) -> Iterator[str]:
    """What has the form of a condition on records and is read as nothing: "status open" of "rows with status open".

    With a word such as "most" it is an order.
    """
    tokens, words = reading.facts.tokens, lexicon()
    ends = SENTENCE_ENDS | {","}
    pairs = list(zip(reading.facts.mentions, reading.roles, strict=True)) if reading.names_records else []
    for at in (place for place, each in enumerate(tokens) if each.text in words.restricting):
        end = next((place for place in range(at + 1, len(tokens)) if tokens[place].text in ends), len(tokens))
        inside = [(mention, role) for mention, role in pairs if at < mention.start < end]
        said = [mention.text.lower() for mention, _ in inside]
        telling = [place for place, word in enumerate(said) if word not in words.function | _IDLE]
        names = [mention.kind in _NAMES for mention, _ in inside]
        is_unread = all(
            role.name in _UNREAD and (is_name or mention.kind is MentionKind.FIELD)
            for (mention, role), is_name in zip(inside, names, strict=True)
        )
        is_short = 0 < len(telling) <= _LONGEST_CONDITION
        if is_unread and is_short and any(names[place] for place in telling) and words.cues.keys().isdisjoint(said):
            yield " ".join(inside[place][0].text for place in range(telling[0], telling[-1] + 1))


def compared_columns(reading: Reading, vocabulary: Vocabulary) -> tuple[str, ...]:
    """What compares one field with another, which no condition can: "returned after the due date"."""
    texts = [each.text for each in reading.facts.tokens]
    found: dict[int, str] = {}
    for mention, _ in reading.of_kind(MentionKind.FIELD):
        is_measured = any(vocabulary.types.get(name) in _MEASURED for name in mention.fields(Kind.FIELD))
        at = next((place for place in range(mention.start - 1, -1, -1) if texts[place] not in _BEFORE_A_COLUMN), 0)
        if is_measured and at and texts[at] in _COMPARED_WITH:
            end = mention.end + (texts[mention.end : mention.end + 1] == ["date"])
            found[at] = " ".join(texts[at - (texts[at] == "than") : end])
    return tuple(found.values())


def unread_names(reading: Reading) -> Iterator[str]:
    """The names that have no role: of a count that leaves one out it is said."""
    return (
        mention.text for mention, role in reading.of_kind(MentionKind.NAME) if role.name in ("none", "topic", "unk")
    )


def unread_days(reading: Reading, vocabulary: Vocabulary) -> Iterator[str]:
    """The days and years that restrict the records, where no field has days: "in August 2024"."""
    if FieldType.DATE in vocabulary.types.values():
        return
    for mention, role in reading.of_kind(MentionKind.DATE, MentionKind.NUMBER):
        is_day = mention.kind is MentionKind.DATE or is_year(mention.number)
        if is_day and not role.field and role.name != "top":
            yield mention.text
