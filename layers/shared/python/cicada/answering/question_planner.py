"""The plan of a question, and the queries of its search."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from cicada.agents.unnamed import asked_to_read, asks_own_words, asks_to_see_it, weighs_it
from cicada.conversation.model import Question
from cicada.dialogue import NO_CONVERSATION, NOTHING_SHOWN, Conversation
from cicada.errors import InvalidFilterError
from cicada.identity import Principal
from cicada.knowledge_bases.schema import Schema
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.languages.terms import words
from cicada.permissions import base_of, check_base, may_ask, permitted_bases
from cicada.retrieval.quality import content_words, is_named, stem
from cicada.text import did_you_mean
from cicada.understanding.asking_back import refers_back
from cicada.understanding.classifier import AGENT_INTENTS, AGENT_NAMES, AGENTS, served_intents
from cicada.understanding.follow_ups import SEARCHED, of_something_else
from cicada.understanding.last_answer import plan_of
from cicada.understanding.plan import Intent, Plan, Planner, PlanRequest, Shape

# Words added from the schema at most; more would bury the user's own.
_ADDED_WORDS = 8
_STRONG_LETTERS = 5


class WordRewriter(Struct, frozen=True):
    """First the content words with the schema's synonyms for them, then the names and long words among them."""

    def rewrite(self, question: str, tried: Sequence[str], base: KnowledgeBase) -> str | None:
        before = {tuple(words(each)) for each in tried}
        for query in self._queries(question, base):
            if query and tuple(words(query)) not in before:
                return query
        return None

    def _queries(self, question: str, base: KnowledgeBase) -> Iterator[str]:
        kept = _content(question, base.content_language or "en")
        synonyms = _synonyms(question, base.schema)
        yield " ".join([*kept, *synonyms])
        strong = [word for word in kept if is_named(word) or len(word) >= _STRONG_LETTERS]
        yield " ".join([*strong, *synonyms])


def _content(question: str, language: str) -> list[str]:
    """The question's content words as they were written, each once."""
    left = list(content_words(question, language))
    found = []
    for word in question.replace("’", "'").split():
        bare = word.strip(".,;:!?\"'()[]{}“”„«»…").removesuffix("'s")
        stems = [stem(each) for each in words(bare)]
        if any(each in left for each in stems):
            left = [each for each in left if each not in stems]
            found.append(bare)
    return found


def _synonyms(question: str, schema: Schema) -> list[str]:
    """Other words for the values and fields that the question names, in the schema's order."""
    said = f" {' '.join(words(question))} "
    found: list[str] = []
    fields = schema.fields.values()
    for group in ((value, *others) for field in fields for value, others in field.synonyms.items()):
        if any(f" {' '.join(words(each))} " in said for each in group):
            found += [each for each in group if f" {' '.join(words(each))} " not in said]
    return list(dict.fromkeys(found))[:_ADDED_WORDS]


def _all(principal: Principal, knowledge_base: str) -> None:
    """Every episode exists."""


def _assumed(principal: Principal, knowledge_base: str) -> bool:  # noqa: ARG001 - the same for every base
    """Every base has documents."""
    return True


class QuestionPlanner(Struct, frozen=True):
    """`now`: the time in the user's time zone.

    `has_documents`: whether a base has any that the user may read; it is asked of bases that the settings do not name.
    `episodes`: the ids of those that the user may read, None if they need not be known; it is asked only where a
    question names episodes.
    """

    planner: Planner
    bases: KnowledgeBases
    now: Callable[[], datetime]
    has_documents: Callable[[Principal, str], bool] = _assumed
    episodes: Callable[[Principal, str], Collection[str] | None] = _all

    def plan(self, question: Question, principal: Principal, before: Conversation = NO_CONVERSATION) -> Plan:
        """One plan of the question; it names the base that is asked.

        Raises `UnknownKnowledgeBaseError` for a base that the user may not ask, whoever chose it, and
        `InvalidFilterError` for an episode that it does not have.
        """
        self._check(principal, question.knowledge_base)
        self._check_episodes(principal, question)
        if question.listing:
            self._check(principal, question.listing.knowledge_base)
            return replace(plan_of(question.listing, question.message), today=self.now().date().isoformat())
        last = before.shown.knowledge_base
        if last not in ("", question.knowledge_base) and may_ask(base_of(self.bases, principal, last), principal):
            # What goes on from an answer out of another base stays there.
            there = self._plan(question, last, principal, before)
            if there.carried or there.continues or there.again:
                return there
        return self._plan(question, question.knowledge_base, principal, before)

    def _plan(self, question: Question, asked: str, principal: Principal, before: Conversation) -> Plan:
        """The plan of the message as a question to the base `asked`."""
        base = base_of(self.bases, principal, asked)
        schema = base.schema
        anew = of_something_else(question.message)
        if anew and not refers_back(anew):  # "Another question: who signed it?" goes on.
            before = NO_CONVERSATION
        request = PlanRequest(
            anew or question.message,
            asked,
            self.now(),
            principal.tenant,
            before.turns,
            before.messages,
            schema=schema,
            bases={name: base.description for name, base in permitted_bases(self.bases, principal).items()},
            asker=schema.logins.get(principal.login, ""),
            intents=served_intents(base),
            listing=before.listing,
            shown=before.shown,
            of_scripts=base.content == "scripts",
        )
        request = replace(request, messages=tuple(self._without_looks(request)))
        own = self._of_own_words(request) if request.of_scripts else None
        plan = own or self._of_agent_before(request) or self._without_left_out(self.planner.plan(request), request)
        plan = replace(plan, today=request.now.date().isoformat(), spoken_of=_spoken_of(plan, request))
        if plan.knowledge_base in ("", asked):
            return replace(plan, knowledge_base=asked)
        self._check(principal, plan.knowledge_base)
        return plan

    def _without_looks(self, request: PlanRequest) -> Iterator[str]:
        """The earlier messages but "what's in it?" to an agent, so that "delete it" still goes to the one before."""
        for at, message in enumerate(request.messages):
            earlier = replace(request, message=message, messages=request.messages[:at], turns=())
            if not asks_to_see_it(message) or self._of_agent_before(earlier) is None:
                yield message

    def _of_agent_before(self, request: PlanRequest) -> Plan | None:
        """The plan of "what's in it?" after a message to an agent: the same agent shows what it has just kept or shown.

        None of most other messages. What "it" is cannot be told from the message alone, which asks for the texts else.
        """
        if (agent := _read_by(request)) and agent in request.intents:
            return Plan(agent, Shape.NO_MATCH, request.message, confidence=1.0)
        messages = list(request.messages)
        while messages and asks_to_see_it(messages[-1]):
            messages.pop()  # That was of the same entry.
        if not messages or not asks_to_see_it(request.message):
            return None
        *earlier, last = messages
        found = self.planner.plan(replace(request, message=last, messages=tuple(earlier), turns=()))
        if found.intent not in AGENTS:
            return None
        return Plan(found.intent, Shape.NO_MATCH, request.message, confidence=found.confidence, by=found.by)

    def _of_own_words(self, request: PlanRequest) -> Plan | None:
        """The plan of a question on what the user wrote, which is kept in profiles, unless it goes to the theories."""
        if not asks_own_words(request.message):
            return None
        found = self.planner.plan(request)
        agent = found.intent if found.intent in AGENTS else Intent.PROFILE_REQUEST
        return Plan(agent, Shape.NO_MATCH, request.message, confidence=1.0) if agent in request.intents else None

    def _without_left_out(self, plan: Plan, request: PlanRequest) -> Plan:
        """The plan without what the user took away from the list before, unless the message states it itself.

        A follow-up is planned from the words of the messages before, which still say it.
        """
        left_out = request.listing.left_out if request.listing else ()
        if not left_out or not plan.filters or plan.left_out:
            return plan
        alone = self.planner.plan(replace(request, turns=(), messages=(), listing=None, shown=NOTHING_SHOWN)).filters
        stated = {each.field for each in alone}
        gone = tuple(each for each in left_out if each.field not in stated)
        fields = {each.field for each in gone}
        kept = tuple(each for each in plan.filters if each.field not in fields)
        is_bare = plan.shape is Shape.HYBRID and not kept and not plan.named
        shape = Shape.CONTENT_ONLY if is_bare else plan.shape
        return replace(plan, filters=kept, shape=shape, left_out=gone if plan.continues else ())

    def _check(self, principal: Principal, name: str) -> None:
        check_base(self.bases, principal, name, lambda: self.has_documents(principal, name))

    def _check_episodes(self, principal: Principal, question: Question) -> None:
        known = self.episodes(principal, question.knowledge_base) if question.episodes else None
        unknown = next((each for each in question.episodes if known is not None and each not in known), None)
        if known is None or unknown is None:
            return
        there = f" It has {', '.join(sorted(known))}." if known else " It has none."
        meant = did_you_mean(unknown, known)
        raise InvalidFilterError(
            f"The knowledge base “{question.knowledge_base}” has no episode “{unknown}”{meant}{there}"
        )


def _spoken_of(plan: Plan, request: PlanRequest) -> tuple[str, ...]:
    """The documents that the last answer quoted, if a search may go on from it. A script is too long to tell more."""
    goes_on = plan.shape in SEARCHED and (plan.carried or plan.before or plan.may_follow)
    is_of_texts = request.listing is None and not request.of_scripts
    if not (goes_on and is_of_texts) or request.shown.knowledge_base != request.knowledge_base:
        return ()
    return tuple(dict.fromkeys(each.document_id for each in request.shown.cited))


def _read_by(request: PlanRequest) -> Intent | None:
    """The agent that has what the message asks to read: what was spoken of last, or a theory by its title.

    "What does Ann say?" asks for the texts, whatever profile of Ann there is.
    """
    last = request.turns[-1].agent if request.turns else ""
    if last and asks_to_see_it(request.message):
        return AGENT_INTENTS.get(last)
    theories = AGENT_NAMES[Intent.THEORY_REQUEST]
    if last == theories and weighs_it(request.message):
        return Intent.THEORY_REQUEST
    name = asked_to_read(request.message).casefold()
    kept = "\n".join(each.answer for each in request.turns if each.agent == theories).casefold()
    return Intent.THEORY_REQUEST if name and f"“{name}”" in kept else None
