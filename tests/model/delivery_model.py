"""The delivery protocol (docs/delivery.md) as a model small enough that every interleaving can be visited.

Each step below is one DynamoDB call or one post, as in `cicada.conversation.delivery` and `.resume`; between any
two steps anybody else may take any number of theirs. Time is left out: a lease may run out at any moment, so a
processor that is merely slow meets its successor at every step. The network keeps what was posted to the client's
connection, and when the client next looks, an arbitrary part of that has arrived: this covers frames that are lost,
late, doubled and out of order, because a client that keeps events by number is in the same state for all of them.

`Rules` can be broken one by one, to see that the checks would notice.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.model.delivery_states import (
    ACCEPTED,
    NOBODY,
    STRANGER,
    Bounds,
    Client,
    Frame,
    Head,
    Processor,
    Resume,
    Row,
    Rules,
    State,
    arrivals,
    next_event,
    row,
    stop,
    whole_until,
    with_processor,
    with_resume,
)

Steps = Iterator[tuple[str, State]]


class Delivery:
    """The steps of everybody in one setting."""

    def __init__(self, bounds: Bounds, rules: Rules) -> None:
        self._bounds = bounds
        self._rules = rules
        self._looks_first = rules.sending.index("post") < rules.sending.index("advance")

    def start(self) -> State:
        """A request that has been accepted; the frame that says so is on its way."""
        accepted = Frame(1, ACCEPTED)
        stranger = (Resume(STRANGER, 0),) if self._bounds.stranger else ()
        return State(
            rows=(Row(0, ACCEPTED),),
            head=Head(1, 0, ended=False, connection=1),
            network=frozenset([accepted]),
            client=Client(1, 1, frozenset()),
            processors=(),
            waiting=self._bounds.processors,
            resumes=stranger,
            unresumed=self._bounds.resumes,
            pointed=1,
            unposted=frozenset(),
        )

    def steps(self, state: State) -> Steps:
        """Everything that may happen next."""
        yield from self._take_lease(state)
        for place, processor in enumerate(state.processors):
            yield self._send(state, place, processor)
            if processor.attempt < self._bounds.processors:
                yield self._die(state, place, processor)
        for place, resume in enumerate(state.resumes):
            yield self._resume(state, place, resume)
        yield from _leave(state)
        yield from self._come_back(state)

    def _take_lease(self, state: State) -> Steps:
        """Its predecessor's lease has run out, whether that is dead or slow."""
        if not state.waiting or state.head.ended:
            return
        attempt = state.head.attempt + 1
        answer = [f"chunk {attempt}.{number}" for number in range(1, self._bounds.events)]
        reset = [f"reset {attempt}"] if state.head.last_seq > 1 and self._rules.takeover_resets else []
        processor = Processor(attempt, state.head.last_seq + 1, (*reset, *answer, f"complete {attempt}"))
        yield (
            f"processor {attempt} takes the lease",
            state._replace(
                head=state.head._replace(attempt=attempt),
                processors=(*state.processors, processor),
                waiting=state.waiting - 1,
            ),
        )

    # ---- a processor's steps ----

    def _send(self, state: State, place: int, processor: Processor) -> tuple[str, State]:
        who = f"processor {processor.attempt}"
        frame = Frame(processor.seq, processor.script[0])
        if processor.at == len(self._rules.sending):
            after = self._forget(state, processor.connection)
            return f"{who} forgets connection {processor.connection}", next_event(after, place, processor)
        match self._rules.sending[processor.at]:
            case "store":
                return f"{who} stores {frame.seq} ({frame.body})", self._store(state, place, processor, frame)
            case "advance":
                return f"{who} makes {frame.seq} count", self._advance(state, place, processor, frame)
            case "post":
                return self._post(state, place, processor, frame)

    def _store(self, state: State, place: int, processor: Processor, frame: Frame) -> State:
        rows = state.rows + (None,) * (frame.seq - len(state.rows))
        found = rows[frame.seq - 1]
        if self._rules.store_is_fenced and found and found.attempt > processor.attempt:
            return stop(state, place)
        changed = (*rows[: frame.seq - 1], Row(processor.attempt, frame.body), *rows[frame.seq :])
        return self._next_step(state._replace(rows=changed), place, processor)

    def _advance(self, state: State, place: int, processor: Processor, frame: Frame) -> State:
        head = state.head
        if head.ended or (self._rules.advance_is_fenced and head.attempt != processor.attempt):
            return stop(state, place)
        ended = frame.body.startswith("complete")
        changed = state._replace(head=head._replace(last_seq=frame.seq, ended=ended))
        return self._next_step(changed, place, processor._replace(connection=head.connection))

    def _post(self, state: State, place: int, processor: Processor, frame: Frame) -> tuple[str, State]:
        connection = state.head.connection if self._looks_first else processor.connection
        where = f"connection {connection}" if connection != NOBODY else "nobody"
        label = f"processor {processor.attempt} posts {frame.seq} ({frame.body}) to {where}"
        processor = processor._replace(connection=connection)
        if connection in (state.client.connection, STRANGER) or connection == NOBODY:
            return label, self._next_step(self._posted(state, connection, frame), place, processor)
        gone = processor._replace(at=len(self._rules.sending))
        return f"{label}: gone", with_processor(state, place, gone)

    def _next_step(self, state: State, place: int, processor: Processor) -> State:
        if processor.at + 1 < len(self._rules.sending):
            return with_processor(state, place, processor._replace(at=processor.at + 1))
        return next_event(state, place, processor)

    def _forget(self, state: State, connection: int) -> State:
        if self._rules.forgets_only_its_own and state.head.connection != connection:
            return state
        return state._replace(head=state.head._replace(connection=NOBODY))

    def _die(self, state: State, place: int, processor: Processor) -> tuple[str, State]:
        sending = self._rules.sending
        lost = sending.index("advance") < processor.at <= sending.index("post")
        unposted = state.unposted | {processor.seq} if lost else state.unposted
        return f"processor {processor.attempt} dies", stop(state._replace(unposted=unposted), place)

    # ---- a resume's steps ----

    def _resume(self, state: State, place: int, resume: Resume) -> tuple[str, State]:
        who = f"the resume for connection {resume.connection}"
        if resume.connection == STRANGER and self._rules.owner_is_in_the_key:
            return "a stranger's resume finds no such request", with_resume(state, place, None)
        if resume.gone:
            after = self._forget(state, resume.connection)
            return f"{who} finds it gone and forgets it", with_resume(after, place, None)
        if self._rules.resuming[resume.at] == "point":
            return f"{who} points to it", self._point(state, place, resume)
        if resume.at == 0 and resume.last == 0:
            looked = resume._replace(last=state.head.last_seq)
            return f"{who} looks up the last event, {looked.last}", self._read_on(state, place, looked)
        return self._read(state, place, resume)

    def _point(self, state: State, place: int, resume: Resume) -> State:
        head = state.head
        changed = state._replace(head=head._replace(connection=resume.connection))
        if resume.connection != STRANGER:
            changed = changed._replace(pointed=resume.connection)
        if resume.at + 1 == len(self._rules.resuming):
            return with_resume(changed, place, None)
        return self._read_on(changed, place, resume._replace(at=resume.at + 1, last=head.last_seq))

    def _read(self, state: State, place: int, resume: Resume) -> tuple[str, State]:
        until = min(resume.after + self._bounds.page, self._last(state, resume))
        frames = [
            Frame(seq, found.body)
            for seq in range(resume.after + 1, until + 1)
            if (found := row(state, seq)) is not None
        ]
        told = ", ".join(f"{frame.seq} ({frame.body})" for frame in frames) or "nothing"
        label = f"the resume for connection {resume.connection} reads and posts {told}"
        if resume.connection not in (state.client.connection, STRANGER):
            return f"{label}: gone", with_resume(state, place, resume._replace(gone=True))
        for frame in frames:
            state = self._posted(state, resume.connection, frame)
        return label, self._read_on(state, place, resume._replace(after=until))

    def _read_on(self, state: State, place: int, resume: Resume) -> State:
        if resume.after < self._last(state, resume):
            return with_resume(state, place, resume)
        if resume.at + 1 < len(self._rules.resuming):
            return with_resume(state, place, resume._replace(at=resume.at + 1))
        return with_resume(state, place, None)

    def _last(self, state: State, resume: Resume) -> int:
        return resume.last if self._rules.resume_stops_at_last_seq else len(state.rows)

    # ---- the client's steps ----

    def _come_back(self, state: State) -> Steps:
        """Resume over a new connection, or, because of a gap or silence, over the same one."""
        if not state.unresumed:
            return
        client = state.client
        for seen in arrivals(state):
            if client.connection == NOBODY:
                number = client.opened + 1
                yield _asked(state._replace(network=frozenset()), Client(number, number, seen), "comes back over")
            elif self._bounds.same_connection:
                yield _asked(state, client._replace(seen=seen), "goes on over")

    def _posted(self, state: State, connection: int, frame: Frame) -> State:
        if connection == NOBODY:
            return state
        if connection == STRANGER:
            return state._replace(problem="A frame was posted to a stranger.")
        held = state.network | state.client.seen
        other = next((known for known in held if known.seq == frame.seq), frame)
        if other.body != frame.body:
            return state._replace(problem=f"Two events have the number {frame.seq}: {other.body}, {frame.body}.")
        return state._replace(network=state.network | {frame})


def _leave(state: State) -> Steps:
    """The connection breaks; what has not arrived over it never will."""
    if state.client.connection != NOBODY:
        label = f"the connection {state.client.connection} breaks"
        yield label, state._replace(client=state.client._replace(connection=NOBODY))


def _asked(state: State, client: Client, how: str) -> tuple[str, State]:
    after = whole_until(client.seen)
    resumes = (*state.resumes, Resume(client.connection, after))
    label = f"the client {how} connection {client.connection} and resumes after {after}, having {_told(client.seen)}"
    return label, state._replace(client=client, resumes=resumes, unresumed=state.unresumed - 1)


def _told(seen: frozenset[Frame]) -> str:
    return ", ".join(str(frame.seq) for frame in sorted(seen)) or "nothing"
