"""Whether a message in a base without a declared schema is for its texts, or for the rows of its tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from msgspec.structs import replace

from cicada.dialogue import ShownDocument
from cicada.documents.model import TABLE, AnyOf, Contains, NoneOf
from cicada.knowledge_bases.schema import Schema
from cicada.understanding.from_understood import plan_of
from cicada.understanding.meaning import Meaning
from cicada.understanding.plan import Plan, PlanRequest, Shape

if TYPE_CHECKING:
    from cicada.understanding.understood import Understood

# Where no schema is declared, most questions are for the texts, so an unlikely listing is none.
_LIKELY_OF_ALL, _LIKELY_OF_ROWS = 0.6, 0.12
# Conditions of a search leave out what does not meet them: rows are texts of few words, which it finds without any.
_LIKELY_FILTERED, _SURELY_OF_ROWS = 0.35, 0.8

_ONE = re.compile(r"\b(?:he|she|him|her|his|hers|it|its)\b", re.I)
# What is read of the message before, in letters.
_LONGEST = 1000
_SOMEBODY = re.compile(r"\b(?:he|she|him|her|his|hers)\b", re.I)
_NAME = re.compile(r"\b[^\W\d_a-z][\w'’.-]+\s+[^\W\d_a-z][\w'’-]+")
_DOES = re.compile(r"\W*(?:and |but |so )?(?:(?:until )?when|where|how(?: long)?|why) (?:does|is|was|has)\b", re.I)
_ASKS = re.compile(r"\W*(?:and |but |so )?(?:if|who|why|when|where|how|did|does|was|has)\b", re.I)


def quoted_texts(request: PlanRequest) -> bool:
    """Whether the last answer listed nothing, and quoted texts that are no rows of tables."""
    return request.listing is None and not all(_is_row(each, request.schema) for each in request.shown.cited)


def shown_of_one(request: PlanRequest, people: Callable[[str], Sequence[str]]) -> Sequence[str]:
    """What the last answer showed of one thing that a message is about: "his email?".

    It is what the rows share that were quoted, who stands in all rows that were listed, or who is spoken of in a text:
    the one whom the message before names, else the only one in the sentences that were quoted first. `people`: those in
    a text whom a table knows.
    """
    quoted, schema = request.shown.cited, request.schema
    if TABLE not in schema.fields or not _ONE.search(request.message):
        return ()
    if request.listing or not all(_is_row(each, schema) for each in quoted):
        named = people(_said_of_somebody(request))
        return named if len(named) == 1 and _SOMEBODY.search(request.message) else ()
    first, *others = [[cell.partition(": ")[2] for cell in each.excerpt.split("; ")] for each in quoted] or [[]]
    return [value for value in first if value and all(value in each for each in others)]


def _said_of_somebody(request: PlanRequest) -> str:
    """What all rows of the list have, the question before if it names somebody, or what was quoted first."""
    if request.listing:
        first, *others = [each.values for each in request.shown.documents] or [()]
        return " ; ".join(value for value in first if all(value in each for each in others))
    asked = request.messages[-1][:_LONGEST] if request.messages else ""
    if _NAME.search(asked):
        return asked
    return request.turns[-1].answer.partition('" — ')[0] if request.turns else ""


def _is_row(quoted: ShownDocument, schema: Schema) -> bool:
    """Whether a passage is the row of a table, by the name of its document."""
    return TABLE in schema.fields and PurePosixPath(quoted.document_id).stem in schema.fields[TABLE].values


def as_searched(found: Understood, schema: Schema, *, is_listed: bool) -> Understood:
    """What was understood; a guess at a list, where the texts were searched instead, is a question on these."""
    is_searched = is_for_the_texts(plan_of(found, schema), schema, is_listed=is_listed)
    return of_texts(found) if is_searched else found


def of_texts(found: Understood) -> Understood:
    """The same as a question that the texts answer, however it was understood."""
    if found.strategy not in ("H", "M") or found.wants_documents:
        return found
    return replace(found, meaning=Meaning(topic=found.message), strategy="C", single=False)


def is_for_the_texts(plan: Plan, schema: Schema, *, is_listed: bool) -> bool:
    """Whether to search instead, because nobody has said what the documents are about: any subject may be theirs.

    Without any field, only counting or listing all documents is no search. After a listing much is about it. Where a
    schema is declared, only what is hardly a listing is none: "least a shift lead can earn in 2026".
    """
    fields = schema.fields.values()
    if not schema.is_inferred:
        names = plan.named or any(isinstance(each, Contains) for each in plan.filters)
        if names or (plan.fields and plan.filters):
            return False
        return plan.is_guess and not is_listed
    if plan.shape is Shape.HYBRID and plan.filters and not (plan.named or plan.sort or plan.wants_documents):
        of_rows = all(each.field == TABLE or not schema.fields[each.field].is_of_documents for each in plan.filters)
        return plan.confidence < (_SURELY_OF_ROWS if of_rows else _LIKELY_FILTERED)
    if plan.shape is not Shape.METADATA_ONLY:
        return not (fields and (plan.filters or (plan.named and not plan.single)))
    if not fields:
        return plan.confidence < _LIKELY_OF_ALL
    if _is_of_one(plan):
        return True
    if any(isinstance(each, NoneOf) for each in plan.filters):
        return False  # No search finds what is not so.
    if plan.fields and (plan.named or any(isinstance(each, Contains) for each in plan.filters)):
        return False  # Whether there is such a document is looked up, and it has the field or says it in its text.
    of_rows = any(each.field == TABLE for each in plan.filters)  # Their texts say no more than a list of them.
    return not is_listed and (plan.confidence < _LIKELY_OF_ROWS if of_rows else plan.is_guess)


def _is_of_one(plan: Plan) -> bool:
    """Whether all rows of a table would be listed for what is asked of one: "his email?", "when does it end?"."""
    is_of_one = (_ONE.search(plan.query) or _DOES.match(plan.query)) is not None
    return is_of_one and _is_only_of_a_table(plan)


def lists_unnamed_table(plan: Plan) -> bool:
    """Whether all rows of a table would be listed that the message does not name."""
    if not _is_only_of_a_table(plan) or plan.shape is not Shape.METADATA_ONLY:
        return False
    tables = (str(value) for each in plan.filters if isinstance(each, AnyOf) for value in each.values)
    # Imported here: it reads the lexicon, which questions to a base without tables do not need.
    from cicada.understanding.words import split_words

    return {word for table in tables for word in split_words(table)}.isdisjoint(split_words(plan.query))


def asks_of_an_event(plan: Plan) -> bool:
    """Whether it is asked who did something, and not for rows about it: "who voted against the berth increase?"."""
    return _is_only_of_a_table(plan) and _ASKS.match(plan.query) is not None


def _is_only_of_a_table(plan: Plan) -> bool:
    """Whether the plan has no condition but on the table of the rows, computes nothing and chooses none of them."""
    does_more = plan.aggregates or plan.group or plan.sort or plan.limit or plan.named
    return bool(plan.filters) and all(each.field == TABLE for each in plan.filters) and not does_more
