"""The conditions that a message states on the documents' fields, read from its grammar.

A value is a condition where it modifies a noun for documents, stands after a preposition, a copula or the field's name,
or is all that the message has; elsewhere it is a word of the question's content.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from datetime import date

from cicada.documents.filter import Exists
from cicada.knowledge_bases.schema import FieldType
from cicada.planning.dates import DatePhrase
from cicada.planning.deterministic.comparisons import comparison
from cicada.planning.deterministic.conditions import Conditions
from cicada.planning.deterministic.lexicon import Reading, ValueSpan, name_parts
from cicada.planning.deterministic.noun_phrases import HeadKind, NounPhrase, extend_left, heads, modifying_dates
from cicada.planning.deterministic.sentence import Sentence
from cicada.planning.deterministic.sources import is_process_question, is_source

_PREPOSITIONS = frozenset({"in", "by", "from", "of", "for", "at", "within", "under", "with", "to", "inside", "as"})
_COPULAS = frozenset({"is", "are", "was", "were", "'s", "'re", "be", "being", "been", "remain", "remains", "become"})
_BELONG = frozenset(
    [
        "owned",
        "written",
        "authored",
        "managed",
        "maintained",
        "issued",
        "prepared",
        "created",
        "drafted",
        "signed",
        "reviewed",
        "approved",
        "held",
        "kept",
        "assigned",
        "belonging",
        "belong",
        "belongs",
        "responsible",
        "published",
        "updated",
        "produced",
        "made",
        "run",
        "filed",
        "registered",
        "released",
        "administered",
        "governed",
        "handled",
        "overseen",
        "compiled",
        "located",
        "based",
        "submitted",
        "used",
        "stored",
    ]
)
_TAG_WORDS = frozenset(
    "tagged labelled labeled tag tags label labels marked flagged keyword keywords tagging labelling labeling".split()  # noqa: SIM905
)
_LESS = {"without", "lacking", "missing", "no", "lack", "lacks"}
_SEPARATORS = frozenset({",", ";", "/", "|", "\n", ":", "-", ".", "?", "!", "(", ")"})
_EXCEPT = frozenset({"except", "excluding", "besides", "minus"})
_TAGGED = frozenset({"tagged", "labelled", "labeled", "flagged"})
_CLAUSE_STOP = frozenset({"and", "or", ",", "but", "&", "/", "that", "which", "who", "also", "plus", "(", ")"})


@dataclass(slots=True)
class Constraints:
    """What was read. `used`: the positions of conditions and of the words that introduce them.

    `unknown`: what the message asks for and the schema does not have; a message with it cannot be answered.
    """

    conditions: Conditions = field(default_factory=Conditions)
    phrases: list[NounPhrase] = field(default_factory=list)
    used: set[int] = field(default_factory=set)
    unknown: list[str] = field(default_factory=list)
    cued_dates: int = 0


@dataclass(slots=True)
class ConstraintReader:
    """Reads one message. `asker`: the name by which owner fields call the user, or empty."""

    sentence: Sentence
    now: date
    asker: str = ""
    found: Constraints = field(default_factory=Constraints)
    _claimed: set[int] = field(default_factory=set)
    _about_process: bool = False

    def read(self) -> Constraints:
        """All conditions, in passes from the surest form to the least sure."""
        phrases = [phrase for phrase in heads(self.sentence) if self._modified(phrase)]
        for phrase in phrases:
            self._followed(phrase)
        self._named_fields()
        self._persons()
        self._subjects()
        self._dates_with_cues()
        self._segments()
        self._fragment()
        self._unknown_subject()
        return self.found

    # Noun phrases

    def _modified(self, phrase: NounPhrase) -> bool:
        """Read the values before the head. False for a noun that is no phrase of its own, such as "titles of"."""
        sentence = self.sentence
        if phrase.kind is HeadKind.WEAK and sentence.word(phrase.end) == "of":
            return False
        modifiers = [each for each in extend_left(sentence, phrase) if each[0].start not in self.found.used]
        for span, negated in modifiers:
            phrase.filters += self._take(span, negated=negated)
        for date_phrase in modifying_dates(sentence, phrase):
            self._take_date(date_phrase.start, date_phrase, None)
            phrase.filters += 1
        self._possessor(phrase)
        self._mine(phrase)
        self._claimed.update(range(phrase.start, phrase.end))
        return True

    def _followed(self, phrase: NounPhrase) -> None:
        """Read the conditions after the head, and decide whether the head itself is one."""
        before = phrase.end
        self._about_process = phrase.filters == 0 and is_process_question(self.sentence, phrase)
        phrase.end = self._after_head(phrase, before)
        if phrase.kind is HeadKind.TYPE and not is_source(self.sentence, phrase):
            return
        if phrase.kind in {HeadKind.PRONOUN, HeadKind.WEAK} and not phrase.filters:
            return
        if phrase.kind in {HeadKind.TYPE, HeadKind.STATUS}:
            span = self.sentence.spans[phrase.head]
            self._take(span, prefer=self._head_field(phrase), negated=self._is_excluded(phrase))
        self.found.used.update(range(phrase.head, before))
        self.found.phrases.append(phrase)

    def _head_field(self, phrase: NounPhrase) -> str | None:
        if phrase.kind is HeadKind.TYPE:
            return self.sentence.lexicon.types
        span = self.sentence.spans[phrase.head]
        return next((reading.field for reading in span.readings if reading.plural), None)

    def _is_excluded(self, phrase: NounPhrase) -> bool:
        """Except forms, excluding drafts, other than policies, that are not SOPs."""
        before = [self.sentence.word(phrase.start - i) for i in (1, 2, 3)]
        return (
            before[0] in {"except", "excluding", "without", "not", "n't", "minus", "but"}
            or before[:2] == ["for", "except"]
            or before[:2] == ["than", "other"]
            or before[:2] == ["from", "apart"]
        )

    def _possessor(self, phrase: NounPhrase) -> None:
        """John Smith's SOPs: documents of a person whom the schema does not have."""
        sentence, owner = self.sentence, self.sentence.lexicon.owner
        if owner is None or not sentence.lexicon.schema.fields[owner].values:
            return
        for at in phrase.topics:
            named = sentence.tokens[at].is_capitalised and not sentence.tokens[at].raw.isupper()
            full = at > 0 and (sentence.unknown(at - 1) and sentence.tokens[at - 1].is_capitalised)
            if sentence.word(at + 1) == "'s" and named and (full or at > 0):
                self.found.unknown.append(f"{owner} {sentence.word(at)}")

    def _mine(self, phrase: NounPhrase) -> None:
        """My documents: the asker's."""
        owner = self.sentence.lexicon.owner
        mine = any(self.sentence.word(at) == "my" for at in range(phrase.start, phrase.head))
        mine |= self.sentence.word(phrase.start - 1) == "my"
        if mine and owner and self.asker:
            self.found.conditions.add(owner, self.asker)
            phrase.filters += 1

    def _after_head(self, phrase: NounPhrase, at: int) -> int:
        """Read the conditions that follow the head; the position after the last of them."""
        end = at
        while True:
            following = self._one_after(at)
            if following > at:
                phrase.filters += 1
                at = end = following
            elif self.sentence.word(at) in _CLAUSE_STOP and at - end < 2:
                at += 1
            else:
                return end

    def _one_after(self, at: int) -> int:
        if at in self._claimed:
            return at
        for reader in (
            self._tags,
            self._missing,
            self._field_and_value,
            self._dated,
            self._numbered,
            self._belonging,
            self._predicate,
            self._prepositional,
            self._apposed,
        ):
            end = reader(at)
            if end > at:
                return end
        return at

    def _skip_adverbs(self, at: int) -> int:
        while self.sentence.is_in(at, "adverbs"):
            at += 1
        return at

    def _tags(self, at: int) -> int:
        """Tagged gdp, with the tag capa, labelled as "audit"."""
        sentence = self.sentence
        start = at
        while sentence.word(at) in {
            "with",
            "under",
            "having",
            "that",
            "are",
            "which",
            "the",
            "a",
            "carrying",
            "is",
            "have",
            "has",
            "using",
            "by",
            "bearing",
            "been",
        }:
            at += 1
        if sentence.word(at) not in _TAG_WORDS or not sentence.lexicon.named(FieldType.KEYWORDS):
            return start
        tag_word = at
        at += 1
        while sentence.is_in(at, "before_tags") or sentence.word(at) in {'"', "#", ":", "="}:
            at += 1
        return self._values(start, at, frozenset(sentence.lexicon.named(FieldType.KEYWORDS)), "tag", tag_word)

    def _value_and_tag(self, at: int) -> int:
        """The csv tag."""
        span = self.sentence.spans.get(at)
        if span is None or not self._is_only(span, FieldType.KEYWORDS):
            return at
        if self.sentence.word(span.end) not in {"tag", "tags", "label", "labels", "keyword"}:
            return at
        self._take(span)
        self.found.used.add(span.end)
        return span.end + 1

    def _values(self, start: int, at: int, fields: frozenset[str], what: str, tag_word: int = -1) -> int:
        """One or several values of these fields, from position `at` on; something else is an unknown value."""
        sentence = self.sentence
        end = at
        while at < len(sentence):
            span = sentence.spans.get(at)
            negated = sentence.is_not(at) and at == end
            if negated:
                at += 1
                span = sentence.spans.get(at)
            if span and not fields.isdisjoint(span.fields):
                name = next(reading.field for reading in span.readings if reading.field in fields)
                self._take(span, prefer=name, negated=negated)
                at = end = span.end
                at += sentence.word(at) == '"'
            elif sentence.word(at) in {"and", "or", ",", "/", "&", '"', "#", "either"} and end > 0:
                at += 1
            else:
                break
        if end > start and any(start <= i < end for i in self.found.used):
            self.found.used.update(range(start, end))
            return end
        stated = sentence.word(tag_word) in _TAGGED or sentence.word(at - 1) in {'"', ":", "=", "#"}
        if stated and (sentence.unknown(at) or (sentence.word(at - 1) == '"' and at < len(sentence))):
            self.found.unknown.append(f"{what} {sentence.word(at)}")
            self.found.used.update(range(start, at + 1))
            return at + 1
        return start

    def _missing(self, at: int) -> int:
        """Without an owner, with no effective date, missing tags."""
        sentence = self.sentence
        start = at
        while sentence.word(at) in {"with", "that", "have", "has", "which", "do", "does", "n't", "not", "are"}:
            at += 1
        negated = any(sentence.is_not(i) for i in range(start, at))
        if sentence.word(at) in _LESS:
            negated, at = True, at + 1
        if sentence.word(at) == "nobody":
            negated, at = True, at + 1
        if not negated:
            return start
        while sentence.word(at) in {"a", "an", "any", "the"}:
            at += 1
        end, fields = sentence.field_word(at)
        if end == at or sentence.spans.get(end) or sentence.word(end) in {"is", "of", ":", "="}:
            return start
        self.found.conditions.add_range(Exists(min(fields), present=False))
        self.found.used.update(range(start, end))
        return end

    def _field_and_value(self, at: int) -> int:
        """With status draft, whose department is QA, in status 'translated', status: draft, department = QA."""
        sentence = self.sentence
        start = at
        while sentence.word(at) in {
            "with",
            "whose",
            "where",
            "having",
            "in",
            "of",
            "the",
            "under",
            "has",
            "have",
            "by",
            "that",
            "which",
            "a",
            "from",
            "for",
            "is",
            "are",
            "at",
        }:
            at += 1
        end, fields = sentence.field_word(at)
        valued = frozenset(name for name in fields if sentence.lexicon.schema.fields[name].values)
        if end == at or not valued or self._is_verb_of_belonging(at):
            return start
        at = end
        marked = False
        while sentence.word(at) in {
            "is",
            "are",
            "=",
            ":",
            "of",
            '"',
            "equals",
            "as",
            "being",
            "set",
            "to",
            "either",
            "==",
        }:
            marked |= sentence.word(at) != "of"
            at += 1
        span = sentence.spans.get(at + sentence.is_not(at))
        if span and not valued.isdisjoint(span.fields):
            return self._values(start, at, valued, "")
        quoted = sentence.word(at - 1) == '"' and at > end
        introduced = sentence.word(start) in {"with", "in", "whose", "where", "having", "under"}
        last = sentence.ends_clause(at + 1) or sentence.word(at + 1) == '"'
        equated = sentence.word(at - 1) in {"=", ":", "=="}
        free = at < len(sentence) and at not in sentence.taken
        if free and (quoted or equated or ((marked or introduced) and last and sentence.unknown(at))):
            self.found.unknown.append(f"{min(valued)} {sentence.word(at)}")
            self.found.used.update(range(start, at + 1))
            return at + 1
        return start

    def _is_verb_of_belonging(self, at: int) -> bool:
        return self.sentence.word(at) in {
            "owned",
            "owns",
            "own",
            "written",
            "authored",
            "managed",
            "belongs",
            "responsible",
        }

    def _dated(self, at: int) -> int:
        """Effective since 2024, from 2024, that expire this year."""
        sentence = self.sentence
        start = at
        at = self._skip_links(at)
        end, fields = sentence.date_cue(at)
        cue = end > at
        if not cue:
            end = sentence.phrase_end(at, sentence.english.phrases["any_date_cues"])
        phrase = self._date_at(end)
        if phrase is None and not cue and end > at:
            phrase = self._date_at(at)
        if phrase is None or (phrase.duration and not cue):
            return start
        if end < phrase.start and not cue and phrase.start - end > 1:
            return start
        return self._take_date(start, phrase, fields if cue else None)

    def _date_at(self, at: int) -> DatePhrase | None:
        at = self._skip_adverbs(at)
        return self.sentence.dates.get(at)

    def _numbered(self, at: int) -> int:
        """Worth more than 50,000 euros, with a value under 500, over 100 pages."""
        sentence = self.sentence
        numbers = frozenset(sentence.lexicon.named(FieldType.NUMBER))
        if not numbers:
            return at
        start = at
        while sentence.is_in(at, "before_numbers"):
            at += 1
        at, named = self._number_field(at, numbers)
        while sentence.word(at) in {"of", "is", ":", "=", "are"}:
            at += 1
        read = comparison(sentence, at)
        if read is None:
            return start
        bounds, end = read
        end, after = self._number_field(end, numbers)
        field_name = min(named or after or numbers)
        if not named and not after and (len(numbers) > 1 or end in sentence.dates):
            return start
        self.found.conditions.add_range(bounds.of(field_name))
        self.found.used.update(range(start, end))
        return end

    def _number_field(self, at: int, numbers: frozenset[str]) -> tuple[int, frozenset[str]]:
        """The position after a number field's name, or after its unit, and the fields that are meant."""
        end, fields = self.sentence.field_word(at)
        if fields & numbers:
            return end, fields & numbers
        unit = self.sentence.word(at).rstrip("s")
        meant = frozenset(name for name in numbers if unit and unit in {part.rstrip("s") for part in name_parts(name)})
        meant |= frozenset(
            name for name in numbers if len(unit) > 3 and any(unit.startswith(part) for part in name_parts(name)[1:])
        )
        return at + bool(meant), meant

    def _skip_links(self, at: int) -> int:
        while self.sentence.is_in(at, "links"):
            if self.sentence.word(at) in {"due", "set"} and self.sentence.date_cue(at)[0] > at:
                break
            at += 1
        return self._skip_adverbs(at)

    def _take_date(self, start: int, phrase: DatePhrase, fields: frozenset[str] | None) -> int:
        name = self._date_field(fields)
        self.found.used.update(range(start, phrase.end))
        if name is None:
            self.found.unknown.append("date")
        else:
            expected = any(part.startswith(stem) for part in name_parts(name) for stem in self._expected())
            self.found.conditions.add_days(name, phrase.to_come(self.now) if expected else phrase.days)
        return phrase.end

    def _expected(self) -> frozenset[str]:
        return self.sentence.english.words["expected"]

    def _date_field(self, fields: frozenset[str] | None) -> str | None:
        default = self.sentence.lexicon.date
        if not fields:
            return default
        return default if default in fields else min(fields)

    def _belonging(self, at: int) -> int:
        """Owned by Kenji Sato, issued by QA, that belong to HR."""
        sentence = self.sentence
        start = at
        at = self._skip_links(at)
        if sentence.word(at) not in _BELONG:
            return start
        verb = sentence.word(at)
        at += 1
        while sentence.word(at) in {
            "by",
            "to",
            "from",
            "in",
            "at",
            "of",
            "the",
            "for",
            "with",
            "either",
            "both",
            "and",
            "co",
        }:
            at += 1
        if sentence.word(at) in {"me", "myself"}:
            return self._own(start, at + 1)
        span = sentence.spans.get(at)
        if span and not self._is_only(span, FieldType.KEYWORDS) and not self._is_type(span):
            return self._belongers(start, at, verb)
        if sentence.word(at - 1) in {"by", "to"} or (sentence.word(at - 2) in {"by", "to"}):
            return self._unknown_owner(start, at)
        return start

    def _belongers(self, start: int, at: int, verb: str) -> int:
        sentence = self.sentence
        fields = frozenset(name for name in sentence.spans[at].fields if self._kind(name) is not FieldType.KEYWORDS)
        prefer = self._person_field(verb)
        if prefer in fields and prefer:
            fields = frozenset({prefer})
        elif all(self._kind(name) is FieldType.PERSON for name in fields):
            fields = frozenset({sentence.lexicon.owner if sentence.lexicon.owner in fields else min(fields)})
        else:
            fields = frozenset({self._best(sentence.spans[at]).field})
        end = self._values(start, at, fields, "person")
        return end + (sentence.field_word(end)[0] - end if end > at else 0)

    def _person_field(self, verb: str) -> str | None:
        """The person field that a verb means: reviewed by → reviewer."""
        stem = verb[:5]
        persons = self.sentence.lexicon.named(FieldType.PERSON)
        return next((name for name in persons if name.lower().startswith(stem)), self.sentence.lexicon.owner)

    def _unknown_owner(self, start: int, at: int) -> int:
        """Owned by someone whom the schema does not have."""
        sentence = self.sentence
        owner = sentence.lexicon.owner
        end = at
        while end < len(sentence) and sentence.unknown(end) and end - at < 3:
            end += 1
        if owner is None or end == at:
            return start
        named = all(sentence.tokens[i].is_capitalised for i in range(at, end))
        if not named and not (
            sentence.word(start) in {"owned", "managed", "issued", "written"}
            and end - at <= 2
            and sentence.ends_clause(end)
        ):
            return start
        if sentence.lexicon.schema.fields[owner].values:
            self.found.unknown.append(f"{owner} {' '.join(sentence.word(i) for i in range(at, end))}")
        else:
            self.found.conditions.add(owner, " ".join(sentence.tokens[i].raw for i in range(at, end)))
        self.found.used.update(range(start, end))
        return end

    def _own(self, start: int, end: int) -> int:
        owner = self.sentence.lexicon.owner
        if owner and self.asker:
            self.found.conditions.add(owner, self.asker)
        self.found.used.update(range(start, end))
        return end

    def _predicate(self, at: int) -> int:
        """That are effective, which is not in force, are still draft."""
        sentence = self.sentence
        start = at
        if self._about_process:
            return start
        while sentence.word(at) in {"that", "which", "who", "they", "have", "has", "had"}:
            at += 1
        if sentence.word(at) not in _COPULAS:
            return start
        while sentence.word(at) in _COPULAS:
            at += 1
        at = self._skip_adverbs(at)
        negated = sentence.is_not(at)
        at = self._skip_adverbs(at + negated)
        at += sentence.word(at) in {"a", "an", "in", "from", "of", "by", "the", "at"}
        return self._alternatives(start, at, negated=negated)

    def _alternatives(self, start: int, at: int, *, negated: bool) -> int:
        """A value, and others of its field after "or"."""
        sentence = self.sentence
        span = sentence.spans.get(at)
        if span is None or self._is_only(span, FieldType.KEYWORDS):
            return start
        best = self._best(span)
        end = at
        while span is not None and span.of(best.field):
            self._take(span, prefer=best.field, negated=negated)
            at = end = span.end
            while sentence.word(at) in {"or", "and", ",", "/", "nor", "the", "&", "by", "in"} and at - end < 3:
                at += 1
            span = sentence.spans.get(at)
        self.found.used.update(range(start, end))
        return self._field_noun(end, best.field)

    def _field_noun(self, at: int, name: str) -> int:
        """The field's own name after its value: the QA department, in draft status."""
        end, fields = self.sentence.field_word(at)
        if end > at and name in fields and not self._is_verb_of_belonging(at):
            self.found.used.update(range(at, end))
            return end
        return at

    def _prepositional(self, at: int) -> int:
        """Of Dana Whitfield, in clinical operations, from the QA department."""
        sentence = self.sentence
        start = at
        if sentence.word(at) not in _PREPOSITIONS and sentence.word(at) != "outside":
            return start
        negated = sentence.word(at) == "outside"
        at += 1
        negated |= sentence.is_not(at)
        at += sentence.is_not(at)
        while sentence.word(at) in {"the", "our", "a", "an", "either", "both", "all"} or sentence.word(at) == "of":
            at += 1
        if sentence.word(at) in {"mine"}:
            return self._own(start, at + 1)
        span = sentence.spans.get(at)
        if at in self._claimed:
            return start
        if span is None and sentence.word(start) == "by" and sentence.ends_clause(at + 2):
            return self._unknown_owner(start, at)
        if span is None or self._is_type(span):
            return self._unknown_department(start, at)
        if self._is_content_noun(span):
            return start
        return self._alternatives(start, at, negated=negated)

    def _unknown_department(self, start: int, at: int) -> int:
        """From the Marketing department."""
        sentence = self.sentence
        end = at
        while sentence.unknown(end) and end - at < 3 and (end == at or sentence.field_word(end)[0] == end):
            end += 1
        after, fields = sentence.field_word(end)
        known = [name for name in fields if self._kind(name) is FieldType.KEYWORD and name != sentence.lexicon.types]
        values = [name for name in known if sentence.lexicon.schema.fields[name].values]
        if end > at and after > end and values:
            self.found.unknown.append(f"{values[0]} {sentence.word(at)}")
            self.found.used.update(range(start, after))
            return after
        return start

    def _is_content_noun(self, span: ValueSpan) -> bool:
        """A value that goes on as another noun: "for manufacturing changes"."""
        sentence = self.sentence
        after = span.end
        if self._field_noun_at(after, span):
            return False
        person = any(self._kind(name) is FieldType.PERSON for name in span.fields)
        verb = (
            sentence.is_in(after, "communication", "belonging_verbs", "states_to_come")
            or sentence.date_cue(after)[0] > after
        )
        return not person and sentence.unknown(after) and not verb

    def _field_noun_at(self, at: int, span: ValueSpan) -> bool:
        end, fields = self.sentence.field_word(at)
        return end > at and not fields.isdisjoint(span.fields)

    def _apposed(self, at: int) -> int:
        """EHS forms in force; SOPs obsolete; bylaws not yet repealed; reports, QA."""
        sentence = self.sentence
        negated = sentence.is_not(at)
        first = self._skip_adverbs(at + negated) if negated else at
        span = sentence.spans.get(first)
        if span is None or self._about_process or not self._is_keyword(span) or self._is_content_noun(span):
            return at
        return at if sentence.word(span.end) == "'s" else self._alternatives(at, first, negated=negated)

    def _is_keyword(self, span: ValueSpan) -> bool:
        """A value of a keyword field other than the type's."""
        kinds = {self._kind(name) for name in span.fields}
        return not self._is_type(span) and FieldType.PERSON not in kinds and kinds != {FieldType.KEYWORDS}

    # The rest of the message

    def _unknown_subject(self) -> None:
        """What does Bob Smith own: a person whom the schema does not have."""
        sentence, owner = self.sentence, self.sentence.lexicon.owner
        if owner is None or not sentence.lexicon.schema.fields[owner].values:
            return
        for at in range(1, len(sentence) - 2):
            named = all(sentence.unknown(i) and sentence.tokens[i].is_capitalised for i in (at, at + 1))
            asked = sentence.word(at - 1) in {"does", "did", "has"}
            if named and asked and sentence.is_in(at + 2, "belonging_verbs"):
                self.found.unknown.append(f"{owner} {sentence.word(at)} {sentence.word(at + 1)}")

    def _named_fields(self) -> None:
        """A tag or a field with its value anywhere in the message."""
        at = 0
        while at < len(self.sentence):
            if at in self.found.used:
                at += 1
                continue
            end = max(self._value_and_tag(at), self._tags(at), self._field_and_value(at), self._missing(at))
            at = max(end, at + 1)

    def _persons(self) -> None:
        """A person's name is a condition wherever it stands, unless the message is about the person."""
        sentence = self.sentence
        for span in sentence.spans.values():
            if span.start in self.found.used or not self._is_only(span, FieldType.PERSON):
                continue
            before = sentence.word(span.start - 1)
            if before in {"about", "on", "mention", "mentions", "mentioning", "named", "regarding", "concerning"}:
                continue
            self._take(span)

    def _subjects(self) -> None:
        """Anything from QA, what does HR own, what is obsolete: values without a noun for documents."""
        sentence = self.sentence
        for span in list(sentence.spans.values()):
            if span.start in self.found.used or self._is_only(span, FieldType.KEYWORDS) or self._is_type(span):
                continue
            if self._is_proper(span) or self._is_actor(span):
                self._take(span)
                continue
            owns = sentence.word(span.end) in {"own", "owns", "hold", "holds", "have", "possess"} and (
                sentence.ends_clause(span.end + 1)
            )
            if owns or self._ends_topic(span) or self._is_predicate_of_what(span):
                self._take(span)

    def _is_actor(self, span: ValueSpan) -> bool:
        """Did HR publish anything: who has documents, before a pronoun that means them."""
        sentence = self.sentence
        asked = sentence.word(span.start - 1) in {"did", "does", "do", "has", "have"}
        return asked and any(sentence.word(at) in {"anything", "something"} for at in range(span.end, span.end + 3))

    def _is_proper(self, span: ValueSpan) -> bool:
        """The name of a project, a product, a client: it means nothing else."""
        names = self._best(span).field
        proper = self.sentence.english.words["proper"]
        possessive = self.sentence.word(span.end) == "'s" and self.sentence.tokens[span.start].is_capitalised
        group = self.sentence.field_word(span.end)
        owned = names in group[1] and self.sentence.word(group[0]) == "'s"
        return possessive or owned or not proper.isdisjoint(name_parts(names))

    def _ends_topic(self, span: ValueSpan) -> bool:
        """SOPs about cleaning from QA: after the topic, at the end of the clause."""
        sentence = self.sentence
        before = span.start - 1 - (sentence.word(span.start - 1) in {"the", "our"})
        if not self.found.phrases or self.found.phrases[0].start > span.start:
            return False
        end = span.end
        if not (sentence.ends_clause(end) or self._field_noun_at(end, span)):
            return False
        if self._field_noun_at(end, span):
            end = sentence.field_word(end)[0]
        named = end > span.end or sentence.tokens[span.start].is_capitalised
        return sentence.word(before) in {"from", "by", "of"} or (sentence.word(before) == "in" and named)

    def _is_predicate_of_what(self, span: ValueSpan) -> bool:
        sentence = self.sentence
        at = span.start - 1
        while sentence.is_in(at, "adverbs") or sentence.word(at) in {"in", "a", "the"}:
            at -= 1
        if sentence.word(at) not in _COPULAS or sentence.word(at - 1) not in {
            "what",
            "which",
            "that",
            "everything",
            "ones",
            "many",
        }:
            return False
        return sentence.ends_clause(span.end) or sentence.word(span.end) in _PREPOSITIONS

    def _dates_with_cues(self) -> None:
        """A date after its verb anywhere ("what took effect this month"); a marked date after a topic."""
        sentence = self.sentence
        for phrase in sentence.dates.values():
            if phrase.start in self.found.used or phrase.end - 1 in self.found.used:
                continue
            cue, fields = self._cue_before(phrase.start)
            if fields:
                self._take_date(cue, phrase, fields)
            elif self._is_apart(phrase):
                self._take_date(phrase.start, phrase, None)

    def _cue_before(self, at: int) -> tuple[int, frozenset[str]]:
        for start in range(max(0, at - 7), at):
            end, fields = self.sentence.date_cue(start)
            if end > start and end <= at + 1 and all(self._may_stand_between(i) for i in range(end, at)):
                return start, fields
        return at, frozenset()

    def _may_stand_between(self, at: int) -> bool:
        return self.sentence.is_in(at, "adverbs", "function") or at in self.found.used or at in self.sentence.taken

    def _is_apart(self, phrase: DatePhrase) -> bool:
        """SOPs about cleaning since 2024; from 2024, policies on drones."""
        sentence = self.sentence
        if not self.found.phrases or phrase.duration or not phrase.marked:
            return False
        return sentence.ends_clause(phrase.end) or phrase.start == 0

    def _segments(self) -> None:
        """Dog tax, finance, draft: a part between commas that has nothing but values is a condition."""
        sentence = self.sentence
        cuts = [at for at in range(len(sentence)) if sentence.word(at) in _SEPARATORS]
        bounds = [-1, *cuts, len(sentence)]
        if not cuts:
            return
        for start, end in itertools.pairwise(bounds):
            self._segment(start + 1, end)

    def _segment(self, start: int, end: int) -> None:
        sentence = self.sentence
        inside = [at for at in range(start, end) if at not in self.found.used]
        spans = [sentence.spans[at] for at in inside if at in sentence.spans]
        dates = [sentence.dates[at] for at in inside if at in sentence.dates]
        content = [at for at in inside if at not in sentence.taken and not sentence.names_field(at)]
        if not (spans or dates) or any(sentence.unknown(at) or sentence.is_in(at, "process_words") for at in content):
            return
        for span in spans:
            if not self._is_only(span, FieldType.KEYWORDS):
                self._take(span)
        for phrase in dates:
            if not phrase.duration:
                self._take_date(phrase.start, phrase, None)

    def _fragment(self) -> None:
        """Draft, QA, since 2024: a message of nothing but values is a list of conditions."""
        sentence = self.sentence
        for at in range(len(sentence)):
            if at not in self.found.used and (sentence.is_in(at, "process_words") or sentence.unknown(at)):
                return
        for span in sentence.spans.values():
            if span.start not in self.found.used and not self._is_only(span, FieldType.KEYWORDS):
                self._take(span)
        for phrase in sentence.dates.values():
            if phrase.start not in self.found.used and not phrase.duration:
                self._take_date(phrase.start, phrase, None)

    # Values

    def _kind(self, name: str) -> FieldType:
        return self.sentence.lexicon.type_of(name)

    def _is_type(self, span: ValueSpan) -> bool:
        types = self.sentence.lexicon.types
        return types is not None and span.fields == {types}

    def _is_only(self, span: ValueSpan, kind: FieldType) -> bool:
        return all(self._kind(name) is kind for name in span.fields)

    def _best(self, span: ValueSpan) -> Reading:
        """The reading that is meant: an owner, then a keyword, then a list's."""
        order = {FieldType.PERSON: 0, FieldType.KEYWORD: 1, FieldType.BOOLEAN: 2, FieldType.KEYWORDS: 3}
        owner = self.sentence.lexicon.owner
        return min(
            span.readings,
            key=lambda reading: (order[self._kind(reading.field)], reading.field != owner, reading.part),
        )

    def _is_exception(self, at: int) -> bool:
        """After "except" or "other than", with nothing but grammar and values between."""
        sentence = self.sentence
        at -= 1
        while at >= 0 and (at in sentence.taken or sentence.is_in(at, "function", "determiners", "document_nouns")):
            pair = (sentence.word(at - 1), sentence.word(at))
            if pair in {("other", "than"), ("apart", "from"), ("but", "not"), ("rather", "than")}:
                return True
            if sentence.word(at) in _EXCEPT:
                return True
            at -= 1
        return False

    def _take(self, span: ValueSpan, *, prefer: str | None = None, negated: bool = False) -> int:
        reading = (span.of(prefer) if prefer else None) or self._best(span)
        negated = negated or self._is_exception(span.start)
        if self._kind(reading.field) is FieldType.BOOLEAN:
            self.found.conditions.add(reading.field, not negated)
        else:
            self.found.conditions.add(reading.field, reading.value, negated=negated)
        self.found.used.update(range(span.start, span.end))
        return 1
