"""Questions to begin with in a knowledge base, made from its documents: each is answered by a list or with sources.

They are in English, as the rules understand it best; only what English documents say is asked for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from cicada.documents.catalogue import DocumentRow
from cicada.documents.model import DocumentKey
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.languages.terms import stop_words

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
