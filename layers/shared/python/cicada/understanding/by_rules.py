"""The plan without a model: the message's intent, then for a base with typed metadata what its schema says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from cicada.documents.model import TABLE, KnowledgeBaseKey
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
from cicada.understanding.texts_or_rows import (
    as_searched,
    asks_of_an_event,
    is_for_the_texts,
    lists_unnamed_table,
    of_texts,
    quoted_texts,
    shown_of_one,
)

if TYPE_CHECKING:
    from cicada.understanding.schema_planner import SchemaReader
    from cicada.understanding.tables import TablesReader
    from cicada.understanding.understood import Understood

_READERS = 32
_SURELY_A_LIST = 0.5


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
        if found.carried and quoted_texts(request) and lists_unnamed_table(plan):
            plan = _search(request, plan.confidence)  # "Price?" after what a text says of an oven.
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
        if plan.wants_documents and asks_of_an_event(plan):
            return None
        if plan.wants_documents and (request.schema.fields or _speaks_of_documents(request)):
            return plan
        is_searched = is_for_the_texts(plan, request.schema, is_listed=request.listing is not None)
        return None if is_searched else plan


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
                if before and message is messages[-1] and quoted_texts(request):
                    before = of_texts(before)
                elif before:
                    is_listed = request.listing is not None and message is messages[-1]
                    before = as_searched(before, request.schema, is_listed=is_listed)
                return reader.next(message, before, today, request.asker)

            return in_turn(messages, after)

        if (row := row_spoken_of(request)) and not speaks_of_another(understand([row.asked])):
            if elsewhere := reader.of_other_table(row.asked, row.table, row.values, today, request.asker):
                return plan_of(elsewhere, request.schema)
            return of_row(reader.of_row(row.asked, row.table, today, request.asker), row)
        if shown := shown_of_one(request, reader.people):
            elsewhere = reader.of_other_table(request.message, "", shown, today, request.asker)
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


def _search(request: PlanRequest, confidence: float) -> Plan:
    query = one_line(request.message)
    sought = (sought_scene(query) if request.of_scripts else "") or query
    return Plan(Intent.SCRIPT_QUERY, Shape.CONTENT_ONLY, query, sought, confidence=confidence)
