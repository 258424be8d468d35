"""What a message asks of the rows of one table, where its reading alone leaves something out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from msgspec.structs import replace

from cicada.documents.catalogue import DOCUMENTS, EVERY, Aggregate, Operation, Sort
from cicada.documents.model import TABLE
from cicada.knowledge_bases.schema import FieldType, Schema
from cicada.understanding.facts import Mention, MentionKind
from cicada.understanding.meaning import Bounds, Meaning
from cicada.understanding.payments import SURE_OF_ROWS, column_of_money
from cicada.understanding.schema_planner import BEFORE_WHETHER, SchemaReader
from cicada.understanding.understood import Understood
from cicada.understanding.vocabulary import Kind, Level, Vocabulary
from cicada.understanding.words import lexicon, tokens_of, word_set

_OPERATIONS: dict[str, Operation] = {"SUM": "sum", "AVG": "avg"}
_LISTING = word_set("list show all different distinct kinds types sorts exist used give me us our please overview own")
_WORDS = (MentionKind.WORD, MentionKind.NAME)


def summed(found: Understood, schema: Schema) -> Understood:
    """What was understood, where a sum or an average of rows is of their one column of money."""
    cues = {lexicon().cues.get(each.text) for each in tokens_of(found.message)}
    asked = [operation for cue, operation in _OPERATIONS.items() if cue in cues and "COUNT" not in cues]
    column = column_of_money(schema)
    states = any(each != DOCUMENTS for each in found.meaning.aggregates) or found.meaning.order
    if states or not column or len(asked) != 1:
        return found
    return replace(found, meaning=replace(found.meaning, aggregates=(Aggregate(asked[0], column),)))


def with_columns(found: Understood, mentions: Sequence[Mention], reader: SchemaReader) -> Understood:
    """What was understood, with the column that is spoken of and does nothing else: "Iris Bell's email".

    A column alone is asked for its values: "which genres do we have?".
    """
    meaning = _about_the_value(found.meaning, mentions)
    found = replace(found, meaning=meaning)
    spoken_of = [each for each in mentions if each.kind is MentionKind.FIELD and each.meanings[0].level >= Level.PART]
    columns = list(dict.fromkeys(each.fields(Kind.FIELD)[0] for each in spoken_of))
    if len(columns) != 1 or meaning.aggregates or meaning.order or columns[0] in meaning.restricted:
        return found
    if meaning.restricted - {TABLE}:
        return replace(found, meaning=replace(meaning, fields=meaning.fields or (columns[0],)))
    rest = {each.text.lower() for each in mentions if each not in spoken_of}
    if not rest <= lexicon().function | _LISTING or not reader.schema.fields[columns[0]].values:
        return found
    meaning = replace(meaning, group=(columns[0],), fields=(columns[0],), topic="")
    return replace(found, meaning=meaning, confidence=max(found.confidence, SURE_OF_ROWS))


def grouped(found: Understood, mentions: Sequence[Mention], schema: Schema) -> Understood:
    """What was understood, where "cost by dept" is no order by the few values of a column, but the sum for each."""
    meaning, order = found.meaning, found.meaning.order
    said = [name for each in mentions for name in each.fields(Kind.FIELD)[:1]]
    numbers = list(dict.fromkeys(name for name in said if schema.fields[name].type is FieldType.NUMBER))
    is_of_few = order is not None and order.of is None and order.field in schema.fields
    if not is_of_few or not order or not schema.fields[order.field].values or len(numbers) != 1 or meaning.group:
        return found
    meaning = replace(meaning, group=(order.field,), order=None, aggregates=(Aggregate("sum", numbers[0]),))
    return replace(found, meaning=meaning)


def of_all_rows(found: Understood, mentions: Sequence[Mention], reader: SchemaReader, now: date) -> Understood:
    """What was understood of all rows: the biggest or the next of them, or with the words that no column has.

    "The biggest damage" is the one that cost most, in the table's one column of money, or of numbers.
    """
    meaning = found.meaning
    states = meaning.order or meaning.aggregates or meaning.group or meaning.limit or meaning.named
    if meaning.restricted - {TABLE} or states or meaning.unknown:
        return found
    first = next((each.text.lower() for each in mentions), "")
    if not meaning.restricted and (first in BEFORE_WHETHER or not meaning.fields):
        # Nothing names the table: "does it cost me anything?" does not ask for all rows that have a cost.
        return replace(found, meaning=Meaning(topic=found.message), strategy="C")
    if meaning.fields or found.continues:
        return found
    cues = {lexicon().cues.get(each.text.lower()) for each in mentions} & {"MAX", "MIN"}
    numbers = [name for name, each in reader.schema.fields.items() if each.type is FieldType.NUMBER]
    column = column_of_money(reader.schema) or (numbers[0] if len(numbers) == 1 else "")
    if len(cues) == 1 and column:
        order = Sort(column, descending="MAX" in cues)
        return replace(found, meaning=replace(meaning, order=order, limit=1))
    said = {each.text.lower() for each in mentions}
    if "next" in said and (day := reader.vocabulary.date):
        meaning = meaning.bounding(day, Bounds(gte=now.isoformat()))
        return replace(found, meaning=replace(meaning, order=Sort(day, descending=False), limit=1))
    plain = lexicon().function | _LISTING | lexicon().cues.keys()
    left = [each for each in mentions if each.kind in _WORDS and each.text.lower() not in plain]
    return replace(found, meaning=replace(meaning, unknown=tuple(_runs(left))))


def _runs(mentions: Sequence[Mention]) -> Iterator[str]:
    """The texts of mentions, one for those that follow each other."""
    run: list[Mention] = []
    for mention in mentions:
        if run and run[-1].end != mention.start:
            yield " ".join(each.text for each in run)
            run = []
        run.append(mention)
    if run:
        yield " ".join(each.text for each in run)


def _about_the_value(meaning: Meaning, mentions: Sequence[Mention]) -> Meaning:
    """The meaning, where a value that was read as a subject is what the rows have: "when is L4 due?"."""
    for mention in mentions:
        if mention.kind is MentionKind.VALUE and mention.text == meaning.topic and meaning.fields:
            value = next(each for each in mention.meanings if each.kind is Kind.VALUE)
            return replace(meaning, topic="").adding(value.field, value.value, negated=False)
    return meaning


def ordered(meaning: Meaning, message: str, before: Understood | None, vocabulary: Vocabulary) -> Meaning:
    """The meaning, where groups are to be in the order of a number.

    "Which month had the highest takings?" asks for a row; "the best month?", after averages by month, for one of these.
    """
    order, numbers = meaning.order, [name for name in meaning.fields if vocabulary.types[name] is FieldType.NUMBER]
    if order and order.field == EVERY and meaning.group and len(numbers) == 1 and not meaning.aggregates:
        return replace(meaning, group=(), order=Sort(numbers[0], order.descending))
    cues = {lexicon().cues.get(each.text) for each in tokens_of(message)} & {"MAX", "MIN"}
    is_of_same = before is not None and before.meaning.group == meaning.group
    computed = meaning.aggregates or (before.meaning.aggregates if before and is_of_same else ())
    if order or len(meaning.group) != 1 or len(computed) != 1 or len(cues) != 1:
        return meaning
    return replace(meaning, aggregates=(), order=Sort(computed[0].field, "MAX" in cues, computed[0].op))
