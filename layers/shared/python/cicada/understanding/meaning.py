"""What a message means by its reading: conditions, aggregates, groups, order, fields, topic."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import pairwise

from msgspec import Struct, field
from msgspec.structs import replace

from cicada.documents.catalogue import DOCUMENTS, EVERY, Aggregate, Operation, Sort
from cicada.documents.model import TABLE, AnyOf, Condition, Contains, Exists, NoneOf, Range, Scalar
from cicada.knowledge_bases.schema import FieldType
from cicada.understanding.dates import DatePhrase
from cicada.understanding.facts import Facts, Mention, MentionKind, in_singular, names_kind
from cicada.understanding.features import is_year
from cicada.understanding.periods import DateRange, Unit, shifted
from cicada.understanding.reading import AND, CONDITIONS, OR, Reading, Role
from cicada.understanding.vocabulary import EARLY, Kind, Level, Vocabulary
from cicada.understanding.words import SENTENCE_ENDS, lexicon, split_words

_NAMES = (MentionKind.WORD, MentionKind.NAME)
_NAMED = frozenset({"cond", "contains", "doc"})
_UNREAD = frozenset({"none", "unk", "carrier", "topic"})
_DENYING_DISTANCE = 2
_LONGEST_CONDITION = 3  # words; of more, some are no condition
_IDLE = frozenset({"nt", "n't", "n’t", "there", "exist", "gibt", "es"})
_COMPUTING = frozenset({"AVG", "SUM"})
_AGED = ("older", "younger")
_BETWEEN = frozenset({"all", "the", "our", "different"})
_DEFINITE = frozenset({"the", "which", "what"})
_TAGGED = frozenset({"tag", "tags", "tagged"})
_BIRTH = EARLY - {"year"}
_LIKELY, _PERHAPS = 0.5, 0.25
# What a verb says of money, as the names of fields have it.
_OF_VERBS = {"pay": "paid", "owe": "owed", "owing": "owed", "spend": "spent"}
_COMPUTED: tuple[Operation, ...] = ("sum", "avg", "min", "max")
_RELATIVE = frozenset({"that", "which", "who", "whose"})
_LATER = frozenset({"after", "later", "past", "beyond"})
_ARTICLES = frozenset({"the", "a", "an", "any"})
_FIRST_OF = {"name", "title"}


class Bounds(Struct, frozen=True):
    """Limits of a number or date, a part of a text, or whether the field has a value at all; None says nothing."""

    gt: float | str | None = None
    gte: float | str | None = None
    lt: float | str | None = None
    lte: float | str | None = None
    contains: str | None = None
    present: bool | None = None

    def joined(self, other: Bounds) -> Bounds:
        """Both; where both say something, the other. What is past as of a day was before it, and not on it."""
        for one, day in ((self, other), (other, self)):
            if one.gte is None and one.lt is not None and one.lt == day.gte:
                return one
        stated = {name: value for name in self.__struct_fields__ if (value := getattr(other, name)) is not None}
        return replace(self, **stated)


class Meaning(Struct, frozen=True):
    """`wanted`, `unwanted`, `bounds`: by field. `fields`: whose values are asked for. `named`: single documents.

    `topic`: what the texts are searched for. `unknown`: names that no field of the base can have. `lacks_asker`: it
    asks for the asker's own records, and the asker's name is unknown. `together`: fields of lists that must have all
    of their wanted values.
    """

    wanted: Mapping[str, tuple[Scalar, ...]] = field(default_factory=dict)
    unwanted: Mapping[str, tuple[Scalar, ...]] = field(default_factory=dict)
    bounds: Mapping[str, Bounds] = field(default_factory=dict)
    aggregates: tuple[Aggregate, ...] = ()
    group: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    order: Sort | None = None
    limit: int | None = None
    named: tuple[str, ...] = ()
    topic: str = ""
    unknown: tuple[str, ...] = ()
    lacks_asker: bool = False
    together: frozenset[str] = frozenset()

    def adding(self, name: str, value: Scalar, *, negated: bool) -> Meaning:
        """Add a value that the field has, or must not have."""
        values = self.unwanted if negated else self.wanted
        known = values.get(name, ())
        new = {**values, name: known if value in known else (*known, value)}
        return replace(self, unwanted=new) if negated else replace(self, wanted=new)

    def setting(self, name: str, value: Scalar) -> Meaning:
        """Make this the only value of the field."""
        return replace(self, wanted={**self.wanted, name: (value,)})

    def bounding(self, name: str, bounds: Bounds) -> Meaning:
        return replace(self, bounds={**self.bounds, name: self.bounds.get(name, Bounds()).joined(bounds)})

    @property
    def restricted(self) -> frozenset[str]:
        """The fields that it has a condition on."""
        return frozenset({*self.wanted, *self.unwanted, *self.bounds})

    @property
    def counts_all(self) -> bool:
        """Whether it asks for nothing but how many records there are."""
        states_more = self.restricted or self.named or self.group or self.order or self.limit or self.fields
        return not states_more and self.aggregates == (DOCUMENTS,)

    def speaks_of(self, value: Scalar) -> bool:
        """Whether it has a condition on this value."""
        return any(value in values for values in (*self.wanted.values(), *self.unwanted.values()))

    def searching_for_lists(self, types: Mapping[str, FieldType]) -> Meaning:
        """Make the values of lists, such as tags, the topic: in "SOPs about deviations" they are no condition."""
        lists = {name: values for name, values in self.wanted.items() if types[name] is FieldType.KEYWORDS}
        rest = {name: values for name, values in self.wanted.items() if name not in lists}
        return replace(self, wanted=rest, topic=" ".join(str(each) for values in lists.values() for each in values))

    def conditions(self) -> tuple[Condition, ...]:
        """The conditions. Of a field that has wanted values, nothing else is said."""
        found: list[Condition] = []
        for name, values in self.wanted.items():
            alternatives = [(each,) for each in values] if name in self.together else [values]
            found += [AnyOf(name, frozenset(each)) for each in alternatives]
        rest = [name for name in self.unwanted if name not in self.wanted]
        found += [NoneOf(name, frozenset(self.unwanted[name])) for name in rest]
        ranges = [name for name in self.bounds if name not in self.wanted and name not in rest]
        return (*found, *(_condition(name, self.bounds[name]) for name in ranges))


def _condition(name: str, bounds: Bounds) -> Condition:
    if bounds.present is not None:
        return Exists(name, bounds.present)
    if bounds.contains is not None:
        return Contains(name, bounds.contains)
    return Range(name, least=bounds.gte, above=bounds.gt, most=bounds.lte, below=bounds.lt)


class Part(Struct, frozen=True):
    """A mention with its role; words and names with one role are joined."""

    mention: Mention
    role: Role


def meaning_of(reading: Reading, vocabulary: Vocabulary, asker: str = "") -> Meaning:
    """What the message states, whatever its strategy. `asker`: the name by which fields call the user."""
    parts = joined(reading)
    found = Meaning(topic=topic_of(reading))
    for part in parts:
        found = _with_condition(found, part, reading, vocabulary, asker)
        found = _with_field(found, part, reading, vocabulary)
        if part.mention.kind is MentionKind.NUMBER and part.role.name == "top":
            found = replace(found, limit=max(1, int(part.mention.number)))
        if part.role.name == "doc":
            found = replace(found, named=(*found.named, part.mention.text))
    found = sorted_as_said(_with_order(found, parts, reading, vocabulary), reading)
    found = _summed_in_groups(found, vocabulary)
    found = _with_counts(_with_unnamed_number(found, reading, vocabulary), reading)
    found = _with_nearest(found, parts, reading, vocabulary)
    return replace(found, together=_together(found, parts, reading.facts, vocabulary))


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


def joined(reading: Reading) -> list[Part]:
    """The mentions that have a role, runs of words of one name as one; words with another role are left out."""
    parts: list[Part] = []
    for mention, role in zip(reading.facts.mentions, reading.roles, strict=True):
        if mention.kind in _NAMES and role.name in _NAMED:
            if parts and _continues(parts[-1], mention, role):
                parts[-1] = _extended(parts[-1], mention, reading.facts)
            else:
                named = Mention(mention.start, mention.end, MentionKind.NAME, mention.text)
                parts.append(Part(named, role))
        elif mention.kind is not MentionKind.WORD:
            parts.append(Part(mention, role))
    return parts


def _continues(last: Part, mention: Mention, role: Role) -> bool:
    return (
        last.mention.kind is MentionKind.NAME
        and last.role.name == role.name
        and last.mention.end == mention.start
        and (last.role.negated > _LIKELY) == (role.negated > _LIKELY)
    )


def _extended(last: Part, mention: Mention, facts: Facts) -> Part:
    is_glued = facts.tokens[mention.start].start == facts.tokens[mention.start - 1].end
    text = f"{last.mention.text}{'' if is_glued else ' '}{mention.text}"
    return replace(last, mention=replace(last.mention, end=mention.end, text=text))


def topic_of(reading: Reading) -> str:
    """The words that the texts are searched for, as written, without words of grammar at the ends."""
    pairs = zip(reading.facts.mentions, reading.roles, strict=True)
    words = [mention.text for mention, role in pairs if _is_topic(mention, role)]
    while words and words[0].lower() in lexicon().function:
        words = words[1:]
    while words and words[-1].lower() in lexicon().function:
        words = words[:-1]
    return " ".join(words)


def _is_topic(mention: Mention, role: Role) -> bool:
    is_word = mention.kind in (*_NAMES, MentionKind.DOCUMENT)
    return (is_word and role.name == "topic") or (mention.kind is MentionKind.VALUE and role.name == "content")


def _with_condition(found: Meaning, part: Part, reading: Reading, vocabulary: Vocabulary, asker: str) -> Meaning:
    mention, role = part.mention, part.role
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
    negated = role.negated > _LIKELY and not _begins_a_clause(mention, reading)
    if value.field == TABLE:  # "Not paid invoices" are invoices all the same.
        negated = negated and _follows_not(mention, reading)
    if vocabulary.types[value.field] is FieldType.BOOLEAN:
        return found.setting(value.field, (value.value == "true") is not negated)
    return found.adding(value.field, value.value, negated=negated)


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
    """The latest such days, or the next: those that the field has, else those that the message is read to mean."""
    if phrase.upcoming is None:
        return phrase.days
    has_latest, has_next = _has_days(phrase.days, months), _has_days(phrase.upcoming, months)
    if months and has_latest is not has_next:
        return phrase.upcoming if has_next else phrase.days
    return phrase.upcoming if role.upcoming > _LIKELY else phrase.days


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


def _with_field(found: Meaning, part: Part, reading: Reading, vocabulary: Vocabulary) -> Meaning:
    role = part.role.name
    is_value = part.mention.kind is MentionKind.VALUE and role not in ("cond", "content")
    if part.mention.kind is not MentionKind.FIELD and not is_value:
        return found
    field = part.role.field or named_field(part.mention, reading.facts, vocabulary)
    if field is None:
        return found
    if role == "agg":
        return _computing(found, field, part.role.operations)
    if role == "count":
        return _computing(found, field, ("count",))
    if vocabulary.types[field] is FieldType.DATE and _is_denied(part.mention, field, reading):
        return found.bounding(field, Bounds(present=False))  # "Sponsors who have not paid" have no day of it.
    if role in ("null", "set"):
        return found.bounding(field, Bounds(present=role == "set"))
    if role == "by":
        return replace(found, group=_once(found.group, field), fields=_once(found.fields, field))
    return replace(found, fields=_once(found.fields, field)) if role == "show" else found


def _begins_a_clause(mention: Mention, reading: Reading) -> bool:
    """Whether the value stands in a clause after the one with "not".

    "Flats without balcony that are let" are let, and "not vaccinated yet but available" is available.
    """
    words = [each.text for each in reading.facts.tokens[: mention.start]]
    nots = [at for at, word in enumerate(words) if lexicon().cues.get(word) == "NOT"]
    is_opposed = len(nots) > 1 and words[nots[-1]] == "but" and nots[-1] - nots[-2] > 1
    return is_opposed or (bool(nots) and not _RELATIVE.isdisjoint(words[nots[-1] :]))


def _follows_not(mention: Mention, reading: Reading) -> bool:
    """Whether a "not" stands right before the value or its article."""
    words = [each.text for each in reading.facts.tokens[: mention.start] if each.text not in _ARTICLES]
    return bool(words) and lexicon().cues.get(words[-1]) == "NOT"


def _is_denied(mention: Mention, field: str, reading: Reading) -> bool:
    """Whether a verb for a date is denied, and no day is said: "not paid yet"."""
    said = [each.text for each in reading.facts.tokens[max(0, mention.start - _DENYING_DISTANCE) : mention.start]]
    is_dated = any(role.is_condition and role.field == field for role in reading.roles)
    return not is_dated and any(lexicon().cues.get(each) == "NOT" for each in said)


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


def perhaps_asked_for(reading: Reading, vocabulary: Vocabulary) -> tuple[str, ...]:
    """The fields that may be asked for, though it is likelier that their words mean nothing."""
    asked = (each for each, role in reading.of_kind(MentionKind.FIELD) if role.chances.get("show", 0.0) > _PERHAPS)
    return tuple(filter(None, (named_field(each, reading.facts, vocabulary) for each in asked)))


def _once(fields: tuple[str, ...], field: str) -> tuple[str, ...]:
    return fields if field in fields else (*fields, field)


def _computing(found: Meaning, field: str, operations: Sequence[Operation]) -> Meaning:
    new = [Aggregate(each, field) for each in operations]
    return replace(found, aggregates=tuple(dict.fromkeys((*found.aggregates, *new))))


def named_field(mention: Mention, facts: Facts, vocabulary: Vocabulary) -> str | None:
    """The field that a phrase names; of several, the one with most other words of its name in the message."""
    fields = mention.fields(Kind.FIELD) or tuple(
        each.field for each in mention.meanings if vocabulary.types.get(each.field) is FieldType.BOOLEAN
    )
    if len(fields) <= 1:
        return fields[0] if fields else None
    others = set(facts.base) - set(facts.base[mention.start : mention.end])

    def fitting(field: str) -> tuple[int, bool]:
        words = set(split_words(field))
        return len(words & others), bool(words & _FIRST_OF)

    return max(fields, key=fitting)


def _with_order(found: Meaning, parts: Sequence[Part], reading: Reading, vocabulary: Vocabulary) -> Meaning:
    """The order; an adjective ("cheapest first") turns the direction of a field that is named beside it."""
    stated: Sort | None = None
    implied: Sort | None = None
    for part in parts:
        if part.role.name not in ("sort+", "sort-"):
            continue
        field = part.role.field or named_field(part.mention, reading.facts, vocabulary)
        if field is None:
            continue
        order = Sort(field, descending=_is_descending(part, field))
        if part.mention.meanings[0].level is Level.IMPLIED:
            implied = implied or order
        elif stated is None:
            stated = order
    dates = [name for name in found.bounds if vocabulary.types[name] is FieldType.DATE]
    if implied and implied.field == vocabulary.date and len(dates) == 1:
        implied = replace(implied, field=dates[0])  # Of "expiring before May, soonest first" too.
    if stated and implied:
        return replace(found, order=replace(stated, descending=implied.descending))
    return replace(found, order=stated or implied)


def sorted_as_said(found: Meaning, reading: Reading) -> Meaning:
    """The meaning in the order of the one field that is shown, where a direction alone is said: "prices descending"."""
    cues = {lexicon().cues.get(each.text) for each in reading.facts.tokens} & {"ASC", "DESC"}
    if found.order or len(found.fields) != 1 or found.aggregates or found.group or len(cues) != 1:
        return found
    return replace(found, order=Sort(found.fields[0], descending="DESC" in cues))


def _with_nearest(found: Meaning, parts: Sequence[Part], reading: Reading, vocabulary: Vocabulary) -> Meaning:
    """The record, or the records, that a question asks for by a date: "which ends first?", "which expire next?"."""
    if lexicon().which.isdisjoint(each.text for each in reading.facts.tokens):
        return found
    words = {each.start: each.text.lower() for each, _ in reading.of_kind(MentionKind.WORD)}
    for mention in (part.mention for part in parts if part.mention.kind is MentionKind.FIELD):
        field, after = named_field(mention, reading.facts, vocabulary), words.get(mention.end, "")
        if after not in lexicon().nearest or mention.meanings[0].level is Level.IMPLIED:
            continue  # "Newest first" is an order.
        if field is None or vocabulary.types[field] is not FieldType.DATE:
            continue
        is_stated = any(part.role.name == "top" for part in parts)
        limit = found.limit if is_stated else None if _asks_for_several(reading, vocabulary) else 1
        found = replace(found, order=Sort(field, descending=after in ("last", "latest")), limit=limit)
        is_to_come = after == "next" and field not in found.bounds
        return found.bounding(field, Bounds(gte=iso_day(reading.now))) if is_to_come else found
    return found


def _asks_for_several(reading: Reading, vocabulary: Vocabulary) -> bool:
    """Whether a question with "which" is for several: "which charters …", and not "which of the charters …"."""
    words = [each.text for each in reading.facts.tokens]
    of = any(first in lexicon().which and second in ("of", "one") for first, second in pairwise(words))
    kinds = (each for each, _ in reading.of_kind(MentionKind.RECORD, MentionKind.VALUE) if names_kind(each, vocabulary))
    return not of and any(not in_singular(each, reading.facts) for each in kinds)


def _is_descending(part: Part, field: str) -> bool:
    """The direction was read of the first field that the word may mean; the oldest has the lowest year of birth."""
    first = part.mention.meanings[0]
    meant = next((each for each in part.mention.meanings if each.field == field), first)
    return (part.role.name == "sort-") is not meant.is_opposed(first)


def _summed_in_groups(found: Meaning, vocabulary: Vocabulary) -> Meaning:
    """A number that is shown for groups is added up: "cost of the jobs, split by who paid"."""
    if not found.group or found.aggregates:
        return found
    numbers = [name for name in found.fields if vocabulary.types[name] is FieldType.NUMBER and name not in found.group]
    fields = tuple(name for name in found.fields if name not in numbers)
    return replace(found, fields=fields, aggregates=tuple(Aggregate("sum", name) for name in numbers))


def _with_unnamed_number(found: Meaning, reading: Reading, vocabulary: Vocabulary) -> Meaning:
    """What is computed of a number that the message does not name as such: "how much do they owe?"."""
    said = {_OF_VERBS.get(each, each) for each in reading.facts.base}
    numbers = [name for name, each in vocabulary.types.items() if each is FieldType.NUMBER]
    spoken_of = [name for name in numbers if not said.isdisjoint(split_words(name))]
    number = spoken_of[0] if len(spoken_of) == 1 else vocabulary.number
    if not spoken_of and (other := _another_measure(number, reading, vocabulary)):
        return replace(found, unknown=(*found.unknown, other))
    if number is None or any(each.op != "count" for each in found.aggregates):
        return found
    asked = [Aggregate(each, number) for each in _COMPUTED if reading.asks[each] > _LIKELY]
    return replace(found, aggregates=(*found.aggregates, *asked))


def _another_measure(number: str | None, reading: Reading, vocabulary: Vocabulary) -> str:
    """What is computed of a measure that this number is not: "age" in "the average age", where there are weights."""
    tokens = [each.text for each in reading.facts.tokens]
    said = [word for cue, word in pairwise(tokens) if lexicon().cues.get(cue) in _COMPUTING]
    measures = [frozenset(each.fields) for each in lexicon().implied.values() if each.polarity]
    own = {word for each in measures if number and not each.isdisjoint(split_words(number)) for word in each}
    own |= {word for name in vocabulary.types for word in split_words(name)}
    return next((word for word in said if any(word in each for each in measures) and word not in own), "")


def _with_counts(found: Meaning, reading: Reading) -> Meaning:
    """How many, by groups or not; the order of groups; the one record or group that is asked for."""
    asks, cues = reading.asks, {lexicon().cues.get(each.text) for each in reading.facts.tokens}
    if asks["count"] > _LIKELY and not any(each.op == "count" for each in found.aggregates):
        found = replace(found, aggregates=(DOCUMENTS, *found.aggregates))
    if found.group and found.order is None and max(asks["most"], asks["fewest"]) > _LIKELY:
        found = _ordering_groups(found, asks)
    is_counted = found.order is not None or any(each.op == "count" for each in found.aggregates)
    if not is_counted and _says_number_of(reading, cues):
        found = replace(found, aggregates=(DOCUMENTS, *found.aggregates))
    is_one = asks["one"] > _LIKELY or _names_one_group(found, reading, cues)
    if is_one and found.limit is None and found.order:
        found = replace(found, limit=1)
    return found


def _names_one_group(found: Meaning, reading: Reading, cues: Collection[str | None]) -> bool:
    """Whether the group of a superlative is said in the singular: "the company with the most orchestras"."""
    if not (found.order and found.order.of and len(found.group) == 1) or not {"EACH", "SORT"}.isdisjoint(cues):
        return False
    words = ["", *(each.text for each in reading.facts.tokens)]
    named = [each for each, _ in reading.of_kind(MentionKind.FIELD) if found.group[0] in each.fields(Kind.FIELD)]
    return any(words[each.start] in _DEFINITE and in_singular(each, reading.facts) for each in named)


def _says_number_of(reading: Reading, cues: Collection[str | None]) -> bool:
    """Whether it asks for "the number of all matches", where matches are the records."""
    words = [each.text for each in reading.facts.tokens]
    before = (words[: mention.start] for mention, _ in reading.of_kind(MentionKind.RECORD))
    says = any([each for each in said if each not in _BETWEEN][-2:] == ["number", "of"] for said in before)
    return says and {"SORT", "NOT"}.isdisjoint(cues)


def _ordering_groups(found: Meaning, asks: Mapping[str, float]) -> Meaning:
    """Groups in the order of what is computed for them, or of how many records they have."""
    descending = asks["most"] >= asks["fewest"]
    computed = next((each for each in found.aggregates if each.op != "count"), None)
    if computed is None or asks["count"] > _LIKELY:
        return replace(found, order=Sort(EVERY, descending, "count"))
    rest = tuple(each for each in found.aggregates if each != computed)
    return replace(found, aggregates=rest, order=Sort(computed.field, descending, computed.op))


def _together(found: Meaning, parts: Sequence[Part], facts: Facts, vocabulary: Vocabulary) -> frozenset[str]:
    """The fields of lists whose values are joined by "and", and by no "or"."""
    names = [name for name, values in found.wanted.items() if len(values) > 1]
    lists = [name for name in names if vocabulary.types[name] is FieldType.KEYWORDS]
    return frozenset(name for name in lists if _joined_by_and(name, parts, facts))


def _joined_by_and(name: str, parts: Sequence[Part], facts: Facts) -> bool:
    own = [part.mention for part in parts if part.role.field == name and part.role.is_condition]
    between = [token.text for token in facts.tokens[own[0].start : own[-1].end]] if own else []
    return not OR.intersection(between) and bool(AND.intersection(between))
