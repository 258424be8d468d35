"""The deterministic planner: a plan for a message from the schema and from grammar, without a model."""

from __future__ import annotations

from datetime import date

from msgspec import Struct

from cicada.documents.catalogue import DOCUMENTS
from cicada.knowledge_bases.schema import FieldType, Schema
from cicada.planning.deterministic.clarification import clarification
from cicada.planning.deterministic.constraints.model import Constraints
from cicada.planning.deterministic.constraints.reading import read_constraints
from cicada.planning.deterministic.lexicon import Lexicon
from cicada.planning.deterministic.lexicon_compiler import compiled
from cicada.planning.deterministic.listing import count_by, counts, limit
from cicada.planning.deterministic.ordering import Ordering, ordering
from cicada.planning.deterministic.residue import residue
from cicada.planning.deterministic.sentence import Sentence, sentence_of
from cicada.planning.deterministic.shape import Decision, decide
from cicada.planning.deterministic.word_model import word_model
from cicada.planning.model import Intent
from cicada.planning.plan import Plan, Shape
from cicada.text import one_line

_ANSWERED_FROM_FIELDS = frozenset({Shape.METADATA_ONLY, Shape.HYBRID})
# A message with more tokens often has clauses that the rules do not read.
_LONG = 16
# A message with words of the schema is rarely about something else.
_SURE_DESPITE_VALUES = 0.8
_SEARCHED = frozenset({Shape.CONTENT_ONLY, Shape.HYBRID})


class DeterministicPlanner(Struct, frozen=True):
    """Plans messages on documents of one schema; make one for each knowledge base and keep it."""

    lexicon: Lexicon

    @classmethod
    def of(cls, schema: Schema) -> DeterministicPlanner:
        return cls(compiled(schema))

    def plan(self, message: str, now: date, asker: str = "", intent: Intent = Intent.SCRIPT_QUERY) -> Plan:
        """A plan for any text. `now` is a day in the user's time zone, `asker` what owner fields call the user."""
        sentence = sentence_of(message, self.lexicon, now)
        found = read_constraints(sentence, now, asker)
        asked = ordering(sentence, found)
        rest = [at for at in residue(sentence, found) if at not in asked.used]
        decision = decide(sentence, found, rest) or _by_words(sentence, rest)
        return _plan(message, sentence, found, asked, rest, decision, intent)


def _by_words(sentence: Sentence, rest: list[int]) -> Decision:
    """What the word model says. Where no schema describes the documents, any subject may be theirs."""
    shapes = word_model().probabilities(sentence, len(rest))
    shape = max(shapes, key=lambda each: shapes[each])
    if shape is Shape.NO_MATCH and sentence.spans and shapes[shape] < _SURE_DESPITE_VALUES:
        return Decision(Shape.CONTENT_ONLY, 0.5, "words with values")
    if shape is Shape.NO_MATCH and not sentence.lexicon.values:
        return Decision(Shape.CONTENT_ONLY, 1 - shapes[shape], "words")
    return Decision(shape, shapes[shape], "words")


def _plan(
    message: str,
    sentence: Sentence,
    found: Constraints,
    asked: Ordering,
    rest: list[int],
    decision: Decision,
    intent: Intent,
) -> Plan:
    from_fields = decision.shape in _ANSWERED_FROM_FIELDS
    searched = decision.shape in _SEARCHED
    is_listing = decision.shape is Shape.METADATA_ONLY
    group = count_by(sentence, found, asked) if is_listing else None
    concepts = tuple(dict.fromkeys(sentence.word(at) for at in rest)) if searched else ()
    return Plan(
        intent=intent,
        shape=decision.shape,
        query=one_line(message),
        search_value=_search_value(message, sentence, rest, decision.shape),
        filters=found.conditions.all() if from_fields else (),
        sort=asked.sort if from_fields else None,
        aggregates=(DOCUMENTS,) if group or (is_listing and counts(sentence, found)) else (),
        group=(group,) if group else (),
        limit=limit(sentence, found, asked) if from_fields else None,
        key_concepts=concepts,
        confidence=_confidence(sentence, found, decision),
        clarification=clarification(sentence, found) if decision.shape is Shape.NEEDS_CLARIFICATION else "",
    )


def _confidence(sentence: Sentence, found: Constraints, decision: Decision) -> float:
    """Less sure where a value was passed over, a word corrected, or the message is long."""
    lexicon = sentence.lexicon
    passed = any(
        span.start not in found.used and any(lexicon.type_of(name) is not FieldType.KEYWORDS for name in span.fields)
        for span in sentence.spans.values()
    )
    corrected = any(span.corrected for span in sentence.spans.values())
    doubt = 0.15 * passed + 0.05 * corrected + 0.05 * (len(sentence) > _LONG)
    return max(0.0, round(decision.confidence - doubt, 3))


def _search_value(message: str, sentence: Sentence, rest: list[int], shape: Shape) -> str:
    """Of a question on content alone, all of it; else the words that are no conditions."""
    if shape is Shape.CONTENT_ONLY:
        return one_line(message)
    return " ".join(sentence.tokens[at].raw for at in rest) if shape is Shape.HYBRID else ""
