"""The knowledge bases that a user may ask: what each is about, how much of it there is, and questions to begin with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from cicada.answering.audit import document_of
from cicada.conversation.limits import BASE
from cicada.conversation.protocol import (
    FRAME_LIMIT_BYTES,
    BaseSummary,
    KnowledgeBasesListed,
    ListKnowledgeBases,
    frame,
)
from cicada.documents.catalogue import TITLE, DocumentRow, Sort
from cicada.documents.model import DocumentKey
from cicada.identity import Principal
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.knowledge_bases.settings import KnowledgeBases
from cicada.languages.terms import stop_words
from cicada.observability.audit import DocumentsShown, shown_to
from cicada.permissions import PermissionGate, base_of, may_ask, readable_passages
from cicada.retrieval.ports import DocumentCatalogue

# From so many documents the questions are made.
_SAMPLE = 20


class BaseList(Struct, frozen=True):
    """`names`: those of a tenant's bases that have had a document or a setting, besides those of the library.

    `spend`: charges the user for the bases that are read. `gate`: asked for each document that a question names.
    `audit` is called with these; it does not fail.
    """

    index: DocumentCatalogue
    gate: PermissionGate
    spend: Callable[[Principal, int], object]
    bases: Callable[[], KnowledgeBases]
    names: Callable[[str], Iterable[str]]
    audit: Callable[..., object]
    clock: Callable[[], float]

    def listed(self, command: ListKnowledgeBases, principal: Principal) -> KnowledgeBasesListed:
        """The bases by name. One without a document that the user may read is listed only if it is known by name.

        Raises `DependencyError` and `LimitExceededError`.
        """
        bases = self.bases()
        found: list[BaseSummary] = []
        shown: list[DocumentsShown] = []
        known = (base_of(bases, principal, name) for name in sorted({*bases.named, *self.names(principal.tenant)}))
        askable = [each for each in known if may_ask(each, principal)]
        self.spend(principal, BASE * len(askable))
        for base in askable:
            name = base.name
            page = self.index.rows(readable_passages(principal, name), Sort(TITLE), _SAMPLE)
            if not (page.total and bases.open_names) and not base.kept and name not in bases.named:
                continue
            # Only from documents that the user may read at this moment.
            permitted = self.gate.permit(principal, page.rows, lambda row: row.document)
            questions = opening_questions(base.schema, permitted.items)
            texts = tuple(each.text for each in questions)
            found.append(BaseSummary(name, page.total, base.description or None, texts))
            named = {each.document for each in questions}
            if documents := tuple(document_of(row) for row in permitted if row.document in named):
                shown.append(shown_to(principal, command.request_id, 0, "suggested", documents, self.clock(), name))
        self.audit(*shown)
        return _fitting(KnowledgeBasesListed(bases=tuple(found)), command.request_id)


def _fitting(listed: KnowledgeBasesListed, request_id: str) -> KnowledgeBasesListed:
    """The list, without questions and then without its last bases until it has room in a frame."""
    if not _fits(listed, request_id):
        listed = replace(listed, bases=tuple(replace(each, questions=()) for each in listed.bases))
    while not _fits(listed, request_id):
        listed = replace(listed, bases=listed.bases[:-1])
    return listed


def _fits(listed: KnowledgeBasesListed, request_id: str) -> bool:
    return len(frame(listed, request_id=request_id).encode()) <= FRAME_LIMIT_BYTES


# Questions to begin with, made from a base's documents: each is answered by a list or with sources. They are in
# English, as the rules understand it best; only what English documents say is asked for.

MOST_QUESTIONS = 3
# Values by which documents are told apart, and that are read at a glance.
_FEWEST, _MOST = 2, 12
_LONGEST = 60
_SCENE = re.compile(r"(\d{1,3})\.(\d{1,3})\b")
_TOPIC = re.compile(r"What about (\S+ .+)\?")


class OpeningQuestion(Struct, frozen=True):
    """`document`: the one that the question names; None where it names none."""

    text: str
    document: DocumentKey | None = None


def opening_questions(schema: Schema, rows: Sequence[DocumentRow]) -> tuple[OpeningQuestion, ...]:
    """The questions of a base, at most three. `rows`: its first documents; the user may read them all."""
    fields = [each for each in schema.fields.values() if _tells_apart(each, rows)]
    fields.sort(key=lambda each: not each.shown)
    made = [OpeningQuestion(f"How many documents are there by {_name(each)}?") for each in fields[:1]]
    made += [
        OpeningQuestion(f"Which documents have the {_name(each)} {_commonest(each, rows)}?") for each in fields[1:2]
    ]
    made += next(filter(None, map(_about, rows)), ())
    if rows and len(made) < MOST_QUESTIONS:
        made.append(OpeningQuestion("Which documents are there?"))
    return tuple(made[:MOST_QUESTIONS])


def _tells_apart(field: SchemaField, rows: Sequence[DocumentRow]) -> bool:
    """Whether most documents have a value of the field, of which there are some and not too many."""
    values = _values(field, rows)
    fits = all(len(each) <= _LONGEST for each in values)
    return (
        field.type is FieldType.KEYWORD and fits and _FEWEST <= len(values) <= _MOST and values.total() > len(rows) / 2
    )


def _values(field: SchemaField, rows: Sequence[DocumentRow]) -> Counter[str]:
    found = (row.metadata.get(field.name) for row in rows)
    return Counter(each for each in found if isinstance(each, str))


def _commonest(field: SchemaField, rows: Sequence[DocumentRow]) -> str:
    counted = _values(field, rows)
    return min(counted, key=lambda value: (-counted[value], value))


def _name(field: SchemaField) -> str:
    """The field's name as it stands in a sentence."""
    name = field.display or field.name.replace("_", " ")
    return name if name.isupper() else name.lower()


def _about(row: DocumentRow) -> list[OpeningQuestion]:
    """Questions about what the document says; none where nothing in it can be named well."""
    if not row.title or len(row.title) > _LONGEST or row.card is None or row.card.language != "en":
        return []
    scenes = [found for each in row.card.sections if (found := _SCENE.match(each.heading))]
    if scenes:
        act, scene = scenes[0].groups()
        texts = [f"Summarise {row.title}", f"What happens in act {act} scene {scene} of {row.title}?"]
    else:
        texts = [f"What does “{row.title}” say about {each}?" for each in _topics(row.card.question_hints)][:1]
    return [OpeningQuestion(each, row.document) for each in texts]


def _topics(hints: Sequence[str]) -> Iterator[str]:
    """The headings among the hints that name a subject, in more than one word."""
    for hint in hints:
        topic = _TOPIC.fullmatch(hint)
        if topic and topic[1].split()[0].lower() not in stop_words("english") and len(topic[1]) <= _LONGEST:
            yield topic[1]
