"""Values of answering: the parts of an answer, in their order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct, field

from cicada.documents.aggregates import Aggregation
from cicada.documents.catalogue import Aggregate, DocumentRow, ListedPage
from cicada.documents.model import DocumentKey
from cicada.generation import Stop
from cicada.grounding.checking import Checked
from cicada.knowledge_bases.schema import Schema
from cicada.permissions import Permitted
from cicada.retrieval.model import RankedPassage
from cicada.understanding.plan import Plan

Span: TypeAlias = tuple[int, int]
"""Where a piece of a text begins and ends, in characters; the end is not part of it."""


class Progress(Struct, frozen=True):
    """A step has begun: `planning`, `searching`, `ranking`, `answering` or `agent`."""

    stage: str
    detail: str | None = None


class Cited(Struct, frozen=True):
    """The passages that the answer is built from. `schema` says which fields a source shows.

    `first`: the number of the first one, where others were cited before.
    """

    passages: Permitted[RankedPassage]
    schema: Schema = field(default_factory=Schema)
    first: int = 1


class Used(Struct, frozen=True):
    """The cited passages that the whole text rests on, by their numbers, and which spans of their texts.

    They were shown before, as `Cited`.
    """

    passages: Mapping[int, RankedPassage]
    spans: Mapping[int, tuple[Span, ...]]
    schema: Schema = field(default_factory=Schema)


class Numbers(Struct, frozen=True):
    """The numbers that were asked for. `names`: of the aggregates, and `group`: of its fields, for people.

    `unit`: what was counted, `document` or the `row` of a table.
    """

    aggregates: tuple[Aggregate, ...]
    names: tuple[str, ...]
    group: tuple[str, ...]
    found: Aggregation
    unit: str = "document"


class Match(Struct, frozen=True):
    """Why a document is among those about a subject: sentences of its best passage, and what in it matched, in words.

    `relevance`: the highest of its passages, 0 to 1.
    """

    excerpt: str
    reason: str
    relevance: float | None


class Listed(Struct, frozen=True):
    """A page of the documents that were asked for; without rows where numbers alone were. `total`: how many match.

    `columns`: the fields to show, in order, with their names for people. `matches`: of documents about a subject.
    """

    rows: Permitted[DocumentRow]
    total: int
    columns: Mapping[str, str]
    offset: int = 0
    next_offset: int | None = None
    numbers: Numbers | None = None
    matches: Mapping[DocumentKey, Match] = field(default_factory=dict)


class Unanswered(Struct, frozen=True):
    """The base has no answer: what follows only says so. Comes before anything is shown, and is not delivered."""


class Text(Struct, frozen=True):
    """The next piece of the answer."""

    content: str


class Finished(Struct, frozen=True):
    """The answer is complete. `path` names the steps taken; `confidence` is 0 to 1, or None if it was not judged.

    `plan`: what was understood. `conditions`: its filters in words. `matching`: how many documents meet them, if they
    were counted. `withheld`: how many documents were found that the user may not view. `listing`: the page that was
    shown, if it was one. `checked`: the sentences that were held against their passages. `stopped`: why the model
    ended early, if it did. `of_rows`: what was listed and counted are rows of tables. `removable`: the places of the
    conditions of a listing that a later question may leave out.
    """

    path: tuple[str, ...]
    confidence: float | None
    input_tokens: int = 0
    output_tokens: int = 0
    plan: Plan | None = None
    conditions: tuple[str, ...] = ()
    matching: int | None = None
    withheld: int = 0
    listing: ListedPage | None = None
    checked: Checked | None = None
    stopped: Stop | None = None
    of_rows: bool = False
    removable: tuple[int, ...] = ()


AnswerPart = Progress | Cited | Used | Listed | Unanswered | Text | Finished


class Prompt(Struct, frozen=True):
    """The request to a chat model."""

    system: str
    user: str
