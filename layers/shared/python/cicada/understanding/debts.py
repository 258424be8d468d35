"""Questions what is owed, overdue or not back: which column of a table tells it, and of which rows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

from msgspec.structs import replace

from cicada.knowledge_bases.schema import FieldType, Schema
from cicada.understanding.meaning import Bounds
from cicada.understanding.understood import Understood
from cicada.understanding.vocabulary import is_of_money
from cicada.understanding.words import lexicon, split_words, tokens_of, word_set

# Words of columns, in their base forms.
_OF_TOTALS = frozenset(split_words("total amount sum betrag"))
_CURRENCIES = frozenset("£$€¥")
_PAID = frozenset(split_words("paid bezahlt"))
_OWED = frozenset(split_words("owed owing outstanding unpaid due balance offen"))
# What is asked of rows with something left to pay.
_PAYING = {*_PAID, "pay"}
_OWING = word_set("owe owes owed owing outstanding unpaid overdue")
_BACK = frozenset(split_words("back returned"))
_DUE = frozenset(split_words("due deadline fällig"))
_DONE = frozenset(
    split_words("paid bezahlt returned back closed completed done resolved repaired finished delivered settled")
)
# "Back by" is a day on which something is due, and "Came back" one on which it was done.
_BY = re.compile(r"\b(?:back|return|returned|pay|needed|ready|finished) by\b|\bexpected\b", re.IGNORECASE)
_NOT_BACK = re.compile(
    r"(?:\bnot\b|n't\b|\bnever\b|\b(?:hasnt|havent|wasnt|werent)\b).{0,20}\b(?:back|returned)\b"
    r"|\bstill (?:out|lent|borrowed|on loan)\b",
    re.IGNORECASE,
)
# What is asked of a rule, and of no rows.
_OF_RULES = re.compile(
    r"\b(?:if|when|whenever|happens?|rules?|letters?|forms?|fines?|decides?|writes?|tell|charges?|insurance|policy)\b"
    r"|\bwhat (?:do|does|should|must)\b",
    re.IGNORECASE,
)
_WHAT_IS = re.compile(r"(?:and )?(?:what|whats|which|who|anything|list|show)\b", re.IGNORECASE)
_WHO_DID_NOT_PAY = re.compile(
    r"(?:and )?(?:who|which|list|show)\b.*(?:\bnot\b|n't\b|\b(?:hasnt|havent|didnt)\b).{0,20}\bpa(?:y|id)\b",
    re.IGNORECASE,
)
_WHO_OWES = re.compile(
    r"(?:and )?(?:who|which|list|show|does any(?:one|body))\b.{0,30}\bowes?\b(?: us| me)?(?: still)?"
    r"(?: (?:money|anything|something|what))?(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_IS_OVERDUE = r"(?:overdue|should (?:already )?(?:be|have (?:been|come)) back(?! by (?!now\b|today\b)))"
_OVERDUE = re.compile(rf"\b{_IS_OVERDUE}\b", re.IGNORECASE)
# And not what happens if something is.
_WHAT_IS_OVERDUE = re.compile(
    r"(?:what|whats|which|who|is anything|anything|any|list|show)\b"
    rf"(?!.*\b(?:if|when|do|does|must|happens?|about)\b).{{0,40}}\b{_IS_OVERDUE}(?: by)?(?: now| today| still)?\W*",
    re.IGNORECASE,
)


SURE_OF_ROWS = 0.5
"""The confidence in a plan of a table's rows whose words leave no other."""


def column_of_money(schema: Schema) -> str:
    """The one column of money; of several the one with totals, or none."""
    numbers = [name for name, each in schema.fields.items() if each.type is FieldType.NUMBER]
    found = [each for each in numbers if is_of_money(each) or not _CURRENCIES.isdisjoint(each)]
    if len(found) > 1:
        found = [each for each in found if _OF_TOTALS & {*split_words(each)}]
    return found[0] if len(found) == 1 else ""


def with_rows_owing(found: Understood, schema: Schema) -> Understood:
    """What was understood, of rows with something left to pay, where it asks so and one column tells how much."""
    meaning, columns = found.meaning, _numbers(schema, _OWED)
    said = [each.text for each in tokens_of(found.message)]
    denies = _denies(said)
    is_unpaid = denies and not _PAYING.isdisjoint(said)
    if _has_both_sides(schema) and found.strategy == "M" and not _OWING.isdisjoint(said):
        # What is owed is the difference of two columns, which no condition or sum can be of.
        owing = next(each for each in said if each in _OWING)
        return replace(found, meaning=replace(meaning, unknown=(*meaning.unknown, owing)))
    if len(columns) != 1 or columns[0] in meaning.restricted or meaning.aggregates:
        return found
    is_debt = asks_of_debts(found.message)
    is_whole = found.strategy == "M" or is_debt or (found.strategy == "H" and _is_of_owing(meaning.topic))
    if not is_whole or (not is_unpaid and _OWING.isdisjoint(said)):
        return found
    order = meaning.order if meaning.order and meaning.order.field == columns[0] else None
    # What is not fully paid may have a day on which a part was paid.
    partly = {name for name, each in meaning.bounds.items() if each.present is False and _PAID & set(split_words(name))}
    meaning = replace(meaning, bounds={name: each for name, each in meaning.bounds.items() if name not in partly})
    owed = Bounds(lte=0) if denies and not is_unpaid else Bounds(gt=0)  # "Who owes nothing?"
    meaning = replace(meaning.bounding(columns[0], owed), order=order, topic="")
    sure = max(found.confidence, SURE_OF_ROWS) if is_debt else found.confidence
    return replace(found, meaning=meaning, strategy="M", wants_documents=False, confidence=sure)


def _has_both_sides(schema: Schema) -> bool:
    """Whether one column tells what was to be paid and another what was paid of it."""
    due, paid = _numbers(schema, _DUE), _numbers(schema, _PAID)
    return len(due) == len(paid) == 1 and due != paid and not _numbers(schema, _OWED - _DUE)


def _denies(words: Iterable[str]) -> bool:
    return any(each == "nothing" or lexicon().cues.get(each) == "NOT" for each in words)


def _is_of_owing(topic: str) -> bool:
    return _OWING.issuperset(topic.lower().split())


def asks_of_debts(message: str) -> bool:
    """Whether it asks who has not paid, or who owes something."""
    asks = any(each.match(message.strip()) for each in (_WHO_DID_NOT_PAY, _WHO_OWES))
    return asks and not _OF_RULES.search(message)


def debts_asked(message: str, schema: Schema, rows: str) -> str:
    """A question who owes something as one for rows, which are called so; empty if it is none.

    "Who owes us more than 40?" is "members with Balance more than 40".
    """
    found, columns = _WHO_OWES.match(message.strip()), _numbers(schema, _OWED)
    denies = _denies(each.text for each in tokens_of(message))
    if found is None or len(columns) != 1 or denies or _OF_RULES.search(message):
        return ""
    rest = found["rest"].rstrip("?! ")
    is_least = re.match(r"(?:more|over|above|less|under|below|at (?:least|most))\b", rest) is not None
    return f"{rows} with {columns[0]} {rest if is_least else f'above 0 {rest}'}".strip()


def table_of_debts(schema: Schema) -> str:
    """The one table with a column of what is owed; or none."""
    return _only_table(_numbers(schema, _OWED), schema)


def table_of_days_due(schema: Schema) -> str:
    """The one table with a column of days on which something is due; or none."""
    return _only_table(_days_due(schema), schema)


def _only_table(columns: Iterable[str], schema: Schema) -> str:
    found = {table for name in columns for table in schema.fields[name].tables if table}
    return found.pop() if len(found) == 1 else ""


def is_of_overdue(message: str) -> bool:
    """Whether it speaks of what is overdue."""
    return _OVERDUE.search(message) is not None


def with_rows_overdue(found: Understood, schema: Schema, now: date) -> Understood:
    """What was understood, of rows that are past the one column of days due, and not paid or returned."""
    meaning, due = found.meaning, _days_due(schema)
    is_list = found.strategy == "M" or _WHAT_IS_OVERDUE.fullmatch(found.message.strip())
    if not is_of_overdue(found.message) or not is_list or len(due) != 1:
        return found
    today = now.isoformat()
    bounds = {name: each for name, each in meaning.bounds.items() if each.lt != today}
    meaning = replace(meaning, bounds=bounds, topic="").bounding(due[0], Bounds(lt=today))
    for name, each in schema.fields.items():
        if _DONE & {*split_words(name)} and name not in (*due, *meaning.restricted):
            if each.type is FieldType.DATE:
                meaning = meaning.bounding(name, Bounds(present=False))
            elif each.type is FieldType.BOOLEAN:
                meaning = meaning.setting(name, False)
    return replace(
        found, meaning=meaning, strategy="M", wants_documents=False, confidence=max(found.confidence, SURE_OF_ROWS)
    )


def with_rows_out(found: Understood, schema: Schema) -> Understood:
    """What was understood, of the rows that have not come back, where one column has the days on which they did."""
    meaning, due = found.meaning, _days_due(schema)
    back = [name for name in _days(schema) if name not in due and _BACK & {*split_words(name)}]
    is_list = found.strategy == "M" or _WHAT_IS.match(found.message)
    if len(back) != 1 or not is_list or not _NOT_BACK.search(found.message) or _OF_RULES.search(found.message):
        return found
    bounds = {name: each for name, each in meaning.bounds.items() if name not in due or each.present is None}
    meaning = replace(meaning, bounds=bounds, topic="").bounding(back[0], Bounds(present=False))
    sure = max(found.confidence, SURE_OF_ROWS)
    return replace(found, meaning=meaning, strategy="M", wants_documents=False, confidence=sure)


def _days(schema: Schema) -> list[str]:
    return [name for name, each in schema.fields.items() if each.type is FieldType.DATE]


def _days_due(schema: Schema) -> list[str]:
    return [name for name in _days(schema) if _DUE & {*split_words(name)} or _BY.search(name)]


def _numbers(schema: Schema, words: frozenset[str]) -> list[str]:
    """The columns of numbers with one of the words in their name."""
    numbers = (name for name, each in schema.fields.items() if each.type is FieldType.NUMBER)
    return [name for name in numbers if words & {*split_words(name)}]
