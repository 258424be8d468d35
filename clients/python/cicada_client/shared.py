"""A page of a conversation that somebody shares."""

from __future__ import annotations

from dataclasses import dataclass

from cicada_client.events import Frame, Source, read_source
from cicada_client.forms import objects, text, text_or_none
from cicada_client.listing import ListedDocument, read_listed


@dataclass(frozen=True, slots=True)
class SharedTurn:
    """A question and its answer, with the sources and the listed documents of the answer.

    `withheld`: the answer is not shown, because it may say something of documents that the user may not read; `answer`
    says so. `truncated`: something of the turn had no room. `knowledge_base`: where sources and documents are from.
    """

    request_id: str
    created_at: str
    status: str
    message: str
    answer: str
    truncated: bool = False
    withheld: bool = False
    knowledge_base: str | None = None
    sources: tuple[Source, ...] = ()
    documents: tuple[ListedDocument, ...] = ()


@dataclass(frozen=True, slots=True)
class SharedPage:
    """Newest first. `owner` is the name of whom the conversation belongs to; `before` asks for the next page."""

    owner: str
    title: str
    turns: tuple[SharedTurn, ...]
    before: str | None


def parse_shared(frame: Frame) -> SharedPage:
    """The page in a `shared` frame; items that are not objects are left out."""
    turns = tuple(map(_turn, objects(frame.get("turns"))))
    return SharedPage(text(frame.get("owner")), text(frame.get("title")), turns, text_or_none(frame.get("before")))


def _turn(item: Frame) -> SharedTurn:
    return SharedTurn(
        request_id=text(item.get("requestId")),
        created_at=text(item.get("createdAt")),
        status=text(item.get("status")),
        message=text(item.get("message")),
        answer=text(item.get("answer")),
        truncated=item.get("truncated") is True,
        withheld=item.get("withheld") is True,
        knowledge_base=text_or_none(item.get("knowledgeBase")),
        sources=tuple(map(read_source, objects(item.get("sources")))),
        documents=tuple(map(read_listed, objects(item.get("documents")))),
    )
