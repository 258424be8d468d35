"""A plan: what one message asks for, and the one way in which it is answered."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from cicada.dialogue import ShownDocument
from cicada.documents.catalogue import DOCUMENTS, Aggregate, Sort
from cicada.documents.model import Condition, Subject
from cicada.understanding.model import Intent

BY_MODEL = "model"
"""The beginning of `Plan.by` of a plan that a model made."""
PAGE_SIZE = 20
"""Documents of a listing's page, where the message names no number."""


class Shape(StrEnum):
    """How a question about documents is answered; the names are those of the wire and of the evaluation."""

    METADATA_ONLY = "MetadataOnly"
    CONTENT_ONLY = "ContentOnly"
    HYBRID = "Hybrid"
    NO_MATCH = "NoMatch"
    NEEDS_CLARIFICATION = "NeedsClarification"


def concepts_of(topic: str) -> tuple[str, ...]:
    """The key concepts of a topic: its words, each once."""
    return tuple(dict.fromkeys(topic.lower().split()))


class Plan(Struct, frozen=True):
    """`query`: the message as a stand-alone question. `search_value`: what to search the passages for, or empty.

    `aggregates`: the numbers that are asked for; with `group`, for each value of these fields, of which there are at
    most two. `group` alone asks which values there are. `fields`: those whose values are asked for, in order.
    `limit` and `offset`: the page of a listing. `by`: what made the plan, `rules` or `model`.
    `carried`: what the rules carried over from earlier turns; a search's `query` and
    `search_value` have it at their end.
    `subjects`: what is read as a whole instead of searched for passages; of several, each is read, to compare them.
    `named`: names or numbers of single documents, as the message wrote them; the answer looks them up.
    `single`: the message speaks of one document that the conditions describe ("When does the lease end?").
    `wants_documents`: the documents about `search_value` are asked for, and not what they say of it.
    `continues`: it goes on from the plan before.
    `before`: the question before, as it stands alone, where the message only makes sense with it.
    `again`: passages of the last answer that this one is made from too, instead of a search.
    `confidence`: 0 to 1, how likely the rules' plan is right; a model does not say. `clarification`: what to ask back.
    """

    intent: Intent
    shape: Shape
    query: str
    search_value: str = ""
    knowledge_base: str = ""
    filters: tuple[Condition, ...] = ()
    sort: Sort | None = None
    aggregates: tuple[Aggregate, ...] = ()
    group: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    limit: int | None = None
    offset: int = 0
    key_concepts: tuple[str, ...] = ()
    language: str = "en"
    confidence: float = 1.0
    by: str = "rules"
    clarification: str = ""
    carried: tuple[str, ...] = ()
    subjects: tuple[Subject, ...] = ()
    named: tuple[str, ...] = ()
    single: bool = False
    wants_documents: bool = False
    continues: bool = False
    before: str = ""
    again: tuple[ShownDocument, ...] = ()

    @property
    def is_listing(self) -> bool:
        """Whether the answer is a list of documents, or numbers about them."""
        return self.shape is Shape.METADATA_ONLY or self.wants_documents

    def asked(self, message: str) -> str:
        """What the answering model is asked: the message, or what it means after the messages before it."""
        if self.before:
            return f"{message} ({self.before})"
        return self.query if self.carried else message

    @property
    def asks_for_rows(self) -> bool:
        """Whether documents are shown, and not numbers alone.

        Those that are counted are shown after their number, so that it can be checked; other numbers stand alone,
        unless a field of the documents, an order or a number of them is asked for too.
        """
        if not self.group and self.aggregates in ((), (DOCUMENTS,)):
            return True
        return bool(self.fields) or (not self.group and bool(self.sort or self.limit))
