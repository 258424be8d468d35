"""Conditions on persons and owners: "owned by Kenji Sato", "my documents", "John Smith's SOPs"."""

from __future__ import annotations

from cicada.knowledge_bases.schema import FieldType
from cicada.planning.deterministic.constraints.reader import ConstraintReader
from cicada.planning.deterministic.constraints.tags import read_values
from cicada.planning.deterministic.english import word_set
from cicada.planning.deterministic.noun_phrases import NounPhrase

_BELONGING = word_set("""
    owned written authored managed maintained issued prepared created drafted signed reviewed approved held kept
    assigned belonging belong belongs responsible published updated produced made run filed registered released
    administered governed handled overseen compiled located based submitted used stored
""")
_OWNING = word_set("owned managed issued written")
_AFTER_BELONGING = word_set("by to from in at of the for with either both and co")
_ME = word_set("me myself")
_ABOUT = word_set("about on mention mentions mentioning named regarding concerning")
_MOST_NAMES = 3
_AUTHORED = word_set("own owned wrote written authored drafted created manage managed maintain maintained")
_AUTHOR = word_set("write author draft create")
_BEFORE_AUTHORED = word_set("have 've had did do am 'm was the")
_WHAT = word_set("what which everything anything whatever all")


def read_belonging(reader: ConstraintReader, at: int) -> int:
    """Owned by Kenji Sato, issued by QA, that belong to HR."""
    sentence = reader.sentence
    verb = reader.skip_links(at)
    if sentence.word(verb) not in _BELONGING:
        return at
    first = sentence.skip(verb + 1, _AFTER_BELONGING)
    if sentence.word(first) in _ME:
        return take_asker(reader, at, first + 1)
    span = sentence.spans.get(first)
    if span and not reader.is_only(span, FieldType.KEYWORDS) and not reader.is_type(span):
        return _read_belongers(reader, at, first, sentence.word(verb))
    if not {"by", "to"}.isdisjoint({sentence.word(first - 1), sentence.word(first - 2)}):
        return reject_owner(reader, at, first)
    return at


def _read_belongers(reader: ConstraintReader, start: int, at: int, verb: str) -> int:
    end = read_values(reader, start, at, frozenset({_field_of_verb(reader, at, verb)}), "person")
    return max(end, reader.sentence.field_word(end)[0]) if end > at else end


def _field_of_verb(reader: ConstraintReader, at: int, verb: str) -> str:
    """The field that the verb means, of those whose value stands here: reviewed by → reviewer."""
    lexicon, span = reader.sentence.lexicon, reader.sentence.spans[at]
    fields = frozenset(name for name in span.fields if reader.kind(name) is not FieldType.KEYWORDS)
    persons = lexicon.named(FieldType.PERSON)
    named = next((name for name in persons if name.lower().startswith(verb[:5])), lexicon.owner)
    if named in fields and named:
        return named
    if fields and all(reader.kind(name) is FieldType.PERSON for name in fields):
        return lexicon.owner if lexicon.owner in fields and lexicon.owner else min(fields)
    return reader.best(span).field


def reject_owner(reader: ConstraintReader, start: int, at: int) -> int:
    """Owned by someone whom the schema does not have."""
    sentence, owner, end = reader.sentence, reader.sentence.lexicon.owner, at
    while end < len(sentence) and sentence.unknown(end) and end - at < _MOST_NAMES:
        end += 1
    if owner is None or end == at:
        return start
    names = range(at, end)
    owned = sentence.word(start) in _OWNING and end - at <= 2 and sentence.ends_clause(end)
    if not owned and not all(sentence.tokens[i].is_capitalised for i in names):
        return start
    if sentence.lexicon.schema.fields[owner].values:
        return reader.reject(f"{owner} {' '.join(sentence.word(i) for i in names)}", start, end)
    reader.found.conditions.add(owner, " ".join(sentence.tokens[i].raw for i in names))
    return reader.use(start, end)


def read_asker(reader: ConstraintReader) -> None:
    """Documents that I own, what am I responsible for: the asker's, if the message asks for documents."""
    sentence = reader.sentence
    if not reader.found.phrases and sentence.word(0) not in _WHAT:
        return
    for at in range(len(sentence)):
        verb = reader.skip_adverbs(sentence.skip(at + 1, _BEFORE_AUTHORED)) if sentence.word(at) == "i" else at
        if verb > at and (end := _end_of_owning(reader, verb)) > verb:
            take_asker(reader, at, end)


def _end_of_owning(reader: ConstraintReader, at: int) -> int:
    """The position after a verb of owning that has no object of its own, or `at`."""
    sentence = reader.sentence
    asked = sentence.word(at) in _AUTHOR and "did" in {sentence.word(at - 2), sentence.word(at - 3)}
    if sentence.word(at) in _AUTHORED or asked:
        end = at + 1
    elif sentence.word(at) in {"responsible", "owner", "author"}:
        end = sentence.skip(at + 1, {"for", "of"})
    else:
        return at
    return end if sentence.ends_clause(end) or end in reader.found.used else at


def take_asker(reader: ConstraintReader, start: int, end: int) -> int:
    """The documents are the asker's own; the position after the words that say so."""
    _add_asker(reader)
    return reader.use(start, end)


def _add_asker(reader: ConstraintReader) -> None:
    owner = reader.sentence.lexicon.owner
    if owner and reader.asker:
        reader.found.conditions.add(owner, reader.asker)
    reader.found.lacks_asker |= bool(owner and not reader.asker)


def read_mine(reader: ConstraintReader, phrase: NounPhrase) -> None:
    """My documents: the asker's."""
    if any(reader.sentence.word(at) == "my" for at in range(phrase.start - 1, phrase.head)):
        _add_asker(reader)
        phrase.filters += bool(reader.asker and reader.sentence.lexicon.owner)


def reject_possessor(reader: ConstraintReader, phrase: NounPhrase) -> None:
    """John Smith's SOPs: documents of a person whom the schema does not have."""
    sentence, owner = reader.sentence, _owner_with_values(reader)
    if owner is None:
        return
    for at in phrase.topics:
        named = sentence.tokens[at].is_capitalised and not sentence.tokens[at].raw.isupper()
        if sentence.word(at + 1) == "'s" and named and at > 0:
            reader.found.unknown.append(f"{owner} {sentence.word(at)}")


def reject_subject(reader: ConstraintReader) -> None:
    """What does Bob Smith own: a person whom the schema does not have."""
    sentence, owner = reader.sentence, _owner_with_values(reader)
    if owner is None:
        return
    for at in range(1, len(sentence) - 2):
        named = all(sentence.unknown(i) and sentence.tokens[i].is_capitalised for i in (at, at + 1))
        asked = sentence.word(at - 1) in {"does", "did", "has"}
        if named and asked and sentence.is_in(at + 2, "belonging_verbs"):
            reader.found.unknown.append(f"{owner} {sentence.word(at)} {sentence.word(at + 1)}")


def read_persons(reader: ConstraintReader) -> None:
    """A person's name is a condition wherever it stands, unless the message is about the person."""
    for span in reader.sentence.spans.values():
        if span.start in reader.found.used or not reader.is_only(span, FieldType.PERSON):
            continue
        if reader.sentence.word(span.start - 1) not in _ABOUT:
            reader.take(span)


def _owner_with_values(reader: ConstraintReader) -> str | None:
    lexicon = reader.sentence.lexicon
    return lexicon.owner if lexicon.owner and lexicon.schema.fields[lexicon.owner].values else None
