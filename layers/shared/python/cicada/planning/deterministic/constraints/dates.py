"""Conditions on dates: "effective since 2024", "that expire this year", "from 2024"."""

from __future__ import annotations

from cicada.planning.deterministic.constraints.reader import ConstraintReader
from cicada.planning.deterministic.field_names import name_parts
from cicada.understanding.dates import DatePhrase

# Words between a verb and its date, at most: "took effect at some time in March".
_MOST_BETWEEN = 7


def read_date(reader: ConstraintReader, at: int) -> int:
    """Effective since 2024, from 2024, that expire this year."""
    sentence, start = reader.sentence, at
    at = reader.skip_links(at)
    end, fields = sentence.date_cue(at)
    cue = end > at
    if not cue:
        end = sentence.phrase_end(at, sentence.english.phrases["any_date_cues"])
    phrase = _date_at(reader, end)
    if phrase is None and not cue and end > at:
        phrase = _date_at(reader, at)
    if phrase is None or (not cue and (phrase.duration or phrase.start - end > 1)):
        return start
    return take_date(reader, start, phrase, fields if cue else None)


def read_dates_with_cues(reader: ConstraintReader) -> None:
    """A date after its verb anywhere ("what took effect this month"); a marked date after a topic."""
    for phrase in reader.sentence.dates.values():
        if phrase.start in reader.found.used or phrase.end - 1 in reader.found.used:
            continue
        cue, fields = _cue_before(reader, phrase.start)
        if fields:
            take_date(reader, cue, phrase, fields)
        elif _is_apart(reader, phrase):
            take_date(reader, phrase.start, phrase, None)


def take_date(reader: ConstraintReader, start: int, phrase: DatePhrase, fields: frozenset[str] | None) -> int:
    """The phrase becomes a condition on one of the fields, or on the schema's date; the position after it."""
    name = _date_field(reader, fields)
    if name is None:
        return reader.reject("date", start, phrase.end)
    expected = reader.sentence.english.words["expected"]
    is_to_come = any(part.startswith(stem) for part in name_parts(name) for stem in expected)
    reader.found.conditions.add_days(name, phrase.to_come(reader.now) if is_to_come else phrase.days)
    return reader.use(start, phrase.end)


def _date_at(reader: ConstraintReader, at: int) -> DatePhrase | None:
    return reader.sentence.dates.get(reader.skip_adverbs(at))


def _date_field(reader: ConstraintReader, fields: frozenset[str] | None) -> str | None:
    default = reader.sentence.lexicon.date
    return default if not fields or default in fields else min(fields)


def _cue_before(reader: ConstraintReader, at: int) -> tuple[int, frozenset[str]]:
    for start in range(max(0, at - _MOST_BETWEEN), at):
        end, fields = reader.sentence.date_cue(start)
        if end > start and end <= at + 1 and all(_may_stand_between(reader, i) for i in range(end, at)):
            return start, fields
    return at, frozenset()


def _may_stand_between(reader: ConstraintReader, at: int) -> bool:
    sentence = reader.sentence
    return sentence.is_in(at, "adverbs", "function") or at in reader.found.used or at in sentence.taken


def _is_apart(reader: ConstraintReader, phrase: DatePhrase) -> bool:
    """SOPs about cleaning since 2024; from 2024, policies on drones."""
    if not reader.found.phrases or phrase.duration or not phrase.marked:
        return False
    return reader.sentence.ends_clause(phrase.end) or phrase.start == 0
