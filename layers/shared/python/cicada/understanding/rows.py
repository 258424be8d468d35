"""What a message asks of the rows of one table, where its reading alone leaves something out."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from msgspec.structs import replace

from cicada.documents.catalogue import DOCUMENTS, EVERY, Aggregate, Sort
from cicada.documents.model import TABLE
from cicada.knowledge_bases.schema import FieldType, Schema
from cicada.knowledge_bases.values import is_of_years
from cicada.understanding.debts import SURE_OF_ROWS, column_of_money
from cicada.understanding.facts import Mention, MentionKind
from cicada.understanding.features import is_year
from cicada.understanding.meaning import Bounds, Meaning
from cicada.understanding.schema_planner import BEFORE_WHETHER, SchemaReader
from cicada.understanding.understood import Understood
from cicada.understanding.vocabulary import Kind, Level, Vocabulary
from cicada.understanding.words import lexicon, split_words, tokens_of, word_set

LISTING = word_set(
    "there list show all different distinct kinds types sorts exist used give me us our please overview own"
)
_DISTINCT = word_set("kinds types sorts different distinct")
_EACH = word_set("by per each every pro je par por")
_WITHOUT, _ARTICLES = word_set("without lacking missing ohne sans sin"), word_set("a an any the their")
AMOUNT = re.compile(r"[£$€]\s?[0-9]|[0-9]\s?[£$€]")
_WHO_IS_NOT = re.compile(
    r"(?:and )?(?:who|which(?: ones?| of them)?|those(?: who| that)?) ?"
    r"(?:is|are|has|have|does|do|did|was|were|could|would|ca|wo|can|will)?(?:n['’]?t| ?not)\W*",
    re.IGNORECASE,
)
_WHO_MOST = re.compile(
    r"(?:and |so )?(?:who|which(?: one| of them)?|what)\b[\w ]{0,20}?"
    r"\b(?:most|least|highest|lowest|biggest|smallest|fewest)\W*",
    re.IGNORECASE,
)
_OTHER_DEBTS = {Bounds(gt=0): Bounds(lte=0), Bounds(lte=0): Bounds(gt=0)}
# The biggest customer is the one who pays most; the one with the most orders is another.
_OF_MONEY = word_set("biggest largest best top smallest paid pays pay spent spends spend earned earns earn")
_BEGINNING = word_set("arrived arrival came joined admitted since entry intake started start hired")
_BEEN_THERE = re.compile(r"\b(?:here|with us|been|a member|worked|served|employed)\b", re.IGNORECASE)
_OF_MANY = word_set("most least fewest")
_WORDS = (MentionKind.WORD, MentionKind.NAME)


def with_columns(found: Understood, mentions: Sequence[Mention], reader: SchemaReader) -> Understood:
    """What was understood, with the column that is spoken of and does nothing else: "Iris Bell's email".

    A column alone is asked for its values: "which genres do we have?".
    """
    meaning = found.meaning
    spoken_of = [each for each in mentions if each.kind is MentionKind.FIELD and each.meanings[0].level >= Level.PART]
    columns = list(dict.fromkeys(each.fields(Kind.FIELD)[0] for each in spoken_of))
    if len(columns) != 1 or meaning.aggregates or meaning.order or columns[0] in meaning.restricted:
        return found
    if meaning.restricted - {TABLE}:
        return replace(found, meaning=replace(meaning, fields=meaning.fields or (columns[0],)))
    of_values = not _DISTINCT.isdisjoint(each.text for each in tokens_of(found.message))
    nouns = [each for each in mentions if of_values and any(of.field == TABLE for of in each.meanings)]
    rest = {each.text.lower() for each in mentions if each not in spoken_of and each not in nouns}
    if not rest <= lexicon().function | LISTING or not reader.schema.fields[columns[0]].values:
        return found
    meaning = replace(meaning, group=(columns[0],), fields=(columns[0],), topic="")
    return replace(found, meaning=meaning, confidence=max(found.confidence, SURE_OF_ROWS))


def with_asked_values(found: Understood, mentions: Sequence[Mention], reader: SchemaReader) -> Understood:
    """What was understood, where it is asked whether one row has a value: of "is Hector still available?" the status.

    As a condition the value would hide the row that has another one.
    """
    meaning, kinds = found.meaning, reader.vocabulary.kinds
    first = next((each.text.lower() for each in mentions), "")
    if first not in BEFORE_WHETHER or not any(kinds[name] == "name" for name in meaning.wanted):
        return found
    asked = [name for each in mentions for name in each.fields(Kind.VALUE)[:1]]
    fields = [name for name in dict.fromkeys(asked) if name != TABLE and kinds[name] != "name"]
    wanted = {name: values for name, values in meaning.wanted.items() if name not in fields}
    unwanted = {name: values for name, values in meaning.unwanted.items() if name not in fields}
    shown = tuple(dict.fromkeys((*meaning.fields, *fields)))
    return replace(found, meaning=replace(meaning, wanted=wanted, unwanted=unwanted, fields=shown, topic=""))


def with_extreme(found: Understood, mentions: Sequence[Mention], reader: SchemaReader) -> Understood:
    """What was understood, of the one row with the most or the least of a number: "which of them paid least?".

    A superlative without a number is said to be left out.
    """
    meaning, words = found.meaning, _superlatives(found.message, mentions)
    begun = _beginning(reader.schema) if words.keys() == {"longest"} else ""
    if begun and (_BEEN_THERE.search(found.message) or not (meaning.order or meaning.aggregates or meaning.group)):
        # "Which cat has been here the longest?" is the one that came first.
        unknown = tuple(each for each in meaning.unknown if each != "longest")
        return replace(found, meaning=replace(meaning, order=Sort(begun), limit=1, unknown=unknown))
    sums = [each.field for each in meaning.aggregates if each.op == "sum" and not _asks_for_sum(found.message)]
    states = meaning.order or meaning.group or meaning.limit or len(sums) != len(meaning.aggregates)
    if states or len(words) != 1:
        return found
    ((word, is_highest),) = words.items()
    if any(word in each.split() for each in meaning.unknown):
        return found  # It is left out already: "below the minimum stock".
    column = _number_of(word, sums, meaning, mentions, reader.schema)
    if not column and word in _OF_MANY and len(meaning.fields) == 1 and _counts_rows(word, mentions, reader.schema):
        order = Sort(EVERY, is_highest, "count")  # "Which vet had the most appointments?"
        meaning = replace(meaning, group=meaning.fields, order=order, limit=1)
        return replace(found, meaning=meaning, confidence=max(found.confidence, SURE_OF_ROWS))
    if not column:
        return replace(found, meaning=replace(meaning, unknown=(*meaning.unknown, word)))
    fields = tuple(each for each in meaning.fields if each != column)
    order = Sort(column, descending=is_highest)
    return replace(found, meaning=replace(meaning, aggregates=(), order=order, limit=1, fields=fields))


def _counts_rows(word: str, mentions: Sequence[Mention], schema: Schema) -> bool:
    """Whether what stands behind "most" are the rows: "who has the most bookings?"."""
    counted = (each.text for before, each in pairwise(mentions) if before.text.lower() == word)
    return any(_calls_rows(each, schema) for each in counted)


def _beginning(schema: Schema) -> str:
    """The one column of the day or the year in which somebody came, joined or started, or none."""
    days = [name for name, each in schema.fields.items() if each.type in (FieldType.DATE, FieldType.NUMBER)]
    found = [name for name in days if not _BEGINNING.isdisjoint(split_words(name))]
    return found[0] if len(found) == 1 else ""


def _superlatives(message: str, mentions: Sequence[Mention]) -> dict[str, bool]:
    """The words that ask for the most or the least, and whether for the most.

    "At most 5" and "most of them" do not, nor does a word of a value, such as Max.
    """
    values = {at for each in mentions if each.kind is MentionKind.VALUE for at in range(each.start, each.end)}
    words, tokens = lexicon(), ["" if at in values else each.text for at, each in enumerate(tokens_of(message))]
    found: dict[str, bool] = {}
    for before, word, after in zip(["", *tokens], tokens, [*tokens[1:], ""], strict=False):
        implied = words.implied.get(word) if word.endswith("est") else None
        if implied and implied.polarity and "@date" not in implied.fields:
            found[word] = implied.polarity > 0
        elif words.cues.get(word) in ("MAX", "MIN") and before != "at" and (word, after) != ("most", "of"):
            found[word] = words.cues[word] == "MAX"
    return found


def _number_of(word: str, sums: Sequence[str], meaning: Meaning, mentions: Sequence[Mention], schema: Schema) -> str:
    """The column of which the most is asked for, or none.

    It is the one spoken of, else the one that a condition is on, else the one of money, else the only one; of a word
    such as "longest" only one that it is about.
    """
    numbers = [name for name, each in schema.fields.items() if each.type is FieldType.NUMBER]
    spoken_of = [name for each in mentions for name in each.fields(Kind.FIELD)[:1]]
    if word in _OF_MANY and _counts_rows(word, mentions, schema):
        return ""  # "Who has the most bookings?" has them counted for each of something.
    implied = lexicon().implied.get(word)
    is_of_money = implied is None or "price" in implied.fields or "size" in implied.fields
    money = [column_of_money(schema)] if is_of_money else []
    of_any = (meaning.bounds, money, numbers) if implied is None or "size" in implied.fields else (money,)
    # The biggest of those built before 2010 is not the one built last.
    plain = [name for name in numbers if not is_of_years(name)]
    choices: list[tuple[Iterable[str], list[str]]] = [(sums, numbers), (spoken_of, numbers)]
    choices += [(names, plain) for names in of_any]
    found = ([name for name in dict.fromkeys(names) if name in among] for names, among in choices)
    return next((names[0] for names in found if len(names) == 1), "")


def _calls_rows(text: str, schema: Schema) -> bool:
    nouns = {word for each in schema.fields[TABLE].synonyms.values() for noun in each for word in split_words(noun)}
    return nouns.issuperset(split_words(text))


def _by_money(meaning: Meaning, message: str, money: str) -> Meaning | None:
    """The groups with their sums of money: of "how much did each donor give?" and "who is the biggest customer?"."""
    said, order = [each.text for each in tokens_of(message)], meaning.order
    if not (meaning.group and money):
        return None
    if order and (order.field, order.of) == (EVERY, "count") and not _OF_MONEY.isdisjoint(said):
        return replace(meaning, order=Sort(money, order.descending, "sum"))
    if order is None and set(meaning.aggregates) <= {DOCUMENTS} and ("how", "much") in pairwise(said):
        return replace(meaning, aggregates=(Aggregate("sum", money),))
    return None


def _asks_for_sum(message: str) -> bool:
    return any(lexicon().cues.get(each.text) == "SUM" for each in tokens_of(message))


def with_days(found: Understood, mentions: Sequence[Mention], reader: SchemaReader) -> Understood:
    """What was understood, where a year that no column is named for is that of days: "enrolments of 2025".

    A column of years, such as that of birth, is meant where the message speaks of it.
    """
    meaning, day = found.meaning, reader.vocabulary.date
    types = reader.vocabulary.types
    dates = [each for each in mentions if each.kind is MentionKind.DATE or is_year(each.number)]
    if len(dates) == 1 and _is_denied(found.message, dates[0]):
        # No condition leaves a period out.
        bounds = {name: each for name, each in meaning.bounds.items() if types[name] is not FieldType.DATE}
        left_out = dict.fromkeys((*meaning.unknown, f"not {dates[0].text}"))
        return replace(found, meaning=replace(meaning, bounds=bounds, unknown=tuple(left_out)))
    spoken_of = {name for each in mentions for name in each.fields(Kind.FIELD)}
    if day is None or day in meaning.restricted:
        return found
    for name, values in meaning.wanted.items():
        year = values[0] if len(values) == 1 and types[name] is FieldType.NUMBER else None
        if isinstance(year, int | float) and is_year(year) and name not in spoken_of and is_of_years(name):
            rest = {each: meaning.wanted[each] for each in meaning.wanted if each != name}
            whole = Bounds(gte=f"{year:.0f}-01-01", lt=f"{year + 1:.0f}-01-01")
            return replace(found, meaning=replace(meaning, wanted=rest).bounding(day, whole))
    return found


def with_money(found: Understood, mentions: Sequence[Mention], schema: Schema) -> Understood:
    """What was understood, where an amount with a currency is of the one column of money: "orders over £1000"."""
    money, bounds = column_of_money(schema), found.meaning.bounds
    spoken_of = {name for each in mentions for name in each.fields(Kind.FIELD)}
    numbers = {name for name in spoken_of if schema.fields[name].type is FieldType.NUMBER}
    amounts = {name: amount for name in bounds if name not in numbers and (amount := _amount(bounds[name]))}
    if not money or money in bounds or len(amounts) != 1 or not AMOUNT.search(found.message):
        return found
    ((other, amount),) = amounts.items()
    rest = {name: each for name, each in bounds.items() if name != other}
    return replace(found, meaning=replace(found.meaning, bounds=rest).bounding(money, amount))


def _amount(bounds: Bounds) -> Bounds | None:
    """The bounds as those of a number; None if they are of something else."""
    ends = (bounds.gt, bounds.gte, bounds.lt, bounds.lte)
    said = [str(each) for each in ends if each is not None]
    if not said or not all(each.replace(".", "", 1).isdecimal() for each in said):
        return None
    gt, gte, lt, lte = (None if each is None else float(str(each)) for each in ends)
    return Bounds(gt=gt, gte=gte, lt=lt, lte=lte)


def goes_on_from_rows(message: str, before: Understood, vocabulary: Vocabulary) -> Understood | None:
    """What is understood of "who isn't?" after those that are, and of "who gets the most?" after a number for each."""
    said, meaning = message.strip(), before.meaning
    if before.strategy != "M":
        return None
    if _WHO_IS_NOT.fullmatch(said):
        turned = _turned(meaning, vocabulary)
    elif _WHO_MOST.fullmatch(said):
        turned = replace(ordered(meaning, said, None, vocabulary), limit=1)
        turned = turned if turned.order != meaning.order else None
    else:
        turned = None
    return replace(before, message=message, meaning=turned, continues=True) if turned else None


def _turned(meaning: Meaning, vocabulary: Vocabulary) -> Meaning | None:
    """The meaning with its one condition turned round: on values, on whether there is one, or on a debt."""
    found: list[Meaning] = []
    for name, values in meaning.wanted.items():
        rest = {each: meaning.wanted[each] for each in meaning.wanted if each != name}
        if vocabulary.types[name] is FieldType.BOOLEAN:
            found.append(meaning.setting(name, not values[0]))
        elif name != TABLE:
            found.append(replace(meaning, wanted=rest, unwanted={**meaning.unwanted, name: values}))
    for name, each in meaning.bounds.items():
        other = Bounds(present=not each.present) if each.present is not None else _OTHER_DEBTS.get(each)
        found += [replace(meaning, bounds={**meaning.bounds, name: other})] if other else []
    return found[0] if len(found) == 1 else None


def _is_denied(message: str, mention: Mention) -> bool:
    """Whether a "not" or "without" stands right before a mention, or before its preposition."""
    tokens = [each.text for each in tokens_of(message)][: mention.start]
    words = [each for each in tokens if each not in ("in", "of", "from", "the")]
    return bool(words) and lexicon().cues.get(words[-1]) == "NOT"


def grouped(found: Understood, mentions: Sequence[Mention], schema: Schema) -> Understood:
    """What was understood, with the column behind "by" or "per" as that of groups, as in "cost by who paid".

    Such a column with few values is no order. What stands behind "per" and is no column is said to be left out.
    """
    meaning, order = found.meaning, found.meaning.order
    if paid := _by_money(meaning, found.message, column_of_money(schema)):
        return replace(found, meaning=paid)
    if meaning.group or (order and (order.of or order.field not in schema.fields)):
        return found
    said = [name for each in mentions for name in each.fields(Kind.FIELD)[:1]]
    numbers = list(dict.fromkeys(name for name in said if schema.fields[name].type is FieldType.NUMBER))
    column = order.field if order else _each_of(found.message, mentions)
    if column in {each.field for each in meaning.aggregates}:
        column = ""  # "How much rent per month?" is no rent for each monthly rent.
    is_of_few = column != "" and bool(schema.fields[column].values)
    computed = meaning.aggregates or ((Aggregate("sum", numbers[0]),) if is_of_few and len(numbers) == 1 else ())
    if column and computed and (is_of_few or not order):
        meaning = replace(meaning, group=(column,), fields=(column,), order=None, aggregates=computed)
        return replace(found, meaning=meaning, confidence=max(found.confidence, SURE_OF_ROWS))
    word = _each_word(found.message, mentions) if meaning.aggregates else ""
    return replace(found, meaning=replace(meaning, unknown=(*meaning.unknown, word))) if word else found


def _each_of(message: str, mentions: Sequence[Mention]) -> str:
    """The column behind a "by", "per" or "each": of "vet costs by who paid" that of who paid."""
    return next((each.fields(Kind.FIELD)[0] for each in _columns_behind(message, mentions, _EACH)), "")


def _each_word(message: str, mentions: Sequence[Mention]) -> str:
    """A word behind "per" or "each" that no column has; not "per month"."""
    found = _behind(message, mentions, _EACH - {"by"})
    of_dates = lexicon().of_dates
    return next((each.text for each in found if each.kind in _WORDS and each.text.lower() not in of_dates), "")


def _behind(
    message: str, mentions: Sequence[Mention], words: Collection[str], *, over: Collection[str] = ()
) -> Iterator[Mention]:
    """The mentions behind one of the words, and perhaps behind others between: "by who paid", "without a phone"."""
    tokens = [each.text for each in tokens_of(message)]
    for mention in mentions:
        before = [each for each in tokens[: mention.start] if each not in lexicon().which and each not in over]
        if before[-1:] and before[-1] in words:
            yield mention


def _columns_behind(
    message: str, mentions: Sequence[Mention], words: Collection[str], *, over: Collection[str] = ()
) -> Iterator[Mention]:
    return (each for each in _behind(message, mentions, words, over=over) if each.kind is MentionKind.FIELD)


def with_rows_counted(found: Understood) -> Understood:
    """What was understood, with rows counted instead of the one value that the conditions leave: "pontoon A berths"."""
    meaning = found.meaning

    def is_of_one(each: Aggregate) -> bool:
        return each.op == "count" and len(meaning.wanted.get(each.field, ())) == 1

    counted = tuple(dict.fromkeys(DOCUMENTS if is_of_one(each) else each for each in meaning.aggregates))
    return replace(found, meaning=replace(meaning, aggregates=counted))


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
