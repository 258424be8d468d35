"""The answer that the events of a request make up."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from cicada_client.events import (
    Accepted,
    Cancelled,
    Chunk,
    Complete,
    Event,
    Failed,
    Reset,
    Source,
    Sources,
    Unsupported,
)
from cicada_client.listing import Listing
from cicada_client.plan import Plan

_CITATION = re.compile(r"\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]")


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer so far. `status` is `open` until it is `complete`, `cancelled` or `failed`.

    `knowledge_base` is the one that is asked. `sources`: all passages that the model was given, from the base
    `sources_from`. `listing`: the documents that were asked for, if the answer is a list of them. `plan`: how the
    question was understood, known when the answer is complete, as are `checked`, the number of sentences held against
    their passages, `unsupported`, and `stopped`, why the model ended early.
    """

    request_id: str = ""
    session_id: str | None = None
    knowledge_base: str | None = None
    status: str = "open"
    text: str = ""
    sources: tuple[Source, ...] = ()
    sources_from: str | None = None
    listing: Listing | None = None
    usage: Mapping[str, int] = field(default_factory=dict)
    timings: Mapping[str, int] = field(default_factory=dict)
    path: tuple[str, ...] = ()
    confidence: float | None = None
    plan: Plan | None = None
    checked: int | None = None
    unsupported: tuple[Unsupported, ...] = ()
    stopped: str = ""
    failure: Failed | None = None

    @property
    def cited(self) -> tuple[Source, ...]:
        """The sources that the text names by their numbers."""
        named = {int(n) for group in _CITATION.findall(self.text) for n in re.split("[,;]", group)}
        return tuple(source for source in self.sources if source.n in named)

    def then(self, event: Event) -> Answer:
        """The answer after one more event."""
        answer = replace(self, request_id=event.request_id)
        match event:
            case Accepted():
                return replace(answer, session_id=event.session_id, knowledge_base=event.knowledge_base)
            case Chunk():
                return replace(answer, text=self.text + event.content)
            case Sources():
                found = _merged(self.sources, event.sources)
                return replace(answer, sources=found, sources_from=event.knowledge_base or self.sources_from)
            case Listing():
                return replace(answer, listing=self.listing.then(event) if self.listing else event)
            case Reset():
                return replace(answer, text="", sources=(), listing=None)
            case Complete() | Cancelled() | Failed():
                return _ended(answer, event)
        return answer


def _merged(known: tuple[Source, ...], new: tuple[Source, ...]) -> tuple[Source, ...]:
    return tuple({source.n: source for source in (*known, *new)}.values())


def _ended(answer: Answer, event: Complete | Cancelled | Failed) -> Answer:
    if isinstance(event, Cancelled):
        return replace(answer, status="cancelled")
    if isinstance(event, Failed):
        return replace(answer, status="failed", failure=event)
    return replace(
        answer,
        status="complete",
        usage=event.usage,
        timings=event.timings,
        path=event.path,
        confidence=event.confidence,
        plan=event.plan,
        checked=event.checked,
        unsupported=event.unsupported,
        stopped=event.stopped,
    )
