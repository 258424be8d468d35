"""The state of reading one message, and how a value that it names becomes a condition."""

from __future__ import annotations

from datetime import date

from msgspec import Struct, field

from cicada.knowledge_bases.schema import FieldType
from cicada.planning.deterministic.constraints.model import Constraints
from cicada.planning.deterministic.english import word_set
from cicada.planning.deterministic.lexicon import Reading, ValueSpan
from cicada.planning.deterministic.sentence import Sentence

_EXCEPT = word_set("except excluding besides minus")
_EXCEPT_PAIRS = frozenset({("other", "than"), ("apart", "from"), ("but", "not"), ("rather", "than")})
_PRECEDENCE = {FieldType.PERSON: 0, FieldType.KEYWORD: 1, FieldType.BOOLEAN: 2, FieldType.KEYWORDS: 3}


class ConstraintReader(Struct):
    """Reads one message. `asker`: the name by which owner fields call the user, or empty.

    `claimed`: the positions of noun phrases for documents. `about_process`: the phrase that is being read is what the
    question is about ("how are forms approved").
    """

    sentence: Sentence
    now: date
    asker: str = ""
    found: Constraints = field(default_factory=Constraints)
    claimed: set[int] = field(default_factory=set)
    about_process: bool = False

    def kind(self, name: str) -> FieldType:
        """The type of a field."""
        return self.sentence.lexicon.type_of(name)

    def is_type(self, span: ValueSpan) -> bool:
        """Whether the span can only be a type of documents."""
        types = self.sentence.lexicon.types
        return types is not None and span.fields == {types}

    def is_only(self, span: ValueSpan, kind: FieldType) -> bool:
        """Whether the span can only be a value of fields of this type."""
        return all(self.kind(name) is kind for name in span.fields)

    def best(self, span: ValueSpan) -> Reading:
        """The reading that is meant: an owner, then a keyword, then a list's."""
        owner = self.sentence.lexicon.owner
        return min(
            span.readings,
            key=lambda reading: (_PRECEDENCE[self.kind(reading.field)], reading.field != owner, reading.part),
        )

    def take(self, span: ValueSpan, *, prefer: str | None = None, negated: bool = False) -> None:
        """The span's value becomes a condition, of the field `prefer` if it can be one of it."""
        reading = (span.of(prefer) if prefer else None) or self.best(span)
        negated = negated or self._is_exception(span.start)
        if self.kind(reading.field) is FieldType.BOOLEAN:
            self.found.conditions.add(reading.field, not negated)
        else:
            self.found.conditions.add(reading.field, reading.value, negated=negated)
        self.use(span.start, span.end)

    def use(self, start: int, end: int) -> int:
        """Mark these positions as read; the position after them."""
        self.found.used.update(range(start, end))
        return end

    def reject(self, what: str, start: int, end: int) -> int:
        """Note what the schema does not have, and mark its positions as read; the position after them."""
        self.found.unknown.append(what)
        return self.use(start, end)

    def skip_adverbs(self, at: int) -> int:
        """The first position from `at` on that is no adverb."""
        while self.sentence.is_in(at, "adverbs"):
            at += 1
        return at

    def skip_links(self, at: int) -> int:
        """The first position from `at` on behind "that are", "which have been" and adverbs."""
        while self.sentence.is_in(at, "links"):
            if self.sentence.word(at) in {"due", "set"} and self.sentence.date_cue(at)[0] > at:
                break
            at += 1
        return self.skip_adverbs(at)

    def _is_exception(self, at: int) -> bool:
        """After "except" or "other than", with nothing but grammar and values between."""
        sentence = self.sentence
        at -= 1
        while at >= 0 and (at in sentence.taken or sentence.is_in(at, "function", "determiners", "document_nouns")):
            if (sentence.word(at - 1), sentence.word(at)) in _EXCEPT_PAIRS or sentence.word(at) in _EXCEPT:
                return True
            at -= 1
        return False
