"""Which of a base's tables a message is about: its columns alone are meant then, and none of another table."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from cicada.documents.catalogue import DOCUMENTS, EVERY, TITLE, is_kind_of
from cicada.documents.model import TABLE
from cicada.documents.periods import period_of
from cicada.knowledge_bases.schema import Schema
from cicada.knowledge_bases.values import folded
from cicada.understanding.asking_back import refers_back
from cicada.understanding.debts import (
    SURE_OF_ROWS,
    asks_of_debts,
    column_of_money,
    debts_asked,
    is_of_overdue,
    table_of_days_due,
    table_of_debts,
    with_rows_out,
    with_rows_overdue,
    with_rows_owing,
)
from cicada.understanding.facts import Mention, MentionKind, facts_of
from cicada.understanding.left_out import of_all_rows, with_nothing_new
from cicada.understanding.meaning import Bounds, Meaning
from cicada.understanding.other_tables import Row, most_of, of_other_table, people
from cicada.understanding.rows import (
    AMOUNT,
    goes_on_from_rows,
    grouped,
    ordered,
    with_asked_values,
    with_columns,
    with_days,
    with_extreme,
    with_money,
    with_rows_counted,
)
from cicada.understanding.schema_planner import SchemaReader
from cicada.understanding.states import with_states
from cicada.understanding.understood import Understood, in_turn
from cicada.understanding.vocabulary import EARLY, Kind, Level, Vocabulary
from cicada.understanding.vocabulary import Meaning as PhraseMeaning
from cicada.understanding.words import lexicon, split_words, tokens_of, word_set
from cicada.understanding.year_columns import of_another_year, with_year_columns

_T = TypeVar("_T")
_OF_DOCUMENTS = word_set("document documents doc docs file files")
# Behind a number these say no more than a sign of a currency before it, whichever.
_UNIT_OF_MONEY = re.compile(
    r"(?<![0-9.,])([0-9][0-9.,]*)\s+(pounds?|euros?|dollars?|quid|bucks|francs?)\b", re.IGNORECASE
)
_OF_WEIGHT = word_set("weight kg lb mass")
_OF_PEOPLE = re.compile(r"(?:and )?(?:who|whose|which of us|does any(?:one|body))\b", re.IGNORECASE)
_HOW_MANY = re.compile(r"(?:and |so )?how many\b", re.IGNORECASE)
_WHICH = re.compile(r"(?:and |so |please )?(?:which|list|show)\b", re.IGNORECASE)
_THE_ONE = re.compile(r"\b(?:the|which) (?:\w+ )?ones?\b", re.IGNORECASE)
_GOES_ON = re.compile(r"(?:and|or|also|what about|how about|but|only|just|no)\b", re.IGNORECASE)
_MOST_TRIED, _CLEARLY = 3, 0.05
_OUTSIDE = ""
"""The documents that are rows of no table."""


class TablesReader(Struct, frozen=True):
    """Understands messages to a base with tables. `whole`: reads with the fields of all of them.

    `_of_tables`: readers of the tables that were asked for, kept because they are costly to make.
    """

    whole: SchemaReader
    _of_tables: dict[str, SchemaReader] = field(default_factory=dict)

    @property
    def schema(self) -> Schema:
        return self.whole.schema

    def understand(self, messages: Sequence[str], now: date, asker: str = "") -> Understood:
        """The last of a user's messages, as `SchemaReader.understand` has it."""
        return in_turn(messages, lambda message, before: self.next(message, before, now, asker))

    def of_row(self, message: str, table: str, now: date, asker: str) -> Understood:
        """A message on a row of this table, read with its columns alone."""
        reader = self.reader_of(table) if table in self.schema.fields[TABLE].values else self.whole
        return reader.next(message, None, now, asker)

    def of_other_table(
        self, message: str, table: str, values: Sequence[str], now: date, asker: str
    ) -> Understood | None:
        """What a message on a row of a table asks of another table, by one of the row's values: "and his boat?"."""
        found = of_other_table(self, Row(table, values), with_year_columns(message, self.schema), now, asker)
        return replace(found, message=message) if found else None

    def people(self, text: str) -> Sequence[str]:
        """Whom the tables know of those that the text names."""
        return people(text, self.schema, self.whole.vocabulary)

    def tables_of(self, mention: Mention) -> set[str]:
        """The tables that a mention names, or that have a column which it may speak of."""
        named = (name for meaning in mention.meanings for name in self._named_by(meaning))
        return {*_tables_of(mention, self.schema), *named}

    def next(self, message: str, before: Understood | None, now: date, asker: str) -> Understood:
        """A message after what came before it, read with the columns of the one table that it is about."""
        if again := of_another_year(message, before, self.schema):
            return again
        plain = with_year_columns(_UNIT_OF_MONEY.sub(self._with_sign, message), self.schema)
        return replace(self._next(plain, before, now, asker), message=message)

    def _with_sign(self, amount: re.Match[str]) -> str:
        """The amount with a sign of a currency before it; pounds may be of a weight, where a column has one."""
        weighs = any(not _OF_WEIGHT.isdisjoint(split_words(name)) for name in self.schema.fields)
        return amount[1] if weighs and amount[2].lower().startswith("pound") else f"£{amount[1]}"

    def _next(self, message: str, before: Understood | None, now: date, asker: str) -> Understood:
        if before is not None and (again := goes_on_from_rows(message, before, self.whole.vocabulary)):
            return again
        whole = self.whole.next(message, before, now, asker)
        table = self._table_of(message, before if whole.continues else None, now)
        is_new_list = not whole.continues and whole.strategy == "M" and whole.meaning.aggregates != (DOCUMENTS,)
        if table is None and is_new_list:
            table = self._of_columns(whole.meaning) or self._likeliest(message, now, asker)
        if table is None:
            return self._by_table(whole)
        reader = self.reader_of(table)
        goes_on = whole.continues and not self._names_another(message, table, before, now)
        earlier = _within(before, reader.schema) if goes_on else None
        asked = debts_asked(message, reader.schema, self._called(table)) or message
        found = _of_conditions(replace(reader.next(asked, earlier, now, asker), message=message))
        found = with_rows_owing(found, reader.schema)
        found = with_rows_out(with_rows_overdue(found, reader.schema, now), reader.schema)
        if found.strategy != "M" or (whole.strategy != "M" and found.confidence < whole.confidence):
            return whole
        return found if table == _OUTSIDE else self._completed(found, table, earlier, now)

    def _by_table(self, found: Understood) -> Understood:
        """What was understood, with a count of rows of several tables for each of them."""
        meaning = found.meaning
        columns = [self.schema.fields[name].tables for name in meaning.restricted if name in self.schema.fields]
        several = len(frozenset.intersection(*columns) - {_OUTSIDE}) > 1 if columns else False
        counts = meaning.aggregates == (DOCUMENTS,)
        if found.strategy != "M" or not several or not counts or meaning.group or TABLE in meaning.restricted:
            return found
        return replace(found, meaning=replace(meaning, group=(TABLE,)))

    def _completed(self, found: Understood, table: str, earlier: Understood | None, now: date) -> Understood:
        """What was understood, for the rows of the table."""
        reader = self.reader_of(table)
        mentions = facts_of(found.message, reader.vocabulary, now, reader.heads.common).mentions
        found = with_money(with_days(with_rows_counted(found), mentions, reader), mentions, reader.schema)
        found = with_asked_values(found, mentions, reader)
        found = with_columns(grouped(found, mentions, reader.schema), mentions, reader)
        found = of_all_rows(with_extreme(found, mentions, reader), mentions, reader, now)
        found = with_nothing_new(with_states(found, mentions, reader.schema), earlier, mentions)
        if found.strategy != "M":
            return found
        is_named = any(table in self._named_by(meaning) for each in mentions for meaning in each.meanings)
        computes = any(each.field in reader.schema.fields for each in found.meaning.aggregates)
        if is_named and computes and not found.meaning.unknown:
            found = replace(found, confidence=max(found.confidence, SURE_OF_ROWS))
        return _of_rows(found, table, reader, earlier)

    def _table_of(self, message: str, before: Understood | None, now: date) -> str | None:
        """The table that a message is about, or whose rows tell what is due or owed."""
        table = self._table(message, before, now)
        if table is None and is_of_overdue(message):
            return table_of_days_due(self.schema) or None
        if table is None and asks_of_debts(message):
            return table_of_debts(self.schema) or None
        return table

    def _of_columns(self, meaning: Meaning) -> str | None:
        """The only table that has all columns of the meaning."""
        names = {*meaning.restricted, *meaning.fields, *(period_of(each)[0] for each in meaning.group)}
        names |= {each.field for each in meaning.aggregates} | ({meaning.order.field} if meaning.order else set())
        columns = [self.schema.fields[name].tables for name in names if name in self.schema.fields]
        shared = frozenset.intersection(*columns) if columns else frozenset()
        return next(iter(shared)) if len(shared) == 1 else None

    def _likeliest(self, message: str, now: date, asker: str) -> str | None:
        """The one of a few equally likely tables with whose columns the message clearly reads best, if there is one."""
        mentions = facts_of(message, self.whole.vocabulary, now, self.whole.heads.common).mentions
        columns = [frozenset(_tables_of(each, self.schema)) for each in mentions]
        most = most_of({*self.schema.fields[TABLE].values, _OUTSIDE}, columns)
        if _OUTSIDE in most or not 1 < len(most) <= _MOST_TRIED:
            return None
        is_of_age = not {"OLD", "NEW"}.isdisjoint(lexicon().cues.get(each.text, "") for each in tokens_of(message))

        def fit(table: str) -> tuple[bool, bool, float]:
            reader = self.reader_of(table)
            found = reader.next(message, None, now, asker)
            found = with_extreme(found, facts_of(message, reader.vocabulary, now, reader.heads.common).mentions, reader)
            tells_age = any(not EARLY.isdisjoint(split_words(name)) for name in reader.schema.fields)
            return not found.meaning.unknown, tells_age and is_of_age, found.confidence

        *_, second, best = sorted((*fit(table), table) for table in most)
        is_clear = best[:2] != second[:2] or best[2] - second[2] > _CLEARLY
        return best[-1] if is_clear else None

    def _called(self, table: str) -> str:
        """What the rows of the table are called."""
        return next(iter(self.schema.fields[TABLE].synonyms.get(table, ())), "rows")

    def reader_of(self, table: str) -> SchemaReader:
        """A reader with the columns of this table alone."""
        if table not in self._of_tables:
            reader = SchemaReader.of(_of_one(self.schema.of_table(table), table))
            # "Quilt" is no slip for Ms Quill where another table has quilts.
            known = reader.heads.common.union(*self.whole.vocabulary.letters.values())
            self._of_tables[table] = replace(reader, heads=replace(reader.heads, common=known))
        return self._of_tables[table]

    def _table(self, message: str, before: Understood | None, now: date) -> str | None:
        """The table that the message names, or that alone has most of the columns that it speaks of.

        Where several have them, the one that the turn before was about.
        """
        mentions = facts_of(message, self.whole.vocabulary, now, self.whole.heads.common).mentions
        columns = [frozenset(_tables_of(each, self.schema)) for each in mentions]
        named = self._named(mentions, columns)
        if not named and not _OF_DOCUMENTS.isdisjoint(each.text for each in tokens_of(message)):
            return _OUTSIDE  # "All documents that Marta wrote" are no rows.
        tables = named or {*self.schema.fields[TABLE].values, _OUTSIDE}
        most = most_of(tables, columns)
        earlier = self._table_before(before)
        goes_on = earlier is not None and not named and self._speaks_of(earlier, message, now)
        if earlier is not None and (goes_on or earlier in most):
            return earlier
        # "The weight of the Kormoran": a name may stand in another table too, and what is asked of it in one alone.
        asked = [each for mention, each in zip(mentions, columns, strict=True) if mention.kind is MentionKind.FIELD]
        most = most if len(most) == 1 else most_of(most, asked)
        if len(most) > 1 and AMOUNT.search(message):
            most = [each for each in most if column_of_money(self.schema.of_table(each))] or most
        if _OF_PEOPLE.match(message.strip()) and any(most[0] in each for each in columns):
            most = [each for each in most if self._has_names(each)] if len(most) > 1 else most
        return most[0] if len(most) == 1 else None

    def _has_names(self, table: str) -> bool:
        """Whether the rows of the table have names, as people do."""
        kinds = self.whole.vocabulary.kinds
        return any(kinds[name] == "name" and table in each.tables for name, each in self.schema.fields.items())

    def _speaks_of(self, table: str, message: str, now: date) -> bool:
        """Whether a message that goes on may be about this table: it refers to it, or has words of its columns."""
        if refers_back(message) or _THE_ONE.search(message):
            return True
        mentions = facts_of(message, self.reader_of(table).vocabulary, now, self.whole.heads.common).mentions
        return any(each.kind in (MentionKind.FIELD, MentionKind.VALUE) for each in mentions)

    def _names_another(self, message: str, table: str, before: Understood | None, now: date) -> bool:
        """Whether a message asks for rows of another table than the one before, and refers to nothing of that."""
        if table == self._table_before(before) or refers_back(message) or _GOES_ON.match(message.strip()):
            return False
        mentions = facts_of(message, self.whole.vocabulary, now, self.whole.heads.common).mentions
        named = [each for each in mentions if any(table in self._named_by(meaning) for meaning in each.meanings)]
        return bool(named) and len(mentions) > len(named)

    def _named(self, mentions: Sequence[Mention], columns: Sequence[Collection[str]]) -> set[str]:
        """The tables that are named. `columns`: for each mention the tables that have it as a column or value.

        A name that is also a column of another table may mean that one: "bookings per boat", "which books has Ann?".
        """
        of_each = [{table for each in mention.meanings for table in self._named_by(each)} for mention in mentions]
        named = set[str]().union(*of_each)
        fields = [
            name for mention, own in zip(mentions, of_each, strict=True) if own for name in mention.fields(Kind.FIELD)
        ]
        either = named.union(*(self.schema.fields[name].tables for name in fields)) - {_OUTSIDE}
        spoken_of = [own.union(others) for own, others in zip(of_each, columns, strict=True)]
        most = most_of(either, spoken_of) if fields and either else []
        if len(most) == 1:
            return set(most)
        for mention, own in zip(mentions, of_each, strict=True):
            if own and any(self._has_column(table, mention.text) for table in named - own):
                named -= own  # "Bookings without a skipper" are those without a "Skipper hired".
        return named

    def _has_column(self, table: str, text: str) -> bool:
        """Whether the words stand in the name of a column of the table."""
        words = {*split_words(text)}
        names = (name for name, each in self.schema.fields.items() if table in each.tables)
        return any(words <= {*split_words(name)} for name in names)

    def _named_by(self, meaning: PhraseMeaning) -> Collection[str]:
        """The tables that a word names: its own, or those whose records are of the kind."""
        if meaning.kind is not Kind.VALUE or meaning.field not in self.whole.vocabulary.kind_fields:
            return ()
        return (meaning.value,) if meaning.field == TABLE else self.schema.fields[meaning.field].tables

    def _table_before(self, before: Understood | None) -> str | None:
        """The one table that has all columns of what came before."""
        if before is None or before.strategy != "M":
            return None
        stated = before.meaning.wanted.get(TABLE, ())
        if stated:
            return str(stated[0]) if len(stated) == 1 else None
        columns = [self.schema.fields[name].tables for name in before.meaning.restricted]
        shared = frozenset.intersection(*columns) if columns else frozenset()
        return next(iter(shared)) if len(shared) == 1 else None


def _of_conditions(found: Understood) -> Understood:
    """What was understood; what meets conditions is counted or listed for who asks how many or which."""
    meaning, message = found.meaning, found.message.strip()
    counts = found.strategy == "N" and meaning.restricted and _HOW_MANY.match(message)
    lists = found.strategy == "H" and meaning.restricted - {TABLE} and not meaning.topic and _WHICH.match(message)
    if not (counts or lists):
        return found
    meaning = replace(meaning, aggregates=(DOCUMENTS,)) if counts else meaning
    return replace(found, strategy="M", meaning=meaning, confidence=max(found.confidence, SURE_OF_ROWS))


def has_tables(schema: Schema) -> bool:
    """Whether it is known which columns the rows of its tables have."""
    return TABLE in schema.fields and any(each.tables for each in schema.fields.values())


def _of_one(schema: Schema, table: str) -> Schema:
    """The schema of one table's rows, without the names of other tables that are columns of it."""
    if TABLE not in schema.fields:
        return schema
    tables, own = schema.fields[TABLE], {word for name in schema.fields for word in split_words(name)}
    called = {name: {*split_words(nouns[-1])} for name, nouns in tables.synonyms.items() if nouns}
    names = tuple(each for each in tables.values if each == table or not called.get(each, {""}) <= own)
    synonyms = {name: words for name, words in tables.synonyms.items() if name in names}
    return replace(schema, fields={**schema.fields, TABLE: replace(tables, values=names, synonyms=synonyms)})


def _tables_of(mention: Mention, schema: Schema) -> Iterator[str]:
    """The tables that have a column which the mention may speak of."""
    everywhere = (*schema.fields[TABLE].values, _OUTSIDE)
    for each in mention.meanings:
        if each.kind is Kind.RECORD or each.field == TABLE or each.level is Level.IMPLIED:
            continue
        yield from schema.fields[each.field].tables or everywhere


def _within(before: Understood | None, schema: Schema) -> Understood | None:
    """What came before, without what it says of other fields than those of the schema."""
    if before is None:
        return None
    fields, meaning = schema.fields, before.meaning

    def known(of_fields: Mapping[str, _T]) -> dict[str, _T]:
        return {name: each for name, each in of_fields.items() if name in fields}

    order = meaning.order if meaning.order and meaning.order.field in (*fields, EVERY, TITLE) else None
    return replace(
        before,
        meaning=replace(
            meaning,
            wanted=known(meaning.wanted),
            unwanted=known(meaning.unwanted),
            bounds=known(meaning.bounds),
            aggregates=tuple(each for each in meaning.aggregates if each.field in (*fields, EVERY)),
            group=tuple(each for each in meaning.group if period_of(each)[0] in fields),
            fields=tuple(each for each in meaning.fields if each in fields),
            order=order,
            together=meaning.together & fields.keys(),
        ),
    )


def _rank_of_names(name: str, table: str, vocabulary: Vocabulary, schema: Schema) -> tuple[bool, bool, bool, bool]:
    """The column that names the rows comes first: called as they are, or "name", or with too many values to know."""
    kind = vocabulary.kinds[name]
    return not is_kind_of(name, table), kind != "name", kind == "code", bool(schema.fields[name].values)


def _of_rows(found: Understood, table: str, reader: SchemaReader, before: Understood | None) -> Understood:
    """What was understood, for the rows of this table: a row is named by a column, and not as documents are."""
    meaning, schema, vocabulary = found.meaning, reader.schema, reader.vocabulary
    texts = [name for name in vocabulary.types if name in vocabulary.open]
    column = min(texts, key=lambda name: _rank_of_names(name, table, vocabulary, schema), default="")
    if column and len(meaning.named) == 1 and column not in meaning.restricted:
        meaning = replace(meaning.bounding(column, Bounds(contains=meaning.named[0])), named=())
    for name, values in meaning.wanted.items() if column else ():
        known = {folded(each) for each in schema.fields[name].values}
        if known and name != TABLE and len(values) == 1 and folded(str(values[0])) not in known:
            # What no column has as a value is a name: the Kormoran is no type of boats.
            rest = {each: meaning.wanted[each] for each in meaning.wanted if each != name}
            meaning = replace(meaning, wanted=rest).bounding(column, Bounds(contains=str(values[0])))
    # "Pirates seats per band" of the table `Pirates bookings` asks for no row called Pirates.
    own = set(split_words(table))
    named = {
        name for name, each in meaning.bounds.items() if each.contains and own.issuperset(split_words(each.contains))
    }
    bounds = {name: each for name, each in meaning.bounds.items() if name not in named}
    meaning = ordered(replace(meaning, bounds=bounds), found.message, before, vocabulary)
    if TABLE not in meaning.restricted:
        meaning = meaning.adding(TABLE, table, negated=False)
    return replace(found, meaning=meaning, single=found.single and bool(meaning.named))
