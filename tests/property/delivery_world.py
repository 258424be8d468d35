"""The real delivery code among clients, processors and a clock, one step at a time, and what must hold after each."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from cicada.answering.answer import Answerer
from cicada.answering.process import Processed, Processor
from cicada.conversation.accept import Accepter, cancel
from cicada.conversation.model import Connection, Head, RequestKey, Status
from cicada.conversation.protocol import stored_frame
from cicada.conversation.resume import QUEUE_PATIENCE_SECONDS, Resumer
from cicada.errors import RequestConflictError, RequestNotFoundError, UnavailableError
from cicada.knowledge_bases.settings import KnowledgeBases
from cicada.understanding.plan import Intent, Plan, Shape
from cicada_client.assembly import Assembly
from tests.fakes.access import withholding
from tests.fakes.chat_model import ScriptedModel
from tests.fakes.clock import Clock
from tests.fakes.share_table import InMemoryShareTable
from tests.fakes.usage_table import unlimited
from tests.property.baton import Actor, Died, actor_here
from tests.property.stepped_ports import Generations, SteppedAgent, SteppedChannel, SteppedLog, SteppedQueue
from tests.unit.answering.situation import Situation as Answering
from tests.unit.conversation.situation import ANN, BOB, ID, LEASE_SECONDS, send_message

ANNS = RequestKey(ANN, ID)
BOBS = RequestKey(BOB, ID)
# Each brings a processor that nothing disturbs; the first of them may find the attempts used up.
_LAST_RESUMES = 3
_FINAL_TYPES = ("complete", "cancelled", "error")


@dataclass
class World:
    """Ann's client asks and Bob, who has guessed her requestId, uses it too."""

    breaks: list[int] = field(default_factory=list)
    clock: Clock = field(default_factory=Clock)
    channel: SteppedChannel = field(default_factory=SteppedChannel)
    generations: Generations = field(default_factory=Generations)
    actors: list[Actor] = field(default_factory=list)
    outcomes: list[Processed] = field(default_factory=list)
    assembly: Assembly = field(default_factory=lambda: Assembly(ID))
    received: list[dict[str, object]] = field(default_factory=list)
    connection: str | None = None
    opened: int = 0
    delivered: set[int] = field(default_factory=set)
    checked: int = 0
    counted: dict[RequestKey, list[str]] = field(default_factory=lambda: {ANNS: [], BOBS: []})

    def __post_init__(self) -> None:
        self.log = SteppedLog(self.clock)
        self.queue = SteppedQueue(self.clock)
        limits = unlimited(self.log, self.clock)
        self.resumer = Resumer(self.log, self.queue, self.channel, self.clock, withholding(), limits)
        self.accepter = Accepter(
            *(self.log, self.queue, self.resumer, self.clock, 7 * 24 * 3600, limits),
            *(KnowledgeBases, InMemoryShareTable(self.log, self.clock)),
        )
        self.channel.open("bob")

    # ---- who may act ----

    def connect(self) -> None:
        self.opened += 1
        self.connection = f"ann {self.opened}"
        self.channel.open(self.connection)

    def disconnect(self) -> None:
        if self.connection:
            self.channel.close(self.connection)
        self.connection = None

    def send(self, connection_id: str, message: str = "Who?") -> Actor:
        owner = BOB if connection_id == "bob" else ANN
        connection = Connection(connection_id, owner, self.clock() + 600, self.clock())

        def accept() -> None:
            reply = self.accepter.accept(send_message(message), connection)
            # A `pending` reply says when to ask again; the world decides that by itself.
            if reply and json.loads(reply)["type"] == "accepted" and connection_id in self.channel.under_way:
                self.channel.posted.append((connection_id, reply))
                self.channel.under_way[connection_id].append(reply)

        return self._act(f"send of {owner.user}", accept)

    def resume(self, connection_id: str) -> Actor:
        key, after = (BOBS, 0) if connection_id == "bob" else (ANNS, self.assembly.last_seq)
        return self._act(f"resume of {connection_id}", lambda: self.resumer.resume(key, after, connection_id))

    def cancel(self) -> Actor:
        return self._act("cancel", lambda: cancel(ANNS, self.log))

    def deliver(self, message: int) -> Actor:
        """A processor gets this message of the queue, for the first time or again."""
        self.delivered.add(message)
        return self.process(self.queue.messages[message])

    def process(self, key: RequestKey) -> Actor:
        def process() -> None:
            outcome = self._processor().process(key)
            if key == ANNS:
                self.outcomes.append(outcome)

        return self._act(f"processor of {key.principal.user}", process)

    def _act(self, name: str, work: Callable[[], object]) -> Actor:
        actor = Actor(name, work)
        self.actors.append(actor)
        return actor

    def _processor(self) -> Processor:
        actor = actor_here()
        assert actor
        agent = SteppedAgent(actor, self.generations, self.breaks)
        plan = Plan(Intent.PROFILE_REQUEST, Shape.NO_MATCH, "scripted", knowledge_base="scripts")
        scene = Answering()
        answerer = Answerer(
            lambda *_: plan, scene.passages, scene.whole_documents, scene.listings, agent, ScriptedModel()
        )
        return Processor(
            self.log,
            self.channel,
            self.queue,
            answerer,
            self.clock,
            LEASE_SECONDS,
            heartbeat_seconds=60,  # of real time, which has no part in this
            report=lambda error: None,
        )

    # ---- what happens to them ----

    def step(self, actor: Actor, fail: BaseException | None = None) -> None:
        """One call of the actor's, or its failure; then everything is looked at."""
        actor.step(fail)
        if actor.ended:
            self.actors.remove(actor)
            if not isinstance(
                actor.error, (type(None), Died, UnavailableError, RequestNotFoundError, RequestConflictError)
            ):
                raise AssertionError(f"{actor} has failed") from actor.error
        self.check()

    def run(self, actor: Actor) -> Actor:
        while not actor.ended:
            self.step(actor)
        return actor

    def receive(self, place: int, *, again: bool = False) -> None:
        """A frame arrives at Ann's client, in whatever order, and once more if `again`."""
        frames = self.channel.under_way[self.connection or ""]
        frame = frames[place % len(frames)]
        if not again:
            frames.remove(frame)
        self.received += self.assembly.receive(json.loads(frame))

    def close(self) -> None:
        """Let no thread outlive the test."""
        for actor in self.actors:
            while not actor.ended:
                actor.step(Died())

    # ---- what must hold ----

    def check(self) -> None:
        for key, known in self.counted.items():
            head = self.log.head(key)
            if head:
                bodies = [event.body for event in self.log.events(key, 0, head.last_seq)]
                assert bodies[: len(known)] == known, "What has counted has changed."
                self.counted[key] = bodies
                self._check_end(head, [json.loads(body)["type"] for body in bodies])
        for connection_id, frame in self.channel.posted[self.checked :]:
            self._check_frame(BOBS if connection_id == "bob" else ANNS, frame)
        self.checked = len(self.channel.posted)

    def _check_end(self, head: Head, kinds: list[str]) -> None:
        ends = [kind for kind in kinds if kind in _FINAL_TYPES]
        assert len(ends) == head.status.final, "A request ends by one event, and by nothing else."
        assert not ends or kinds[-1] == ends[0], "Nothing comes after the end."

    def _check_frame(self, key: RequestKey, frame: str) -> None:
        """What is posted counts already, and is the owner's own: every number always means the same event."""
        seq = json.loads(frame)["seq"]
        assert seq <= len(self.counted[key]), "A frame was posted before it counted, or to a stranger."
        assert frame == stored_frame(self.counted[key][seq - 1], request_id=ID, seq=seq)
        stranger = BOB if key == ANNS else ANN
        assert f'"{stranger.user} ' not in frame

    # ---- the end ----

    def finish(self) -> None:
        """Everybody goes on to the end; then Ann's client comes back until it has its answer.

        What died before is not delivered again: only what the client's resumes have queued makes it go on.
        """
        while self.actors:
            self.run(self.actors[0])
        if self.log.head(ANNS):
            for _ in range(_LAST_RESUMES):
                self._come_back()
                if self.assembly.finished:
                    break
            self._check_answer()

    def _come_back(self) -> None:
        self.clock.now += QUEUE_PATIENCE_SECONDS + 1
        self.disconnect()
        self.connect()
        assert self.connection
        self.run(self.resume(self.connection) if self.assembly.begun else self.send(self.connection))
        for message in sorted(set(range(len(self.queue.messages))) - self.delivered):
            self.run(self.deliver(message))
        while self.channel.under_way[self.connection]:
            self.receive(-1)

    def _check_answer(self) -> None:
        head = self.log.head(ANNS)
        assert head
        assert self.assembly.finished
        assert [stored_frame(body, request_id=ID, seq=seq) for seq, body in enumerate(self.counted[ANNS], start=1)] == [
            json.dumps(event, ensure_ascii=False, separators=(",", ":")) for event in self.received
        ]
        generated = self.generations.of(ANN)
        if head.status is Status.COMPLETE:
            assert self.assembly.text in generated
        else:
            assert any(text.startswith(self.assembly.text) for text in generated) or not self.assembly.text
        assert (ANNS in self.queue.buried) >= (head.status is Status.FAILED)
        assert len([outcome for outcome in self.outcomes if outcome is not Processed.SKIPPED]) <= 1
