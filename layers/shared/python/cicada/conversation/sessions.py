"""What users do with what is kept of them: name, pin and delete sessions, and delete everything."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from cicada.conversation.history import summary
from cicada.conversation.limits import DELETED_TURN, UsageLimits
from cicada.conversation.model import Head, RequestKey
from cicada.conversation.ports import RequestLog, ShareTable
from cicada.conversation.protocol import ChangeSession, DeleteSession, Erased, SessionChanged
from cicada.conversation.titles import clean_title
from cicada.errors import InvalidFrameError, LimitExceededError, SessionBusyError, SessionNotFoundError
from cicada.identity import Principal
from cicada.observability.audit import SessionDeleted

# So many turns are listed and deleted at a time; a page of the index has room for more.
_AT_ONCE = 100
# Clients wait 10 s for the reply and then ask again; one session may take a few of them.
_LONGEST_SECONDS = 4
Latest = Callable[[], Sequence[tuple[RequestKey, Head, bool]]]
# Moments are stored in milliseconds.
_TICK_SECONDS = 0.001


class Sessions(Struct, frozen=True):
    """`record`: takes the audit record of each deletion.

    `erase_entries`: deletes a user's profiles and theories; how many there were, with their earlier states.
    """

    log: RequestLog
    shares: ShareTable
    limits: UsageLimits
    record: Callable[[SessionDeleted], object]
    clock: Callable[[], float]
    erase_entries: Callable[[Principal], int]

    def change(self, command: ChangeSession, principal: Principal) -> SessionChanged:
        """Give it the title and the pin that the command names.

        Raises `SessionNotFoundError`, and `InvalidFrameError` for a title of which nothing can be seen.
        """
        if command.title is not None:
            title = clean_title(command.title)
            if not title:
                raise InvalidFrameError('The field "title" has nothing that can be seen.')
            self.log.name_session(principal, command.session_id, title)
        if command.pinned is not None:
            self.log.pin_session(principal, command.session_id, pinned=command.pinned)
        session = self.log.session(principal, command.session_id)
        if session is None:
            raise no_such_session()
        return SessionChanged(summary(session))

    def delete(self, command: DeleteSession, principal: Principal) -> SessionChanged:
        """Mark the session as deleted, then delete its requests; the mark refuses messages that come afterwards.

        If it is interrupted, the same command deletes the rest. Raises `SessionBusyError` while an answer is under way,
        and `SessionNotFoundError`.
        """
        questions = self._deleted(principal, command.session_id, self._latest_of(principal))
        if questions is None:
            raise no_such_session()
        self._record(principal, command.session_id, questions)
        return SessionChanged(None)

    def erase(self, principal: Principal) -> Erased:
        """Delete all of the user's sessions, profiles and theories, as far as time and the user's limit allow.

        Sessions whose deletion was interrupted are found by their marks. A session that begins meanwhile stays. Raises
        `SessionBusyError` while an answer is under way, and `LimitExceededError` if nothing could be deleted.
        """
        latest = self._latest_of(principal)
        if any(going for _, _, going in latest()):
            raise SessionBusyError("An answer to you is under way: stop it first, then delete again.")
        entries, questions, sessions, left = self.erase_entries(principal), 0, 0, False
        until = self.clock() + _LONGEST_SECONDS
        try:
            for session_id in self.log.session_ids(principal):
                left = self.clock() > until
                if left:
                    break
                deleted = self._deleted(principal, session_id, latest)
                sessions, questions = sessions + (deleted is not None), questions + (deleted or 0)
        except (LimitExceededError, SessionBusyError):
            if not sessions:
                raise
            left = True
        finally:
            if sessions or entries:
                self._record(principal, "", questions, sessions, entries)
        return Erased(conversations=sessions, questions=questions, entries=entries, left=left)

    def _latest_of(self, principal: Principal) -> Latest:
        """What gives the user's latest requests. They are read again only after another one was admitted."""
        usage, latest = None, list[tuple[RequestKey, Head, bool]]()

        def read() -> Sequence[tuple[RequestKey, Head, bool]]:
            nonlocal usage, latest
            before, usage = usage, self.limits.table.get(principal)
            if before is None or before.version != usage.version:
                latest = self.limits.latest(principal, usage)
            return latest

        return read

    def _deleted(self, principal: Principal, session_id: str, latest: Latest) -> int | None:
        """Delete the session; how many questions it had. None for one that is not there any more."""
        session = self.log.session(principal, session_id)
        listed = self._turns(principal, session_id)
        # Read after the list, so that every request in it is known to have ended. The list lags a little behind; the
        # latest ones are known by their admission too.
        of_session = [(key, going) for key, head, going in latest() if head.session_id == session_id]
        turns = list(dict.fromkeys([*listed, *(key for key, _ in of_session)]))
        if session is None and not turns:
            return None
        if any(going for _, going in of_session):
            raise SessionBusyError("An answer of this conversation is under way: stop it first, then delete again.")
        self.limits.spend(principal, DELETED_TURN * len(turns))
        if session and not self.log.delete_session(principal, session):
            raise SessionBusyError("A question has just come into this conversation: delete it again if you want to.")
        if session and session.share_id:
            self.shares.forget(principal, session.share_id)
        self.log.delete_requests(turns)
        self.log.session_deleted(principal, session_id)
        return len(turns)

    def _record(
        self, principal: Principal, session_id: str, questions: int, sessions: int = 1, entries: int = 0
    ) -> None:
        who = (principal.tenant, principal.user, session_id)
        self.record(SessionDeleted(self.clock(), *who, questions, principal.login, sessions, entries))

    def _turns(self, principal: Principal, session_id: str) -> list[RequestKey]:
        """All requests of the session that are listed. A page begins with the last one's moment, which others share."""
        listed: dict[str, None] = {}
        rows = self.log.turns(principal, session_id, None, _AT_ONCE)
        while any(row.request_id not in listed for row in rows):
            listed |= dict.fromkeys(row.request_id for row in rows)
            rows = self.log.turns(principal, session_id, rows[-1].created_at + _TICK_SECONDS, _AT_ONCE)
        return [RequestKey(principal, each) for each in listed]


def no_such_session() -> SessionNotFoundError:
    """The refusal of a session that the user does not have."""
    return SessionNotFoundError("There is no such conversation: it has been deleted, or has expired.")
