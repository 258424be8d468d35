"""The turns before a question, read back from the request log."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from msgspec import Struct
from msgspec.structs import replace

from cicada.conversation.history import answer_text
from cicada.conversation.model import Head, RequestKey, Status
from cicada.conversation.ports import RequestLog
from cicada.conversation.withholding import WITHHELD_ANSWER, Documents, Withholding, documents_shown
from cicada.dialogue import NO_CONVERSATION, Conversation, Turn, conversation_of
from cicada.documents.catalogue import ListedPage
from cicada.identity import Principal

# Rows that are read for one question: so many turns, and of each answer so many events.
_TURNS = 8
_EVENTS = 200


class _Remembered(Struct, frozen=True):
    turn: Turn
    head: Head
    documents: Documents


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
        rows = self.log.turns(key.principal, session_id, head.created_at, _TURNS) if head else []
        if not rows:
            return NO_CONVERSATION
        keys = [RequestKey(key.principal, row.request_id) for row in reversed(rows)]
        with ThreadPoolExecutor(max_workers=_TURNS, thread_name_prefix="turns") as executor:
            found = [each for each in executor.map(self._turn, keys) if each]
        turns = self._readable(key.principal, found)
        return conversation_of(turns, self.budget_tokens, _shown([each.head for each in found]))

    def _readable(self, principal: Principal, found: Sequence[_Remembered]) -> list[Turn]:
        gone = self.withholding.withheld(principal, frozenset().union(*(each.documents for each in found)))
        return [replace(each.turn, answer=WITHHELD_ANSWER) if each.documents & gone else each.turn for each in found]

    def _turn(self, key: RequestKey) -> _Remembered | None:
        """A remembered turn; None for a request that has expired meanwhile."""
        question, head = self.log.question(key), self.log.head(key)
        if question is None or head is None:
            return None
        events = list(self.log.events(key, 0, min(head.last_seq, _EVENTS)))
        return _Remembered(Turn(question.message, answer_text(events)), head, documents_shown(key.principal, events))


def _shown(heads: Sequence[Head]) -> ListedPage | None:
    """The page that the last answer showed. One that failed showed none, and is asked for again."""
    answered = [head for head in heads if head.status is Status.COMPLETE]
    return answered[-1].record.listing if answered and answered[-1].record else None
