"""The conditions that stand before and behind a noun for documents."""

from __future__ import annotations

from cicada.planning.deterministic.constraints.dates import read_date, take_date
from cicada.planning.deterministic.constraints.fields import read_field_and_value, read_missing
from cicada.planning.deterministic.constraints.numbers import read_number
from cicada.planning.deterministic.constraints.owners import read_belonging, read_mine, reject_possessor
from cicada.planning.deterministic.constraints.reader import ConstraintReader
from cicada.planning.deterministic.constraints.tags import read_tags
from cicada.planning.deterministic.constraints.values import read_apposed, read_predicate, read_prepositional
from cicada.planning.deterministic.english import word_set
from cicada.planning.deterministic.modifiers import extend_left, modifying_dates
from cicada.planning.deterministic.noun_phrases import HeadKind, NounPhrase
from cicada.planning.deterministic.sources import is_process_question, is_source

_BETWEEN_CONDITIONS = word_set("and or , but & / that which who also plus ( )")
_EXCLUDING = word_set("except excluding without not n't minus but")
_EXCLUDING_PAIRS = frozenset({("except", "for"), ("other", "than"), ("apart", "from")})
# In the order of trial: the first form that fits is read.
_FORMS = (
    read_tags,
    read_missing,
    read_field_and_value,
    read_date,
    read_number,
    read_belonging,
    read_predicate,
    read_prepositional,
    read_apposed,
)


def read_before(reader: ConstraintReader, phrase: NounPhrase) -> bool:
    """Read the values before the head. False for a noun that is no phrase of its own, such as "titles of"."""
    sentence = reader.sentence
    if phrase.kind is HeadKind.WEAK and sentence.word(phrase.end) == "of":
        return False
    modifiers = [each for each in extend_left(sentence, phrase) if each[0].start not in reader.found.used]
    for span, negated in modifiers:
        reader.take(span, negated=negated)
    dates = modifying_dates(sentence, phrase)
    for date_phrase in dates:
        take_date(reader, date_phrase.start, date_phrase, None)
    phrase.filters += len(modifiers) + len(dates)
    reject_possessor(reader, phrase)
    read_mine(reader, phrase)
    reader.claimed.update(range(phrase.start, phrase.end))
    return True


def read_behind(reader: ConstraintReader, phrase: NounPhrase) -> None:
    """Read the conditions behind the head, and decide whether the head itself is one."""
    before = phrase.end
    reader.about_process = phrase.filters == 0 and is_process_question(reader.sentence, phrase)
    phrase.end = _read_all(reader, phrase, before)
    if phrase.kind is HeadKind.TYPE and not is_source(reader.sentence, phrase):
        return
    if phrase.kind in {HeadKind.PRONOUN, HeadKind.WEAK} and not phrase.filters:
        return
    if phrase.kind in {HeadKind.TYPE, HeadKind.STATUS}:
        span = reader.sentence.spans[phrase.head]
        reader.take(span, prefer=_field_of_head(reader, phrase), negated=_is_excluded(reader, phrase))
    reader.use(phrase.head, before)
    reader.found.phrases.append(phrase)


def _read_all(reader: ConstraintReader, phrase: NounPhrase, at: int) -> int:
    """Read the conditions from position `at` on; the position after the last of them."""
    end = at
    while True:
        following = _read_one(reader, at)
        if following > at:
            phrase.filters += 1
            at = end = following
        elif reader.sentence.word(at) in _BETWEEN_CONDITIONS and at - end < 2:
            at += 1
        else:
            return end


def _read_one(reader: ConstraintReader, at: int) -> int:
    if at in reader.claimed:
        return at
    return next((end for form in _FORMS if (end := form(reader, at)) > at), at)


def _field_of_head(reader: ConstraintReader, phrase: NounPhrase) -> str | None:
    if phrase.kind is HeadKind.TYPE:
        return reader.sentence.lexicon.types
    span = reader.sentence.spans[phrase.head]
    return next((reading.field for reading in span.readings if reading.plural), None)


def _is_excluded(reader: ConstraintReader, phrase: NounPhrase) -> bool:
    """Except forms, excluding drafts, other than policies, that are not SOPs."""
    before, last = reader.sentence.word(phrase.start - 2), reader.sentence.word(phrase.start - 1)
    return last in _EXCLUDING or (before, last) in _EXCLUDING_PAIRS
