"""Users of a stage: each has a connection, asks, pauses, asks on, and now and then loses the connection."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada_client.answer import Answer
from cicada_client.client import Client
from cicada_client.errors import CicadaClientError, RefusedError
from cicada_client.events import Chunk, Event
from cicada_client.timing import Timing
from clients.documents.files import Upload
from clients.documents.uploader import Uploader

BASE = "load"
_PLACES = ("Ardwick", "Borrin", "Carsay", "Dunmore", "Elgol", "Farrow", "Glenmar", "Kelmory")
_QUESTIONS = ("When was the lighthouse of {} first lit?", "What happened to the harbour of {}?")
_FOLLOW_UPS = ("How high is it?", "Who keeps it?")
_DOCUMENT = """# {0}

The lighthouse of {0} was first lit on {1} March 18{2}. It is {1} metres high, and a keeper lives beside it.

The harbour of {0} was dredged in 19{2}, after a storm had filled it with sand. Since then {1} boats land there.
"""
# Of the questions, by chance: so many go on with a conversation, and so many lose their connection in the middle.
_GO_ON, _CUT = 0.5, 0.1
# The emulator runs one invocation of each function behind the WebSocket at a time. So users arrive a few at a time, and
# repeat later than clients do what is not accepted at once: repeats would keep it from ever catching up.
TIMING = Timing(open_seconds=60, accept_seconds=30, silence_seconds=60, patience_seconds=180)
_ARRIVING_AT_ONCE = 4
Connect = Callable[[], Client]


@dataclass(frozen=True, slots=True)
class Asked:
    """What became of a question. `code`: why there is no answer, empty if there is one. Times in seconds.

    `service`: what the processor took for it, by its own clock. `first_text`: None for an answer without any.
    """

    kind: str
    code: str
    whole: float
    first_text: float | None = None
    service: float = 0.0


@dataclass(slots=True)
class Run:
    """What a run has brought. `ingested`: seconds until a document was searchable; `refused`: those that never were."""

    asked: list[Asked] = field(default_factory=list)
    ingested: list[float] = field(default_factory=list)
    refused: int = 0
    seconds: float = 0.0


def run(connects: list[Connect], uploader: Uploader, tenant: str, folder: Path, minutes: float, pause: float) -> Run:
    """All users at once for so long; `pause`: mean seconds between an answer and the user's next question.

    A first question of each is not counted: it waits for functions that start.
    """
    found = Run()
    documents = _documents(folder, KnowledgeBaseKey(tenant, BASE))
    for _ in uploader.ingest(documents[: len(_PLACES)]):
        """What the questions are about is searchable before they are asked."""
    users = [_User(connect, number, pause) for number, connect in enumerate(connects)]
    with ThreadPoolExecutor(_ARRIVING_AT_ONCE) as arriving:
        list(arriving.map(_User.ask, users))
    with ThreadPoolExecutor(len(users) + 1) as pool:
        began = time.monotonic()
        until = began + 60 * minutes
        asked = [pool.submit(user.ask_until, until) for user in users]
        pool.submit(partial(_ingest_until, uploader, documents[len(_PLACES) :], found, until)).result()
        found.asked += [each for user in asked for each in user.result()]
    found.seconds = time.monotonic() - began
    return found


class _User:
    def __init__(self, connect: Connect, number: int, pause: float) -> None:
        self._connect, self._client = connect, connect()
        self._chance = random.Random(number)
        self._pause = pause
        self._session: str | None = None

    def ask_until(self, until: float) -> list[Asked]:
        """One question after the other; the last one is waited for."""
        asked: list[Asked] = []
        try:
            while time.monotonic() + (wait := self._chance.expovariate(1 / self._pause)) < until:
                time.sleep(wait)
                asked.append(self.ask())
        finally:
            self._client.close()
        return asked

    def ask(self) -> Asked:
        """Ask one question, and wait for all of its answer."""
        goes_on, is_cut = self._session and self._chance.random() < _GO_ON, self._chance.random() < _CUT
        text = self._chance.choice(_FOLLOW_UPS if goes_on else _QUESTIONS).format(self._chance.choice(_PLACES))
        kind = "resumed" if is_cut else "follow-up" if goes_on else "new"
        began, first_text, answer = time.monotonic(), None, Answer()
        try:
            for event in self._events(text, self._session if goes_on else None, is_cut=is_cut):
                if isinstance(event, Chunk) and first_text is None:
                    first_text = time.monotonic() - began
                answer = answer.then(event)
        except CicadaClientError as error:
            code = error.code if isinstance(error, RefusedError) else type(error).__name__
            return Asked(kind, code, time.monotonic() - began)
        self._session = answer.session_id
        code = answer.failure.code if answer.failure else ""
        return Asked(kind, code, time.monotonic() - began, first_text, answer.timings.get("total", 0) / 1000)

    def _events(self, text: str, session_id: str | None, *, is_cut: bool) -> Iterator[Event]:
        """The connection is lost once the answer has begun; the rest is fetched on another one."""
        request_id, seq = str(uuid.uuid4()), 0
        events = self._client.ask(text, session_id, BASE, request_id=request_id)
        for event in events:
            seq = event.seq
            yield event
            if is_cut and seq > 1:
                self._client.close()
                self._client = self._connect()
                yield from self._client.follow(request_id, seq)
                return


def _documents(folder: Path, base: KnowledgeBaseKey) -> list[Upload]:
    """One for each place, and then more that nobody asks about."""
    uploads = []
    for number in range(10, 100):
        name = _PLACES[number - 10] if number - 10 < len(_PLACES) else f"Harbour {number}"
        path = folder / f"{number}.md"
        path.write_text(_DOCUMENT.format(name, number % 28 + 1, number), "utf-8")
        uploads.append(Upload(path, DocumentKey(base, path.name), None))
    return uploads


def _ingest_until(uploader: Uploader, uploads: list[Upload], found: Run, until: float) -> None:
    """One document after the other, ten seconds apart."""
    for upload in uploads:
        if time.monotonic() > until:
            return
        _ingest(uploader, upload, found)
        time.sleep(max(0.0, min(10.0, until - time.monotonic())))


def _ingest(uploader: Uploader, upload: Upload, found: Run) -> None:
    began = time.monotonic()
    [result] = uploader.ingest([upload])
    if result.has_failed:
        found.refused += 1
    else:
        found.ingested.append(time.monotonic() - began)
