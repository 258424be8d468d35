"""`python -m evals.retrieval_bench.cards`: what a document's card costs to write and to find, by the size of the base.

Figures of this machine at this moment: nothing is asserted, and the load is printed beside them. One index grows from
size to size, and is measured at each.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean, median, quantiles
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

from msgspec.structs import replace

from cicada.adapters.opensearch.bulk import BulkWriter
from cicada.adapters.opensearch.client import connect
from cicada.adapters.opensearch.options import IndexOptions
from cicada.adapters.opensearch.passage_index import OpenSearchPassageIndex
from cicada.adapters.opensearch.rows import rows
from cicada.adapters.retry import Retry
from cicada.documents.card import Card, CardSection, Related
from cicada.documents.catalogue import row_of
from cicada.documents.filter import PassageFilter
from cicada.retrieval.model import CardQuery, EmbeddedPassage, Vector
from cicada.retrieval.ports import CataloguedIndex
from cicada_embedded.passage_index import SqlitePassageIndex
from evals.retrieval_bench.corpus import DIMENSION, Corpus, made
from evals.retrieval_bench.ours import BASE, MODEL, passages
from evals.retrieval_bench.server import say, server
from local.stage.settings import StageError

LIMIT = 50
UPSERTS = 30
TERMS = 20
ENGINES = ("embedded", "OpenSearch")
_VISIBLE_SECONDS = 300.0
# The embedded index has so many different documents; further ones are copies of their rows.
_COPIED = 10_000
_NEW_ID = "'report-' || (CAST(substr(document_id, 8) AS INTEGER) + :first)"
_OF = "number IN (SELECT number FROM {} WHERE CAST(substr(document_id, 8) AS INTEGER) < :count)"
_COPIES = {
    "passage": "SELECT number + :shift, collection, {id}, {id} || '#000000', is_restricted FROM passage",
    "body": "SELECT number + :shift, version, title, text, context, locator, language, metadata, readers FROM body",
    "vector": "SELECT number + :shift, vector FROM vector",
    "words": "SELECT number + :shift, language, lengths, counts FROM words",
    "document": "SELECT number + :shift, collection, {id}, title, is_restricted, content_hash, row FROM document",
    "card": "SELECT number + :shift, card FROM card",
    "card_vector": "SELECT number + :shift, vector FROM card_vector",
    "card_words": "SELECT number + :shift, language, lengths, counts FROM card_words",
}
"""Selects the copies of a table's rows, with numbers after all before."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Milliseconds. `cpu`: the mean of this process's processor time, which other processes' load hardly changes."""

    p50: float
    p95: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Measured:
    """At `cards` cards. `upsert`: a document is replaced, in OpenSearch without the wait until it is visible.

    `found`: both retrievers. `found_after`: the first search after an upsert. `cold`: the first one of a process.
    `counted`: in how many passages 20 terms occur, after an upsert.
    """

    engine: str
    cards: int
    upsert: Spread
    found: Spread
    found_after: Spread
    counted: Spread
    cold: float


@dataclass(frozen=True, slots=True)
class Bench:
    """An engine that is measured. `fill` adds the documents of these numbers, `upsert` writes one again."""

    engine: str
    index: CataloguedIndex
    fill: Callable[[range], None]
    upsert: Callable[[int], None]
    opened: Callable[[], CataloguedIndex]


def main(arguments: list[str]) -> int:
    options = _options(arguments)
    load = os.getloadavg()[0]
    measured: list[Measured] = []
    sizes = {"embedded": sorted(options.cards), "OpenSearch": sorted(options.opensearch_cards)}
    most = max(size for engine, each in sizes.items() for size in each if engine not in options.without)
    corpus = made(min(most, _COPIED))
    try:
        with TemporaryDirectory(prefix="cicada-bench-") as folder:
            if "embedded" not in options.without:
                measured += measure(_embedded(Path(folder), corpus), corpus, sizes["embedded"])
            if "OpenSearch" not in options.without:
                with server(options.opensearch, Path(folder)) as url:
                    measured += measure(_opensearch(url, corpus), corpus, sizes["OpenSearch"])
    except StageError as error:
        print(error, file=sys.stderr)
        return 1
    loads = [load, os.getloadavg()[0]]
    found = {"load": loads, "measured": list(map(asdict, measured))}
    print(json.dumps(found, indent=2) if options.json else "\n".join(_table(loads, measured)))
    return 0


def measure(bench: Bench, corpus: Corpus, sizes: Sequence[int]) -> Iterator[Measured]:
    """The index at each size, one after the other."""
    filled = 0
    for size in sizes:
        say(f"{bench.engine}, {size} cards …")
        bench.fill(range(filled, size))
        filled = size
        yield _measured(bench, corpus, size)


def card_of(corpus: Corpus, number: int) -> Card:
    """A card of the words of chunk `number`: as long as one that is made of a document's headings and terms."""
    words = corpus.texts[number].split()
    sections = tuple(
        CardSection(" ".join(words[at : at + 3]), at // 8, at // 8, tuple(words[at + 3 : at + 8]))
        for at in range(38, len(words), 8)
    )
    related = tuple(Related(f"report-{other}", 0.5) for other in range(8))
    return Card(
        title=" ".join(words[:6]),
        overview=" ".join(words[6:30]),
        topic_tags=tuple(words[30:38]),
        question_hints=tuple(" ".join(words[at : at + 8]) for at in (4, 12, 20)),
        sections=sections,
        related=related,
    )


def spread(times: Sequence[tuple[float, float]]) -> Spread:
    """Of calls, each with its milliseconds and those of its processor time."""
    wall = [each for each, _ in times]
    return Spread(median(wall), quantiles(wall, n=20)[-1], fmean(cpu for _, cpu in times))


def _measured(bench: Bench, corpus: Corpus, size: int) -> Measured:
    queries = _queries(corpus)
    terms = corpus.texts[0].split()[:TERMS]
    cold, _ = _timed(lambda: bench.opened().find_cards(next(queries)))
    bench.index.find_cards(next(queries))
    bench.index.passages_with(PassageFilter(BASE), terms)
    found = [_timed(lambda: bench.index.find_cards(next(queries))) for _ in range(3 * UPSERTS)]
    upserts, after, counted = [], [], []
    for number in range(UPSERTS):
        upserts.append(_timed(lambda: bench.upsert(number * size // UPSERTS)))  # noqa: B023 - called at once
        after.append(_timed(lambda: bench.index.find_cards(next(queries))))
        counted.append(_timed(lambda: bench.index.passages_with(PassageFilter(BASE), terms)))
    return Measured(bench.engine, size, spread(upserts), spread(found), spread(after), spread(counted), cold)


def _queries(corpus: Corpus) -> Iterator[CardQuery]:
    while True:
        for each in corpus.questions:
            yield CardQuery(PassageFilter(BASE), each.text, each.vector.tolist(), LIMIT)


def _timed(call: Callable[[], object]) -> tuple[float, float]:
    began, used = time.perf_counter(), time.process_time()
    call()
    return (time.perf_counter() - began) * 1000, (time.process_time() - used) * 1000


def _document(corpus: Corpus, number: int) -> tuple[list[EmbeddedPassage], Card, Vector]:
    number %= len(corpus.texts)
    return passages(corpus, number, 1), card_of(corpus, number), corpus.vectors[number].tolist()


def _embedded(folder: Path, corpus: Corpus) -> Bench:
    path = folder / "cards.sqlite"
    index = SqlitePassageIndex(path, MODEL, DIMENSION)

    def upsert(number: int) -> None:
        kept, card, vector = _document(corpus, number)
        row = row_of([each.passage for each in kept])
        index.replace(kept[0].passage.document, kept, replace(row, card=card) if row else None, vector)

    def fill(numbers: range) -> None:
        for number in range(numbers.start, min(numbers.stop, _COPIED)):
            upsert(number)
        copy_documents(path, max(numbers.start, _COPIED), numbers.stop)

    return Bench("embedded", index, fill, upsert, lambda: SqlitePassageIndex(path, MODEL, DIMENSION))


def copy_documents(path: Path, start: int, stop: int) -> None:
    """Add documents `start` to `stop` as copies of the rows of the first ones, of one passage each."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for first in range(start, stop, _COPIED):
            connection.execute("BEGIN IMMEDIATE")
            for table, selected in _COPIES.items():
                last = connection.execute(f"SELECT max(number) FROM {table}").fetchone()[0]  # noqa: S608 - a constant
                owner = "document" if table.startswith(("card", "document")) else "passage"
                connection.execute(
                    f"INSERT INTO {table} {selected.format(id=_NEW_ID)} WHERE {_OF.format(owner)}",
                    {"first": first, "count": min(stop - first, _COPIED), "shift": last},
                )
            connection.execute("UPDATE collection SET revision = revision + 1")
            connection.execute("COMMIT")


def _opensearch(url: str, corpus: Corpus) -> Bench:
    client, name = connect(url, None), f"bench-{uuid4().hex}"
    index = OpenSearchPassageIndex(client, IndexOptions(MODEL, DIMENSION, given_name=name))
    everything = PassageFilter(BASE)
    index.count(everything)  # Creates it.
    writer = BulkWriter(client, Retry(attempts=5))

    def fill(numbers: range) -> None:
        writer.add(name, (row for number in numbers for row in _rows(corpus, number, 1)))
        until = time.monotonic() + _VISIBLE_SECONDS
        while index.count(everything) < numbers.stop and time.monotonic() < until:
            time.sleep(0.1)

    def upsert(number: int) -> None:
        writer.add(name, _rows(corpus, number, int(time.time() * 1_000_000)))

    def opened() -> CataloguedIndex:
        return OpenSearchPassageIndex(connect(url, None), IndexOptions(MODEL, DIMENSION, given_name=name))

    return Bench("OpenSearch", index, fill, upsert, opened)


def _rows(corpus: Corpus, number: int, generation: int) -> Iterator[dict[str, Any]]:
    kept, card, vector = _document(corpus, number)
    row = row_of([each.passage for each in kept])
    return rows(row.document, generation, kept, replace(row, card=card), vector, DIMENSION) if row else iter(())


def _table(load: Sequence[float], measured: Sequence[Measured]) -> Iterator[str]:
    yield f"load {load[0]:.1f} before, {load[1]:.1f} after; milliseconds, p50/p95 and mean processor time"
    yield f"{'engine':<11}{'cards':>8}{'upsert':>17}{'find':>17}{'find after':>19}{'count terms':>19}{'cold find':>11}"
    for each in measured:
        yield (
            f"{each.engine:<11}{each.cards:>8}{_both(each.upsert):>17}{_both(each.found):>17}"
            f"{_both(each.found_after):>19}{_both(each.counted):>19}{each.cold:>11.0f}"
        )


def _both(times: Spread) -> str:
    return f"{times.p50:.1f}/{times.p95:.1f} {times.cpu:.1f}"


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.retrieval_bench.cards")
    parser.add_argument("--cards", type=int, nargs="+", default=[1_000, 10_000, 100_000], help="in the embedded index")
    parser.add_argument("--opensearch-cards", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--opensearch", default="", metavar="URL", help="one that runs; otherwise one is started")
    parser.add_argument("--without", nargs="*", default=[], choices=ENGINES)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
