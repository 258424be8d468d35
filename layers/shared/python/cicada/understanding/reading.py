"""Reads a message: a role for each mention, a field for each condition, and what is asked for as a whole.

The heads have learnt from messages on many invented stores by authors who did not know each other
(`tools/understanding`). They see the message masked, so that they know no store.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import pairwise
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from cicada.documents.catalogue import Operation
from cicada.documents.model import TABLE
from cicada.knowledge_bases.schema import FieldType
from cicada.knowledge_bases.values import is_of_years
from cicada.understanding.facts import Facts, Mention, MentionKind, facts_of, in_singular, names_kind
from cicada.understanding.features import (
    Before,
    Candidate,
    Features,
    Line,
    candidate_features,
    code,
    is_year,
    line_of,
    masked,
    mention_features,
    message_features,
    negation_features,
    upcoming_features,
)
from cicada.understanding.heads import Heads, softmax
from cicada.understanding.periods import MONTHS
from cicada.understanding.vocabulary import Kind, Level, Vocabulary
from cicada.understanding.words import lexicon, split_words

OPERATIONS: tuple[Operation, ...] = ("count", "sum", "avg", "min", "max")
CONDITIONS = frozenset({"cond", "gt", "gte", "lt", "lte", "eq"})
"""Roles of what restricts the records; of a number, with its comparison."""
NEGATABLE = frozenset({"cond", "eq", "contains"})
"""Roles that a "not" may govern."""
RECORDS = frozenset({"Item", "Vtype"})
"""The symbols of words for records and for kinds of them."""
NOTHING = frozenset({None, "none", "topic", "unk"})
_TELLING_DISTANCE = 4
_BETWEEN_DISTANCE = 4
_YEARS = frozenset({"year", "yr"})
_NAMES = {MentionKind.NAME, MentionKind.WORD, MentionKind.DOCUMENT}
_IN_SERIES = {MentionKind.NUMBER, MentionKind.VALUE, *_NAMES}
AND = frozenset({"and", "both", "&", "und", "et", "y", "e", "と", "和"})
OR = frozenset({"or", "either", "oder", "ou", "o", "か", "或"})
_JOINING = AND | OR | {"nor", "noch", "ni", "to", "up", "bis", "à", "by", ",", "-", "–", "/"}
# The codes of the cues that say what is computed; of days the oldest are the least, of ages the most.
_SAYING: Mapping[str, frozenset[int]] = {
    "sum": frozenset({code("SUM")}),
    "avg": frozenset({code("AVG")}),
    "min": frozenset(map(code, ("MIN", "OLD", "NEW", "LT"))),
    "max": frozenset(map(code, ("MAX", "OLD", "NEW", "GT"))),
}
HEAD_OF = {
    MentionKind.VALUE: "value",
    MentionKind.FIELD: "field",
    MentionKind.NUMBER: "number",
    MentionKind.DATE: "date",
    MentionKind.NAME: "name",
    MentionKind.DOCUMENT: "name",
    MentionKind.WORD: "word",
    MentionKind.ASKER: "me",
}
"""The head that reads a mention; a record has none."""
WISH = "wish"
WISHED = "documents"
# From this probability on documents are wanted. On authors left out the F1 is flat around it.
LIKELY_WISH = 0.35

# From this probability on a document's number names the document. In "mail WI-0123 to Will" it does not.
_LIKELY_NAMED = 0.3
_SURE_OF_DATE = 0.5
_SURELY_DENIED, _PERHAPS = 0.9, 0.2
_LIKELY_PERIOD = 0.3
_SURELY_NOTHING, _LIKELY_SOMETHING = 0.5, 0.3

# From here on words that no head has read are the subject of a message that states something else too.
SURE_WISH = 0.75

_ABOUT = frozenset({"about", "concerning", "mention", "mentioning", "mentions", "regarding", "sobre", "über"})
_NOT_BEFORE_ABOUT = frozenset({"what", "how"})

_RECORD, _SUBJECT, _CONDITION = "Item", "Topic", "Cond"
_SYMBOLS = {"topic": _SUBJECT, "content": _SUBJECT, "unk": _SUBJECT, "contains": _CONDITION, "doc": _CONDITION}
_UNREAD = frozenset({"none", "unk"})


class Role(Struct, frozen=True):
    """What a mention does in its message. `name`: None of a record. `chances`: the probability of each role.

    `negated`: the probability that a condition is negated. `field`: that a condition is on, with its probability in
    `field_chance`. `operations`: of a field that is computed with. `upcoming`: how probable it is that the next of
    such days are meant, where they may be the latest or the next.
    """

    name: str | None = None
    chances: Mapping[str, float] = {}
    negated: float = 0.0
    field: str | None = None
    field_chance: float = 1.0
    operations: tuple[Operation, ...] = ()
    upcoming: float = 0.0

    @property
    def is_condition(self) -> bool:
        return self.name in CONDITIONS or self.name == "contains"


class Reading(Struct, frozen=True):
    """A message with the role of each mention.

    `asks`: the probabilities of `count`, `one`, `group`, `most`, `fewest`, and of each operation on a number that the
    message does not name. `features`: of the message as a whole. `strategies`: the probability of each strategy by
    these features alone.
    """

    facts: Facts
    line: Line
    roles: tuple[Role, ...]
    asks: Mapping[str, float]
    strategies: Mapping[str, float]
    now: date
    features: Sequence[int] = ()

    @property
    def names_records(self) -> bool:
        """Whether it has a word for records or for a kind of them."""
        return not RECORDS.isdisjoint(self.line.symbols)

    @property
    def refers_to_several(self) -> bool:
        """Whether it speaks of what was listed: "which of them is retired?"."""
        return not lexicon().several.isdisjoint(each.text for each in self.facts.tokens)

    @property
    def unread(self) -> tuple[str, ...]:
        """The words that are rare in other bases and have no role in this one."""
        marks = (self.line.symbols[place][0] for place in self.line.places)
        read = zip(self.facts.mentions, self.roles, marks, strict=True)
        return tuple(mention.text for mention, role, mark in read if mark == "~" and role.name == "none")

    @property
    def leaves_out(self) -> bool:
        """Whether a name, or a word that is rare in other bases, has no role."""
        names = (role.name in _UNREAD for _, role in self.of_kind(MentionKind.NAME))
        return bool(self.unread) or any(names)

    def of_kind(self, *kinds: MentionKind) -> Iterator[tuple[Mention, Role]]:
        """The mentions of these kinds with their roles."""
        return ((each, role) for each, role in zip(self.facts.mentions, self.roles, strict=True) if each.kind in kinds)


def read(message: str, vocabulary: Vocabulary, now: date, heads: Heads) -> Reading:
    """The reading of any text. `now` is a day in the user's time zone."""
    facts = facts_of(message, vocabulary, now, heads.common)
    line = masked(facts, vocabulary, heads.known)
    roles = _with_codes(facts, _linked(facts, line, _roles(facts, line, heads), vocabulary, heads), vocabulary)
    features = message_features(line)
    asks, strategies = heads["asks"].probabilities(features), heads["strategy"].probabilities(features)
    return Reading(facts, line, roles, asks, strategies, now, features)


def with_lists_as_topics(reading: Reading, vocabulary: Vocabulary) -> Reading:
    """The reading of a search in which a value of a list is a part of the topic: beside a word of it or behind "about".

    "Policy on cleaning between batches" asks for no tag, unless it speaks of tags.
    """
    named = {field for mention, _ in reading.of_kind(MentionKind.FIELD) for field in mention.fields(Kind.FIELD)}
    lists = {name for name, each in vocabulary.types.items() if each is FieldType.KEYWORDS} - named
    pairs = list(zip(reading.facts.mentions, reading.roles, strict=True))
    ends = {end for mention, role in pairs if role.name == "topic" for end in (mention.start, -mention.end)}

    def is_topic(mention: Mention, role: Role) -> bool:
        is_beside = mention.end in ends or -mention.start in ends or _is_subject(reading.facts, mention)
        return is_beside and role.name == "cond" and role.field in lists and mention.kind is MentionKind.VALUE

    return replace(reading, roles=tuple(replace(r, name="content") if is_topic(m, r) else r for m, r in pairs))


def with_contents_as_conditions(reading: Reading) -> Reading:
    """The reading of a message on what was listed: a value in it restricts the list and is no subject."""
    return replace(reading, roles=tuple(replace(r, name="cond") if r.name == "content" else r for r in reading.roles))


def with_kinds_as_conditions(reading: Reading, vocabulary: Vocabulary) -> Reading:
    """The reading of a list, of which a kind of records is no subject: "what policies is Carol Lee responsible for"."""
    pairs = zip(reading.facts.mentions, reading.roles, strict=True)
    roles = (
        replace(role, name="cond") if role.name == "content" and names_kind(mention, vocabulary) else role
        for mention, role in pairs
    )
    return replace(reading, roles=tuple(roles))


def before(roles: Sequence[Role], at: int) -> Before:
    """The roles that were read before the mention at this place."""
    role = str(roles[at - 1].name) if at else "^"
    for earlier in range(at - 1, max(-1, at - _TELLING_DISTANCE - 1), -1):
        if roles[earlier].name not in NOTHING:
            return Before(role, f"{roles[earlier].name}{min(at - earlier, 3)}")
    return Before(role)


def _roles(facts: Facts, line: Line, heads: Heads) -> tuple[Role, ...]:
    """The roles from left to right: each is read with those before it in view. "My approved SOPs" are the asker's."""
    roles: list[Role] = []
    for at, mention in enumerate(facts.mentions):
        role = _role(roles, mention, line, heads)
        if mention.kind is MentionKind.ASKER and role.name == "none" and _owns_records(facts, line, at):
            role = replace(role, name="cond", chances={"cond": 1.0})
        if mention.kind is MentionKind.VALUE and role.name == "content" and _is_denied(role, mention, facts):
            role = replace(role, name="cond")  # No text is searched for what is not so: "unpaid invoices".
        is_unread = mention.kind is MentionKind.WORD and role.name == "none" and mention.text not in lexicon().function
        is_name = mention.kind is MentionKind.NAME and role.is_condition
        if (is_name or is_unread) and _is_subject(facts, mention):
            role = replace(role, name="topic")
        roles.append(role)
    return tuple(_with_own_operations(roles, line))


def _is_denied(role: Role, mention: Mention, facts: Facts) -> bool:
    """Whether what may be a subject or a condition is surely denied: "animals that have not been adopted"."""
    follows_not = mention.start > 0 and facts.tokens[mention.start - 1].text == "not"
    return (follows_not or role.negated > _SURELY_DENIED) and role.chances.get("cond", 0.0) > _PERHAPS


def _with_own_operations(roles: Sequence[Role], line: Line) -> Iterator[Role]:
    """Each number is computed as is said right before it: in "total staff and highest fee" no fees are added."""
    start = 0
    for role, place in zip(roles, line.places, strict=True):
        if not role.operations:
            yield role
            continue
        said = set(line.cues[start:place])
        own = tuple(each for each in role.operations if not said.isdisjoint(_SAYING.get(each, ())))
        yield replace(role, operations=own or role.operations)
        start = place


def _is_subject(facts: Facts, mention: Mention) -> bool:
    """Whether it is what records are about: "documents about Glasmere", and not "what about Glasmere?"."""
    before, about = ["", "", *(each.text for each in facts.tokens[: mention.start])][-2:]
    return about in _ABOUT and before not in _NOT_BEFORE_ABOUT


def _owns_records(facts: Facts, line: Line, at: int) -> bool:
    """Whether the words behind the asker's are values up to a word for records."""
    end = facts.mentions[at].end
    for mention, place in zip(facts.mentions[at + 1 :], line.places[at + 1 :], strict=True):
        if mention.start != end:
            return False
        if line.symbols[place] in RECORDS:
            return True
        if mention.kind is not MentionKind.VALUE:
            return False
        end = mention.end
    return False


def _role(roles: Sequence[Role], mention: Mention, line: Line, heads: Heads) -> Role:
    """The role of the mention after those of `roles`."""
    at = len(roles)
    name = HEAD_OF.get(mention.kind)
    if name is None:
        return Role()
    earlier = before(roles, at)
    features = mention_features(line, line.places[at], mention, earlier)
    chances = heads[name].probabilities(features)
    found = max(chances, key=chances.__getitem__)
    if found == "none" and mention.kind is MentionKind.FIELD and chances["none"] < _SURELY_NOTHING:
        # Whatever it does, it is likelier to do something: "loans that are returned".
        other = max((each for each in chances if each != "none"), key=chances.__getitem__)
        found = other if chances[other] > _LIKELY_SOMETHING else found
    if found == "none" and chances.get("doc", 0.0) > _LIKELY_NAMED:
        found = "doc"  # Who writes a document's number mostly means that document.
    is_carried = any(each.name == "carrier" for each in roles[-2:])
    if found == "none" and is_carried and mention.kind in (MentionKind.NUMBER, MentionKind.DATE):
        # "With a value of 0", "expiring within 90 days".
        found = max((each for each in chances if each != "none"), key=chances.__getitem__)
    if found == "none" and mention.kind is MentionKind.DATE and chances.get("cond", 0.0) > _LIKELY_PERIOD:
        found = "cond"  # A list of all periods is not what anybody asks for who names one.
    negated = 0.0
    if found in NEGATABLE or found == "content":  # A content may turn out to be a condition on what was listed.
        negated = heads["negation"].probabilities(negation_features(line, line.places[at], earlier))["negated"]
    operations = _operations(heads["operations"].probabilities(features), line) if found == "agg" else ()
    if found == "agg" and not operations:
        found = "show"
    return Role(found, chances, negated, operations=operations)


def _operations(chances: Mapping[str, float], line: Line) -> tuple[Operation, ...]:
    """What is computed; an average or an extreme only where a word says so: not in "the value of that contract"."""
    likely = (name for name in OPERATIONS if chances[name] > 0.5)
    has_adjective = any(each.startswith("Adj") for each in line.symbols)
    said = {name for name, cues in _SAYING.items() if has_adjective or not cues.isdisjoint(line.cues)}
    return tuple(name for name in likely if name in said or name in ("count", "sum"))


def _linked(facts: Facts, line: Line, roles: Sequence[Role], vocabulary: Vocabulary, heads: Heads) -> tuple[Role, ...]:
    """The roles with the field that each condition is on. Of "non-secret letters" the first alone is negated."""
    ends = {each.end for each in facts.mentions if _follows_non(each, facts)}
    roles = tuple(
        replace(role, negated=float(mention.end in ends))
        if role.name in NEGATABLE and (mention.end in ends or mention.start in ends)
        else role
        for mention, role in zip(facts.mentions, roles, strict=True)
    )
    chances = {
        at: _field_chances(at, facts, line, roles, vocabulary, heads)
        for at, (mention, role) in enumerate(zip(facts.mentions, roles, strict=True))
        if role.is_condition or _is_ambiguous(mention, role)
    }
    chosen = dict(_chosen({at: each for at, each in chances.items() if each}, facts))
    return tuple(
        replace(
            role,
            field=chosen[at],
            field_chance=chances[at][chosen[at]],
            upcoming=_upcoming(facts.mentions[at], line, at, roles, vocabulary.words[chosen[at]], heads),
        )
        if at in chosen
        else role
        for at, role in enumerate(roles)
    )


def _is_ambiguous(mention: Mention, role: Role) -> bool:
    """Whether it names one of several fields and does something: "who" is whoever bought, or whoever sold."""
    return mention.kind is MentionKind.FIELD and role.name != "none" and len(mention.fields(Kind.FIELD)) > 1


def _with_codes(facts: Facts, roles: Sequence[Role], vocabulary: Vocabulary) -> tuple[Role, ...]:
    """The roles, where a number behind a record or behind a field's name is its code: "member 1003", "plot 7"."""
    texts = [name for name, each in vocabulary.types.items() if each is FieldType.KEYWORD and name in vocabulary.open]
    codes = [name for name in texts if vocabulary.kinds[name] == "code"]
    found = list(roles)
    for at, (before, mention) in enumerate(pairwise(facts.mentions), start=1):
        if mention.kind is not MentionKind.NUMBER or roles[at].name != "none" or before.end != mention.start:
            continue
        named = [name for name in texts if name in before.fields(Kind.FIELD)]
        is_of_record = len(codes) == 1 and names_kind(before, vocabulary) and in_singular(before, facts)
        if named or is_of_record:
            found[at] = Role("eq", {"eq": 1.0}, field=(named or codes)[0])
    return tuple(found)


def _follows_non(mention: Mention, facts: Facts) -> bool:
    return mention.start > 0 and facts.tokens[mention.start - 1].text == "non"


def _upcoming(
    mention: Mention, line: Line, at: int, roles: Sequence[Role], field_words: Sequence[str], heads: Heads
) -> float:
    """How probable it is that the next of such days are meant."""
    if not (mention.days and mention.days.upcoming):
        return 0.0
    features = upcoming_features(line, line.places[at], before(roles, at), field_words)
    return heads["upcoming"].probabilities(features)["upcoming"]


def _field_chances(
    at: int, facts: Facts, line: Line, roles: Sequence[Role], vocabulary: Vocabulary, heads: Heads
) -> Mapping[str, float]:
    """How probable it is that each field is meant by the mention at this place; empty if none may be."""
    mention, place = facts.mentions[at], line.places[at]
    fields = list(candidates(facts, line, roles, at, vocabulary))
    if not fields:
        return {}
    scores = [heads["link"].scores(candidate_features(line, place, mention, each))[0] for each in fields]
    chances = dict(zip((each.name for each in fields), softmax(scores), strict=True))
    best = max(chances.values())
    is_unsure = mention.kind is MentionKind.DATE and best < _SURE_OF_DATE
    if is_unsure and vocabulary.date in chances and not any(each.overlap or each.distance for each in fields):
        return {vocabulary.date: best}  # Of many dates of which none is spoken of, the one that a bare period means.
    return chances


def _chosen(chances: Mapping[int, Mapping[str, float]], facts: Facts) -> Iterator[tuple[int, str]]:
    """The field of each condition; those of a series have one that all may have: "by Haas or Pinto", "18 to 25"."""
    series: list[list[int]] = []
    for at in chances:
        if series and _goes_on(facts, series[-1][-1], at) and _shared([*series[-1], at], chances):
            series[-1].append(at)
        else:
            series.append([at])
    for each in series:
        best = max(_shared(each, chances), key=lambda name: prod(chances[at][name] for at in each))
        yield from ((at, best) for at in each)


def _shared(places: Sequence[int], chances: Mapping[int, Mapping[str, float]]) -> list[str]:
    """The fields that all of these conditions may be on."""
    return [name for name in chances[places[0]] if all(name in chances[at] for at in places)]


def _goes_on(facts: Facts, earlier: int, at: int) -> bool:
    """Whether a condition is written like the one before it, with at most words such as "and" and "to" between them."""
    first, second = facts.mentions[earlier], facts.mentions[at]
    is_alike = first.kind is second.kind or {first.kind, second.kind} <= _NAMES
    between = {each.text for each in facts.tokens[first.end : second.start]}
    return is_alike and first.kind in _IN_SERIES and between <= _JOINING


def candidates(facts: Facts, line: Line, roles: Sequence[Role], at: int, vocabulary: Vocabulary) -> Iterator[Candidate]:
    """The fields that the condition of a mention may be on."""
    mention = facts.mentions[at]
    # Among the dates the one comes first that a bare period means.
    names = sorted(_possible(mention, facts, vocabulary), key=lambda name: name != vocabulary.date)
    if "year" in names and mention.days and mention.days.days.is_of_whole_years and not _names_days(facts, vocabulary):
        names = ["year"]
    words = set(facts.base)
    first_of_kind: dict[str, str] = {}
    for name in names:
        first_of_kind.setdefault(vocabulary.kinds[name], name)
    nearest = _nearest_mentions(facts, line, roles, at, vocabulary)
    for order, name in enumerate(names):
        distance, between, role = nearest.get(name, (None, "-", "-"))
        kind = vocabulary.kinds[name]
        yield Candidate(
            name=name,
            kind=kind,
            order=order,
            count=len(names),
            is_default=first_of_kind[kind] == name,
            distance=distance,
            between=between,
            role=role,
            overlap=len(set(split_words(name)) & words),
            is_open=name in vocabulary.open,
            words=vocabulary.words[name],
        )


def _best_named(mention: Mention, facts: Facts) -> list[str]:
    """The fields that a phrase may name of which most other words are in the message."""
    others = set(facts.base) - set(facts.base[mention.start : mention.end])
    said = {name: len(others.intersection(split_words(name))) for name in mention.fields(Kind.FIELD)}
    most = max(said.values())
    return [name for name, number in said.items() if number == most]


def _names_days(facts: Facts, vocabulary: Vocabulary) -> bool:
    """Whether the message names a field of days: "inspection due before 2026" is of no year of building."""
    named = {name for each in facts.mentions for name in each.fields(Kind.FIELD)}
    return any(vocabulary.types.get(name) is FieldType.DATE for name in named)


def _possible(mention: Mention, facts: Facts, vocabulary: Vocabulary) -> list[str]:
    types, kinds = vocabulary.types, vocabulary.kinds
    if mention.kind is MentionKind.VALUE:
        return list(mention.fields(Kind.VALUE))
    if mention.kind is MentionKind.FIELD:
        return _best_named(mention, facts)
    if mention.kind is MentionKind.NUMBER:
        names = [name for name in types if _takes_number(name, mention.number, vocabulary)]
        # "August 2024" asks for no number of 2024, though a column of months has August.
        is_of_month = mention.start > 0 and facts.tokens[mention.start - 1].text in MONTHS and is_year(mention.number)
        return [name for name in names if not is_of_month or types[name] is FieldType.DATE or is_of_years(name)]
    if mention.kind is MentionKind.DATE:
        dates = [name for name, each in types.items() if each is FieldType.DATE]
        if mention.days and mention.days.days.is_part_of_a_year:
            return dates  # "In August" is no year.
        return dates + [name for name, each in types.items() if _is_year_field(name, each)]
    if mention.kind is MentionKind.ASKER:
        return [
            name
            for name, each in types.items()
            if each is FieldType.PERSON or (each is FieldType.KEYWORD and kinds[name] == "person")
        ]
    if not vocabulary.open:
        return []
    return [name for name, each in types.items() if _takes_name(name, each, mention.text)]


def _takes_name(name: str, type: FieldType, text: str) -> bool:
    """Whether a field may hold this text; one of years holds digits."""
    if name == TABLE or type not in (FieldType.KEYWORD, FieldType.PERSON, FieldType.KEYWORDS):
        return False
    return any(map(str.isdigit, text)) or not _is_year_field(name, type)


def _takes_number(name: str, number: float, vocabulary: Vocabulary) -> bool:
    type_ = vocabulary.types[name]
    is_code = name in vocabulary.open and vocabulary.kinds[name] in ("code", "other")
    return (
        type_ is FieldType.NUMBER
        or (type_ is FieldType.DATE and is_year(number))
        or (type_ is FieldType.KEYWORD and is_code)
    )


def _is_year_field(name: str, type: FieldType) -> bool:
    if type is FieldType.KEYWORD:
        return bool(_YEARS & set(name.replace("_", " ").split()))  # "Made by" has no years.
    return type is FieldType.NUMBER and is_of_years(name)


def _nearest_mentions(
    facts: Facts, line: Line, roles: Sequence[Role], at: int, vocabulary: Vocabulary
) -> dict[str, tuple[int, str, str]]:
    """The nearest mention of each field that the message names: signed distance, symbols between, and role."""
    own = facts.mentions[at]
    found: defaultdict[str, list[tuple[float, int, int, str]]] = defaultdict(list)
    for other, mention in enumerate(facts.mentions):
        if other == at or mention.kind not in (MentionKind.FIELD, MentionKind.VALUE):
            continue
        is_before = mention.start < own.start
        distance = mention.end - 1 - own.start if is_before else mention.start - own.end + 1
        for meaning in mention.meanings:
            if meaning.kind is Kind.FIELD or vocabulary.types[meaning.field] is FieldType.BOOLEAN:
                rank = abs(distance) + 0.5 * (distance > 0) + 2 * (meaning.level < Level.PART)
                found[meaning.field].append((rank, distance, line.places[other], str(roles[other].name)))
    return {name: _nearest(line, line.places[at], mentions) for name, mentions in found.items()}


def _nearest(line: Line, place: int, mentions: Sequence[tuple[float, int, int, str]]) -> tuple[int, str, str]:
    _, distance, other, role = min(mentions, key=lambda each: each[0])
    between = "-"
    if abs(distance) <= _BETWEEN_DISTANCE:
        left, right = sorted((other, place))
        between = " ".join(line.symbols[left + 1 : right][:2])
    return distance, between, role


def wish_for_documents(reading: Reading, heads: Heads) -> float:
    """The probability that the message wants documents, if it has a subject."""
    return heads[WISH].probabilities(wish_features(reading.line, reading.roles))[WISHED]


def unread_subject(reading: Reading) -> str:
    """The unknown words behind the word for records that are read as nothing, or an empty text.

    Where documents are wanted they are a subject that was missed: without it every document would be listed.
    """
    symbols, mentions = reading.line.symbols, reading.facts.mentions
    places = [at for at, place in enumerate(reading.line.places) if symbols[place] in RECORDS]
    unread = [
        mentions[at]
        for at, place in enumerate(reading.line.places)
        if places and at > places[0] and symbols[place][0] == "~" and _is_unread(reading.roles[at])
    ]
    if not unread:
        return ""
    return " ".join(each.raw for each in reading.facts.tokens[unread[0].start : unread[-1].end])


def _is_unread(role: Role) -> bool:
    """Whether a word is read as nothing, or as a condition that no field can have."""
    return role.name in _UNREAD or (role.is_condition and role.field is None)


def wish_features(line: Line, roles: Sequence[Role]) -> Features:
    """The features of a message's outline. `roles`: of the mentions, which stand at the line's `places`."""
    return message_features(_outline(line, roles))


def _outline(line: Line, roles: Sequence[Role]) -> Line:
    by_place = dict(zip(line.places, roles, strict=True))
    symbols: list[str] = []
    cues: list[int] = []
    for place, symbol in enumerate(line.symbols):
        kind = _kind(symbol, by_place.get(place))
        if kind is None or symbols[-1:] != [kind]:
            symbols.append(kind or symbol)
            cues.append(0 if kind else line.cues[place])
    return line_of(tuple(symbols), (), tuple(cues))


def _kind(symbol: str, role: Role | None) -> str | None:
    """The symbol that stands for a whole run; None for a word that stays as it is."""
    if symbol in RECORDS:
        return _RECORD
    name = role.name if role else None
    return _CONDITION if name in CONDITIONS else _SYMBOLS.get(name or "")
