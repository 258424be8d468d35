"""Sets for the document router: `cards.jsonl`, `queries.jsonl`, `qrels.tsv`, and possibly `passages.jsonl`.

All JSON lines may be gzipped. Passages of a document without a card are as welcome as cards without passages.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, Field

from cicada.documents.catalogue import Card, CardSection, Related
from evals.lines import DatasetError
from evals.retrieval.dataset import Judgements, Line, Query, judgements_file, read_judgements, read_rows, set_file


class SectionLine(BaseModel):
    heading: str
    keywords: tuple[str, ...] = ()


class EdgeLine(BaseModel):
    document_id: str
    weight: float = Field(ge=0, le=1)


class CardLine(Line):
    """`related`: the edges of the document graph, if the set has them."""

    id: str = Field(alias="doc_id", min_length=1)
    title: str
    overview: str = ""
    topic_tags: tuple[str, ...] = ()
    question_hints: tuple[str, ...] = ()
    sections: tuple[SectionLine, ...] = ()
    related: tuple[EdgeLine, ...] = ()

    @property
    def card(self) -> Card:
        """The card, whose sections have one passage each, because a set does not say which passages they have."""
        sections = (CardSection(each.heading, at, at, each.keywords) for at, each in enumerate(self.sections))
        related = (Related(each.document_id, each.weight) for each in self.related)
        return Card(
            self.title, self.overview, self.topic_tags, self.question_hints, tuple(sections), tuple(related), by="set"
        )


class PassageLine(Line):
    document_id: str = Field(min_length=1)
    text: str


@dataclass(frozen=True, slots=True)
class DocumentSet:
    """`cards` by document id; `passages` by document id, in the order of the file."""

    name: str
    cards: Mapping[str, Card]
    passages: Mapping[str, tuple[PassageLine, ...]]
    queries: tuple[Query, ...]
    judgements: Judgements

    @property
    def documents(self) -> tuple[str, ...]:
        """Ids of all documents: first those with a card."""
        return tuple(dict.fromkeys((*self.cards, *self.passages)))

    @property
    def passage_count(self) -> int:
        return sum(map(len, self.passages.values()))


def load_documents(folder: Path) -> DocumentSet:
    """The set in the folder. Raises DatasetError.

    Queries without a right document in the set are left out, as are judgements of unknown queries and documents.
    """
    if not folder.is_dir():
        raise DatasetError(f"There is no folder {folder}; give one with cards.jsonl, queries.jsonl and qrels.tsv.")
    cards = {line.id: line.card for line in read_rows(set_file(folder, "cards.jsonl"), CardLine)}
    passages = _passages(folder)
    queries = read_rows(set_file(folder, "queries.jsonl"), Query)
    judgements = read_judgements(
        judgements_file(folder), cards.keys() | passages.keys(), {query.id for query in queries}
    )
    judged = tuple(query for query in queries if query.id in judgements)
    if not judged:
        raise DatasetError(
            f"None of the queries of {folder} has a right document among the cards by {judgements_file(folder)}; "
            "give files that belong together."
        )
    return DocumentSet(folder.resolve().name, cards, passages, judged, judgements)


def _passages(folder: Path) -> dict[str, tuple[PassageLine, ...]]:
    """The passages by document; empty if the set has no file of passages."""
    if not any((folder / name).is_file() for name in ("passages.jsonl", "passages.jsonl.gz")):
        return {}
    found: dict[str, list[PassageLine]] = {}
    for line in read_rows(set_file(folder, "passages.jsonl"), PassageLine):
        found.setdefault(line.document_id, []).append(line)
    return {document: tuple(lines) for document, lines in found.items()}
