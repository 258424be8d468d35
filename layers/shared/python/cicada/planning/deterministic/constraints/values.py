"""Values behind a noun for documents: after a copula ("that are effective"), a preposition ("from QA"), or bare."""

from __future__ import annotations

from cicada.knowledge_bases.schema import FieldType
from cicada.planning.deterministic.constraints.fields import is_verb_of_belonging
from cicada.planning.deterministic.constraints.owners import reject_owner, take_asker
from cicada.planning.deterministic.constraints.reader import ConstraintReader
from cicada.planning.deterministic.english import word_set
from cicada.planning.deterministic.lexicon import ValueSpan

PREPOSITIONS = word_set("in by from of for at within under with to inside as")
COPULAS = word_set("is are was were 's 're be being been remain remains become")
_BEFORE_COPULA = word_set("that which who they have has had")
_AFTER_COPULA = word_set("a an in from of by the at")
_AFTER_PREPOSITION = word_set("the our a an either both all of")
_JOINING = word_set("or and , / nor the & by in")
_MOST_JOINING = 3
_MOST_WORDS_OF_A_DEPARTMENT = 3


def read_predicate(reader: ConstraintReader, at: int) -> int:
    """That are effective, which is not in force, are still draft."""
    sentence = reader.sentence
    copula = sentence.skip(at, _BEFORE_COPULA)
    if reader.about_process or sentence.word(copula) not in COPULAS:
        return at
    first = reader.skip_adverbs(sentence.skip(copula, COPULAS))
    negated = sentence.is_not(first)
    first = reader.skip_adverbs(first + negated)
    first += sentence.word(first) in _AFTER_COPULA
    return _read_alternatives(reader, at, first, negated=negated)


def read_prepositional(reader: ConstraintReader, at: int) -> int:
    """Of Dana Whitfield, in clinical operations, from the QA department."""
    sentence = reader.sentence
    outside = sentence.word(at) == "outside"
    if sentence.word(at) not in PREPOSITIONS and not outside:
        return at
    negated = sentence.is_not(at + 1)
    first = sentence.skip(at + 1 + negated, _AFTER_PREPOSITION)
    if sentence.word(first) == "mine":
        return take_asker(reader, at, first + 1)
    span = sentence.spans.get(first)
    if first in reader.claimed:
        return at
    if span is None and sentence.word(at) == "by" and sentence.ends_clause(first + 2):
        return reject_owner(reader, at, first)
    if span is None or reader.is_type(span):
        return _reject_department(reader, at, first)
    if _is_content_noun(reader, span):
        return at
    return _read_alternatives(reader, at, first, negated=negated or outside)


def read_apposed(reader: ConstraintReader, at: int) -> int:
    """Safety policies in force; SOPs obsolete; bylaws not yet repealed; reports, QA."""
    sentence = reader.sentence
    negated = sentence.is_not(at)
    first = reader.skip_adverbs(at + negated) if negated else at
    span = sentence.spans.get(first)
    if span is None or reader.about_process or not _is_keyword(reader, span) or _is_content_noun(reader, span):
        return at
    return at if sentence.word(span.end) == "'s" else _read_alternatives(reader, at, first, negated=negated)


def names_own_field(reader: ConstraintReader, at: int, span: ValueSpan) -> bool:
    """Whether the name of a field that the span's value can be of stands here."""
    end, fields = reader.sentence.field_word(at)
    return end > at and not fields.isdisjoint(span.fields)


def _read_alternatives(reader: ConstraintReader, start: int, at: int, *, negated: bool) -> int:
    """A value, and others of its field after "or"."""
    sentence, span = reader.sentence, reader.sentence.spans.get(at)
    if span is None or reader.is_only(span, FieldType.KEYWORDS):
        return start
    name, end = reader.best(span).field, at
    while span is not None and span.of(name):
        reader.take(span, prefer=name, negated=negated)
        at = end = span.end
        while sentence.word(at) in _JOINING and at - end < _MOST_JOINING:
            at += 1
        span = sentence.spans.get(at)
    return _read_field_noun(reader, reader.use(start, end), name)


def _read_field_noun(reader: ConstraintReader, at: int, name: str) -> int:
    """The field's own name after its value: the QA department, in draft status."""
    end, fields = reader.sentence.field_word(at)
    if end > at and name in fields and not is_verb_of_belonging(reader, at):
        return reader.use(at, end)
    return at


def _reject_department(reader: ConstraintReader, start: int, at: int) -> int:
    """From the Marketing department."""
    sentence, end = reader.sentence, at
    while (
        sentence.unknown(end)
        and end - at < _MOST_WORDS_OF_A_DEPARTMENT
        and (end == at or sentence.field_word(end)[0] == end)
    ):
        end += 1
    after, fields = sentence.field_word(end)
    valued = [name for name in fields if _is_keyword_with_values(reader, name)]
    if end > at and after > end and valued:
        return reader.reject(f"{valued[0]} {sentence.word(at)}", start, after)
    return start


def _is_keyword_with_values(reader: ConstraintReader, name: str) -> bool:
    lexicon = reader.sentence.lexicon
    known = reader.kind(name) is FieldType.KEYWORD and name != lexicon.types
    return known and bool(lexicon.schema.fields[name].values)


def _is_content_noun(reader: ConstraintReader, span: ValueSpan) -> bool:
    """A value that goes on as another noun: "for manufacturing changes"."""
    sentence, after = reader.sentence, span.end
    if names_own_field(reader, after, span) or not sentence.unknown(after):
        return False
    if any(reader.kind(name) is FieldType.PERSON for name in span.fields):
        return False
    is_verb = sentence.is_in(after, "communication", "belonging_verbs", "states_to_come")
    return not is_verb and sentence.date_cue(after)[0] == after


def _is_keyword(reader: ConstraintReader, span: ValueSpan) -> bool:
    """A value of a keyword field other than the type's."""
    kinds = {reader.kind(name) for name in span.fields}
    return not reader.is_type(span) and FieldType.PERSON not in kinds and kinds != {FieldType.KEYWORDS}
