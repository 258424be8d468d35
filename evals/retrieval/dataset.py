"""Retrieval sets in BEIR layout: `corpus.jsonl`, `queries.jsonl` (both gzipped or not), `qrels.tsv`.

Source: Thakur et al., BEIR: A Heterogeneous Benchmark for Zero-shot Evaluation of Information Retrieval Models, 2021.
"""

import csv
from collections.abc import Container, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, Field

from evals.lines import DatasetError, parsed, read_lines

Judgements = Mapping[str, Mapping[str, int]]
HEADERS = (("query-id", "corpus-id", "score"), ("query-id", "doc-id", "score"))


class Line(BaseModel):
    """A line of a file of a set; fields that are not named here are ignored."""

    id: str = Field(alias="_id", min_length=1)


class Row(Line):
    title: str | None = None
    text: str


class Query(Line):
    text: str


class Conversation(Line):
    """`turns`: the user's messages in the order of asking; the last one is the question."""

    turns: tuple[str, ...] = Field(min_length=1)


R = TypeVar("R", bound=Line)


@dataclass(frozen=True, slots=True)
class Dataset:
    """`judgements`: for each judged query the passages' grades; every query has one above 0."""

    name: str
    rows: tuple[Row, ...]
    queries: tuple[Query, ...]
    judgements: Judgements


def load_dataset(folder: Path, queries_file: Path | None = None) -> Dataset:
    """The set in the folder; its queries may come from another file. Raises DatasetError.

    Queries without a relevant passage are left out, as are judgements of unknown queries and passages.
    """
    if not folder.is_dir():
        raise DatasetError(f"There is no folder {folder}; give one with corpus.jsonl, queries.jsonl and qrels.tsv.")
    rows = read_rows(set_file(folder, "corpus.jsonl"), Row)
    source = queries_file or set_file(folder, "queries.jsonl")
    queries = read_rows(source, Query)
    judgements = read_judgements(judgements_file(folder), {row.id for row in rows}, {query.id for query in queries})
    judged = tuple(query for query in queries if query.id in judgements)
    if not judged:
        raise DatasetError(
            f"None of the queries of {source} has a relevant passage in the corpus by {judgements_file(folder)}; "
            "give files that belong together."
        )
    return Dataset(folder.resolve().name, tuple(rows), judged, judgements)


def load_conversations(folder: Path, dataset: Dataset) -> list[Conversation]:
    """`conversations.jsonl`: one for each query of the set, in their order. Raises DatasetError."""
    source = set_file(folder, "conversations.jsonl")
    found = {each.id: each for each in read_rows(source, Conversation)}
    missing = [query.id for query in dataset.queries if query.id not in found]
    if missing:
        raise DatasetError(f"{source} has no conversation for the query '{missing[0]}'; give one for each query.")
    return [found[query.id] for query in dataset.queries]


def set_file(folder: Path, name: str) -> Path:
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    raise DatasetError(f"{folder} has neither {name} nor {name}.gz.")


def judgements_file(folder: Path) -> Path:
    for path in (folder / "qrels.tsv", folder / "qrels" / "test.tsv"):
        if path.is_file():
            return path
    raise DatasetError(
        f"{folder} has neither qrels.tsv nor qrels/test.tsv; without judgements nothing can be measured."
    )


def read_rows(path: Path, kind: type[R]) -> list[R]:
    found: dict[str, R] = {}
    for number, row in parsed(read_lines(path), kind, path):
        if row.id in found:
            raise DatasetError(f"{path}, line {number}: the _id '{row.id}' is there twice.")
        found[row.id] = row
    if not found:
        raise DatasetError(f"{path} is empty.")
    return list(found.values())


def read_judgements(path: Path, passages: Container[str], queries: Container[str]) -> Judgements:
    """The judgements on known queries with something relevant; passages or documents are judged."""
    found: dict[str, dict[str, int]] = {}
    for number, values in enumerate(csv.reader(read_lines(path), delimiter="\t", quoting=csv.QUOTE_NONE), start=1):
        if not values or tuple(values) in HEADERS:
            continue
        if len(values) != 3 or not values[2].strip().lstrip("-").isdecimal():
            raise DatasetError(
                f"{path}, line {number}: write query-id, corpus-id and a whole score, with tabs between."
            )
        query, passage, grade = values
        if query in queries and passage in passages:
            found.setdefault(query, {})[passage] = int(grade)
    return {query: grades for query, grades in found.items() if max(grades.values()) > 0}
