"""The turns before a question, read back from the request log."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

from msgspec import Struct
from msgspec.structs import replace

from cicada.conversation.history import answer_text
from cicada.conversation.model import REMEMBERED_TURNS, Head, RequestKey, Status, StoredEvent
from cicada.conversation.ports import RequestLog
from cicada.conversation.protocol import ListedDocument, Listing, SourcesFound, answer_events
from cicada.conversation.withholding import WITHHELD_ANSWER, Documents, Withholding, documents_shown
from cicada.dialogue import NO_CONVERSATION, NOTHING_SHOWN, Conversation, Shown, ShownDocument, Turn, conversation_of
from cicada.documents.catalogue import ROW_IN_TITLE, ListedPage
from cicada.identity import Principal

# So many events are read of an answer.
_EVENTS = 200
_CITATION = re.compile(r"\[(\d{1,4})\]")
# Steps of answers that one cannot ask about: talk without documents, and that nothing good enough was found.
_GENERAL, _BELOW_FLOOR = "general", "below_floor"
# The step of an answer by an agent, before the agent's name.
_AGENT = "agent:"


class _Remembered(Struct, frozen=True):
    turn: Turn
    head: Head
    documents: Documents
    shown: tuple[ShownDocument, ...]


class LoggedConversation(Struct, frozen=True):
    """`budget_tokens`: about how many tokens of earlier turns a model is given.

    `withholding`: an answer from a document that the user may not read any more is not given to a model again.
    """

    log: RequestLog
    withholding: Withholding
    budget_tokens: int = 1500

    def before(self, key: RequestKey, session_id: str) -> Conversation:
        """The session's last turns before this request. A request that begins a session costs no read."""
        if session_id == key.request_id:
            return NO_CONVERSATION
        head = self.log.head(key)
        rows = self.log.turns(key.principal, session_id, head.created_at, REMEMBERED_TURNS) if head else []
        if not rows:
            return NO_CONVERSATION
        keys = [RequestKey(key.principal, row.request_id) for row in reversed(rows)]
        with ThreadPoolExecutor(max_workers=REMEMBERED_TURNS, thread_name_prefix="turns") as executor:
            found = [each for each in executor.map(self._turn, keys) if each]
        readable = self._readable(key.principal, found)
        turns = [each.turn for each in readable]
        return conversation_of(turns, self.budget_tokens, _listed([each.head for each in found]), _shown(readable))

    def _readable(self, principal: Principal, found: Sequence[_Remembered]) -> list[_Remembered]:
        gone = self.withholding.withheld(principal, frozenset().union(*(each.documents for each in found)))
        return [_withheld(each) if each.documents & gone else each for each in found]

    def _turn(self, key: RequestKey) -> _Remembered | None:
        """A remembered turn; None for a request that has expired meanwhile."""
        question, head = self.log.question(key), self.log.head(key)
        if question is None or head is None:
            return None
        events = list(self.log.events(key, 0, min(head.last_seq, _EVENTS)))
        answer = answer_text(events)
        documents = documents_shown(key.principal, events)
        turn = Turn(question.restates or question.message, answer, _agent(head))
        return _Remembered(turn, head, documents, _shown_in(events, answer))


def _agent(head: Head) -> str:
    """The agent that answered, by the steps that were taken; empty if none did."""
    steps = head.record.path if head.record else ()
    return next((step.removeprefix(_AGENT) for step in steps if step.startswith(_AGENT)), "")


def _withheld(found: _Remembered) -> _Remembered:
    return replace(found, turn=replace(found.turn, answer=WITHHELD_ANSWER), shown=())


def _shown(turns: Sequence[_Remembered]) -> Shown:
    """What the last complete answer showed. Talk without documents, such as thanks, is passed over."""
    for each in reversed(turns):
        record = each.head.record if each.head.status is Status.COMPLETE else None
        if record is not None and record.path[:1] != (_GENERAL,):
            documents = () if _BELOW_FLOOR in record.path else each.shown
            return Shown(record.knowledge_base, documents)
    return NOTHING_SHOWN


def _shown_in(events: Iterable[StoredEvent], answer: str) -> tuple[ShownDocument, ...]:
    """What the answer that these events make up shows under numbers: its sources, or the documents that it lists."""
    cited = {int(number) for number in _CITATION.findall(answer)}
    found: dict[int, ShownDocument] = {}
    for event in answer_events(events):
        if isinstance(event, SourcesFound):
            for each in event.sources:
                found[each.n] = ShownDocument(each.n, each.document_id, each.excerpt, each.n in cited)
        elif isinstance(event, Listing):
            first = max(found, default=event.offset) + 1
            found |= {at: _listed_as(at, each) for at, each in enumerate(event.documents, start=first)}
    return tuple(found.values())


def _listed_as(number: int, listed: ListedDocument) -> ShownDocument:
    row = ROW_IN_TITLE.search(listed.title)
    values = (listed.title.rpartition(" – ")[0], *listed.fields.values()) if row else ()
    return ShownDocument(number, listed.document_id, row=int(row[1]) if row else 0, values=values)


def _listed(heads: Sequence[Head]) -> ListedPage | None:
    """The page that the last answer showed. One that failed showed none, and is asked for again."""
    answered = [head for head in heads if head.status is Status.COMPLETE]
    return answered[-1].record.listing if answered and answered[-1].record else None
