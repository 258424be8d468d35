"""The plan without a model: the message's intent, then for a base with typed metadata what its schema says."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from cicada.dialogue import ShownDocument
from cicada.documents.model import TABLE, Contains, KnowledgeBaseKey, NoneOf
from cicada.knowledge_bases.schema import FieldType, Schema
from cicada.text import one_line
from cicada.understanding.agent_meant import agent_meant
from cicada.understanding.asking_back import completing, may_complete, refers_back
from cicada.understanding.classifier import AGENTS
from cicada.understanding.follow_ups import SEARCHED, carried_over, stand_alone
from cicada.understanding.from_understood import of_row, plan_of
from cicada.understanding.intent.reading import is_small_talk
from cicada.understanding.last_answer import (
    chooses_from_nothing,
    chosen_document,
    is_page_request,
    nothing_to_choose_from,
    of_last_answer,
    of_shown_document,
    of_the_first,
    row_spoken_of,
    speaks_of_another,
)
from cicada.understanding.meaning import Meaning
from cicada.understanding.plan import (
    Classification,
    Intent,
    Plan,
    Planner,
    PlanRequest,
    Shape,
    contradiction,
)
from cicada.understanding.quoted_lines import sought_scene
from cicada.understanding.subjects import asks_for_summary, subjects_of

if TYPE_CHECKING:
    from cicada.understanding.schema_planner import SchemaReader
    from cicada.understanding.tables import TablesReader
    from cicada.understanding.understood import Understood

_READERS = 32
_SURELY_A_LIST = 0.5
# Where no schema is declared, most questions are for the texts, so an unlikely listing is none.
_LIKELY_OF_ALL, _LIKELY_OF_ROWS = 0.6, 0.12
# Conditions of a search leave out what does not meet them: rows are texts of few words, which it finds without any.
_LIKELY_FILTERED, _SURELY_OF_ROWS = 0.35, 0.8

_ONE = re.compile(r"\b(?:he|she|him|her|his|hers|it|its)\b", re.I)
_NAME = re.compile(r"(?:[^\W\d_][\w'’.-]*\s+)+[^\W\d_a-z][\w'’-]+")
_DOES = re.compile(r"\W*(?:and |but |so )?(?:(?:until )?when|where|how(?: long)?|why) (?:does|is|was|has)\b", re.I)
_ASKS = re.compile(r"\W*(?:and |but |so )?(?:who|why|when|where|how|did|does|was|has)\b", re.I)


class RulesPlanner(Struct, frozen=True):
    """`classify` gets a message and its base. `documents` plans questions on documents whose metadata have a schema.

    A message that seems general with less confidence than `general_confidence` is searched for: an unneeded search
    costs little, an unanswered question much. `asks_change`: whether a message asks to change profiles or theories.
    `asks`: whether it is a question.
    """

    classify: Callable[[str, KnowledgeBaseKey], Classification]
    documents: Planner | None = None
    general_confidence: float = 0.5
    asks_change: Callable[[str], bool] = lambda _: False
    asks: Callable[[str], bool] = lambda _: True

    def plan(self, request: PlanRequest) -> Plan:
        """A plan of the intent, or of the documents' metadata and texts."""
        if (again := of_last_answer(request)) is not None:
            return again
        plan = _with_subjects(self._completed(self._with_carried(request), request), request)
        if plan.shape in (Shape.CONTENT_ONLY, Shape.METADATA_ONLY) and chooses_from_nothing(request):
            return nothing_to_choose_from(request)
        # A search does no harm, and a plan that nobody is sure of is made again by a model, where there is one.
        return _search(request, 0.0) if contradiction(plan, request.schema) else plan

    def _with_carried(self, request: PlanRequest) -> Plan:
        found = stand_alone([*request.messages, request.message])
        plan = self._plan(request)
        if plan.intent in AGENTS:
            return plan
        if plan.continues and plan.shape is Shape.HYBRID and not plan.wants_documents:
            return replace(plan, before=found.before)
        if not found.question or plan.carried or plan.filters or plan.shape is Shape.METADATA_ONLY:
            return carried_over(plan, found)
        # The message is the question before with another name.
        asked = replace(request, message=found.question, messages=(), turns=())
        whole = self._plan(asked)
        is_unclear = whole.intent is Intent.GENERAL or whole.shape is Shape.NEEDS_CLARIFICATION
        whole = _search(asked, plan.confidence) if is_unclear else whole
        return replace(whole, carried=(found.question,))

    def _completed(self, plan: Plan, request: PlanRequest) -> Plan:
        """Add the question before, if that was asked back and the message answers."""
        if not request.messages or not may_complete(request.message, plan):
            return plan
        *earlier, asked = request.messages
        before = self._with_carried(replace(request, message=asked, messages=tuple(earlier)))
        return completing(plan, asked) if before.shape is Shape.NEEDS_CLARIFICATION else plan

    def _plan(self, request: PlanRequest) -> Plan:
        # Alone, "the second one" would look like small talk.
        if self.documents and request.messages and (chosen_document(request) or row_spoken_of(request)):
            return self.documents.plan(request)
        found = self.classify(request.message, request.base_key)
        found = agent_meant(found, request, self.classify, self.asks_change, self.asks)
        if found.intent in AGENTS and (plan := self._of_documents_after_all(request, found.confidence)):
            return plan
        if found.intent is Intent.GENERAL and found.confidence < self.general_confidence:
            plan = self._of_documents(request) if request.schema.fields else None
            is_list = plan is not None and _states_conditions(plan, request.schema)
            return plan if plan and is_list else _search(request, found.confidence)
        if found.intent is not Intent.SCRIPT_QUERY:
            return Plan(found.intent, Shape.NO_MATCH, request.message, confidence=found.confidence)
        plan = self._of_documents(request) or _search(request, 1.0)
        return replace(plan, confidence=min(plan.confidence, found.confidence))

    def _of_documents_after_all(self, request: PlanRequest, confidence: float) -> Plan | None:
        """The plan of a message that seems for an agent and speaks of documents: "list everything tagged cold-chain".

        It asks for no change, and it is about what was just listed, or states conditions on documents.
        """
        if not request.schema.fields or self.asks_change(request.message):
            return None
        plan = self._of_documents(request)
        if request.listing is not None and refers_back(request.message):
            return plan or _search(request, confidence)
        return plan if plan and _states_conditions(plan, request.schema) else None

    def _of_documents(self, request: PlanRequest) -> Plan | None:
        """The plan by the schema; None for what is for the texts."""
        if self.documents is None:
            return None
        plan = self.documents.plan(request)
        if plan.wants_documents and _is_only_of_a_table(plan) and _ASKS.match(plan.query):
            return None  # "Who voted against the berth price increase?" asks for no rows that are about it.
        if plan.wants_documents and (request.schema.fields or _speaks_of_documents(request)):
            return plan
        is_for_the_texts = _is_for_the_texts(plan, request.schema, is_listed=request.listing is not None)
        return None if is_for_the_texts else plan


class SchemaPlanner(Struct, frozen=True):
    """Plans by the schema of each base. `_readers`: of the schemas asked last, the newest at the end.

    A schema changes with what is ingested, and with what its base's operator sets.
    """

    _readers: list[SchemaReader | TablesReader] = field(default_factory=list)

    def plan(self, request: PlanRequest) -> Plan:
        """A plan of a question on documents, which may continue earlier ones."""
        reader = self._reader(request.schema)
        is_page = is_page_request(request.message)
        earlier = [each for each in request.messages if not (is_page or is_small_talk(each) or is_page_request(each))]
        today = request.now.date()

        def understand(messages: Sequence[str]) -> Understood:
            # Imported here, as the readers are.
            from cicada.understanding.understood import in_turn

            def after(message: str, before: Understood | None) -> Understood:
                if before and message is messages[-1] and _quoted_texts(request):
                    before = _of_texts(before)
                elif before:
                    is_listed = request.listing is not None and message is messages[-1]
                    before = _as_searched(before, request.schema, is_listed=is_listed)
                return reader.next(message, before, today, request.asker)

            return in_turn(messages, after)

        if (row := row_spoken_of(request)) and not speaks_of_another(understand([row.asked])):
            if elsewhere := reader.of_other_table(row.asked, row.table, row.values, today, request.asker):
                return plan_of(elsewhere, request.schema)
            return of_row(reader.of_row(row.asked, row.table, today, request.asker), row)
        if quoted := _quoted_of_one(request):
            elsewhere = reader.of_other_table(request.message, "", quoted, today, request.asker)
            if elsewhere and not speaks_of_another(elsewhere):
                return plan_of(elsewhere, request.schema)
        found = of_shown_document(request, earlier, understand) or understand([*earlier, request.message])
        return _of_the_only_row(of_the_first(plan_of(found, request.schema), request), request)

    def _reader(self, schema: Schema) -> SchemaReader | TablesReader:
        found = next((each for each in self._readers if each.schema is schema or each.schema == schema), None)
        if found is None:
            # Imported here: the heads take a part of a cold start, and not every question needs them.
            from cicada.understanding.schema_planner import SchemaReader
            from cicada.understanding.tables import TablesReader, has_tables

            whole = SchemaReader.of(schema)
            found = TablesReader(whole) if has_tables(schema) else whole
            # A new list: another thread may be looking at the old one.
            self._readers[:] = [*self._readers[1 - _READERS :], found]
        return found


def _states_conditions(plan: Plan, schema: Schema) -> bool:
    """Whether a list has conditions, and not only that it is somebody's: "show my profiles" may be for an agent."""
    is_list = plan.shape is Shape.METADATA_ONLY and plan.confidence >= _SURELY_A_LIST
    return is_list and any(schema.fields[each.field].type is not FieldType.PERSON for each in plan.filters)


def _speaks_of_documents(request: PlanRequest) -> bool:
    """Whether this message, or an earlier one that it may follow, has a word for documents."""
    # Imported here: it reads the lexicon, which questions to a base without a schema mostly do not need.
    from cicada.understanding.words import speaks_of_records

    return any(speaks_of_records(each, request.schema.items) for each in (request.message, *request.messages))


def _with_subjects(plan: Plan, request: PlanRequest) -> Plan:
    """Add what is to be read as a whole to the plan.

    Fields answer no question on what a text says, but a document that is named is read all the same. A name that no
    document has leaves the shape as it is.
    """
    if plan.intent is not Intent.SCRIPT_QUERY:
        return plan
    named = subjects_of(request.message, request.messages, of_scripts=request.of_scripts)
    if len(named) > 1 and plan.shape is Shape.METADATA_ONLY and plan.confidence < _SURELY_A_LIST:
        plan = _search(request, plan.confidence)  # A title may look like conditions.
    if named and asks_for_summary(request.message) and any(each.field == TABLE for each in plan.filters):
        plan = _search(request, plan.confidence)  # "Sum up the letter of March" adds nothing up.
    if named and _describes_one(plan, request):
        plan = replace(plan, shape=Shape.HYBRID, single=True)
    if not (plan.named or plan.shape in SEARCHED):
        return plan
    # Of what was talked of, a name is likelier a document than a thing.
    carried = " ".join([each for each in plan.carried if each[:1].isupper()] or plan.carried)
    return replace(plan, subjects=tuple(each if each.document else replace(each, document=carried) for each in named))


def _describes_one(plan: Plan, request: PlanRequest) -> bool:
    """Whether a document that is to be summed up is described: "summarise the minutes of 14 June" lists none."""
    of_rows = any(each.field == TABLE for each in plan.filters)
    computes = plan.aggregates or plan.group or plan.fields or plan.wants_documents
    is_list = plan.shape is Shape.METADATA_ONLY and bool(plan.filters) and not (of_rows or computes or plan.named)
    return is_list and asks_for_summary(request.message)


def _of_the_only_row(plan: Plan, request: PlanRequest) -> Plan:
    """The plan, with the name of the only row that was listed where the message has words that no column has."""
    shown = request.shown.documents
    is_of_row = request.listing is not None and len(shown) == 1 and bool(shown[0].row)
    return replace(plan, carried=shown[0].called) if plan.continues and plan.unknown and is_of_row else plan


def _quoted_texts(request: PlanRequest) -> bool:
    """Whether the last answer listed nothing, and quoted texts that are no rows of tables."""
    return request.listing is None and not all(_is_row(each, request.schema) for each in request.shown.cited)


def _quoted_of_one(request: PlanRequest) -> Sequence[str]:
    """What the last answer quoted of one thing that a message is about: "his email?".

    It is what the rows share that were quoted, or the only name of somebody in a table that stands in a text.
    """
    quoted, schema = request.shown.cited, request.schema
    if request.listing or TABLE not in schema.fields or not _ONE.search(request.message):
        return ()
    if not all(_is_row(each, schema) for each in quoted):
        said = request.turns[-1].answer.partition('" — ')[0] if request.turns else ""
        values = {value for each in schema.fields.values() if each.tables for value in each.values}
        names = [each for each in values if _NAME.fullmatch(each) and each in said]
        return names if len(names) == 1 else ()
    of_each = [{cell.partition(": ")[2] for cell in each.excerpt.split("; ")} for each in quoted]
    return sorted(set[str].intersection(*of_each) - {""}) if of_each else ()


def _is_row(quoted: ShownDocument, schema: Schema) -> bool:
    """Whether a passage is the row of a table, by the name of its document."""
    return TABLE in schema.fields and PurePosixPath(quoted.document_id).stem in schema.fields[TABLE].values


def _as_searched(found: Understood, schema: Schema, *, is_listed: bool) -> Understood:
    """What was understood; a guess at a list, where the texts were searched instead, is a question on these."""
    is_for_the_texts = _is_for_the_texts(plan_of(found, schema), schema, is_listed=is_listed)
    return _of_texts(found) if is_for_the_texts else found


def _of_texts(found: Understood) -> Understood:
    """The same as a question that the texts answer, however it was understood."""
    if found.strategy not in ("H", "M") or found.wants_documents:
        return found
    return replace(found, meaning=Meaning(topic=found.message), strategy="C", single=False)


def _is_for_the_texts(plan: Plan, schema: Schema, *, is_listed: bool) -> bool:
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
    computes = plan.aggregates or plan.group or plan.sort or plan.limit or plan.named
    is_of_one = (_ONE.search(plan.query) or _DOES.match(plan.query)) is not None
    return is_of_one and _is_only_of_a_table(plan) and not computes


def _is_only_of_a_table(plan: Plan) -> bool:
    """Whether the plan has no condition but on the table of the rows."""
    return bool(plan.filters) and all(each.field == TABLE for each in plan.filters)


def _search(request: PlanRequest, confidence: float) -> Plan:
    query = one_line(request.message)
    sought = (sought_scene(query) if request.of_scripts else "") or query
    return Plan(Intent.SCRIPT_QUERY, Shape.CONTENT_ONLY, query, sought, confidence=confidence)
