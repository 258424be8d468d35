"""Answer a message by its plan: from passages, from the catalogue, by an agent, or by the model alone."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from itertools import chain, groupby

from msgspec import Struct
from msgspec.structs import replace

from cicada.agents.model import Agent, AgentKind, AgentTurn
from cicada.answering.asked_writes import asked_writes
from cicada.answering.citations import checked, resting
from cicada.answering.listing import ListingAnswerer, SubjectListing
from cicada.answering.named_documents import FROM_DOCUMENTS, Meant, Reply, meant_by
from cicada.answering.other_bases import OtherBases
from cicada.answering.parts import AnswerPart, Cited, Finished, Progress, Text, Unanswered
from cicada.answering.passages import BEYOND, UNMET, PassageAnswerer
from cicada.answering.ports import ChatModel
from cicada.answering.prompt import general_prompt
from cicada.answering.pump import streamed
from cicada.answering.texts_instead import asks_what_is_so
from cicada.answering.whole_documents import WholeDocumentAnswerer
from cicada.conversation.model import Question
from cicada.dialogue import NO_CONVERSATION, Conversation, Turn
from cicada.documents.model import TABLE, AnyOf, Contains
from cicada.generation import ModelUsage
from cicada.grounding.checking import Judge, by_counting
from cicada.grounding.sentences import sentences_of
from cicada.identity import Principal
from cicada.knowledge_bases.values import described
from cicada.observability.telemetry import count_tokens, phase
from cicada.observability.tracing import annotate
from cicada.permissions import base_of
from cicada.retrieval.model import RankedPassage
from cicada.understanding.asking_back import refers_back
from cicada.understanding.intent.reading import is_small_talk
from cicada.understanding.last_answer import listed_page
from cicada.understanding.plan import Intent, Plan, Shape
from cicada.understanding.planners import step_of

_CLARIFICATION = "What exactly do you want to know? Name the document, the topic or the passage that you mean."
_AGENTS = {Intent.PROFILE_REQUEST: AgentKind.PROFILES, Intent.THEORY_REQUEST: AgentKind.THEORIES}
_NO_ANSWER = (Shape.NO_MATCH, Shape.NEEDS_CLARIFICATION)


class Answerer(Struct, frozen=True):
    """One plan for each message, and exactly one way to answer it.

    `plan` raises `UnknownKnowledgeBaseError` for a base that the user may not ask. A model that fails is no reason to
    raise: the rules make a plan of any message.
    """

    plan: Callable[[Question, Principal, Conversation], Plan]
    passages: PassageAnswerer
    whole_documents: WholeDocumentAnswerer
    listings: ListingAnswerer
    agent: Agent
    model: ChatModel
    other_bases: OtherBases | None = None
    judge: Judge = by_counting

    def answer(
        self, question: Question, principal: Principal, before: Conversation = NO_CONVERSATION
    ) -> Generator[AnswerPart]:
        """The answer's parts; the last one is `Finished`.

        Raises `UnknownKnowledgeBaseError`, `DependencyError` or `ConfigurationError`.
        """
        with phase("planning"):
            plan = self.plan(question, principal, before)
            plan = self._searching(plan, question, principal)
        yield from checked(self._by(plan, question, principal, before.turns), question.message, self.judge)

    def _by(
        self, plan: Plan, question: Question, principal: Principal, earlier: tuple[Turn, ...]
    ) -> Generator[AnswerPart]:
        """The answer by a plan; if its base has none, that of another base that has one."""
        meant, parts = self._answered(plan, question, principal, earlier)
        annotate(intent=plan.intent.value, strategy=meant.plan.shape.value, knowledgeBase=plan.knowledge_base)
        for part in parts:
            if not isinstance(part, Unanswered):
                yield self._finished(part, meant, question, principal) if isinstance(part, Finished) else part
            elif elsewhere := self._elsewhere(plan.knowledge_base, question, principal):
                yield from elsewhere
                return

    def _searching(self, plan: Plan, question: Question, principal: Principal) -> Plan:
        """What only seems to be conversation is searched for, if the base has its words."""
        bases = self.other_bases
        if (
            plan.intent is not Intent.GENERAL
            or bases is None
            or is_small_talk(question.message)  # "Good morning" asks nothing of the morning shift.
            or not bases.has_words(question.message, plan.knowledge_base, principal)
        ):
            return plan
        return replace(plan, intent=Intent.SCRIPT_QUERY, shape=Shape.CONTENT_ONLY, search_value=plan.query)

    def _elsewhere(self, asked: str, question: Question, principal: Principal) -> Iterator[AnswerPart] | None:
        """The answer of another base than `asked`, which says so first; None if none of them has one.

        Filters and episodes are those of the base that was asked, and so is an exact list: with them no other one is.
        What "they" are is known to the session's own base at the most. A list of everything, or of a period, is no
        answer to what another base did not know.
        """
        if self.other_bases is None or question.scope or question.listing:
            return None
        goes_on = refers_back(question.message)
        for name in self.other_bases.knowing(question.message, asked, principal):
            if goes_on and name != question.knowledge_base:
                continue
            with phase("planning"):
                plan = self.plan(replace(question, knowledge_base=name), principal, NO_CONVERSATION)
            if plan.intent is not Intent.SCRIPT_QUERY or plan.shape in _NO_ANSWER:
                continue
            meant, parts = self._answered(plan, question, principal, ())
            has_value = any(isinstance(each, AnyOf | Contains) for each in meant.plan.filters)
            lists_any = meant.plan.shape is Shape.METADATA_ONLY and not has_value and meant.rows is None
            if meant.plan.shape is Shape.NO_MATCH or lists_any:
                continue
            if begun := _begun(parts):
                said = Text(f"Nothing in “{asked}” answers this; from “{meant.plan.knowledge_base}”:\n\n")
                return self._announced(said, chain(begun, parts), meant, question, principal)
        return None

    def _announced(
        self, said: Text, parts: Iterator[AnswerPart], meant: Meant, question: Question, principal: Principal
    ) -> Iterator[AnswerPart]:
        """The answer of another base, with what is said of it before its text."""
        annotate(strategy=meant.plan.shape.value, knowledgeBase=meant.plan.knowledge_base)
        for part in parts:
            if isinstance(part, Text) and said.content:
                yield said
                said = Text("")
            if isinstance(part, Finished):
                part = replace(part, path=(f"elsewhere:{meant.plan.knowledge_base}", *part.path))
            yield self._finished(part, meant, question, principal) if isinstance(part, Finished) else part

    def _answered(
        self, plan: Plan, question: Question, principal: Principal, earlier: tuple[Turn, ...]
    ) -> tuple[Meant, Iterator[AnswerPart]]:
        """The answer with what it is about. Documents that are named are looked up before anything is searched."""
        meant = Meant(plan)
        documents = self.whole_documents.found(plan, question, principal)
        if documents is None:
            found = meant_by(plan, question, principal, self.listings)
            if isinstance(found, Reply):
                return Meant(found.plan), found.parts(question)
            meant = found
            if meant.plan.subjects != plan.subjects:
                documents = self.whole_documents.found(meant.plan, question, principal)
        if documents is None:
            meant = self._searched_instead(meant, question, principal)
            return meant, resting(self._parts(meant, question, principal, earlier))
        # What was read as conditions was a part of a name.
        meant = replace(meant, plan=replace(meant.plan, shape=Shape.CONTENT_ONLY, filters=()))
        return meant, resting(self.whole_documents.answer(documents, meant.plan, question, earlier))

    def _searched_instead(self, meant: Meant, question: Question, principal: Principal) -> Meant:
        """A list that is only guessed and has no document is a search: its conditions may be words of the subject.

        So is one with a name that no field is known to have; the search says that none has it. Rows of which the rules
        are not sure give way to a text that answers with words which they leave out.
        """
        plan = meant.plan
        if plan.offset:
            return meant
        if plan.may_be_for_the_texts and self.passages.texts_answer(plan, question, principal):
            return Meant(plan.as_search)
        if meant.documents is not None:
            return meant
        of_rows = plan.may_be_for_the_texts and any(each.field == TABLE for each in plan.filters)
        is_guess = plan.filters and (plan.is_guess or (of_rows and asks_what_is_so(plan.query)))
        if not (is_guess or plan.lists_by_name):
            return meant
        if self.listings.has_any(plan, question, principal):
            return meant
        if is_guess:
            return replace(meant, plan=plan.as_search, steps=(UNMET,))
        return replace(meant, plan=replace(plan, shape=Shape.HYBRID, search_value=plan.query, sort=None, limit=None))

    def _parts(
        self, meant: Meant, question: Question, principal: Principal, earlier: tuple[Turn, ...]
    ) -> Iterator[AnswerPart]:
        plan, documents = meant.plan, meant.documents
        if agent := _AGENTS.get(plan.intent):
            message, writes = question.message, asked_writes(question.message)
            turn = AgentTurn(agent, principal, question.session_id, plan.knowledge_base, message, earlier, writes)
            return self._by_agent(turn)
        if plan.intent is Intent.GENERAL or plan.shape is Shape.NO_MATCH:
            return chain(_unanswered(question), self._without_search(question, earlier))
        if plan.shape is Shape.NEEDS_CLARIFICATION:
            return _asking_back(plan)
        if plan.wants_documents:
            return SubjectListing(self.passages.search, self.listings).answer(plan, question, principal, documents)
        if plan.shape is Shape.METADATA_ONLY:
            return self.listings.answer(plan, question, principal, documents)
        return self.passages.answer(plan, question, principal, earlier, documents)

    def _by_agent(self, turn: AgentTurn) -> Iterator[AnswerPart]:
        yield Progress("agent", turn.agent.value)
        written = yield from streamed(self._with_sources(turn), "agent")
        evidence = turn.evidence
        yield written.finish(Finished((f"agent:{turn.agent.value}", *evidence.path), evidence.confidence))

    def _with_sources(self, turn: AgentTurn) -> Generator[str | ModelUsage | Cited]:
        """The agent's pieces, each behind the sources that its tools found before it."""
        schema = base_of(self.listings.bases, turn.principal, turn.knowledge_base).schema
        for piece in self.agent.reply(turn):
            new = turn.evidence.untold()
            if new:
                # Asked once more before anything is shown: the model may take seconds.
                shown = self.listings.gate.permit(
                    turn.principal, tuple(new.values()), lambda each: each.passage.document
                )
                turn.evidence.withheld |= shown.withheld > 0
                yield from (Cited(shown.only(run), schema, first) for first, run in _runs(new, shown.items))
            yield piece

    def _without_search(self, question: Question, earlier: Sequence[Turn]) -> Iterator[AnswerPart]:
        yield Progress("answering")
        written = yield from streamed(self.model.stream(general_prompt(question.message, earlier)))
        yield written.finish(Finished(("generate",), None))

    def _finished(self, part: Finished, meant: Meant, question: Question, principal: Principal) -> Finished:
        plan = meant.plan
        schema = base_of(self.listings.bases, principal, plan.knowledge_base).schema
        met = () if {UNMET, BEYOND} & set(part.path) else plan.filters
        applied = (*question.scope, *met) if plan.shape in FROM_DOCUMENTS else ()
        conditions = (*(described(each, schema) for each in applied), *meant.conditions)
        listing = part.listing or listed_page(plan, question.knowledge_base)
        if listing and not part.listing:
            listing = replace(listing, documents=meant.ids, of_rows=part.of_rows)
        path = (*_steps(plan), *meant.path, *part.path)
        removable = range(len(question.scope), len(applied)) if listing else ()
        return replace(part, path=path, plan=plan, conditions=conditions, listing=listing, removable=tuple(removable))


def _steps(plan: Plan) -> tuple[str, ...]:
    return (plan.intent.value, step_of(plan), *(("follow_up",) if plan.carried or plan.again or plan.left_out else ()))


def _unanswered(question: Question) -> Iterator[AnswerPart]:
    """Another base may know what no search is made for here, unless it is mere conversation."""
    if not is_small_talk(question.message):
        yield Unanswered()


def _runs(
    numbered: Mapping[int, RankedPassage], kept: Sequence[RankedPassage]
) -> Iterator[tuple[int, list[RankedPassage]]]:
    """The kept passages whose numbers follow each other, with the first number of each run."""
    numbers = [number for number, each in numbered.items() if each in kept]
    for _, run in groupby(enumerate(numbers), lambda each: each[1] - each[0]):
        of_run = [number for _, number in run]
        yield of_run[0], [numbered[number] for number in of_run]


def _begun(parts: Iterator[AnswerPart]) -> list[AnswerPart]:
    """The parts up to the first whole sentence; none if that says that there is no answer.

    Such an answer is read to its end, where its model says what it has used.
    """
    begun: list[AnswerPart] = []
    text = ""
    for part in parts:
        if isinstance(part, Unanswered):
            return []
        begun.append(part)
        text += part.content if isinstance(part, Text) else ""
        sentences = [*sentences_of(text)]
        if len(sentences) > 1 or isinstance(part, Finished):
            if not (sentences and sentences[0].denies):
                return begun
            end = next(each for each in chain((part,), parts) if isinstance(each, Finished))
            count_tokens(end.input_tokens, end.output_tokens)
            return []
    return begun


def _asking_back(plan: Plan) -> Iterator[AnswerPart]:
    yield Text(plan.clarification or _CLARIFICATION)
    yield Finished(("clarify",), confidence=None)
